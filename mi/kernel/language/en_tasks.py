"""What a person asks for, in English: what is to change, be tested, renamed or only looked at."""

from mi.kernel.language import Patterns, listed


class EnglishTasks(Patterns):
    """What a task says."""

    politeness = (
        r"(?:please|kindly|hey|hi|hello|okay|ok|so|now|then|also|and|but|first|next|finally|just|quickly|if so|if not"
        r"|if (?:needed|necessary|possible)|(?:can|could|would|will) (?:you|we|someone)|(?:should|shall) we|let's|let us"
        r"|help me(?: to)?|i(?:'d| would) like(?: you)? to|i (?:want|need)(?: you)? to)\b\W*"
    )
    next_task = (
        r"(?:please )?(?:work on|do|take(?: up)?|start(?: on)?|go on with|continue with|carry on with)"
        r" (?:the |my )?next (?:open )?task(?: (?:of|in|on|from) (?:the|my) (?:task )?list)?[.!]?"
    )
    clause_break = r"\band\b|\bthen\b|\bbut\b"
    inquiry = (
        r"(?:what|why|how|where|when|who|which|explain|describe|summari[sz]e|list|show|tell|review|analy[sz]e|compare"
        r"|count|investigate|inspect|assess|evaluate|estimate|report|find (?:out|where|which|all|every|any)"
        r"|look (?:at|into|for)|check (?:if|whether|what|why|how)|give me|walk me through|is|are|was|were|does|did|has"
        r"|have|do (?:i|we|you|they|these|those|any|all)|any (?:idea|reason|thoughts|clue)|what's|who's|where's"
        r"|(?:can|could|should|would|will) (?:i|it|this|that|the|they|there))\b"
        r"(?:(?<=what)|(?<=who)|(?<=which)|(?!\(|[`'\"]*\s+(?:must|should|shall|needs?|fails?|returns?|gives?|raises?|throws?|crashes|takes|ignores|loses|breaks)\b))"
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
    without_tests = (
        r"\b(?:without|lacks?|lacking|(?:ha(?:ve|s)|(?:there )?(?:are|is)|with) no) (?:any )?"
        r"(?:(?:automated|unit|own) )?tests?\b|\buntested (?:projects?|code|packages?|repositor(?:y|ies)|scripts?)\b"
    )
    leaves_open = r"n't\b|\b(?:not|never|nothing|nobody|no|until|unless|only|if you|i|me|my|mine|we|our)\b|\?"
    counts = (
        r"(?<!not )(?<!n't )(?<!never )\b(?:counts?|(?:is|are) (?:enough|sufficient|what counts|verified)|suffices?"
        r"|will do)\b|\b(?:verify|check) (?:by|with)\b|^\W*(?:projects?\W+)?(?:run|execute|start|look at|try)\b"
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
        r"|\b(?:so|such|until|till|ensure|(?:make|be) sure|see(?: to it)?)\b(?: that)?(?: (?:all|the|its|every|our|whole|unit)){0,3}"
        r" (?:tests?|suite|specs?)(?: (?:all|must|should|will|can|do))? (?:pass(?:es)?|succeeds?|(?:is|are|be) green)\b"
    )
    adds_tests = (
        r"\b(?:add|write|create|extend|improve|increase|raise|complete)\b(?: (?!with\b|and\b|plus\b|including\b)[\w'-]+){0,4}?"
        r" (?:tests?|specs?|test cases?|coverage|benchmarks?)\b"
    )
    wants_tests = (
        r"\b(?:(?:with|including|plus)(?: (?:a|an|one|two|some|few|unit|regression|integration|new|its own|their own|good|proper"
        r"|corresponding|matching|suitable|appropriate|small|simple|short)){0,4}"
        r"|(?:add|write|create|include|provide|supply)(?: (?!with\b|and\b|plus\b|including\b|to\b|in\b|for\b|of\b|from\b|on\b|no\b|not\b|without\b)"
        r"[\w'-]+){0,4}?) (?:tests?|specs?|test cases?)\b"
        r"(?! (?:targets?|scripts?|commands?|steps?|jobs?|runners?|data|depend\w+|extras?|groups?|folders?|director\w+|helpers?"
        r"|fixtures?|utils?|utilit\w+|config\w*|settings?|modes?|flags?|options?|environments?|databases?|servers?|accounts?"
        r"|users?|pages?|buttons?|endpoints?|plans?|reports?|badges?|markers?|enabled|disabled|passing|green|running|in|from"
        r"|that|which|under|on|strings?|values?|names?|output|results?)\b)"
    )
    keeps_behaviour = (
        r"\brefactor\w*|\bbehaviou?r[- ]preserving|\bsame behaviou?r\b|\bdeduplicat\w+|\brenam\w+|\btypes?[- ]only\b|\btype (?:annotations?|hints?)\b"
        r"|\boptimi[sz]\w+|\bspeed\b.{0,40}\bup\b|\bspeed up\b|\bfaster\b|\bclean(?:ing)? up\b|\btidy\b|\bsimplif\w+"
        r"|\bextract\b|\bsplit\b|\bre?format\b|\bdocument\b|\bdocstrings?\b|\bcomments?\b|\bmove\b|\breorgani[sz]\w+"
        r"|\bthread[- ]?safe\w*|\bsafe\b[^.;]{0,40}\b(?:concurren\w+|threads?|goroutines?|at once|parallel)\b"
        r"|\b(?:data races?|race conditions?|deadlocks?)\b"
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
        r"(?:unit |integration |existing |affected |related |all |its |their |corresponding |test |jest |pytest |vitest ){0,6}"
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
    about_warnings = (
        r"\b(?:warn(?:s|ings?)?|deprecat\w+|lint(?:er|s|ing)?|mypy|pyright|ruff|flake8|pylint|eslint|clippy)\b"
    )
    wants_silence = (
        r"\b(?:silenc|suppress|ignor|mut(?:e|ing)\b|hid(?:e|ing)\b|disabl|noqa|nolint|filter)\w*"
        r"|\b(?:add|emit|issue|raise|give|show|print|log|introduce|deprecate|mark|let)\b[^.;]{0,60}(?:\bwarn|deprecat|\blint)"
        r"|\bdeprecate\b"
    )
    loosens_tests = (
        r"\b(?:loosen|relax|toleran|approximat|rough|flaky|brittle|unstable|random|truthy|substring|inequalit|at least"
        r"|at most|contain|includ|non-?empty|(?:not|never) (?:be )?(?:none|null|nil|empty)|(?:any|whatever) order)\w*"
    )
    tests_wrong = (
        r"\b(?:tests?|specs?|expectations?|assertions?|snapshots?|fixtures?|expected \w+|[\w./]*test_\w+(?:\.py)?)[`'\"]* "
        r"(?:\w+ ){0,3}?(?:is|are|was|were|has|have|looks?|expects? the) (?:\w+ )?(?:wrong|outdated|stale|obsolete|incorrect|flaky|a typo"
        r"|out of date|unstable|brittle|mistaken|not correct|old)"
        r"|\b(?:wrong|outdated|stale|obsolete|incorrect|flaky|brittle|unstable) (?:(?!(?:and|but|so|because|its|the)\b)\w+ ){0,2}?(?:tests?|specs?|expectations?|assertions?"
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
    reshapes_tests = (
        r"\b(?:turn|convert|merg|combin|fold|consolidat|collaps|join|unif|parametri[sz]|parameteri[sz]|split|break|group|restructur"
        r"|reorgani[sz]|rewrit|port|migrat|mov|extract|refactor|simplif|tidy|deduplicat|rework|inlin)\w*\b"
        r"(?:(?!\b(?:so|until|that|because|and|which|with|without|make|keep)\b)[^.;\n]){0,60}?"
        r"\b(?:tests?|test cases?|cases|specs?|suite)\b"
    )
    grows = (
        r"\b(?:let|have|make|get|so that|want|add\b[^.;\n]{0,60}\b(?:to|into|in)|extend|include\b[^.;\n]{0,60}\b(?:in|into))\b"
        r"[^.;\n]{0,20}?NAME|NAME\W{1,3}(?:should|must|shall|needs? to|ought to|has to|to|is to|does|will)\b[^.;\n]{0,15}?"
        r"\b(?:run|call|execute|include|depend|invoke|lint|check|start|build|format|generate|print|also|first|cover)"
    )
    tests_of = (
        r"\btests? (?:of|for|in|about|around) (?:the |our )?(?:function |method |module |class |package )?`?(?P<of>[\w./-]*\w)"
        r"|\b(?:fix|mend|repair|correct|debug)\w* (?:the |our )?(?:function |method |module |class |package )?`?(?P<of2>[\w.]+)(?:\(\))?`?"
        r"[^.;\n]{0,20}?\bits (?:\w+ )?tests?\b|`?(?<![\w.])(?P<of3>[\w.]+)`?'s tests?\b"
    )
    joins_parts = r"(?:[,;]|(?<!\s))\s+(?:and also|and then|then also|additionally|in addition|as well as|also),?\s+(?=[a-z`])|;\s+then\s+|,\s+then\s+"
    adds = (
        r"\b(?:add|create|introduce|implement|define|write|provide|expose|export|support|accept|include|put|place|store"
        r"|declare|need|want|offer)(?:s|ing)?\b"
    )
    takes_out = r"\b(?:remove|delete|drop|get rid of|take out|strip|eliminate)(?:s|ing)?\b"
    takes_more = (
        r"\b(?:everything|anything|all|every|unused|dead|obsolete|rest|related|dependents?|belong\w*|others?|both|code|features?"
        r"|modules?|support|replac\w*|rewrit\w*|clean\w*|simplif\w*|refactor\w*|inlin\w*|(?:its|their) \w+)\b"
    )
    returns = r"\b(?:return|print|raise|throw|show|log|output|display|emit|yield)(?:s|ing)?\b"
    edits = r"\b(?:update|change|edit|modify|adjust|extend|rewrite|translate|correct|document(?: \w+){0,4} in|mention(?: \w+){0,4} in|describe(?: \w+){0,4} in|document)\b"
    writes_down = (
        r"^(?:please |then |also |and ){0,2}(?:write|put|save|store|record|note|list|describe|explain|summari[sz]e|outline|draft"
        r"|collect|create|add|publish)\b(?![^.;]{0,80}\b(?:that|which|so|scripts?|tools?|functions?|programs?|code|tests?|class(?:es)?"
        r"|commands?|hooks?|parsers?|checks?|links?|results?|outputs?|errors?|logs?|data|described|specified|defined|explained|listed|documented|outlined"
        r"|given|said|shown|found|mentioned|written|per|from|like|following|see)\b)"
        r"[^.;]{0,80}?\b(?:in|into|to|as|at)\s+(?:(?:a|an|the|new|file|document|called|named)\s+){0,4}\Z"
    )
    gives_name = r"\brenam(?:e|es|ing)\b|\bmove\b|\breplace\b"
    before_new_name = r"to|into|as|with|by|->|→|=>"
    keeps_old = (
        r"\b(?:keep|keeping|retain|preserv\w+|leave|leaving)\b[^.]{0,40}\b(?:old|alias|former|previous|original|deprecat\w+)"
        r"|\balias\b|\bbackwards?[- ]compatib"
    )
    callable_things = r"\b(?:function|method|procedure|routine|subroutine)"
    made_public = r"\bexport|\bpublic\b|\bexpos(?:e|ed|ing)\b|\bimports? (?:it|this|them|that)\b|\bimport(?:able|ed) (?:by|from)\b|\bre-?export"
    may_be_idle = (
        r"\b(?:prints?|echo(?:es)?|shows?|lists?|displays?|help|says?|tells?|reports?|greets?|logs?|outputs?|version|aliases|alias"
        r"|placeholder|no-?op|stubs?|skeleton|empty|(?:does|do|doing) nothing|abstract|hooks?|overrid\w+|subclass\w*|interface|protocol|NotImplemented\w*)\b"
    )
    raises = r"\b(?:rais(?:e|es|ing)|throw(?:s|ing)?)\b"
    has_number = r"(?<!\s)\s+(?:of|is|to|be|should be|must be)\s+|(?<!\s)\s*=\s*"
    gives_error = r"\b(?:(?:return|give|yield|produce)s?|is|be|but|with)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:error|Err)\b(?!\s+messages?)"
    package_gone = (
        r"(?i)\b(?:remov|drop|uninstall|delet|eliminat|get rid of)\w*(?: \w+){0,2}? (?:dependency|package|library|crate|gem|module)"
        r"(?: on)? [`'\"]?(@?[\w/.-]*\w)[`'\"]?|\b(?:remov|drop|uninstall|eliminat)\w*(?: the| our)? [`'\"]?(@?[\w/.-]*\w)[`'\"]?"
        r" (?:dependency|package)\b"
    )
    rejects_with = r"\brejects? with\b"
    puts_into = (
        r"\b(?:return|collect|add|list|record|count|append|put|store|report|gather|insert|push|save)(?:s|ed|ing|ted|ting)?"
        r"(?: \w+){0,3}? (?:in|into|to|under)(?: the| its)?(?: (?:list|array|set|map|dict|field))?(?=\s*`)"
    )
    last_of_list = r"and|&"
    orders_each = (
        r"(?:^|[.;:,]\s*|\b(?:and|then|please|also)\s+)(?:let|make|have|change|update|extend|rewrite|guard|deprecate|decorate)"
        r"\s+(?:(?:both|all|the|functions|of)\s+)*"
    )
    obliges_each = r"(?<!\s)\s+(?:(?:both|all|each)\s+)?(?:must|should|shall|have to|need to)\b"
    means_together = r"\b(?:consistent\w*|agree\w*|same|share\w*|alike|match\w*|each other|together|one of|either|common|between|merge\w*)\b"
    commits = (
        r"(?:^|[.;,:]\s+|\b(?:and|then|also|finally|please)\s+)commit\b(?!\s*(?:-|messages?\b|hooks?\b|history\b|hash|id\b|sha\b|log\b"
        r"|template|lint|style|convention|format|s\b))"
    )
    on_branch = (
        r"(?:\b(?:commit|push|work|put|do|save|place)\b(?:(?!\b(?:commit|push)\b)[^.;]){0,60}?\b(?:on|to|onto|in|into)\s+"
        r"(?:(?:an?|the|its|your)\s+)?"
        r"|\b(?:create|make|start|open|cut|use)\s+(?:(?:an?|the|its|your)\s+)?|\b(?:check(?:ing)? ?out|switch to)\s+(?:an?\s+)?(?=new)"
        r"|\b(?:on|in)\s+(?:an?|its|your)\s+(?=new|own|separate|fresh|branch (?:called|named)))"
        r"(?:(?:\w+\s+)?(?:git\s+)?branch:?\s+(?:(?:called|named)\s+)?\(?"
        r"(?P<branch>[`\"'“][\w./-]+|(?<=called )[\w./-]+|(?<=named )[\w./-]+|\w+[-/_][\w./-]+)"
        r"|(?:new\s+)?(?P<branch_before>[`\"'“][\w./-]+|\w+[-/_][\w./-]+)[`\"'”]?\s+branch\b)"
    )
    leaves_branch = (
        r"\b(?:leave|leaving|keep|keeping)\s+(?:the\s+)?(?:branch\s+)?(?P<branch>[`\"'“]?(?:main|master|trunk|develop)\b)"
        r"[`\"'”]?\s+(?:branch\s+)?(?:alone|as\b|untouched|unchanged|clean)"
    )
    merges = (
        r"\bmerge\s+(?:in\s+)?(?:(?:the|our|my|its)\s+)?(?:\w+\s+)?(?:branch\s+(?P<branch>[`\"'“]?[\w./-]+)"
        r"|(?P<branch_before>[`\"'“]?[\w./-]+)[`\"'”]?\s+(?:branch\b|(?:back\s+)?(?:in)?to\s+[`\"'“]?(?:main|master|trunk|develop)\b(?!\.\w)))"
    )
    commit_number = r"\b(?:in|as|into|make|create|with)\s+(?:(?P<n2>two|2)|(?P<n3>three|3)|(?P<n4>four|4))\s+(?:\w+\s+){0,2}?commits\b"
    from_to = (
        r"\b(?:bump|change|set|raise|lower|update|increase|decrease|reduce|switch|move|upgrade|migrate|turn|adjust|correct|replace)\s+"
        r"(?:(?:the|all|every|each|our|its|of|project's|package's)\s+)*(?P<noun>(?:[\w-]+\s+){0,2}?[\w-]+)\s+"
        r"(?:numbers?\s+|values?\s+)?(?:everywhere\s+|throughout\s+)?from\s+[`\"'“]?(?P<old>[\w.-]*\w)[`\"'”]?(?:\s+\w+)?\s+to\s"
    )
    everywhere = (
        r"\b(?:everywhere|throughout|wherever|(?:in|across) (?:all|every|each|the)(?: of)?(?: the| our| whole| entire)*"
        r" (?:places?|files?|modules?|packages?|manifests?|scripts?|code ?base|project|repo\w*|code)"
        r"|(?:all|every|each)(?: of)?(?: the| our)? (?:[\w-]+ ){1,3}from)\b"
    )
    leaves_some = (
        r"\b(?:except|excluding|apart from|other than|but|only|unless|for|under|within|inside)\b"
        r"|\bin (?!(?:all|every|each|the (?:whole|entire|code|project|repo\w*))\b)"
    )
    about_version = r"^(?:\w+ )?versions?$"
    makes_anew = (
        r"\b(?:re-?)?(?:generat\w+|build\w*|compil\w+|render\w*)\b|\bcode-?gen\b|\b(?:refresh|sync|upgrade|re-?run|re-?create)\w*\b"
        r"|\bschemas?\b|\bformat\w*\b|\blint\w*\b"
    )
    wants_stop = (
        r"\b(?:must|should|shall|has to|have to|needs? to|let|make|want\w*|so that)\b[^.;]{0,60}?"
        r"\b(?:stop(?! \w+ing)|abort|exit|quit|terminate|end with|fail(?! (?:gracefully|softly|silently|safe)))\b"
        r"|\b(?:exit|return)(?:s|ing)? (?:with )?(?:an? )?(?:non-?zero|code|status|[1-9]\d*)\b|\bnon-?zero\b"
    )
    at_failure = r"\b(?:fail\w*|errors?|non-?zero|exit (?:code|status)|missing|cannot|can't|unreachable|broken|invalid|not found|crash\w*)\b"
    goes_on = (
        r"\b(?:go(?:es)? on|continu\w+|keeps? going|carr(?:y|ies) on|best[- ]effort|ignor\w+|tolerat\w+|stop failing)\b"
    )
    names_switch = (
        r"\b(?:flags?|toggl\w+|options?|optional\w*|opt[- ](?:in|out)|settings?|config\w*|disabl\w+|enabl\w+|behind|defaults?|env\w*"
        r"|parameters?|arguments?|keywords?|constants?|debug\w*|dead code|hidden|hide|deactivat\w+|experimental|not yet|bool\w*"
        r"|(?:for|until) (?:now|later)|when asked|on request|dry[- ]run|comment\w* out|(?:switch|turn)\w*(?: \w+)? o(?:n|ff)|switch(?:es)?"
        r"|(?:is|be|stays?) off|off (?:by|until|unless))\b"
    )
    gives = (
        r"(?:(?:now|currently|still|today|then|already)\s+)?(?:\b(?:returns|gives|is|yields|equals|produces|evaluates to|results in"
        r"|prints|becomes)\b|==|=>|->|→|=)(?:\s+(?:now|currently|still))?"
    )
    must_give = (
        r"(?:\b(?:must|should|shall|has to|have to|needs? to|ought to|is (?:expected|supposed|meant) to)\s+)?(?:(?:now|always|then)\s+)?"
        r"\b(?:return|give|be|yield|equal|produce|print|become)\b"
    )
    in_place_of = r"\b(?:instead of|rather than|in place of)\b"
    called_wrong = r"\b(?:wrong|bug|broken|incorrect|but|instead|unexpected|negative)\b"
    stays_so = r"\b(?:keep|stays?|remains?|already|correct|correctly|fine|right|as before|as it should)\b"
    follows_value = r"and|but|not|instead|rather|while|when|for|now|today|as|which|because|in"
    no_statement = (
        r"\b(?:if|when|whenever|once|unless|suppose|why|does|did|do|can|could|would|whether|not)\b[^,.;`]{0,20}"
    )
    between_wish_and_name = (
        r"\b(?:to|in|for|of|from|on|into|at|by|using|use|with|like|when|whenever|if|so|that|which|via|inside|under|as|than"
        r"|where|because|instead|not|only|tests?|comments?|docs?|documentation|docstrings?|logging|type hints?"
        r"|annotations?|fix|make|keep|call|called by|run|pass)\b"
    )
    takes_back = (
        r"\b(?:revert\w*|undo\w*|undid|roll(?:s|ed|ing)? ?back|back(?:s|ed|ing)? out|go(?:es|ing)? back to)\b"
        r"|\b(?:do not|don't|no longer|never) (?:want|need)\b"
    )
    unused_on_purpose = (
        r"\b(?:ignor\w+|unused|not (?:be |yet )?used|reserved|placeholders?|stubs?|for (?:later|now)|compatib\w+|deprecat\w+"
        r"|no[- ]?ops?|mock\w*|fakes?|interface|abstract)\b"
    )
    about_time = (
        r"\b(?:times?(?:out|r|zone|stamp)?s?|dates?|clock|days?|daily|hours?|hourly|minutes?|seconds?|weeks?|weekdays?|weekly|weekend"
        r"|months?|monthly|years?|yearly|today|tomorrow|now|expir\w*|ttl|deadlines?|schedul\w*|cron|stale|age|season\w*"
        r"|holidays?|calendar|morning|evening|night|birthday|cach\w*|throttl\w*|rate[- ]limit\w*|poll\w*|retr(?:y|ies))\b"
    )
    about_chance = (
        r"\b(?:random\w*|chance|probab\w*|sampl\w*|shuffl\w*|jitter|dice|lotter\w*|uuids?|tokens?|passwords?|simulat\w*"
        r"|monte|noise|seed\w*|backoff|experiment\w*|a/b)\b"
    )
    about_counts = (
        r"\b(?:count\w*|limit\w*|throttl\w*|retr(?:y|ies|ied|ying)|attempts?|times|once|cach\w*|memo\w*|buffer\w*|batch\w*"
        r"|flush\w*|quotas?|backoff|breaker|round[- ]robin|alternat\w*|rotat\w*|every|nth|calls?|pool\w*|sequence|generat\w*"
        r"|ids?|state(?:ful)?|queue\w*|depth|history|log\w*|track\w*)\b"
    )
    about_tests = (
        r"\b(?:add|write|create|extend|improve|increase|update|fix|adjust|adapt|rename|remove|delete|refactor|cover|restore"
        r"|split|move|reorgani[sz]e|port|convert|migrate|more|missing|regression|need|needs|want)\b[^.;]{0,60}"
        r"\b(?:tests?|specs?|coverage|fixtures?|snapshots?|test[- ]cases?|conftest|assertions?|benchmarks?)\b"
        r"|\btest_\w+|\btests?/|\bflaky\b"
    )
    about_prose = (
        r"\b(?:readme|changelog|docs?|documentation|docstrings?|comments?|guide|tutorial|licen[cs]e|notes?|typos?|spelling"
        r"|wording|markdown|contributing|document|describe|explain|translate|write[- ]up|text|\w+\.(?:md|rst|txt|adoc))\b"
    )
    about_dependencies = (
        r"\b(?:dependenc\w+|lock ?files?|\w+[.-]lock\b|go\.sum|bump\w*|upgrad\w+|downgrad\w+|pin(?:ned)?\b|audit|vulnerab\w+|cve-\d"
        r"|install\w*|(?:add|updat|remov|replac|us)\w* (?:the )?(?:[\w-]+ )?(?:packages?|crates?|gems?|librar(?:y|ies)))"
    )
    about_history = r"\b(?:commit|branch|tag|cherry-?pick|rebase|squash|merge)\b"
    if_needed = (
        r"\b(?:fix|mend|repair|resolve|correct|address|sort out|take care of|clean up)\s+(?:whatever|anything|any(?:thing)? that"
        r"|all(?: the)?(?: tests?)?(?: that)?|any(?: of the)?(?: failing)?)\b[^.]{0,60}(?:fail|red|broken|break|wrong|regress)"
        r"|\bif\b[^.]{0,40}\b(?:tests?|suite|specs?|checks?|build|ci|pipeline|lint\w*|make \w+|any(?:thing)?|something|some|one)\b[^.]{0,40}"
        r"\b(?:fail|red\b|broken|breaks|not pass|do(?:es)?n't (?:pass|work|build|compile)|wrong)"
        r"|\b(?:fix|mend|repair)\b[^.]{0,40}\bif (?:necessary|needed)\b"
        r"|\b(?:make sure|ensure|see to it)\b[^.]{0,60}\b(?:pass|green|works?|builds?|compiles?)"
    )
    if_any = r"^if (?:there (?:is|are|should be) )?any(?: of them)?$"
    confirms = r"(?:verify|confirm|double-?check|test|make sure|ensure|validate|go over)\b"
    if_found = (
        r"^(?:fix|mend|repair|resolve|correct|address|sort out|put right)\w* (?:what(?:ever)?|all that|everything that|the ones that"
        r"|those that|(?:the )?(?:failures?|failing ones|broken (?:ones|parts)|breakage|regressions|errors?)|it|them)\b"
        r"(?: (?:is|are|has|was|were|does(?:n't)?|don't|isn't|aren't|do|'s|not|no longer|now|still|red|broken|wrong|fails?|failing|breaks?|pass|work|find|found"
        r"|turns? up|you))*$|^if (?:not|so|it (?:does not|doesn't|is not|isn't)|they (?:do not|don't|are not|aren't)|you find)\b"
        r"|^otherwise\b|\bif (?:not|necessary|needed|it (?:is|fails|breaks)\b.*|they (?:are|fail|break)\b.*|it is not|it isn't|they are not|they aren't|it doesn't|they don't)$"
    )
    opens_condition = r"^\W*(?:if|when(?:ever)?|should|in case|where|otherwise)\b"
    needs_person = (
        r"\b(?:i|we) (?:need|require|do not have|don't have|lack|am missing|cannot (?:go on|continue|proceed) without)\b"
        r"[^.]{0,80}\b(?:key|credentials?|password|token|secret|access|permission|approval|login|account|licen[cs]e"
        r"|decision|confirmation|input from you)\b"
        r"|\b(?:please|you (?:need|have) to|you must|could you) (?:provide|give|send|supply|set|grant|confirm|decide)\b"
    )
