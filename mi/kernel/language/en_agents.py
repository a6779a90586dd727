"""English: what agents say at the end of their work and what they ask, and the values that answer it."""

from mi.kernel.language import Patterns

_FIRST = r"(?:i|we)"


class EnglishAgents(Patterns):
    """What MI knows of the English of agents, and of values that bear on their questions."""

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
        r"|(?:^|[,;] (?:and |but )?|\bhave |\bhas been |\bwas |\bwere |\bi )left\b[^.;]{0,30}\bout\b|\bleaving\b[^.;]{0,30}\bout\b"
        r"|\b(?:left|leaving|leave)\b[^.;]{0,40}\b(?:for (?:later|another|a (?:later|future|follow|second|separate|next))"
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
    told_as_cause = (
        r"\b(?:because|causes?|reason|bug|culprit)\b[^.;]{0,80}\b(?:was|were|got) (?:left\b[^.;]{0,30}\bout|omitted|dropped)\b"
        r"|\b(?:was|were|got) (?:left\b[^.;]{0,30}\bout|omitted|dropped)\b[^.;]{0,40}\b(?:(?:which|that|this) (?:was|is)"
        r" (?:the (?:cause|reason|bug)|why))\b"
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
    asks_person = (
        r"\b(?:should|shall|may|do) (?:i|we)\b|\b(?:do|would|could) you (?:want|prefer|like|rather|mean)\b"
        r"|\bwhich\b[^?]{0,80}\b(?:should|shall|do you|would you)\b"
    )
    went_on = (
        r"\b(?:i|we)(?:'ve| have)?(?: now| then| therefore| also)? (?:went|chose|chosen|used|picked|decided|kept|assumed|took"
        r"|settled|changed|fixed|implemented|added|made|wrote)\b|\b(?:i|we)(?:'ll| will| am going to)\b"
    )
    refers_back = (
        r"(?:what|which|where|who|why|how)\b[^?]{0,12}\b(?:it|that|this|one|they|those)\W*$"
        r"|(?:is|are|was|were|does|should|can|may|shall) (?:it|that|this|they|i|we)\b[^?]{0,12}\W*$|(?:ok|okay|right|agreed|yes)\W*$"
    )
    grave_words = tuple("push publish deploy delete drop remove install release merge overwrite force sudo".split())

    # questions and the values that answer them
    alternative = r"(?:,|(?<!\s))\s+\bor\b(?: rather| instead| should (?:i|we)| shall (?:i|we)| do you (?:want|prefer))?\s+(?:me to )?"
    places = {
        number: rf"(?:the )?(?:{words})(?: (?:one|option|choice))?"
        for number, words in {
            "1": "first|1st|former",
            "2": "second|2nd",
            "3": "third|3rd",
            "4": "fourth|4th",
            "-1": "last|latter",
        }.items()
    }
    or_word = r"\bor\b(?: else)?"
    option_word = r"\b(?:option|choice|alternative|variant|plan)\b"
    or_not = r"not|no|rather not|is that (?:too much|overkill)"
    open_question = r"^\W*(?:what|why|how|where|when|who|whom|whose|which)\b|\b(?:what|which|who|where) (?:is|are|should|do|would)\b"
    asks_leave = (
        r"\b(?:(?:should|shall|may|can|could|must|might) (?:i|we|it)|(?:do you |would you )?(?:want|like|prefer)(?: me| us)? to"
        r"|(?:is it|would it be|are you) (?:ok|okay|fine|all right|alright|acceptable)(?: with me| for me)?(?: to| if (?:i|we))"
        r"|(?:do|would) you mind if (?:i|we)|(?:do you |would you )(?:want|like|prefer)|should|shall|either|between)\s+"
        r"(?:also |now |just |then |rather |still |perhaps |go (?:on|ahead) and )*"
    )
    option_start = (
        r"(?<![-\w.])(?:a|an|the|my|your|its|with|use|using|in|into|as|to|by|via|on|for|from|at|of|write|call(?: it)?|name(?: it)?|be"
        r"|keep|have|make|choose|pick|go with|either|between|than)\s+|:\s*"
    )
    option_end = (
        r"(?<!\s)\s+(?:for|in|on|as|to|when|with|from|at|by|here|there|instead|this time|now|then)\b|(?<!\s)\s*[(—–]"
    )
    directive = (
        r"^(?:use|prefer|write|keep|put|name|call|format|add|choose|pick|go|store|return|sort|indent|log|run|make|test|follow"
        r"|stay|stick|target|support|commit|document|avoid|do|don't|never|always|no|only|every|all)\b|\b(?:must|should|always"
        r"|never|prefer|only|has to|have to|is to be|are to be|written|use|used|uses|not|avoid|without|we (?:use|write))\b"
    )
    directive_words = tuple(
        """prefer use used using write written keep put name call format choose pick go stay stick follow target support add
        must should always never only every all each has have no not avoid without code project new thing things everything
        whenever possible please instead rather than over like want over everywhere default standard""".split()
    )
    denies = r"\b(?:never|not|no|don't|do not|avoid|without|instead of|rather than|over|than|isn't|aren't|neither|nor|stop)\b"
    limits_to = (
        r"\b(?:for|in|on|during|inside|under|at|of)\s+(?:the |our |all |every |each |my )?[\w.+#-]+(?: [\w.+#-]+)?"
    )
    conditional = (
        r"\b(?:if|unless|except|only when|when(?! possible)|until|depending|sometimes|usually|mostly|in case)\b"
    )
    runs_on = (
        r"\b(?:run|runs|work|works|support\w*|compatib\w*|minimum|at least|target\w*|must|has to|have to|stay|stuck|only|older"
        r"|still|need\w*|require\w*|on)\b"
    )
    sides = {
        "dependency": r"\b(?:install(?:ing)?|pip|npm|yarn add|cargo add|third[- ]party|pypi|pull in|bring in"
        r"|(?:new|another|extra|external|small|popular|an?|the \w+) (?:dependency|package|library)|numpy|pandas|pydantic|dateutil|pyyaml"
        r"|beautifulsoup|lxml|sqlalchemy|jinja2|lodash|axios|dayjs|date-fns|rxjs|jquery|left-pad|anyhow|thiserror|lombok|guava)\b"
        r"|(?:\b(?:use|using|add|adding|import|depend on|with|try) |^)(?:requests|httpx|aiohttp|attrs|click|typer|rich|tqdm|arrow"
        r"|pendulum|toml|underscore|moment|express|chalk|commander|yargs|zod|serde|clap|tokio|chrono|cobra|testify|gson|jackson)\b"
        r"(?=$| (?:for|to|here|instead|library|package)\b)",
        "no dependency": r"\b(?:standard[- ]library|stdlib|built-?ins?|by hand|myself|yourself|ourselves|(?:my|our|your) own"
        r"|hand-?written|vanilla|plain (?:python|javascript|js|go|rust)|without (?:a |any |the )?(?:new )?(?:dependency"
        r"|dependencies|library|package)|no (?:new )?dependenc\w+|urllib|argparse|dataclass(?:es)?|csv module|json module|sqlite3"
        r"|unittest\.mock|net/http|encoding/json)\b",
        "large change": r"\b(?:rewrit\w+|rework\w*|restructur\w+|refactor\w*|redesign\w*|from scratch|reorgani[sz]\w+|into a package"
        r"|into (?:several|separate|its own|own) (?:modules?|packages?|files?|classes)|(?:whole|entire) (?:module|file|project|codebase"
        r"|class|package|suite)|(?:renam|refactor|chang|updat|convert|fix|rewrit|replac|clean)\w*\b[^?]{0,40}\b(?:everywhere|as well|across"
        r" the|all (?:the )?(?:other )?(?:modules|files|callers|call sites|helpers))|on the way|while (?:i am|i'm|we are|we're) (?:at it|here"
        r"|there)|modernis\w+|moderniz\w+|clean up (?:the )?(?:rest|other|whole|surrounding)|reformat\w*|new (?:layer|abstraction"
        r"|architecture|framework)|generali[sz]\w+)\b",
        "small change": r"\b(?:minimal(?:ly)?|smallest|small(?:er)? (?:fix|change|patch)|one[- ]line(?:r)?|single line|one line|only (?:the"
        r" )?(?:bug|line|fix|function|this)|just (?:the |this )?(?:bug|line|fix|function)|leave (?:it|this|that|them|the rest)|as"
        r" (?:it|they) (?:is|are)|in place|patch|mend|quick fix|targeted)\b",
        "breaks callers": r"\b(?:break(?:s|ing)? (?:the |any |existing |old )*(?:api|callers?|compatib\w+|interface|users?|clients?|code)"
        r"|renam\w+\b[^?]{0,40}\b(?:public|exported|others|imports?|callers?|endpoint|api|command|flag|option|users?)\b|renam\w+ (?:the "
        r")?(?:public|exported|api)\b|remov\w+ (?:the |an? |this )?(?:public |old |optional )*(?:parameter|argument|field|option|flag"
        r"|endpoint|export|api)|chang\w+ (?:the |its )?(?:public |exported )?(?:signature|interface|api|return (?:type|value)|order of"
        r" (?:the )?(?:arguments|parameters))|drop\w* (?:support|the old)|no longer accept\w*|from now on|incompatib\w*|new required"
        r" (?:parameter|argument)|delete the old (?:name|function|api))\b",
        "keeps callers": r"\b(?:keep(?:s|ing)? (?:accepting|supporting|the old|both|it working|working|the (?:name|signature|interface"
        r"|api))|backwards?[- ]compatib\w*|compatib\w+ (?:alias|layer|shim)|alias(?:es)?|deprecat\w+|optional (?:parameter|argument)"
        r"|still accept\w*|overload|new function (?:beside|next to))\b",
        "test": r"\b(?:(?:add|write|include|extend|create|adding|writing)\b[^?]{0,30}\btests?\b|with (?:an? |the )?tests?|regression test"
        r"|test for|cover (?:it|this) (?:by|with))\b",
        "no test": r"\b(?:without (?:an? |any )?tests?|skip\w* (?:the |writing |adding )?(?:an? )?tests?|no (?:new )?tests?|untested|leave"
        r" (?:the )?tests? (?:out|for later)|disable (?:the )?tests?|remove (?:the )?tests?|delete (?:the )?tests?)\b",
        "fast": r"\b(?:fast(?:er|est)?|speed|optimi[sz]\w+|performan\w+|quicker|unroll\w*|micro-?optimi\w+|low-level|caching|memoi[sz]\w+)\b",
        "readable": r"\b(?:readable|readability|clear(?:er)?|simple(?:r|st)?|plain(?:er)?|straightforward|easy to read|obvious|legible)\b",
        "unsafe": r"\b(?:eval|exec\(|pickle|shell=true|verify=false|disable (?:tls|ssl|certificate|csrf|auth\w*)|plain ?text"
        r" (?:password|credential|token)s?|hard-?code (?:the )?(?:password|token|key|secret|credential)s?|md5|sha-?1|yaml\.load\(|http"
        r" instead of https|skip (?:the )?(?:validation|authentication|certificate)|log (?:the )?(?:password|token|secret)s?|chmod 777"
        r"|string concatenation (?:for|in) (?:the )?sql)\b",
        "safe": r"\b(?:literal_eval|parameteri[sz]ed|prepared statements?|safe_load|environment variables?|secrets? manager|https"
        r"|bcrypt|argon2|validat\w+|sanitiz\w+|escap\w+|hash(?:ed|ing)? passwords?)\b",
        "docs": r"\b(?:updat\w+|add\w*|writ\w+|mention\w*|extend\w*|not(?:e|ing)|describ\w+|record\w*|adapt\w*)\b[^?]{0,40}\b(?:readme"
        r"|changelog|docs|documentation|docstrings?)\b|\bdocument (?:it|this|that|the (?:new|public|function|option|change))\b",
        "no docs": r"\b(?:without (?:docs|documentation|docstrings?|comments?)|skip (?:the )?(?:docs|documentation|readme|changelog)|no"
        r" (?:docs|documentation|docstrings?)|leave (?:the )?(?:docs|documentation|readme) (?:out|for later))\b",
        "loses data": r"\b(?:overwrit\w+|truncat\w+|drop (?:the )?(?:table|column|database)|delet(?:e|ing) (?:the )?(?:old |existing |user |all )*"
        r"(?:data|rows?|records?|files?|backups?|orders?|users?|logs?|tables?)|purg\w+|wip\w+|discard\w*|throw away|lose)\b",
        "keeps data": r"\b(?:keep (?:the )?(?:old |existing |all )*(?:data|rows?|records?|files?|backups?|orders?)|back ?up|archive|soft"
        r"[- ]delet\w+|rename (?:it|them) (?:to )?\.bak|migrate (?:the )?data|mark (?:it|them) as deleted|append)\b",
    }
    wants = {
        "no dependency": r"\bstandard library\b|\bstdlib\b|\b(?:no|avoid|without|never add|don't add|do not add|few|fewer|as few|minimal"
        r"|not? any)\b[^.;]{0,25}\b(?:dependenc\w+|packages|libraries|third[- ]party)\b|\bdependenc\w+ (?:are|is) (?:a )?(?:cost|last resort)",
        "dependency": r"\b(?:dependencies|libraries|packages) are (?:fine|ok|okay|welcome|allowed)\b|\bprefer (?:existing|established|well-known"
        r"|mature) (?:libraries|packages)\b|\bdon't reinvent\b|\bdo not reinvent\b",
        "small change": r"\b(?:small|smallest|minimal|focused|narrow|tight)\b[^.;]{0,25}\b(?:change|changes|diff|diffs|patch|patches|commit"
        r"|commits|prs?|steps?)\b|\b(?:change|changes|diff|diffs|patch(?:es)?)\b[^.;]{0,25}\b(?:small|minimal|focused|to the point|tight)\b"
        r"|\b(?:no|avoid|never|don't do|without)\b[^.;]{0,20}\b(?:drive-by|unrelated|unnecessary|unasked)\b|\bonly (?:change|touch) what\b",
        "large change": r"\b(?:don't be afraid|feel free) (?:of|to) (?:large|big|refactor)|\bleave (?:the )?code (?:better|cleaner)\b|\bboy ?scout\b",
        "keeps callers": r"\b(?:never|not|don't|no|avoid|without)\b[^.;]{0,25}\b(?:break\w*|chang\w*|renam\w*|touch\w*)\b[^.;]{0,25}\b(?:api"
        r"|apis|interface|interfaces|callers?|signatures?|compatibility|users)\b|\bbackwards?[- ]compatib\w*|\bno breaking changes\b|\b(?:old|existing"
        r"|current) (?:callers|users|clients|code|scripts)\b[^.;]{0,20}\b(?:keep|work\w*|run)\b|\b(?:api|interface)s?\b[^.;]{0,20}\b(?:stable|stays?"
        r"|as (?:it|they) (?:is|are)|unchanged)\b|\bkeep (?:the )?(?:public )?(?:api|interface)\b",
        "breaks callers": r"\bbreaking changes are (?:fine|ok|okay|allowed)\b|\bno need (?:for|of) backwards? compatib\w*",
        "test": r"\b(?:every|each|all|always|any|no)\b[^.;]{0,30}\b(?:fix|fixes|bugs?|change|changes|features?|functions?|code)\b[^.;]{0,25}\b(?:a|with"
        r"|has|have|gets?|comes?|needs?|without)\b[^.;]{0,12}\btests?\b|\balways (?:add|write) (?:a )?tests?\b|\b(?:add|write) (?:a )?(?:regression )?tests?"
        r" (?:for|with) (?:every|each|all|any)\b|\btest[- ]first\b|\btdd\b|\bnever skip (?:the )?tests\b",
        "no test": r"\bno (?:new )?tests (?:are )?(?:needed|wanted|necessary)\b|\bdon't (?:add|write) tests\b|\bdo not (?:add|write) tests\b",
        "readable": r"\b(?:readab\w+|clarity|simplicity|simple code|clear code)\b[^.;]{0,40}\b(?:over|before|than|first|above)\b|\b(?:prefer|value)\b"
        r"[^.;]{0,15}\b(?:readab\w+|clarity|simplicity|simple|plain)\b|\b(?:readab\w+|clarity|simplicity) (?:first|matters|wins)\b",
        "fast": r"\b(?:speed|performance|latency)\b[^.;]{0,30}\b(?:over|before|than|first|above|matters most|wins)\b|\bas fast as possible\b",
        "safe": r"\bsecurity (?:first|before|over|matters|above)\b|\bnever\b[^.;]{0,20}\b(?:secrets?|passwords?|unsafe|insecure)\b|\bsecure by default\b",
        "unsafe": r"(?!)",
        "docs": r"\b(?:keep|update|maintain)\b[^.;]{0,15}\b(?:readme|changelog|docs|documentation)\b|\b(?:every|each|all)\b[^.;]{0,30}\b(?:documented"
        r"|docstrings?|changelog|readme|docs)\b|\balways (?:document|update the (?:docs|readme|changelog))\b|\bdocument (?:every|each|all)\b",
        "no docs": r"\bno (?:docstrings?|documentation|docs) (?:needed|wanted|necessary)\b|\b(?:don't|do not) (?:write|add) (?:docs|documentation|docstrings)\b",
        "keeps data": r"\b(?:never|not|don't|no|without)\b[^.;]{0,20}\b(?:delet\w+|los\w+|overwrit\w+|destroy\w*|drop\w*)\b[^.;]{0,25}\b(?:data|rows?"
        r"|records?|files?|backups?|anything|tables?|users?)\b|\bnothing (?:is|gets) lost\b|\bkeep (?:all )?(?:the )?data\b|\bno data loss\b",
        "loses data": r"(?!)",
    }
