"""English words by which a question is known again: what means the same, what is done, and what it is about."""

from mi.kernel.language import Patterns


class EnglishAsked(Patterns):
    """How questions about the same matter are told in English."""

    same_words = {
        "test": r"\b(?:(?:unit |regression |automated )?tests?(?: cases?| suites?| files?)?|testing|specs?)\b",
        "framework": r"\b(?:framework|library|package|dependency|dependencies|runner|tool|toolkit)s?\b",
        "type hint": r"\b(?:type[- ](?:hint|annotation)s?|annotations?|typing|type[- ]hinted|annotate[ds]?|typed signatures?|with types)\b",
        "docstring": r"\b(?:doc[- ]?strings?|doc comments?|api docs?|inline documentation)\b",
        "documentation": r"\b(?:documentation|docs|readme(?:\.md)?|manual|user guide)\b",
        "changelog": r"\b(?:change ?log(?:\.md)?|release notes?|history file|news file|changes file)\b",
        "comment": r"\b(?:(?:inline |code )?comments?)\b",
        "error": r"\b(?:errors?|exceptions?|failures?)\b",
        "raise": r"\b(?:rais(?:e|es|ed|ing)|throw(?:s|n|ing)?|fail(?:s|ing)? loudly|blow up)\b",
        "none": r"\b(?:none|null|nil)\b",
        "invalid input": r"\b(?:(?:bad|invalid|malformed|broken|unparsable|wrong|illegal|unexpected|faulty) (?:input|value|data|argument|parameter)s?"
        r"|(?:input|value|data|argument|parameter)s? (?:is|are|that is) (?:bad|invalid|malformed|broken|wrong|illegal|faulty))\b",
        "log": r"\b(?:logs?|logging|logger|log (?:lines?|messages?|output|records?|entries))\b",
        "config": r"\b(?:config(?:uration)?s?(?: files?)?|settings?(?: files?)?|options? files?)\b",
        "folder": r"\b(?:folders?|director(?:y|ies)|dirs?|location|place|where)\b",
        "function": r"\b(?:functions?|methods?|helpers?|routines?|procedures?|callables?)\b",
        "name": r"\b(?:nam(?:e|es|ed|ing)|call(?:ed)?|identifiers?)\b",
        "indent": r"\b(?:indent(?:s|ed|ing|ation)?|whitespace)\b",
        "quote": r"\b(?:quot(?:e|es|ed|ing)(?: style| marks?)?|string delimiters?)\b",
        "line length": r"\b(?:how long|lines?|line (?:length|width|limit)|(?:maximum|max) (?:line )?(?:length|width)|columns?|characters per line|wrap(?:ped|ping)?(?: lines?)?)\b",
        "format": r"\b(?:format(?:s|ted|ter|ting)?|style|pretty-?print(?:ed)?)\b",
        "compatible": r"\b(?:backwards?[- ]compatib\w+|compatib\w+|old (?:api|callers?|name|signature|interface)|deprecat\w+(?: alias)?|alias(?:es)?|shim)\b",
        "database": r"\b(?:databases?|dbs?|datastores?|storage)\b",
        "migration": r"\b(?:migrations?|schema changes?)\b",
        "mock": r"\b(?:mock(?:s|ed|ing)?|stub(?:s|bed|bing)?|fak(?:e|es|ed|ing)|test doubles?|patch(?:ed|ing)?)\b",
        "async": r"\b(?:async(?:hronous(?:ly)?|io)?|non-?blocking|concurrent(?:ly)?)\b",
        "sync": r"\b(?:sync(?:hronous(?:ly)?)?|blocking)\b",
        "lint": r"\b(?:lint(?:er|ing|ers)?)\b",
        "minimum": r"\b(?:minimum|minimal|lowest|oldest|at least|how old an?|least)\b",
        "date": r"\b(?:dates?|time ?stamps?|datetimes?|times?)\b",
        "time zone": r"\b(?:time ?zones?)\b",
        "money": r"\b(?:money|amounts?|prices?|currenc(?:y|ies)|monetary)\b",
        "commit": r"\b(?:commit(?:s|ted|ting)?(?: messages?)?|check(?:ed)? in(?:to git)?|version control)\b",
        "generated": r"\b(?:(?:auto-?)?generated(?: files?| code)?|build (?:output|artefacts?|artifacts?)|artefacts?|artifacts?)\b",
        "cli": r"\b(?:cli|command[- ]lines?(?: interface| tool| parser| arguments| options| flags)?|terminal|argument pars(?:er|ing)"
        r"|pars(?:e|ing) (?:the )?(?:arguments|flags|options)|flags|arguments)\b",
        "http": r"\b(?:https?(?: client| requests?| calls?)?|web requests?|download(?:s|ed|ing)?|fetch(?:es|ing)?)\b",
        "separate": r"\b(?:separate(?:ly)?|split(?:ting)?(?: up)?|break(?:ing)?\b[^?]{0,30}\b(?:up|apart))\b",
        "file": r"\b(?:files?)\b",
        "old": r"\b(?:old|existing|former|previous|legacy|current)\b",
        "language": r"\b(?:language|in which language)\b",
        "cache": r"\b(?:cach(?:e|es|ed|ing)|memoi[sz]\w+)\b",
        "retry": r"\b(?:retr(?:y|ies|ied|ying)|try again|attempts?)\b",
        "earlier": r"\bbefore(?:hand)?\b",
        "later": r"\bafter(?:wards)?\b",
        "ordering": r"\b(?:sort(?:s|ed|ing)?|order(?:s|ed|ing)?)\b",
        "round": r"\b(?:round(?:s|ed|ing)?|truncat\w+|decimals?)\b",
        "print": r"\b(?:print(?:s|ed|ing)?)\b",
        "class": r"\b(?:class(?:es)?)\b",
        "dict": r"\b(?:dicts?|dictionar(?:y|ies)|mappings?)\b",
        "public": r"\b(?:public|exported|external)\b",
        "import": r"\b(?:imports?|imported|importing)\b",
        "version": r"\b(?:versions?|version number|release number)\b",
        "license": r"\b(?:licen[cs]es?(?: headers?)?|copyright(?: headers?| notice)?|spdx)\b",
    }
    deeds = {
        "add": r"\b(?:add(?:s|ed|ing)?|writ(?:e|es|ing|ten)|creat(?:e|es|ed|ing)|includ(?:e|es|ed|ing)|insert|introduc(?:e|ing)|extend(?:ing)?"
        r"|updat(?:e|es|ed|ing)|mention(?:ing|ed)?|cover(?:ed|ing)?|record(?:ing|ed)?|get(?:s|ting)?|entry|entries|provide|supply|put in|append(?:ing)?|want(?:ed)?|need(?:s|ed)?|necessary|required|expect(?:ed)?|come with|accompan\w+)\b",
        "take out": r"\b(?:remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|drop(?:s|ped|ping)?|strip(?:ped|ping)?|get rid of|throw away|clean(?:ed)? out|discard(?:ed|ing)?)\b",
        "leave out": r"\b(?:skip(?:s|ped|ping)?|omit(?:ted|ting)?|leav(?:e|ing) out|without|ignor(?:e|ed|ing)|exclud(?:e|ed|ing))\b",
        "keep": r"\b(?:keep(?:s|ing)?|kept|leav(?:e|es|ing)|retain(?:ed|ing)?|preserv(?:e|ed|ing)|stay(?:s|ing)?|maintain(?:ed|ing)?)\b",
        "rename": r"\b(?:renam(?:e|es|ed|ing)|(?:give|choose|pick|find)\b[^?]{0,40}\b(?:better|new|clearer|other|different)\s+name)\b",
        "move": r"\b(?:mov(?:e|es|ed|ing)|relocat\w+|go(?:es)?|put|plac(?:e|ed|ing)|liv(?:e|es)|belong(?:s)?|store|sit(?:s)?|end up)\b",
        "fix": r"\b(?:fix(?:es|ed|ing)?|mend(?:ing)?|repair(?:ing)?|correct(?:ing)?)\b",
        "rewrite": r"\b(?:rewrit\w+|refactor\w*|rework\w*|restructur\w+|clean(?:ing|ed)? up|tidy(?:ing)?(?: up)?|simplif\w+)\b",
        "commit": r"\b(?:commit(?:s|ted|ting)?|check(?:ed|ing)? in(?:to git)?|track(?:ed)? in git)\b",
    }
    asking_words = tuple(
        """should shall may can could must might would do does did want like prefer preference wish me i we us you your yours it its is are
        be been ok okay fine right mind alright please here there now then this that these those the a an for to of in on at by as with from
        into and or if so also just too well rather instead still either between which what where when who how why whether choose pick
        chosen go use used using uses new one ones kind sort way thing make made take side project code repository repo question decide
        decision think best better suit supposed expected approach ahead each every all any some only beside next about tell know given
        task change work part function functions value values good bad first second both already else again something anything clearer worth smaller several few proper properly directly support supported target like plain over than more case cases""".split()
    )
    is_wanted = (
        r"\b(?:needed|wanted|expected|necessary|required|desired|welcome|worth|supposed to|meant to|do you (?:want|expect|need|like|prefer)"
        r"|(?:does|do|will|would) (?:this|it|the \w+|that) (?:need|require|want|get)|you'd (?:want|like))\b"
    )
    permission = (
        r"\b(?:may|can|could|might) (?:i|we)\b|\b(?:am i|are we) (?:allowed|permitted|free)\b|\bpermission\b|\ballow(?:ed)?\b|\bpermit\w*\b"
        r"|\bapprov\w+\b|\bauthori[sz]\w+\b|\bconfirm\b|\b(?:is it|would it be) (?:ok|okay|fine|all right|alright|acceptable|safe)\b"
        r"|\bdo you mind\b|\bgo ahead\b|\bproceed\b|\bgrant\b"
    )
    budget = (
        r"\b(?:budgets?|tokens? (?:left|limit|budget)|costs?|spend(?:ing)?|pay(?:ing|ment)?|paid|prices? of the (?:api|run)|quota|credits?|bill(?:ed|ing)?"
        r"|more (?:time|minutes|hours|batches|tokens)|time limit|usage limit|raise the limit|money for)\b|\$\s?\d"
    )
    risky = (
        r"\b(?:production|prod (?:server|database|system)|live (?:server|system|data)|customers?'? data|credentials?|passwords?|secrets?|api keys?"
        r"|private keys?|force[- ]push|rm -rf?|git reset|hard reset|rollback|wipe|format the disk|send (?:an? )?(?:e-?)?mails?|root rights?|as root|upload\w*|send(?:ing)?\b[^?]{0,40}\bto\b|webhooks?|transfer\w*|rewrite (?:the )?history|rebase|amend|truncat\w+|wip(?:e|ing)|purg\w+"
        r"|discard\w*|chmod|--no-verify|bypass\w*|(?:skip|disable|ignore|weaken|loosen|silence|comment out|turn off|switch off|xfail)\w*\b[^?]{0,40}\b(?:tests?|checks?|hooks?"
        r"|ci|lint\w*|assertions?|warnings?|errors?|failures?|security|auth\w*|tls|ssl|certificates?|validation))\b"
    )
    only_once = (
        r"\b(?:just|only) (?:this (?:once|time)|for (?:now|today|this (?:one|task|time|run)))\b|\bthis (?:once|time only)\b|\bfor now\b"
        r"|\bthis (?:one )?time\b|\bin this case only\b|\bas an exception\b"
        r"|^\W*(?:i )?(?:do not|don'?t) (?:know|care|mind)\b|^\W*(?:no idea|not sure|unsure|whatever|up to you|you (?:decide|choose)|your call|later|ask (?:me )?(?:again|later))\b"
    )
    topics = {
        "dependencies": r"\b(?:dependenc\w+|third[- ]party|librar(?:y|ies)|packages?|install\w*|pip|npm|stdlib|standard library|pypi|vendor(?:ed|ing)?|requests|httpx|numpy|pandas|lodash|click|pydantic)\b",
        "tests": r"\b(?:tests?|testing|pytest|unittest|jest|vitest|mocha|fixtures?|mock(?:s|ed|ing)?|stubs?|coverage|specs?|snapshot tests?)\b",
        "size": r"\b(?:refactor\w*|rewrit\w+|rework\w*|restructur\w+|clean(?:ing)? up|while (?:i am|i'm|we are|we're) at it|on the way|minimal|small(?:est)? (?:change|fix|diff)|whole (?:module|file)|everywhere|split (?:it|this|the))\b",
        "interface": r"\b(?:public|api|signatures?|compatib\w+|callers?|renam\w+|deprecat\w+|alias(?:es)?|breaking|interface|endpoint|parameters?|arguments?|return (?:type|value)s?|raise|exception|valueerror)\b",
        "versions": r"\b(?:python ?[23](?:\.\d+)?|node ?\d+|java ?\d+|es20\d\d|minimum version|older versions?|versions? of (?:python|node|java|go|rust)|support for)\b",
        "performance": r"\b(?:fast\w*|slow\w*|performan\w+|speed|cach\w+|memory|optimi[sz]\w+|latency|async\w*|parallel\w*|batch(?:es|ing)?)\b",
        "security": r"\b(?:secur\w+|passwords?|tokens?|secrets?|encrypt\w*|hash(?:es|ed|ing)?|sanitiz\w+|validat\w+|escap\w+|https|certificates?|permissions?|eval|pickle)\b",
        "style": r"\b(?:style|format\w*|indent\w*|tabs?|spaces|quotes?|nam(?:e|es|ing)|snake_case|camelcase|line length|lint\w*|type hints?|annotations?|f-strings?|comprehensions?|black|ruff|prettier|eslint|imports?)\b",
        "documentation": r"\b(?:document\w*|docs|docstrings?|readme\w*|changelog\w*|comments?|release notes?|examples?)\b",
        "data": r"\b(?:data|databases?|tables?|columns?|rows?|records?|backups?|migrat\w+|schema|overwrit\w+|delet\w+|csv|json|yaml|toml|sqlite|utc|time ?zones?)\b",
    }
