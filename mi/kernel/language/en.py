"""English."""

from mi.kernel.language import Patterns, listed

_I_WILL = r"(?:i|we)(?:'ll| will|'m going to| am going to| are going to| need to| plan to| have to| must| should)"
_LET_US = r"let(?:'s| me)"
_FIRST = r"(?:i|we)"


class English(Patterns):
    """What MI knows of English."""

    sentence_break = r"(?<=[.!?])(?=\s)"
    abbreviation = r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|Mr|Mrs|Ms|Dr)|(?:\b[A-Za-z]\.)+[A-Za-z])\.$"
    full_stops = (".", "!")
    question_marks = ("?",)
    commas = (",",)
    semicolons = (";",)
    colons = (":",)
    opening_brackets = ("(",)
    closing_brackets = (")",)
    closing_quotes = ("”", "’")
    months = tuple("january february march april may june july august september october november december".split())
    irregular_forms = listed(
        """become became, begin began begun, break broke broken, bring brought, build built, buy bought, catch caught,
        choose chose chosen, come came, deal dealt, draw drew drawn, drive drove driven, eat ate eaten, fall fell fallen,
        feel felt, fight fought, find found, fly flew flown, forget forgot forgotten, freeze froze frozen, get got gotten,
        give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept,
        know knew known, lead led, learn learnt, leave left, lend lent, light lit, lose lost, make made, mean meant,
        meet met, pay paid, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen,
        seek sought, sell sold, send sent, shake shook shaken, shoot shot, show shown, sing sang sung, sink sank sunk,
        sit sat, sleep slept, speak spoke spoken, spend spent, stand stood, steal stole stolen, stick stuck,
        strike struck, swim swam swum, take took taken, teach taught, tear tore torn, tell told, think thought,
        throw threw thrown, understand understood, wake woke woken, wear wore worn, win won, write wrote written,
        child children, man men, woman women, person people, foot feet, tooth teeth, mouse mice, wife wives,
        index indices, good better best, bad worse worst, mother mom mum, father dad"""
    )
    suffix = r"(?:ing|ed|es|s|ly)$"
    stop_words = tuple(
        """a about am an and any are as at be been but by can could did do does for from had has have he her hers
        him his how i if in into is it its me my not of on or our she should so some than that the their them then there
        these they this to us was we were what when where which who whom whose why will with would you your""".split()
    )
    empty_words = tuple(
        """after all also ask before being done doing each either else every first get give go having just keep
        let like make may might more most must need never no now off once one only other out over own please prefer
        rather run say same see shall such tell those too under until up use used using very want way well whether
        while without yes always""".split()
    )

    # consent
    yes = tuple("y yes yep ok okay sure fine good agree agreed approve approved accept accepted".split())
    no = ("n", "no", "nope", "nah", "never")
    refusal = (
        r"(?:please |absolutely |certainly |definitely |of course |better |rather )?"
        r"(?:(?:n|no|nope|nah|never|not|don't|dont|stop|abort|cancel|halt|hold|wait|later|skip)\b"
        r"|do not\b|den(?:y|ied)\b|reject|refuse)"
    )
    no_refusal = (
        r"(?:no|not an?) (?:problem|objection|worries|issue|concern|doubt|need to (?:ask|wait|stop))"
        r"|(?:don't|dont|do not) (?:wait|ask|stop|worry|hesitate)"
    )
    yes_to_tasks = ("add", "go", "verified")
    yes_to_lesson = ("apply", "learn")
    no_to_lesson = ("dismiss", "reject", "drop")
    go_on = ("go", "go on", "continue")

    # what an agent says
    courtesy = (
        r"\b(?:let me know|tell me|feel free|don't hesitate|reach out|happy to|glad to)\b[^.?!]{0,40}?"
        r"\b(?:if|should|whenever|anything|any (?:questions?|issues?|changes?|other)|to (?:ask|reach|review|adjust|change))\b"
        r"|\b(?:anything else|any (?:other )?questions)\b[^.]{0,60}\?$"
        r"|^if (?:you(?:'d| would| want| like| prefer| need| wish| ever)|needed|desired|helpful|useful)\b[^.?]{0,80}"
        r"\b(?:i|we) (?:can|could)\b|^(?:i|we) (?:can|could) (?:also )?\b[^.?]*\bif (?:you|that|it|needed)\b"
        r"|^please (?:review|take a look|have a look|see|note|enjoy|feel free)\b|^thank|^happy (?:coding|to)\b"
    )
    promise = (
        rf"\b(?:{_FIRST} ?(?:will|'ll|shall|am going to|are going to|'m going to|plan to|intend to|am about to"
        r"|'m about to|'d (?:next|now|then)|need to|have to|still need|must still|should still|am (?:now |still )?(?!done|glad"
        r"|happy|sure|confident)\w+ing|'m (?:now |still )?\w+ing)(?! (?:not|never|leave|keep|be (?:happy|glad))\b))"
        r"|(?<!n't )\b(?:let me|let's)(?! (?:know|explain|summari[sz]e))\b"
        r"|^(?:now |next,? |then )?(?:looking into|working on|checking|investigating|running|starting|continuing|proceeding"
        r"|implementing|fixing|updating|adding|writing|reading|about to)\b(?![^.]*\b(?:passes|passed|works|fixed|is done)\b)"
        r"|^(?:next|up next|after that|afterwards|later)[,:]? (?:up|is|i\b|we\b|come|step)|\bnext steps? (?:is|are|would be)\b"
        r"|\bin progress\b|\bwork in progress\b|\bstand by\b|\bhang on\b|\bone moment\b|\bmore to come\b"
    )
    unable = (
        rf"\b{_FIRST} (?:\w+ly |still |just |also )?(?:could not|couldn't|can ?not|can't|was not able|wasn't able|were not able"
        r"|am unable|was unable|were unable|am not able|failed to|did not manage|didn't manage|ran out of|got stuck|am stuck"
        r"|do not (?:know|have|understand|see how)|don't (?:know|have|understand|see how)|have no (?:access|idea|way)"
        r"|lack\b|gave up)"
        r"|^(?:but |however,? |unfortunately,? )?(?:unable|could not|couldn't|can ?not|can't|not able|failed) (?:to )?"
        r"(?:be )?(?:run|ran|verify|verif|test|complet|finish|find|access|reach|connect|install|reproduc|build|locat|open|read"
        r"|execut|fix|apply|resolv|determin|confirm|download|creat|write)\w*"
        r"|\b(?:could not|couldn't|can ?not|can't|was not able to|were unable to|was unable to) (?:yet )?be (?:run|verified"
        r"|tested|executed|completed|finished|fixed|built|installed|checked|confirmed|reproduced|applied|resolved|determined)\b"
        r"|\b(?:not sure|unsure|uncertain|unclear to me|no idea)\b|\b(?:it is|it's|remains) unclear\b"
        r"|\b(?:permission|access|network access) (?:was |is |were )?(?:denied|missing|refused)\b.*\bso\b"
    )
    unfinished = (
        r"\b(?:TODO|FIXME|TBD|WIP)s?\b|\bto-?do\b"
        r"|\bnot yet\b|\byet to (?:be )?\w+|\b(?:isn't|aren't|hasn't|haven't|has not|have not|is not|are not)\b[^.;]{0,30}\byet\b"
        rf"|\b(?:{_FIRST} )?(?:have not|haven't|did not|didn't|have n't) (?:yet |actually |fully |get (?:around )?to |get a chance to"
        r" |have (?:time|a chance) to )?(?:run|ran|test|tested|verif\w+|finish\w*|complet\w+|implement\w*|get to|got|start\w*"
        r"|handle[d]?|cover\w*|check\w*|write|written|wir\w+|updated?|address\w*|include[d]?|migrat\w+|find|found|reproduc\w+"
        r"|commit\w*|push\w*)\b"
        r"|\b(?:is|are|was|were|has been|have been|been|still|but|it|this|that) (?:still )?not (?:been )?(?:fully |yet |completely "
        r"|actually )?(?:implemented|finished|completed?|done|working|passing|wired|integrated|addressed|verified|tested"
        r"|executed|in place|run|ready|resolved)\b(?! (?:if|when|for|by|on) (?:the|an?) (?:input|user|caller)\b)"
        r"|\b(?:isn't|aren't|wasn't|weren't|hasn't been|haven't been) (?:fully |yet |actually )?(?:implemented|finished|completed?"
        r"|done|working|passing|wired|integrated|addressed|verified|tested|executed|run|ready|resolved|covered|supported)\b"
        r"|\b(?:is|are) not (?:covered|supported|handled|included) (?:yet|for now|by this)"
        r"|\bstill (?:to (?:do|be)|needs?|missing|open|pending|left|remains?|required?|ha(?:s|ve) to|must|fail\w*|red|broken"
        r"|throws?|raises|errors?|crash\w*|returns? (?:the )?wrong|wrong|outstanding|untested|unverified|incomplete|there)\b"
        r"|\b(?:remains?|remaining) (?:to be|open|broken|red|unfixed|unresolved|failing|untested|unverified|unclear|work|tasks?"
        r"|items?|steps?|failures?|tests?|parts?|cases?|files?|issues?|todos?)\b|\bwhat(?:'s| is) left\b|\bleft to (?:do|be)\b"
        r"|\b(?:left|leaving|leave)\b[^.;]{0,40}\b(?:out\b|for (?:later|another|a (?:later|future|follow|second|separate|next))"
        r"|to you|undone|unfinished|unimplemented|open\b|as an exercise|a (?:todo|fixme|placeholder|stub)|broken|failing|half)"
        rf"|\b{_FIRST}(?:'ve| have)? (?:also |only |therefore |temporarily |deliberately )?(?:skipped|deferred|postponed|omitted"
        r"|stubbed|mocked|commented out|disabled|bypassed|ignored|left out|punted)\b|^(?:skipped|skipping|deferred|omitted"
        r"|postponed|punted)\b(?! (?:nothing|none))"
        r"|\b(?:tests?|checks?|steps?|parts?|items?|requirements?|migrations?|docs|documentation|lint\w*|build)\b[^.;,]{0,30}"
        r"\b(?:was|were|is|are|been) (?:skipped|deferred|postponed|omitted|left out)\b"
        r"|\bskip\w*\b[^.;]{0,60}\bfor now\b|\b(?:for now|for the moment|for the time being)\b"
        r"|\b(?:placeholders?|stub(?:bed)?|hard-?coded for|dummy implementation|temporary (?:workaround|hack|fix))\b"
        r"|\b(?:partial(?:ly)?|half[- ]?(?:way|done|finished)|almost|nearly|mostly) (?:done|complete\w*|finished|implemented"
        r"|working|works|fixed|there|ready)\b|\bpartial (?:fix|implementation|solution)\b|\bhalf[- ]?(?:done|finished)\b"
        r"|\b(?:incomplete|unfinished|unimplemented|untested|unverified)\b"
        r"|\b(?:part|step|phase|item|stage) (?:\d+|one) (?:of|/) (?:\d+|two|three|four|five)\b"
        r"|\b(?P<passing>\d+)(?: (?:out )?of (?:the )?|/)(?!(?P=passing)\b)\d+ (?:\w+ ){0,2}(?:pass\w*|succeed\w*|green|done|ok)\b"
        r"|\b(?:everything|all|it)\b[^.;]{0,40}\b(?:except(?: for)?|but|apart from)\b(?! (?:that|as|those|the ones|it|they|i|we|now)\b)"
        r"(?! \w+ (?:now|no longer))|\bsome (?:tests?|checks?) pass\b"
        r"|\bonly (?:fixed|did|implemented|converted|migrated|changed|handled) (?:the )?(?:first|part|one|half|some)\b"
        r"|\bonly (?:the )?(?:first|part|one of|half|some of)\b[^.;]{0,40}\b(?:done|implemented|fixed|finished|complete|migrated"
        r"|converted|works?)\b|\b(?:fixed|did|converted|migrated|implemented|finished) (?:only |just )?(?:one|some|part|half|most"
        r"|\d+(?: out)?) of (?:the |them|these|those|\d)"
        r"|\b(?:follow(?:ing)?[- ]?up|separate|future|next|later|another|second) (?:pr|prs|commit|change|task|issue|ticket"
        r"|iteration|session|batch|pass|patch|pull request|work)\b|\b(?:in|as) a follow[- ]?up\b|\bfollow[- ]?ups?(?: work)?\b"
        r"|\b(?:can|could|will|should|to|must|may|might)\b[^.;]{0,40}\b(?:be )?(?:added|done|handled|fixed|finished|implemented"
        r"|addressed|tackled|covered|cleaned up|removed|migrated|revisited)\b[^.;]{0,20}\b(?:later|next|afterwards|eventually"
        r"|separately|in (?:the|a) future)\b|\bfor later\b|\banother (?:time|day)\b|\bnext time\b|\blater on\b"
        r"|\byou(?:'ll| will|'d| would)? (?:still |also |first |now |just )?(?:need to|have to|must|should(?! (?:now |be able|see"
        r"|get|find|only|never|not))|want to (?:run|set|add|check|verify|update|install|make sure))\b"
        r"|^(?:but |then |and |also |now )?please (?!review|take|have a|see|note|enjoy|feel|find)\w+"
        r"|\b(?:make sure (?:to|you)|don't forget|remember to|be sure to)\b|\bmanual(?:ly)? (?:steps?|run|verify|check|action"
        r"|intervention|test)\b|\b(?:requires?|needs?|awaiting|waiting (?:for|on)|blocked (?:by|on)|pending) (?:your|you\b"
        r"|access|credentials?|an? (?:decision|answer|reply|api key|token|password)|approval|more (?:info|work|time|details?)"
        r"|further|clarification|confirmation|permission|the (?:person|user|maintainer))"
        rf"|\b{_FIRST} (?:still )?need\b|\b(?:am|is|are|'m|'s) (?:still |currently |now )?(?:waiting|blocked|stuck|pending)\b|^pending\b"
        r"|\b(?:needs?|need) (?:more|further|additional|some) (?:work|time|testing|investigation|changes|tests)\b"
        r"|\bneeds? to be (?:done|added|implemented|fixed|updated|tested|run|written|migrated|reviewed|verified|investigated"
        r"|installed|set|configured|regenerated|restarted)\b"
        r"|\b(?:tests?|suite|specs?|checks?|builds?|lint\w*|ci|pipeline|mypy|pytest|ruff|tsc|eslint|compilation|type ?check\w*"
        r"|cases?|assertions?|it|they|one|two|three|[1-9]\d*|some|one of them)\b[^.;,!?]{0,40}?\b(?:fails?|(?<!was )(?<!were )failing|is red|are red"
        r"|is broken|are broken|breaks|does(?:n't| not) (?:pass|compile|build|work)|do(?:n't| not) (?:pass|compile|work)"
        r"|(?:is|are)(?:n't| not) (?:passing|green|working)|errors? out|times? out|crashes|crash)\b"
        r"|\b(?:will|shall) follow\b|\bshould be (?:tested|verified|reviewed|checked|run)\b|\bpersists?\b|\bno luck\b|\bso far\b"
        r"|\b(?:command|process|it|suite|build|program|server)\b[^.;]{0,10}\b(?:hangs|freezes|never (?:ends|returns))\b|\bleft to \w+"
        r"|\bknown (?:issue|bug|problem|failure)s?\b|\bopen (?:question|point|issue|item|task)s?\b|\bnot enough (?:time|context)\b"
        r"|\b(?:is|are) (?:currently |still )?missing\b(?! in [\d`P])|\bno (?:tests?|checks?)\b[^.;,]{0,25}\b(?:run|ran|executed|possible)\b"
        r"|\b(?:nothing|none of (?:it|this|that|them|these))\b[^.;,]{0,20}\b(?:implemented|tested|verified|done|run|executed)\b(?! wrong)"
        r"|(?<!now )\bexit(?:s|ed)? (?:with )?(?:code |status )?[1-9]\d*\b|: [1-9]\d* (?:errors?|failures?)\b|\brun it to \w+|\bexcept that\b"
        r"|\bneeds? (?:someone|updating|testing|fixing|a (?:rerun|restart|review|rebase))\b|\brecommend (?:adding|running|testing)\b"
        rf"|\b{_FIRST}(?:'ve| have)? (?:only |just )?(?:started|begun|began)\b|\b{_FIRST} could only\b|\bmost of (?:it|them|the)\b"
    )
    failed_before = (
        r"\b(?:tests?|suite|specs?|checks?|builds?|lint\w*|ci|pipeline|pytest|ruff|tsc|eslint|it|they|one|two|three|[1-9]\d*)\b"
        r"(?:(?!\b0\b)[^.;!?]){0,40}?\b(?:failed|failures?|broke|errored|crashed|timed out|did(?:n't| not) (?:pass|compile|work|build))\b"
        r"|\b(?:failed|errored)\b[^.;]{0,30}\b(?:tests?|checks?|build|assert\w*)\b|\b(?:was|were) (?:missing|failing|broken|red)\b"
    )
    mended = (
        r"\b(?:pass|passes|(?<!\d )passed|passing|green|succeeds?|succeeded|works?|working)\b(?! (?:except|but))|\b(?:fixed|resolved|clean"
        r"|corrected|repaired|no longer|gone|put right)\b|\bexit(?:s|ed)? (?:with )?(?:code )?0\b"
    )
    none_of = r"\b(?:no|nothing|none|zero|never|neither|nor|any|without|no longer|not)\b|(?<![\d.])\b0\b"
    not_now = (
        r"\b(?:removed|resolved|deleted|cleared|closed|replaced|cleaned up|took out|dropped|fixed|implemented)\b[^.;]{0,40}"
        r"\b(?:todo|fixme|stub|placeholder|hack|workaround|skip)|\b(?:todo|fixme|stub|placeholder|hack|workaround)s?\b[^.;]{0,40}"
        r"\b(?:removed|resolved|deleted|gone|cleared|closed|replaced|fixed|done|taken out|dropped|implemented)\b"
        r"|\b(?:without|before|prior to|on|against|with) (?:the|this|my|that|your) (?:fix|change|patch|old|previous|original"
        r"|base|unpatched)\b|\b(?:previously|used to|originally|formerly|in the past|at first|initially|the old)\b|^before\b"
        r"|\bnow (?:fails?|rejects|raises|errors|crashes|breaks) (?:with|on|for|if|when|early|fast|loudly|clearly)\b"
        r"|\b(?:which|that|they|and) (?:now )?(?:pass(?:es)?|works?)\b|\bnow pass(?:es)?\b|\bpass(?:es)? now\b|\bno longer\b"
        r"|\b(?:if|when|whenever|unless|in case|for which|whether)\b"
    )
    lasts = r"\bstill\b|\bnot yet\b"
    opens_list = (
        r"(?:(?:here (?:is|'s) )?(?:my|the) plan|plan|what(?:'s| is) (?:left|next|missing|remaining|not done)|next steps?|remaining(?: \w+)?|to-?dos?|still (?:open|to do"
        r"|missing|left|failing)|not (?:yet )?(?:done|finished|implemented|included|covered|tested|verified)|left (?:to do|open|out)"
        r"|open (?:questions?|points?|issues?|items?|tasks?)|follow[- ]?ups?|known (?:issues?|bugs?|problems?|failures?)|pending"
        r"|outstanding(?: \w+)?|unfinished|incomplete|skipped|deferred|failing(?: tests?)?|blockers?|blocked|manual steps?"
        r"|(?:required )?actions? (?:required|needed|for you)|you(?:'ll| will)? (?:still )?need to|future work|later|in progress)"
    )
    optional = (
        r"\boptional(?:ly)?\b|\bnice[- ]to[- ]haves?\b|\bif you (?:like|want|wish|prefer)\b|\bsuggestions?\b|\bideas?\b"
    )
    empty_item = r"(?:none|nothing|n/?a|no\b|nil|-+|not applicable|all done|✓|✅|0\b)"
    question = r"^(?:please (?:confirm|choose|tell|let me know|advise|clarify)|let me know|confirm)\b"
    deed = r"\b(?:(?:should|shall|may|can|could|must) (?:i|we)|(?:want|like) me to) (?:also |now |just |then )?(\w+)"
    grave_words = tuple("push publish deploy delete drop remove install release merge overwrite force sudo".split())

    # what a person asks for
    politeness = (
        r"(?:please|kindly|hey|hi|hello|okay|ok|so|now|then|also|and|but|first|next|finally|just|quickly|if so|if not"
        r"|if (?:needed|necessary|possible)|(?:can|could|would|will) (?:you|we|someone)|(?:should|shall) we|let's|let us"
        r"|help me(?: to)?|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to)\b\W*"
    )
    clause_break = r"\band\b|\bthen\b|\bbut\b"
    inquiry = (
        r"(?:what|why|how|where|when|who|which|explain|describe|summari[sz]e|list|show|tell|review|analy[sz]e|compare"
        r"|count|investigate|inspect|assess|evaluate|estimate|report|find (?:out|where|which|all|every|any)"
        r"|look (?:at|into|for)|check (?:if|whether|what|why|how)|give me|walk me through|is|are|was|were|does|did|has"
        r"|have|do (?:i|we|you|they|these|those|any|all)|any (?:idea|reason|thoughts|clue)|what's|who's|where's"
        r"|(?:can|could|should|would|will) (?:i|it|this|that|the|they|there))\b"
    )
    asks_only = (
        r"\b(?:only|just) (?:tell|explain|show|answer|report|describe|list|summari[sz]e)\b|\b(?:change|edit|touch|modify)"
        r" nothing\b(?! else)|\b(?:do not|don't|without) (?:change|changing|edit|editing|modify|modifying|touch|touching)"
        r" (?:anything|the code|any code|any files?)\b(?! else)|\bno (?:code )?changes\b|\bread[- ]only\b"
    )
    looks = r"(?:please )?(?:run|execute|read|open|go through|check|see|try|have a look|take a look|look)\b"
    change = (
        r"(?:fix|add|implement|write|create|make|remove|delete|drop|refactor|update|change(?! nothing)|rename|move|build|improve"
        r"|replace|convert|migrate|upgrade|install|set ?up|configure|generate|extend|support|handle|correct|repair|resolve"
        r"|solve|clean|format|optimi[sz]e|port|revert|apply|edit(?! nothing)|modify(?! nothing)|document|translate|bump|enable|disable|introduce"
        r"|extract|split|merge|commit|push|deploy|publish|do (?:the|it|this|that|so)|turn|switch|adjust|finish|complete"
        r"|rewrite|simplify|speed|reduce|increase|allow|ensure|get rid|sort|take care|deal with|get (?:it|this|that|the)"
        r"|tidy|mend|address|patch|undo|restore|unbreak|wire|polish|shorten|lower|raise|put|swap|use|bring|let the|stop"
        r"|(?:can|could|would|will|should) (?:it|this|that|the|they)\b[^?]*\b(?:be|get) (?:made|fixed|changed|added|removed"
        r"|improved|simplified|renamed|cleaned|turned|updated|moved|refactored|rewritten|handled|supported|sped|sorted))\b"
    )
    ask_me = r"\b(?:ask|check with|consult|confirm with|tell) me\b|\bmy (?:approval|permission|ok)\b"
    lasting = (
        r"\b(?:always|never|from now on|in (?:the )?future|every time|whenever|prefer|by default|as a rule|going forward"
        r"|any ?more|don't ever|each time)\b"
    )
    vague_words = listed("somehow, or something, and so on, something like, etc, maybe, whatever, more or less")
    unclear_words = tuple(
        """a about again all an and any anything as asap at be begin better bit can change check clean clear continue
        could deal do does doing done everything finish fix for get go good great handle help here i improve in it its
        just keep let like look make makes me more my nice nicer now of off ok okay on one optimise optimize our out
        please proceed properly quick quickly rework right run same should so solve some something start stuff take that
        the them then these thing things this those to try tweak up update urgent urgently us want we with work works
        would you your""".split()
    )
    mending = r"\b(?:fix\w*|mend\w*|repair\w*|solv\w*|bugs?|pass(?:es|ing)?|green|fail\w*)\b"
    failing_tests = (
        r"\b(?:failing|failed|broken|red)\s+(?:\w+\s+){0,2}(?:tests?|suite|specs?)\b"
        r"|\b(?:tests?|suite|specs?)\b(?: \w+){0,3} (?:fails?|failing|failed|red|broken)\b"
        r"|\b(?:make|get|turn)\b(?: \w+){0,4} (?:tests?|suite|specs?)(?: to)?(?: be)? (?:pass|green)"
        r"|\b(?:fix|mend|repair|sort out)\b(?: (?:the|all|our|my|unit|these|those|whole)){0,3} (?:tests?|suite|specs?)\b"
        r"|\bwhatever (?:fails|is red)\b"
    )
    adds_tests = (
        r"\b(?:add|write|create|extend|improve|increase|raise|complete)\b(?: (?!with\b|and\b|plus\b|including\b)[\w'-]+){0,4}?"
        r" (?:tests?|specs?|test cases?|coverage)\b"
    )
    keeps_behaviour = (
        r"\brefactor\w*|\bbehaviou?r[- ]preserving|\brenam\w+|\btypes?[- ]only\b|\btype (?:annotations?|hints?)\b"
        r"|\boptimi[sz]\w+|\bspeed\b.{0,40}\bup\b|\bspeed up\b|\bfaster\b|\bclean(?:ing)? up\b|\btidy\b|\bsimplif\w+"
        r"|\bextract\b|\bsplit\b|\bre?format\b|\bdocument\b|\bdocstrings?\b|\bcomments?\b|\bmove\b|\breorgani[sz]\w+"
    )
    renames = r"\b(?:renam\w+|mov(?:e|es|ing)|merg(?:e|es|ing)|split\w*|reorgani[sz]\w+|consolidat\w+)\b"
    take_away = r"remove|delete|drop|get rid of|skip|disable|xfail"
    negation = r"\bnot|n't|\bnever|\bwithout|\binstead of"
    before_name = (
        r"(?:the|this|that|these|those|all|both|old|obsolete|outdated|unused|deprecated|duplicate|flaky|slow|failing"
        r"|broken|entire|whole|unit|file|files|case|cases|method|function|class|suite|module|from|in|of|and|or|named"
        r"|called|temporarily|[\w./-]*[Tt]ests?[\w./-]*)\b"
    )
    adjust = (
        r"\b(?:updat|adjust|adapt|chang|edit|rewrit|rework|modif|refactor|renam|extend|correct|migrat|convert|port|regenerat"
        r"|replac|mov|set|configur|switch|align|bump|bring|translat|reformat|parametri[sz]|simplif|clean|speed|stabili[sz]"
        r"|reorgani[sz]|split|loosen|relax|rais|lower|increas|decreas|remov|delet|drop|skip|add|creat|writ|introduc|enabl"
        r"|disabl|deselect|exclud|ignor|mark|accept|record|sync|deflak|restructur|use|run)\w*"
    )
    move_away = r"\b(?:mov|renam|relocat|put|reorgani[sz]|restructur|split|merg)\w*"
    test_words = (
        r"(?:unit |integration |existing |affected |related |all |its |their |corresponding |test |jest |pytest |vitest )*"
        r"\b(?:tests?|test ?(?:suite|cases?|files?|data)|specs?|snapshots?|golden(?: ?files?)?|goldens|fixtures?|expectations?"
        r"|expected (?:values?|outputs?|results?|strings?|messages?)|assertions?)\b"
    )
    no_object = r"\b(?:so|until|make|makes|making|pass|passes|passing|then|because|without|not|green|against|satisfy|keep)\b|n't\b"
    tests_stay = (
        r"(?:\bnot|n't|\bnever|\bwithout) (?:\w+ ){0,3}?(?:touch|chang|modif|edit|alter|updat|adjust|adapt|rewrit)\w*"
        r" (?:\w+ ){0,4}?(?:tests?|specs?|snapshots?|fixtures?|test files?)\b"
        r"|\b(?:leave|keep) (?:all |the |existing |our )*(?:tests?|specs?|snapshots?) (?:alone|as (?:they are|is|it is)|untouched|unchanged)"
        r"|\btests? (?:must|should|may|shall) (?:not be (?:changed|touched|modified|edited)|stay|remain)\b"
        r"|\b(?:code|implementation),? not the tests?\b|\bnot in the tests?\b"
    )
    tests_wrong = (
        r"\b(?:tests?|specs?|expectations?|assertions?|snapshots?|fixtures?|expected \w+|[\w./]*test_\w+(?:\.py)?)[`'\"]* "
        r"(?:\w+ ){0,3}?(?:is|are|was|were|has|have|looks?|expects? the) (?:\w+ )?(?:wrong|outdated|stale|obsolete|incorrect|flaky|a typo"
        r"|out of date|unstable|brittle|mistaken|not correct|old)"
        r"|\b(?:wrong|outdated|stale|obsolete|incorrect|flaky|brittle|unstable) (?:\w+ ){0,2}?(?:tests?|specs?|expectations?|assertions?"
        r"|snapshots?|fixtures?|expected)\b|\b(?:fix|repair|mend)\w* (?:\w+ ){0,2}?tests? (?:after|following|since|broken by)\b|\btypo in (?:\w+ ){0,3}?(?:tests?\b|specs?\b|[\w./]*test_)"
    )
    with_tests = r"(?:and|with|including|along with|together with) (?:\w+ ){0,2}?(?:its|their|the|all|any)? ?(?:\w+ ){0,2}?(?:tests?|specs?)\b"
    brings = r"\b(?:add|creat|writ|introduc|us|run|set)\w*"
    leaves_value = r"\b(?:from|instead of|rather than|not|was|no longer)\b"
    states = (
        r"(?:\b(?:to|be|is|are|now|returns?|as|prints?|says?|shows?|rais(?:es?|ing)|throws?|uses?|with|by|into|becomes?|reads?"
        r"|means?|gives?|yields?|outputs?|emits?|defaults?|value|from|version|instead)\b|==?|=>|→|->|:)"
    )
    new_names = (
        r"\brenam(?:e|ed|es|ing)\s+(?:(?:the|our|all|every|both|private|public|helper|test|function|method|class|variable|module|parameter"
        r"|argument|field|file|package|constant|option|attribute|command|endpoint|column|key|type|struct|interface|enum|flag|setting"
        r"|property|folder|directory|uses?|of|from)\s+)*[`'\"]?(?!(?:it|them|this|that)\b)(?P<old>[\w./-]+?)(?:\(\))?[`'\"]?"
        r"(?:\s+(?!to\b)[\w`./-]+){0,6}?\s+(?:to|into|as)\s+(?:be\s+|called\s+)?[`'\"]?(?P<new>[\w./-]*\w)"
    )
    weakens_tests = (
        r"\b(?:delete|remove|disable|skip|comment out|weaken)\b[^.]{0,40}\b(?:tests?|assert\w*|hooks?|checks?)\b"
    )

    # plans
    announces_steps = (
        r"\b(?:plan|steps|approach|to-?do|tasks|checklist|next steps|here is what (?:i|we)(?:'ll| will) do"
        r"|(?:i|we)(?:'ll| will| am going to| are going to)(?: now)?(?: do)?(?: the following)?)\b"
        r"[^.!?\n]{0,60}[:：]?[ \t*_#]*$"
    )
    step = r"\bstep[ \t]+(\d{1,3}|one|two|three|four|five)\b[ \t]*[:.—–-]?[ \t]*\S"
    first = (
        r"(?<!the )(?<!an )(?<!a )(?<!my )(?<!its )"
        r"\b(?:first(?:ly)?(?: of all)?|to (?:start|begin)(?: with)?|start(?:ing)? by)\b,?[ \t]+"
        rf"(?:{_I_WILL}\s+|{_LET_US}\s+)?(?!(?:about|as|at|because|for|from|in|of|on|with)\b)[a-z][\w`./'-]*[ \t]+\S"
    )
    then = (
        r"\b(?:(?:and |, ?|; ?)?then|next|after (?:that|this|which)|afterwards|finally|last(?:ly)?|second(?:ly)?)\b"
        rf",?[ \t]+(?:{_I_WILL}\s+|{_LET_US}\s+)?[a-z`][\w`./'-]*"
    )
    intent = rf"\b(?:{_I_WILL}|{_LET_US})\b"
    then_do = (
        r"(?:\b(?:and |, ?|; ?)then|\b(?:after (?:that|this|which)|afterwards|finally))\b,?[ \t]+"
        rf"(?:{_I_WILL}\s+[a-z]|{_LET_US}\s+[a-z]|(?!(?:i|we|you|he|she|it|they|that|this|these|there|the|an?|all"
        r"|everything|everyone|is|are|be|was|were|will|would|can|could|should|must|may|have|has|had|again|done|no|not)\b)"
        r"[a-z`][\w`./'-]*[ \t]+\S)"
    )
    choice = r"\b(?:either|options?|whether|alternatives?)\b|\bor\b[ \t]*[(（]2"
    past = (
        r"\b(?:i|we|it|he|she|they|you)\s+(?:first|then|already|have|had|did|was|were)\b(?![^.]{0,20}\b(?:to|will)\b)"
    )
    report = r"\b(?:done|completed|finished|summary|changed|results?)\b"

    # rules and lessons
    turns = (
        r"\b(?:no|not|never|don'?t|doesn'?t|without|only|unless|except|avoid|stop|instead|before|after|always|must"
        r"|allow(?:ed)?|forbid(?:den)?)\b|n't\b"
    )
    joins = r"[,;:]|[.!?]\s+\S|\b(?:and|then|but|also|plus|while|afterwards|otherwise)\b"
    loosens = (
        r"\bwithout\b|\bno need\b|\bneeds? no\b|\bnot? (?:need|required?|necessary)\b"
        r"|\b(?:don'?t|do not|never|not|no|stop) (?:\w+ ){0,2}(?:ask|confirm|check|verif|review|test|prompt|approv)\w*"
        r"|\bask (?:nobody|no[ -]?one)\b"
        r"|\b(?:allow|permit|skip|disable|ignore|bypass|trust|approved?|may|freely|override|force)\w*\b"
    )
    holds_back = (
        r"\b(?:ask|confirm|check with)\b.*\b(?:before|first|prior to)\b|\b(?:before|prior to)\b.*\b(?:ask|confirm)\b"
        r"|\b(?:never|do not|don'?t|avoid)(?: run| use| do)?(?: git| npm| docker| kubectl| pip)?"
        r" (?:push|publish|delet|remov|install|deploy|upload|overwrit|rm|drop|force)\w*\b"
    )
    checks_first = (
        r"^(?:always )?run (?:[\w-]+ ){0,3}(?:tests?|checks?|linters?|suite)(?: (?:of|in|for|on)(?: [\w-]+){1,4})?"
        r" (?:first|before [\w -]+|after [\w -]+)[.!]?$"
    )
    about_a_check = (
        r"\b(?:the|this|its?|an?|all|of|in|for|by|with|via|and|is|are|was|were|can|be|here|project|repository|repo|code"
        r"|module|package|library|unit|tests?|suite|checks?|builds?|lint(?:er)?|types?|command|run|runs|ran|running"
        r"|executed?|pass(?:es|ed|ing)?|succeed(?:s|ed)?|successful(?:ly)?|green|works?|exits?|status|zero|0"
        r"|us(?:es?|ed|ing))\b"
    )

    # governance
    urgency = ("ASAP", "urgent")
    urgency_stops = listed("not urgent, non-urgent, isn't urgent, nothing urgent")
    just_change = ("just change",)
    full_challenge = listed("full challenge, challenge me fully, challenge it fully")
    triggers = {
        "T3": listed(
            """money, payment, payments, pay, invoice, invoices, billing, refund, refunds, budget, finance, financial,
            bank, bank account, credit card, purchase, tax, price, prices, data security, data breach, data leak,
            personal data, customer data, PII, GDPR, privacy, irreversible, cannot be undone, can't be undone,
            permanently, delete all, drop table, drop the table, drop the database, delete the database,
            delete user data, delete production, drop database, wipe, purge, force push, force-push, rm -rf,
            truncate table"""
        ),
        "T4": listed(
            """personnel, hire, hiring, recruit, recruiting, recruitment, headcount, layoff, layoffs, lay off, fire him,
            fire her, fire them, fire someone, firing people, dismiss an employee, reorganisation, reorganization,
            reorg, restructure the team, restructure the company, salary, performance review"""
        ),
        "T5": listed(
            """architecture, architectural, tech stack, technology stack, microservice, microservices, monolith,
            database schema, db schema, schema change, schema migration, table schema, alter table, add a column,
            data model, rewrite in, which framework, choose a framework"""
        ),
        "T9": listed(
            """deploy, deploys, deployed, deploying, deployment, redeploy, go live, ship to production,
            release to production, release to prod, push to prod, push to production, roll out, rollout,
            roll back production"""
        ),
    }
    trigger_stops = {"T3": ("pay attention",)}
    flags = {
        "auth": listed(
            """auth, authentication, authenticate, authorization, authorisation, authorize, oauth, sso, saml, jwt, 2fa,
            mfa, access control, login, log-in, sign-in, password, passwords"""
        ),
        "encryption": listed(
            """encrypt, encrypts, encrypted, encryption, decrypt, decryption, cryptography, crypto, cipher, TLS, SSL,
            certificate, certificates, private key"""
        ),
        "migration": listed(
            "migrate, migrates, migrating, migration, migrations, alter table, schema change",
        ),
        "delete_data": listed(
            """delete data, delete the data, delete user data, delete users, delete records, delete all, drop table,
            drop the table, drop database, truncate table, purge, wipe, erase data"""
        ),
        "new_dependency": listed(
            """new dependency, add a dependency, add dependency, new library, new package, install the package,
            npm install, pip install, add the package, upgrade the dependency, upgrade dependencies"""
        ),
        "external_service": listed(
            """third-party, third party, external service, external api, webhook, webhooks, stripe, twilio,
            payment provider, slack api, openai api"""
        ),
        "cross_project": listed(
            """cross-project, across projects, another project, other project, other projects, other repo,
            other repository, another repository, several repositories, multiple repos, all repos"""
        ),
        "fresh": listed(
            """latest version, newest version, latest release, recently released, current price, as of today,
            up-to-date documentation, latest news, this week's"""
        ),
        "public_api": listed(
            """public api, breaking change, api contract, change the endpoint, rename the endpoint, rest api,
            exported function, change the signature"""
        ),
        "irreversible": listed(
            "irreversible, cannot be undone, can't be undone, permanently, force push, force-push, rm -rf",
        ),
        "production": listed("production, prod, live users, live site, live system, live database, real users"),
    }
    against = listed(
        """not, never, no, don't, do not, avoid, without, stop, remove, drop, replace, instead of, switch from,
        get rid of, forbidden, must not, skip"""
    )
    order_to_run = r"(?:please\s+)?(?:run|execute|call)"
    # Alone, as an address, or before an order; `override the method` is a task.
    override = (
        r"override(?=\s*(?:$|[:,.;!—–，。：；！、-]|\n)|\s+[\u4e00-\u9fff]"
        r"|\s+(?:please|now|just|and|do|go|proceed|continue|execute|run|skip|ship|push|deploy|merge|delete|i|no)\b)"
    )
    speed_filler = r"\b(?:use|using|at|in|with|go|switch|to|apply|speed|mode|level|please|now)\b"
    storage = (
        r"(?:buckets?|storage|objects?|uploads?|downloads?|urls?|keys?|clients?|apis?|paths?|prefix|policy|sync|files?"
        r"|folders?|backend|endpoints?|events?|access|compatible|is|are|was|has|have|fails?|does|should|must|can|and|or|to"
        r"|in)\b"
    )
    courtesy_before = r"okay|ok|please"
    courtesy_after = r"\s+please"

    # sessions
    end_words = ("save", "/save")
    closing = ("that's all for today", "continue next time")
    goodbye = listed("goodbye, good bye, bye, bye bye, see you, see you tomorrow")
    summary_wish = (
        r"(?:summari[sz]e|summary of|recap|wrap up)\s+(?:(?:the|this|our|today's)\s+)?(?:session|conversation|day|work)"
        r"|session summary"
    )
    task_ended = ("that's it for now", "next task", "next one", "done for now")
    save_replies = ("save",)
    captures = {
        "principle": listed(
            "our principle, as a principle, rule of thumb, is more important than, never again, at all costs"
        ),
        "lesson": listed(
            """lesson learned, lesson learnt, we learned that, i learned that, should have, my mistake was,
            next time we, next time i"""
        ),
        "pattern": listed("from now on, i always, i usually, i prefer, we always, every time we, my habit"),
        "decision": listed(
            "we decided, i decided, i've decided, decision:, let's go with, we will use, we'll use, we go with"
        ),
    }
    log_headings = {
        "completed_items": ("completed items", "completed", "done"),
        "decisions": ("decisions", "decision"),
        "next_steps": ("next steps", "next", "pending", "todo"),
        "candidate_insights": ("candidate insights", "insights"),
        "external_ai_calls": ("external ai calls", "external calls"),
        "incidents": ("incidents", "incident"),
    }
    work_log = r"work[-_]?log|progress|changelog|devlog"

    # knowledge and tasks
    architecture = (
        r"\barchitect\w*|\bdesign (?:principle|philosophy|rationale|decision)|\bprimer\b|\bmission\b|\bonboarding\b"
    )
    rule = r"(?:always|never|must(?: not)?|do not|don't|forbidden)\b"
    not_lasting = {
        "todo": r"\b(?:todo|fixme|to-do|remember to|don't forget|we (?:still )?(?:need|have) to|still (?:needs?|open))\b",
        "task-state": r"\b(?:in progress|half ?way|\d{1,3} ?% (?:done|complete)|currently working on|working on it"
        r"|next step is|(?:task|step|phase) \d+ (?:is )?(?:done|finished|complete)|waiting for)\b",
        "bug-fix": r"\b(?:fix(?:ed|es)? (?:the |an? |this )?(?:\w+ ){0,3}(?:bug|crash|error|typo|issue|test)|bug ?fix"
        r"|hotfix|fix(?:ed|es)? #\d+|patched (?:the|a))\b",
    }
    trick = r"\b(?:trick|hack|work ?around|line \d+|quick fix)\b"
    generated = r"@generated\b|code generated .*do not edit|do not edit.*generated"
    runtime_criterion = (
        r"\b(?:runs?|running|executes?|returns?|exits?|responds?|response|prints?|outputs?|raises?|throws?|rejects?"
        r"|accepts?|loads?|starts?|stops?|crash\w*|fails?|pass(?:es)?|tests?|behaves?|behaviou?r|requests?|status code"
        r"|latency|seconds?|handles?|survives?|logs? in|saves?|stores?|writes?|reads?|round[- ]trips?)\b"
    )
    text_criterion = (
        r"\b(?:covers?|contains?|lists?|states?|names?|describes?|explains?|documents?|links?|accurate|correct|complete"
        r"|consistent|matches|sections?|table|examples?|spelling|grammar|figures?|words?|sources?|cites?|every|each|all)\b"
    )
    refactoring = r"\brefactor\w*|\bbehaviou?r[- ]preserving|\brename\b"
    types_only = r"\btypes?[- ]only\b|\btype annotations?\b|\btype hints?\b"

    # secrets
    secret_names = tuple("pass pw secret token credential contrase key auth bearer signature".split())
    secret_is = r" {1,3}is[ \t:]{1,3}"
    prose_words = r"\b(?:an?|and|are|for|in|is|must|no|not|of|or|the|to|with|your|password|token)\b"


PATTERNS = English()
