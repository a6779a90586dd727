"""The rules by which a secret is known: vendors' prefixes, shapes, names, and what a value cannot be.

The work is linear: each quantifier is bounded, or possessive, or consumes what it matched, so no start
position can rescan an unbounded stretch; the bounds are far above any real credential. Patterns start
with a literal where they can: `re` skips to it without trying every position.
"""

# For prefixes that ordinary words may share: a real key has an unbroken run and a digit early on.
_KEYLIKE = r"(?=[\w-]{0,64}?[A-Za-z0-9]{12})(?=[\w-]{0,64}?[0-9])[\w-]{20,}"
_MIXED = r"(?=\w{0,40}?[0-9])(?=\w{0,40}?[a-z])[A-Za-z0-9]{15,}+(?![\w+/=-])"
_SLASH = r"\\{0,15}/"  # JSON may write '\/'
# (kind, literal prefixes, rest): the secret is a prefix and the rest together.
_VENDORS = (
    ("anthropic-key", "sk-ant-", r"[\w-]{16,}"),
    ("openai-key", "sk-", "(?!ant-)" + _KEYLIKE),
    ("github-token", "gh", r"[pousr]_\w{36,}"),
    ("github-token", "github_pat_", r"\w{36,}"),
    ("gitlab-token", "gl", r"(?:pat|dt|ft|soat|rt|cbt|imt)-[\w-]{20,}(?:\.\w+){0,3}"),
    ("gitlab-token", "gl", r"(?:ptt|agent|oas)-[\w-]{20,}"),
    ("gitlab-token", "GR1348941", r"[\w-]{20,}"),
    ("slack-token", "xox", r"[abcdeoprs]-[\w.%-]{9,}\w"),
    ("slack-token", "xapp-", r"[\w.%-]{9,}\w"),
    ("slack-webhook", "hooks.slack.com", rf"(?:{_SLASH}\w{{1,64}}){{4,5}}"),
    ("discord-webhook", "webhooks", rf"{_SLASH}\d{{16,20}}{_SLASH}[\w-]{{40,}}"),
    ("discord-token", "M N O", r"(?=[\w.-]{0,70}[0-9])[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])"),
    ("aws-access-key", "AKIA ASIA ABIA ACCA A3T", r"[0-9A-Z]{16,17}(?![0-9A-Za-z])"),
    ("google-api-key", "AIza", r"[\w-]{35}(?![\w-])"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("pypi-token", "pypi-", r"AgE[\w-]{40,}"),
    ("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"[A-Za-z0-9]{16,}"),
    ("twilio-key", "AC SK", r"(?=[a-z]{0,31}[0-9])[0-9a-z]{32}(?![0-9A-Za-z])"),
    ("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{16,64}(?![\w-])"),
    ("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    ("doppler-token", "dp.", r"(?:[pcs]t|sa|scim|audit)\.[\w.-]{20,}\w"),
    ("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])"),
    ("artifactory-token", "AKC", _MIXED),
    ("artifactory-token", "AP", "[0-9A-F]" + _MIXED),
    ("netlify-token", "nfp_", r"[A-Za-z0-9]{36,}(?![\w-])"),
    ("planetscale-token", "pscale_", r"(?:tkn|pw|oauth)_[\w.=-]{32,}"),
    ("fly-token", "fm", r"(?:1[ar]|2)_(?=[A-Za-z+/]{0,64}[0-9])[A-Za-z0-9+/]{40,}={0,3}"),
    ("fly-token", "fo1_", r"[\w-]{43}(?![\w-])"),
    ("sentry-token", "sntry", r"(?:u_[0-9a-f]{64}(?![0-9a-f])|s_eyJ[A-Za-z0-9+/=]{20,}(?:_[A-Za-z0-9+/]{20,})?)"),
    ("jwt", "eyJ", r"[\w=-]{8,1024}+\.{1,2}[\w=-]{8,}+(?:\.{1,2}[\w=-]+)*+"),  # or JWE, with empty parts
    ("vendor-token", "AGE-SECRET-KEY- ATATT GOCSPX- HRKU- LTAI NRAK- PMAK- dckr_pat_", _KEYLIKE),
    ("vendor-token", "figd_ glsa_ gsk_ hvs. lin_api_ ntn_ nvapi- pcsk_ pplx- r8_ sbp_ secret_", _KEYLIKE),
    ("vendor-token", "do", r"[opr]_v1_" + _KEYLIKE),
    ("vendor-token", "sq0", r"(?:at|cs)p-" + _KEYLIKE),
    ("vendor-token", "rubygems_ shpat_ tskey- xai- ya29.", _KEYLIKE),
)
PREFIXES = [(kind, prefix, rest) for kind, prefixes, rest in _VENDORS for prefix in prefixes.split()]
# Before a prefix: the middle of no word or base64, or the end of an escape of JSON, a terminal, a URL.
EDGES = (r"(?<![A-Za-z0-9+]", r"(?<=\\[nrtbf]", r"(?<=[0-9]m", r"(?<=%[0-9A-F]{2}")
QUOTE = r"(?:\\{15}|\\{7}|\\{3}|\\)?[\"'`]"  # at each depth of JSON within JSON
_SPACE = r"(?:\s|\\{1,15}[nrt]){0,40}"
MORE_ITEMS = rf"(?:{QUOTE}{_SPACE},{_SPACE}{QUOTE}[^\"'`\\]*)*+"
# {"name": "token", "value": "x"}, also in YAML and HTML; {"token": {"value": "x"}}
_PAIR = rf"(?:,|:[ \t]?\{{)?[\s\\nrt]{{0,40}}[\"']?value(?:{QUOTE})?[ \t]?[:=][ \t]?"
_EDGE_LINE = r"-----? ?%s [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?"
_BEGIN, END = _EDGE_LINE % "BEGIN", _EDGE_LINE % "END"
# Between the lines of a key: newlines, the margin of a diff or a listing, the seam of two strings.
_SEAM = rf"(?:\s|\\{{1,15}}[nrt]|{QUOTE}(?=[,+\s])\s{{0,40}}+[,+]?\s{{0,40}}+{QUOTE}|[>|+:]|\d{{1,5}}[ :|]){{1,40}}+"
_LINE = rf"{_SEAM}(?:[A-Z][A-Za-z-]{{3,20}}: [^\n\"\\]{{0,90}}|[A-Za-z0-9+/]{{16,}}+={{0,2}}(?!{QUOTE}\s*:))"
_LINES = rf"(?:{_LINE})++(?:{_SEAM}[A-Za-z0-9+/]{{1,15}}={{0,2}}(?![\w ]|{QUOTE}\s*:))?"
_LOCAL_IP = r"(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|192\.0\.2|198\.51|203\.0\.113)\."
_TOKEN_USER = r"(?=[A-Za-z_-]{0,64}[0-9])(?=[0-9_-]{0,64}[A-Za-z])[\w-]{20,255}"
_BLANK = r"(?:[ \t]|\\{0,15}[\"']|,|\\\\?\n){1,8}"  # between two words of a command, also in a list of them
_BETWEEN = rf"[^\n|;&<>]{{0,400}}?{_BLANK}"
_NETRC = r"login\s{1,20}\S{1,128}\s{1,20}(?:account\s{1,20}\S{1,128}\s{1,20})?password\s{1,20}"
_NO_PORT = r"(?!\d{1,5}(?::\d{1,5})?(?:/\w{3})?(?![\w.]))"
_ARGUMENT = (
    r"(?:\\{0,15}[\"']([^\"'\\\n]{3,128})\\{0,15}[\"']"
    rf"|{_NO_PORT}(?![-\"'\\])([^\s\"'`\\;|&,]{{3,128}}))"
)
_LOGS_IN = "|".join(
    f"(?<={program} login)" for program in "docker podman nerdctl buildah skopeo registry oras auth oc acr cf".split()
)
# (kind, a literal without which it cannot be, regex): the secret is the last group, or all of the match.
SHAPES = (
    # Up to the END line when no string ends before it, else as many base64 lines as follow.
    ("private-key", "PRIVATE KEY", rf"{_BEGIN}(?=[^-]{{0,900}}?[A-Za-z0-9+/]{{16}})(?:[^\"'`-]|-(?!---))*+{END}"),
    ("private-key", "PRIVATE KEY", rf"{_BEGIN}{_LINES}(?:{_SEAM}{END})?"),
    ("private-key", "PuTTY", rf"PuTTY-User-Key-File-(?:[^\"P]|P(?!uTTY|rivate-L))*+Private-Lines: \d{{1,4}}{_LINES}"),
    ("url-credential", "@", rf":{_SLASH}{_SLASH}[^\s/:\"'`<>\\]{{0,128}}:([^\s/?\"'`<>\\]{{3,512}})@"),
    # A token in the place of the user, as `https://TOKEN@host` and `https://TOKEN:x-oauth-basic@host`.
    ("url-credential", "@", rf":{_SLASH}{_SLASH}({_TOKEN_USER})(?::[^\s/?\"'`<>\\@]{{0,128}})?@[\w[]"),
    # No credential, but detect-secrets counts it. Only in a URL: elsewhere it may be a version.
    ("public-ip", "://", rf"://(?:[^\s/@\"']{{0,128}}@)?((?!{_LOCAL_IP})\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?![\w.])"),
    (
        "airtable-token",
        "pat",
        r"\.(?<=pat[A-Za-z0-9]{14}\.)[0-9a-f]{64}(?![0-9a-f])(?<=(pat[A-Za-z0-9]{14}\.[0-9a-f]{64}))",
    ),
    ("telegram-token", ":", r":(?<=[0-9]{8}:)((?=[\w-]{0,34}[A-Z])(?=[\w-]{0,34}[0-9])[\w-]{35})(?![\w-])"),
    ("mailchimp-key", "-us", r"-us(?<=([0-9a-z]{32})-us)[0-9]{1,2}(?![0-9a-z])"),
    ("aws-secret-key", "IA", r"A[KS]IA[0-9A-Z]{16}[^A-Za-z0-9/+]{1,20}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    ("url-signature", "sig=", r"sig=(?<![A-Za-z]sig=)([\w%+/-]{30,256}=?)"),
    ("cli-credential", "curl ", r"curl [^\n]{0,400}?-(?:u|-user)[ =]?[\"'\\]{0,17}[\w.@-]{1,64}:([^\s\"'\\]{3,256})"),
    ("cli-credential", "mysql", rf"mysql(?:dump|admin|import|show|check|pump|sh)?{_BETWEEN}-p{_ARGUMENT}"),
    ("cli-credential", "mariadb", rf"mariadb(?:-[a-z]{{4,10}})?{_BETWEEN}-p{_ARGUMENT}"),
    (
        "cli-credential",
        "sshpass",
        rf"sshpass(?:[\s\"',]{{1,8}}-[vP](?:[\s\"',]{{0,8}}[\w:]{{1,40}})?)?{_BLANK}-p(?:{_BLANK})?{_ARGUMENT}",
    ),
    ("cli-credential", "login", rf" login(?:{_LOGS_IN}){_BETWEEN}-p(?:{_BLANK}|=)?{_ARGUMENT}"),
    ("cli-credential", "login", rf'"login"{_BETWEEN}-p(?:{_BLANK}|=){_ARGUMENT}'),
    ("netrc", "login", rf"machine\s{{1,20}}\S{{1,255}}\s{{1,20}}{_NETRC}(\S{{3,256}})"),
    ("netrc", "login", rf"default {_NETRC}((?=[^\s0-9]{{0,64}}[0-9])\S{{3,256}})"),
    (
        "netrc",
        "login",
        r"login[ \t]{1,8}\S{1,128}[ \t]{0,8}\n[ \t]{0,8}password[ \t]{1,8}(\S{3,256})[ \t]{0,8}(?:$|\n)",
    ),
    ("cli-credential", "redis-cli", rf"redis-cli{_BETWEEN}-a{_BLANK}{_ARGUMENT}"),
    ("cli-credential", "mongo", rf"mongo(?:sh|dump|restore|export|import)?{_BETWEEN}-p{_BLANK}{_ARGUMENT}"),
    ("cli-credential", "ldap", rf"ldap(?:search|add|modify|delete|passwd|whoami){_BETWEEN}-w{_BLANK}{_ARGUMENT}"),
    # of openssl
    (
        "cli-credential",
        " pass:",
        r" pass:(?:(?<=-passin pass:)|(?<=-passout pass:)|(?<=-pass pass:))([^\s\"'`\\]{4,128})",
    ),
    # The pairs of a Cookie or Set-Cookie header, and any cookie with attributes.
    ("cookie", "ookie", rf"ookie2?(?:{QUOTE})?(?:{_PAIR}|: ?)\[?{_SPACE}(?:{QUOTE})?([\w.-]+=[^\r\n\"'\\]{{8,}})"),
    ("cookie", ";", r"=([^\s;,\"'\\=<>]{8,4096}={0,2}); ?(?i:path=|domain=|expires=|max-age=|secure|http|same)"),
)
NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
# With what the languages call a secret, and how they say what it is, in their places.
NAMED = (
    r"(?P<name>(?:<NAMES>)?[a-z0-9_.ñ-]{0,64}+)"
    # counts and flags, by far the most frequent values, are dropped before anything else is tried
    r"(?![\\\"']{0,16}[:=] ?(?:-?[0-9.]{1,5}|true|false|null|none)[^\w.-])"
    rf"(?:\[[0-9]{{0,6}}\])?(?P<close>(?:{QUOTE}\]?)?)(?>(?P<pair>{_PAIR})"
    # an element of XML or a property list, a block of YAML
    rf"|(?P<xml>(?:</key>{_SPACE}<string)?>(?=[^<>\n]{{3,256}}</))"
    r"|(?P<block>:[ \t]{1,8}[|>][+-]?[ \t]{0,8}\r?\n[ \t]{1,40}(?=\S{4,256}[ \t]{0,8}(?:\r?\n|$)))"
    # before what is no variable: `=` unless in a list of arguments, full-width signs; in YAML a lone word
    r"|(?:=(?=[^\s=,()\"'`]{1,256}(?:[\s;&\"'\\]|$))|\uff1a|\uff1d|\\{1,15}uff1[ad])[ \t]{0,8}"
    r"|(?P<yaml>:[ \t]{1,8}(?=[a-z]{4,64}[ \t]{0,8}(?:[#\r\n]|$)))"
    # `=`, `:`, `=>`, `:=`, `==`, `!=`, also after a type as in `password: str = "x"`; no word of prose
    r"|(?P<code>[ \t]{0,8}[?!]?(?::[ \t]{0,4}[\w.&\[\]|<>]{1,40}[ \t]{1,4}(?==[^=]))?"
    rf"(?:={{1,3}}>?|!==?|:{{1,2}}=?(?! (?!b|token)[a-z]{{1,20}} +[a-z]))[ \t]{{0,8}}(?P<list>\[{_SPACE})?)"
    # `is` in words, also as JSON escapes them; a blank before something long
    r"|(?P<prose><IS>| {1,3}(?=[\w+/-]{32})"
    r"|(?:\\{1,15}u[0-9a-f]{4}){0,4}\\{1,15}u(?:<IS_ESCAPED>)(?:[ \t:]|\\{1,15}uff1a){0,3})"
    # the configuration form `secret "x";`, a header without its name; `--password x`, also in a list
    r"|[ \t]{1,4}(?=[\"'][^\"'\n]{1,200}[\"'];)|(?<=bearer)[ +]{1,3}"
    rf"|(?P<flag>(?:[ \t]{{1,4}}|{_SPACE},{_SPACE}(?={QUOTE}))(?=[^\s-])))"
)
# Of a name in snake case: words that only speak about a secret; then names by what their value must show.
_ABOUT = (
    r"_(?:alg\w*|arn|at|counts?|digest|dir|endpoint|env|error|exp\w*|fields?|files?|fingerprint|format|hash\w*"
    r"|header|hint|ids?|index|kind|label|len\w*|limit|md5|mode|names?|path|pattern|policy|prefix|prompt|provider"
    r"|ref|regex|required|rules?|settings|sha\d*|size|spec|stat\w+|stdin|ttl|types?|ur[il]s?|user\w*|version)\d?$"
    r"|(?:public|primary|foreign|cache|sort|partition|idempotency|object|hash|group)_key$|(?:next|page)_token$"
)
_ANY = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|contrase[ñn]a|(?:api|access|secret|priv|private|auth|encrypt"
    r"|encryption|signing|master)_?key|client_key_data)s?(?:key|value|text)?\d{0,4}(?:_|$)|(?:^|_|db|user)(?:pass|pw)$|[<BEGINS>\\]"
)
_DENSE = (
    r"tokens?\d{0,4}(?:_|$)|(?:authorization|bearer|credentials?|(?:amz|goog)_signature)$"
    r"|(?:service|account|client|db|database|shared_?access|subscription|license|webhook|aws|azure)_?key\d{0,4}$"
)
PASSWORDS = r"(?i:pass(?:word|wd|phrase|code)|pwd|<NAMES>)"
_PLAIN = r"(?:_*+[A-Za-z][a-z]*+(?:[_. -]?[A-Z][a-z]++|[_. -][a-z]++)*+|[A-Z]++(?:[_-][A-Z]++)*+)"  # words
# In place of the entropy limits of detect-secrets, for names that only hint at a secret.
_RANDOM = r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/_-]{16,}={0,2}"
ASKED = (
    (_ABOUT, ""),
    (_ANY, r".{4,}"),
    (_DENSE, rf"(?!{_PLAIN}$)(?=[^A-Za-z]*[A-Za-z])\S{{8,}}|[a-z]{{20,}}"),
    (r"[a-z0-9]_key\d{0,4}$", rf"{_RANDOM}|[0-9a-f]{{32,}}"),
    (r"(?<![a-z0-9])(?:key|auth)\d{0,4}$", _RANDOM),
)
# What a value cannot be, by how it is written: a quoted one a sentence; an unquoted one a call or an
# attribute, and in code also a variable (a constant, short, or named like a secret) or a type.
SENTENCE = r"(?i:(?=.*\s).*(?:<PROSE>))"
CALL = r"[(\[{|]|[A-Za-z_$@][\w$.+:>-]*[(\[]|[A-Za-z_$]+(?:(?:\.|->|::|\?\.)[A-Za-z_$]+)+$"
_NAMED_ALIKE = r"(?=\w*(?i:pass|pwd|secret|token|key))[A-Za-z_]\w*$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$"
VARIABLE = rf"{CALL}|{_NAMED_ALIKE}|{_PLAIN}$|[*!#:]|\d{{1,5}}$|[A-Za-z_]\w{{0,4}}$|\w+(?:\.[A-Za-z_]\w*)+$"
UNMIXED = r"[^0-9]*$|[^A-Za-z]*$|.{1,5}$|.*\s|(?i:sha|md|base|utf|aes|rsa|[hre]s|ed|argon|oauth|http)[-_]?\d"
_BRACES = r"\$\{[^}]{0,80}\}{1,2}|\{{1,2}[ A-Za-z_][\w. ]{0,80}\}{1,2}|\$\([^)]{0,80}\)|<[^<>]{1,80}>"
_ESCAPES = r"\\{1,15}u(?:003c.*|[0-9a-f]{4})|[\u3000-\u9fff\uff00-\uffef]+"  # Chinese text is prose
TEMPLATE = rf"{_BRACES}|{_ESCAPES}|%(?:\(\w{{1,40}}\))?[sdv]|^\$(?:[A-Za-z_]+|[A-Z0-9_]+)$"
# Masks and examples; types, and words that are said about secrets; URLs, paths and our own ids.
HARMLESS = (
    r"(?i:redacted|\*{3}|x{6}|•{2}|\.{3}|…|^[x*#?._-]+$|^(.)\1*$|(?<![a-z0-9])(?:your|example|fake"
    r"|placeholder|changeme|(?:change|replace)[_-]?(?:me|this|it|with)|insert|dummy|fixme|masked|sample|todo|xxxx"
    r"|here)(?![a-z])|^(?:argument|auth|authentication|basic|bearer|bool|boolean|bytes?|default|disabled|empty"
    r"|enabled|expired|false|flag|hidden|inherit|integer|invalid|missing|none|null|number|object|options?|optional"
    r"|pass|passphrase|passwd|password|required|secret|string!?|text|tokens?|true|u?int\d+\w*|undefined|user|value)$)"
    r"|^(?:[a-z][a-z0-9+.-]{1,20}:(?:\\{0,15}/){2}|arn:|data:|sha\d{1,3}[:-]|[~.]{0,2}(?:/[a-z0-9_.@-]+)+/?$"
    r"|/Users/|[A-Z]:\\|(?![sr]k_)[a-z]{2,5}(?:_[a-z]{1,20}){0,3}_(?:\d{8}T\d{6}Z|01[0-9a-z]{6,24}$))"
)
# An unquoted value: printable, but a comma or semicolon only inside, and no escape of JSON.
BARE = r"(?:[!#-%(-+\--:=?-\[\]-_a-~\xc0-\u1fff]|[;,](?!\s|$|[\w.-]{1,40}[=:])|\\(?![nrtbfu\"\\]))"
