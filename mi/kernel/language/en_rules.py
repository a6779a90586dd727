"""Plans, rules and lessons, governance, sessions and knowledge, in English."""

from mi.kernel.language import Patterns, listed

_I_WILL = r"(?:i|we)(?:'ll| will|'m going to| am going to| are going to| need to| plan to| have to| must| should)"
_LET_US = r"let(?:'s| me)"
# A verb and an object that together lose what nobody can bring back; "the user data form" is code.
_DELETES_DATA = (
    r"\b(?:delete|erase|wipe|purge|destroy|truncate|drop)(?:\s+(?:out\s+)?(?:all|every|any|the|our|their|its|old|stale|expired"
    r"|inactive|existing|unused|live|real|these|those|of)){0,5}\s+(?:(?:user|customer|client|member|patient|personal"
    r"|production|prod|account|order|payment|billing)s?(?:'s?)?\s+)?"
    r"(?:data|records|rows|users|customers|accounts|backups?|databases?|tables?)\b(?!\.\w|/)"
    r"(?!\s+(?:\w+\s+)?(?:fields?|models?|class(?:es)?|buttons?|pages?|forms?|types?|functions?|methods?|keys?|endpoints?"
    r"|tests?|fixtures?|variables?|components?|screens?|imports?|modules?|files?|attributes?|helpers?|layouts?|cells?"
    r"|validations?|supports?|syntax|statements?|handling|options?|headers?|views?|props?|structures?))"
)


class EnglishRules(Patterns):
    """What stands for more than one task."""

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
    fillers = r"\b(?:please|kindly|an?|the)\b"
    forbids = r"\b(?:do not|don'?t|never)\b"
    fronted = r"^\W*(before|after|when|whenever|if|unless|until)\b([^,;]+),([^,;]+?)[.!]?$"
    conjunctions = ("and", "or", ",", ";", "&")
    conditions = r"\b(?:if|when|whenever|unless|except|only|until|while)\b"
    negations = r"not|no|without|avoid|stop|instead|neither|nor|nothing"
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
    trigger_orders = {
        "T3": _DELETES_DATA,
        "T4": r"\b(?:fire|sack|dismiss|lay\s+off)\s+(?-i:[A-Z][a-z]+)(?=\s+(?:and|from|today|now|for|because|by|at|before|if)\b|\W*$)"
        r"|\blet\s+(?-i:[A-Z][a-z]+)\s+go\b|\b(?:fire|sack|dismiss|lay\s+off)\s+(?:an?|the|our|my|two|three|some|half)\s+(?:\w+\s+)?"
        r"(?:contractors?|designers?|developers?|engineers?|managers?|employees?|interns?|team|staff|assistants?|freelancers?)\b",
    }
    technologies = listed(
        """react, vue, angular, svelte, solid.js, next.js, nuxt, django, flask, fastapi, rails, laravel, spring boot,
        express.js, node.js, deno, postgres, postgresql, mysql, mariadb, sqlite, mongodb, dynamodb, redis, cassandra,
        elasticsearch, kafka, rabbitmq, nats, graphql, grpc, kubernetes, nomad, docker, podman, terraform, pulumi,
        ansible, aws, gcp, azure, python, golang, rust, java, kotlin, typescript, javascript, elixir, ruby, php, swift,
        flutter, react native, electron, tauri"""
    )
    chooses = (
        r"\b(?:choos|choice|decid|pick|select|compar|switch|migrat|mov|replac|rewrit|port)(?:e|es|ed|ing|t)?\b|\bwhich\b"
        r"|\bversus\b|\bvs\b|\binstead of\b"
    )
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
    order_breaks = r"[.!?;](?=\s|$)|\n|\b(?:and then|then|afterwards|finally)\b"
    order_parts = r"[,:](?=\s|$)|(?<=\w)\s+and\s+"
    order_tells = (
        r"\b(?:that|which|how|when|who|why|can|so|if|like)\b"
        r"|\bto\s+(?!(?:the|an?|our|this|it|main|each|all|every|prod\w*|live)\b)\w"
    )
    order_filler = r"(?:please|now|and|also|just|then|next|first|(?:can|could|would) you|(?:you )?(?:must|should)|let's|go ahead and|i want you to|we need to)\b|[-*•]|\d{1,3}[.)]"
    final_orders = (
        _DELETES_DATA + r"|force[- ]?push\b|push\b[^.;\n]{0,40}(?:--force\b|\bwith force\b)"
        r"|publish\s+(?:(?:the|this|our|a|new|it|version|v?\d[\w.]*)\s+)*(?:package|release|crate|gem|image|library|extension|app|it\b.*\b(?:to|on)\b|\S*\s*to\s+(?:npm|pypi|crates\.io|maven|docker hub))"
        r"|(?:(?:re)?deploy|ship|push|promote|release|roll\s+out)\s+(?:[\w./-]+\s+){0,6}?(?:to|on|in|into)\s+(?:the\s+)?(?:prod(?:uction)?|live)\b"
        r"|(?:re)?deploy\s+(?:it|this|the|our)\b(?!.*\b(?:staging|test|dev|development|local\w*|preview|sandbox|script|guide|docs?|page|key|workflow|config\w*|job|button|command)\b)"
        r"|(?:delete|destroy|remove|tear\s+down)\s+(?:(?:the|our|all|every|old|this)\s+)*(?:(?:remote|github|gitlab|s3|aws|gcp|cloud|production|prod|live|kubernetes|k8s)\s+)+"
        r"(?:branch(?:es)?|repo(?:sitor(?:y|ies))?|buckets?|clusters?|servers?|instances?|namespaces?|environments?|infrastructure|stacks?|volumes?)\b"
        r"|(?:destroy|tear\s+down)\s+(?:the\s+|our\s+)?(?:cluster|infrastructure|servers?|environment)\b"
        r"|(?:format|wipe|erase)\s+(?:the\s+|my\s+|this\s+)?(?:hard\s+)?(?:disks?|drives?|server|machine|laptop|partition)\b"
        r"|(?:e-?mail|message|notify)\s+(?:all\s+|every\s+|our\s+|the\s+)+(?:\w+\s+)?(?:customers?|users?|clients?|subscribers?)\b"
        r"|send\s+[^.;\n]{1,60}\bto\s+(?:all\s+|every\s+|our\s+|the\s+)+(?:\w+\s+)?(?:customers?|users?|clients?|subscribers?)\b"
        r"|(?:pay|wire|refund|transfer)\s+(?:[$€£]?\d|(?:the|all|every)\s+(?:invoices?|bills?|customers?|suppliers?)\b)"
    )
    # Alone, as an address, or before an order; `override the method` is a task.
    override = (
        r"override(?=\s*(?:$|[:,.;!—–，。：；！、-]|\n)|\s+(?-i:[\u4e00-\u9fff])"
        r"|\s+(?:please|now|just|and|do|go|proceed|continue|execute|run|skip|ship|push|deploy|merge|delete|i|no)\b)"
    )
    speed_level = r"\b(?:pace|speed(?: level)?|level)\s+s?([0-4])\b|(?<!look )\bat s([0124])\b"
    speed_filler = (
        r"\b(?:use|using|at|in|with|go|switch|to|apply|pace|speed|mode|level|please|now|but|only|just|exactly|still|keep"
        r"|stay|it|this|though)\b"
    )
    storage = (
        r"(?:buckets?|storage|objects?|uploads?|downloads?|urls?|keys?|clients?|apis?|paths?|prefix|policy|sync|files?"
        r"|folders?|backend|endpoints?|events?|access|compatible|is|are|was|has|have|fails?|does|should|must|can|and|or|to"
        r"|in)\b"
    )
    courtesy_before = r"okay|ok|please"
    courtesy_after = r"(?<!\s)\s+please"

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
    on_architecture = (
        r"(?<!cpu )(?<!arm )(?<!x86 )(?<!target )(?<!processor )(?<!set )\barchitecture(?:\s{1,3}of(?:\s{1,3}[\w-]{1,30}){1,6})?\s{0,3}"
        r"(?::|\b(?:is|has|consists|follows|uses|separates|splits)\b)"
        r"|\b(?:system|software|overall|layered|hexagonal|clean|onion|microservices?|event-driven|plugin)\s+architecture\b"
        r"|\bis (?:built|structured|organi[sz]ed|layered|split) (?:as|into|in) (?:\w+ ){0,3}(?:layers|modules|services|tiers)\b"
        r"|\bour design (?:principle|philosophy|rationale)s?\b"
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
