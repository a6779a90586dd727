"""Find and redact secrets in any text: the one scanner used before text is stored, shown or sent.

Two kinds of evidence count. A value that identifies itself (vendor prefix, JWT, PEM block, URL
credential) is a secret anywhere. Any other value is one only by the name it is given (`password`,
`token`, `密码`), so that a bare hash, id or blob is left alone.

The work is linear: each quantifier is bounded, or possessive, or consumes what it matched, so no start
position can rescan an unbounded stretch; the bounds are far above any real credential. Patterns start
with literals where they can, because `re` then skips through text without trying every position.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Secret(NamedTuple):
    """One secret: `text[start:end]` is the value itself, without its name or quotes."""

    kind: str
    start: int
    end: int


# For prefixes that ordinary words may share: a real key has an unbroken run and a digit early on.
_KEYLIKE = r"(?=[\w-]{0,64}?[A-Za-z0-9]{12})(?=[\w-]{0,64}?[0-9])[\w-]{20,}"
_MIXED = r"(?=[A-Za-z]{0,40}[0-9])(?=[A-Z0-9]{0,40}[a-z])[A-Za-z0-9]{15,}+(?![\w+/=-])"
_SLASH = r"\\{0,15}/"  # JSON may write '\/'

# (kind, literal prefixes, rest): the secret is a prefix and the rest together; the first row that fits.
_VENDORS = (
    ("anthropic-key", "sk-ant-", r"[\w-]{16,}"),
    ("openai-key", "sk-", _KEYLIKE),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\w{36,}"),
    ("github-token", "github_pat_", r"\w{22,}"),
    ("gitlab-token", "glpat- gldt- glft- glsoat- glrt- glcbt- glimt-", r"[\w-]{20,}(?:\.\w+){0,3}"),
    ("gitlab-token", "glptt- glagent- gloas- GR1348941", r"[\w-]{20,}"),
    ("slack-token", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[\w.%-]{9,}\w"),
    ("slack-webhook", "hooks.slack.com", rf"(?:{_SLASH}\w{{1,64}}){{4,5}}"),
    ("discord-webhook", "discord.com discordapp.com", rf"(?:{_SLASH}\w{{1,20}}){{3,4}}{_SLASH}[\w-]{{40,}}"),
    ("aws-access-key", "AKIA ASIA ABIA ACCA", r"[0-9A-Z]{16}(?![0-9A-Za-z])"),
    ("aws-access-key", "A3T", r"[0-9A-Z]{17}(?![0-9A-Za-z])"),
    ("google-api-key", "AIza", r"[\w-]{35}(?![\w-])"),
    ("google-oauth", "ya29. GOCSPX- 1//0", r"(?=[\w.-]{0,64}?[0-9])[\w.-]{19,}[\w-]"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    ("pypi-token", "pypi-AgE", r"[\w-]{40,}"),
    ("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ whsec_", r"[A-Za-z0-9]{16,}"),
    ("twilio-key", "AC SK", r"(?=[a-z]{0,31}[0-9])[0-9a-z]{32}(?![0-9A-Za-z])"),
    ("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{16,64}(?![\w-])"),
    ("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{30,}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{20,}\w"),
    ("databricks-token", "dapi", r"[0-9a-f]{32}(?:-\d)?(?![0-9A-Za-z])"),
    ("square-token", "sq0csp- sq0atp-", r"[\w-]{22,}"),
    ("softlayer-key", "api.softlayer.com/soap/", r"v3(?:\.1)?/[0-9A-Za-z]{64}"),
    ("artifactory-token", "AKC", _MIXED),
    ("artifactory-token", "AP", "[0-9A-F]" + _MIXED),
    # JWT, or JWE with an empty part. The header is bounded: up to its dot it is any base64.
    ("jwt", "eyJ", r"[\w=-]{8,1024}+\.{1,2}[\w=-]{8,}+(?:\.{1,2}[\w=-]+)*+"),
    ("vendor-token", "AGE-SECRET-KEY-1 ATATT3 ATBB ATCTT3 HRKU- LTAI NRAK- PMAK- bkua_ dckr_pat_", _KEYLIKE),
    ("vendor-token", "dt0c01. figd_ fo1_ glc_ glsa_ gsk_ hvb. hvs. lin_api_ lsv2_ ntn_ nvapi- pcsk_", _KEYLIKE),
    ("vendor-token", "pplx- pscale_ pul- r8_ rubygems_ sbp_ secret_ shpat_ shpca_ shppa_ shpss_", _KEYLIKE),
    ("vendor-token", "sntrys_ sntryu_ sqp_ squ_ tskey- tvly- xai-", _KEYLIKE),
    ("discord-token", "M N O", r"(?=[\w.-]{0,70}[0-9])[\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])"),
)

_BEGIN = r"-----? ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?"
_END = _BEGIN.replace("BEGIN", "END")
# Between two lines of a key: newlines (escaped at any JSON depth), the margin of a diff or listing, and
# the seam of two adjacent string literals.
_SEAM = r"(?:\s|\\{1,15}[nrt]|\\{0,15}[\"'][ \t]*[,+]?\s*\\{0,15}[\"']|[>|+:]|\d{1,5}[ :|]){1,40}+"
_LINES = rf"(?:{_SEAM}[A-Z][A-Za-z-]{{3,20}}: [^\n\"\\]{{0,90}}){{0,4}}+(?:{_SEAM}[A-Za-z0-9+/]{{16,}}+={{0,2}})++"
_LOCAL_IP = (
    r"(?:0|10|127|22[4-9]|2[3-5]\d)\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.168\.|192\.0\.[02]\."
    r"|198\.(?:1[89]|51\.100)\.|203\.0\.113\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\."
)
# (kind, regex): the secret is group 1, or all of the match.
_SHAPES = (
    # Up to the END line when no string ends before it, else as many base64 lines as follow.
    ("private-key", rf"{_BEGIN}(?=[^-]{{0,900}}?[A-Za-z0-9+/]{{16}})(?:[^\"'`-]|-(?!---))*+{_END}"),
    ("private-key", rf"{_BEGIN}{_LINES}(?:{_SEAM}[A-Za-z0-9+/]{{1,15}}={{0,2}}(?![\w ]))?(?:{_SEAM}{_END})?"),
    (
        "private-key",
        r"PuTTY-User-Key-File-\d:[^\"]{0,4000}?Private-Lines: \d{1,4}(?:\s|\\{1,15}[nr]|[A-Za-z0-9+/=])*+(?:-MAC: [0-9a-f]+)?",
    ),
    # A password written into a URL may hold '@', but not '/'.
    ("url-credential", rf":{_SLASH}{_SLASH}[^\s/:@\"'`<>\\]{{0,128}}:([^\s/\"'`<>\\]{{3,512}})@"),
    # No credential, but detect-secrets counts it. Only in a URL: elsewhere four numbers may be a version.
    ("public-ip", rf"://(?:[^\s/@\"']{{0,128}}@)?((?!{_LOCAL_IP})\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?![\w.])"),
    ("telegram-token", r":(?<=[0-9]{8}:)([\w-]{35})(?![\w-])"),
    ("mailchimp-key", r"-us(?<=([0-9a-z]{32})-us)[0-9]{1,2}(?![0-9a-z])"),
    ("aws-secret-key", r"A[KS]IA[0-9A-Z]{16}[^A-Za-z0-9/+]{1,20}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    ("url-signature", r"sig=(?<![A-Za-z]sig=)([\w%+/-]{30,256}=?)"),
    ("cli-credential", r"curl [^\n]{0,400}?(?:-u|--user)[ =]?[\"'\\]{0,17}[^\s:\"'\\]{1,64}:([^\s\"'\\]{3,256})"),
    ("cli-credential", r"sshpass -p ?[\"'\\]{0,17}([^\s\"'\\]{3,256})"),
    ("cli-credential", r"login[ \t]+[^\s\"'\\]{1,128}\s+password[ \t]+([^\s\"'\\]{3,256})"),  # netrc
    ("assigned-secret", r"[\"']([^\"'\s\\]{4,128})[\"'] {0,4}[!=]==? {0,4}[\w.]{0,40}?(?:passw|PASSW|secret|SECRET)"),
)

# Names are sought in lower-cased text, Chinese ones also in the form in which JSON escapes them.
_WORD = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|secret|token|credential|contrase(?:ñ|n)a|key|auth|bearer"
    r"|amz-signature|goog-signature|密码|密钥|口令|令牌|u5bc6\\{1,15}u(?:7801|94a5)|u53e3\\{1,15}u4ee4|u4ee4\\{1,15}u724c)"
)
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
_QUOTE = r"\\{0,15}[\"'`]"  # at any depth of JSON in JSON
_NEXT_ITEM = rf"{_QUOTE}\s{{0,20}},\s{{0,40}}(?={_QUOTE})"
_SEPARATOR = (
    # `=`, `:`, `=>`, `:=`, `==`, `!=`, also after a type: `password: str = "x"`
    r"[ \t]{0,8}[?!]?(?::[ \t]{0,4}[\w.&\[\]|<>]{1,40}[ \t]{1,4}(?==[^=]))?"
    r"(?P<sign>={1,3}>?|!==?|:{1,2}=?|：|＝|\\{1,15}uff1[ad])[ \t]{0,8}(?P<list>\[\s{0,40})?"
    # prose: `is`, `是`, `设置为`
    r"|(?P<prose>[ \t]{1,3}is[ \t:]{1,3}|[ \t]?[已设置改重]{0,4}[是为成][ \t:：]{0,3}"
    r"|(?:\\{1,15}u[0-9a-f]{4}){0,4}\\{1,15}u(?:662f|4e3a|6210)(?:[ \t:]|\\{1,15}uff1a){0,3})"
    # {"name": "token", "value": "x"}, also in YAML and HTML; {"token": {"value": "x"}}
    rf"|(?:,|:[ \t]?\{{)?(?:\s|\\{{1,15}}[nrt]){{0,40}}(?:{_QUOTE})?value(?:{_QUOTE})?[ \t]{{0,4}}[:=][ \t]{{0,4}}"
    # f("x"), the configuration form `secret "x";`, XML, and a header without its name
    rf"|(?P<call>\((?={_QUOTE}))|[ \t]{{1,4}}(?=[\"'][^\"'\n]{{1,200}}[\"'];)"
    r"|(?P<tag>>)(?=[^<>\n]{1,256}</)|(?<=bearer)[ +]{1,3}"
)
# The last lookahead drops counts and flags, by far the most frequent values, before any judging.
_NAMED = (
    rf"({_WORD}[a-z0-9_.\-]{{0,40}}+)(?:\[[0-9]{{0,6}}\])?(?P<close>(?:{_QUOTE}\]?)?)(?:{_SEPARATOR})"
    r"(?!(?:-?[0-9.]{1,5}|true|false|null|none)(?![\w.-]))"
)
# `--password x`, and the same as two items of a list
_FLAG = (
    r"--((?:[a-z0-9]{1,20}[-_]){0,4}(?:pass(?:word|wd|phrase)?|pwd|pw|secret|token|key|auth)(?:[-_][a-z0-9]{1,20}){0,2})"
    rf"(?P<close>)(?:[ \t]{{1,4}}|{_NEXT_ITEM})(?P<sign>)(?P<prose>)(?P<call>)(?P<tag>)(?P<list>)"
)
_COOKIE = rf"cookie2?(?:{_QUOTE})?(?:[ \t]{{0,4}}:[ \t]{{0,4}}|,\s{{0,40}}{_QUOTE}value{_QUOTE}:[ \t]{{0,4}})"
_COOKIE_PART = (
    rf"(?:[ \t;]|\[\s{{0,40}}|{_NEXT_ITEM}|{_QUOTE})*+(?i:(?:expires|path|domain|max-age|samesite)=[^;\"'\\\n]*|httponly"
    r"|secure|partitioned|[\w.%-]{1,128}=([^\s;,\"'\\<>]*))(?=[\s;,\"'\\]|$)"
)

# What a name asks of its value: the first row that fits.
_NAMES = (
    # A word about a secret after the secret's name: the name of something else.
    (
        "none",
        r"_(?:age|alg\w*|arn|at|budget|checksum|class|cost|counts?|date|desc\w*|digest|dir|enabled|endpoint|env"
        r"|error|exp\w*|fields?|files?|fingerprint|format|hash\w*|header|hint|ids?|index|kind|label|left|len|length"
        r"|limit|list|manager|max|md5|min|mode|names?|path|pattern|policy|position|prefix|price|prompt|provider"
        r"|rate|ref|regex|remaining|required|reset|rules?|schema|scopes?|sha\d*|size|stat\w+|stdin|suffix|time"
        r"|total|ttl|types?|ur[il]s?|usage|used|user\w*|valid|var|version)\d{0,4}$",
    ),
    (
        "any",
        r"(?:pass(?:word|wd|phrase|code)|pwd|secret|contrase[ñn]a|(?:api|access|secret|priv|private|auth|encrypt"
        r"|encryption|signing|master)_?key)s?(?:key|value|text)?\d{0,4}(?:_|$)|[密口令]|u(?:5bc6|53e3|4ee4)\\"
        r"|(?:db|database|user|smtp|mail|ftp|admin|root|redis|mysql|pg|postgres|mongo|key|ssh|proxy|login|sudo"
        r"|auth|http|cl|clou|cloudant|aws)_?(?:pass|pw)$",
    ),
    (
        "dense",
        r"tokens?\d{0,4}(?:_|$)|authorization$|bearer$|credentials?$|(?:amz|goog)_signature$|(?:service|account"
        r"|client|db|database|shared_?access|subscription|webhook|license|consumer|deploy|admin|root|hmac|aes|sl"
        r"|softlayer|cl|clou|cloudant|ibm|iam|cloud|cos|aws|azure|gcp|storage)_?(?:api_?)?key\d{0,4}$",
    ),
    ("none", r"(?:public|primary|foreign|cache|sort|partition|idempotency|object|hash|group|dedup)_key$"),
    ("random or hex", r"[a-z0-9]_key\d{0,4}$"),
    ("random", r"(?<![a-z0-9])(?:key|auth)\d{0,4}$"),
)
_WORDS = r"(?:[A-Za-z][a-z]*+(?:[_. -]?[A-Z][a-z]++|[_. -][a-z]++)*+|[A-Z]++(?:[_-][A-Z]++)*+)"
# In place of the entropy limits of detect-secrets, for names that only hint at a secret.
_RANDOM = r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/_-]{16,}={0,2}"
_ASKED = {
    "any": r".{4,}",
    "dense": rf"(?!{_WORDS}$)(?=[^A-Za-z]*[A-Za-z])\S{{8,}}|[A-Za-z]{{20,}}",
    "random or hex": rf"{_RANDOM}|[0-9a-f]{{32,}}",
    "random": _RANDOM,
}
# What a value cannot be, by how it is written. A bare one may be a call or an attribute; in code also a
# variable (a constant, a short name, one named like a secret), a type or a number.
_CALL = r"[(\[{|]|[A-Za-z_$@][\w$.]*[(\[]|[A-Za-z_$]+(?:(?:\.|->|::|\?\.)[A-Za-z_$]+)+$"
_EXCLUDED = {
    "literal": r"(?i:(?=.*\s).*\b(?:an?|and|are|be|enter|for|if|in|is|it|must|no|not|of|or|please|the|to|use|with|your"
    r"|password|secret|token|key)\b)",
    "bare": _CALL,
    "code": rf"{_CALL}|{_WORDS}$|[*!#]|\d{{1,5}}$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|[A-Za-z_]\w{{0,4}}$"
    r"|[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$|(?=\w*(?i:pass|pwd|secret|token|key))[A-Za-z_]\w*$",
    "prose": r"[^0-9]*$|[^A-Za-z]*$|.{1,5}$|.*\s|(?i:sha|md|base|utf|aes|rsa|hs|rs|es|ed|argon|oauth|http)[-_]?\d",
}
_TEMPLATE = (
    r"\$\{[^}]{0,200}\}|\$\([^)]{0,200}\)|\{\{[^}]{0,200}\}\}|[#$]?\{[A-Za-z_][\w.]{0,80}\}|<[^<>]{1,80}>|%\(\w{1,40}\)s"
    r"|%[sdv]|%[A-Z_]{2,40}%|^\$[A-Za-z_]+$|^\$[A-Z_][A-Z0-9_]+$|\\{1,15}u003c.{1,80}?\\{1,15}u003e"
)
_HARMLESS = (
    # masks and examples
    r"(?i:redacted|\*{3}|x{4}|•{2}|\.{3}|…|^[x*#?._-]+$|^(.)\1*$|example(?:key)?$|(?<![a-z])(?:your|example|placeholder"
    r"|changeme|change[_-]?(?:me|this|it)|replace[_-]?(?:me|this|with)|insert|dummy|fake|todo|tbd|fixme|masked|sample"
    r"|here)(?![a-z])"
    # words that are said about secrets, and types
    r"|^(?:any|args?|argument|auth|authentication|basic|bearer|bool|boolean|bytes?|char|credentials?|default|disabled"
    r"|empty|enabled|expired|false|field|flag|float|hidden|inherit|input|int|integer|invalid|json|key|list|map|missing"
    r"|never|none|null|number|object|omit|option|optional|param|parameter|pass|passphrase|passwd|password|private|pwd"
    r"|required|secret|secretstr|set|str|string|text|tokens?|true|type|u?int\d+\w*|undefined|unknown|user|username|uuid"
    r"|valid|value|varchar\d*|void|yes|and|are|for|from|has|instead|must|not|should|that|the|then|this|was|when|with)$)"
    # URLs and resource names, lower-case paths, our own ids
    r"|^(?:[a-z][a-z0-9+.-]{1,20}:(?:\\{0,15}/){2}|arn:|data:|sha\d{1,3}[:-]|[~.]{0,2}(?:/[a-z0-9_.@-]+)+/?$|[A-Z]:\\"
    r"|/(?:Users|Applications|Library|Volumes)/|(?!sk_|rk_)[a-z]{2,5}(?:_[a-z]{1,20}){0,3}_(?:\d{8}T\d{6}Z|01[0-9a-z]{6,24}$))"
)
# An unquoted value: printable, but a comma or semicolon only inside, and no escape of JSON.
_BARE = r"(?:[!#-%(-+\--:=?-\[\]-_a-~À-῿]|[;,](?!\s|$|[\w.-]{1,40}[=:])|\\(?![nrtbfu\"'\\/]))"
_JUDGED = 256  # characters of a value that are looked at
_LONGEST = 8192  # characters within which a quoted value must end

_compiled: dict[str, re.Pattern[str]] = {}


def find_secrets(text: str) -> list[Secret]:
    """All secrets of `text`, sorted by place; findings that overlap become one, named for the longest."""
    if ";base64," in text:  # media in data: URLs is no secret, whatever letters it happens to hold
        text = _re(r"(?<=;base64,)[A-Za-z0-9+/]{64,}+").sub(lambda match: " " * len(match[0]), text)
    # `İ` alone has a longer lower case; without it offsets are the same in both texts.
    lowered = text.replace("İ", "i").lower()
    merged: list[Secret] = []
    for found in sorted(_candidates(text, lowered), key=lambda secret: (secret.start, -secret.end)):
        if merged and found.start < merged[-1].end:
            last = merged.pop()
            longest = max(last, found, key=lambda secret: secret.end - secret.start)
            found = Secret(longest.kind, last.start, max(last.end, found.end))
        merged.append(found)
    return merged


def redact(text: str) -> str:
    """`text` with each secret replaced by `[redacted:<kind>]`; the same object when there is none."""
    # Until nothing is found: what stood next to a secret may become recognisable once that is gone.
    while found := find_secrets(text):
        pieces, position = [], 0
        for kind, start, end in found:
            # What takes the place of a bare number in JSON needs quotes, at the depth of its key's.
            bare = _re(r"(\\{0,15}\")\s{0,8}:[\s\[]{0,40}$").search(text, max(0, start - 64), start)
            quote = bare[1] if bare else ""
            pieces += [text[position:start], quote, f"[redacted:{kind}]", quote]
            position = end
        text = "".join([*pieces, text[position:]])
    return text


def _re(pattern: str) -> re.Pattern[str]:
    """The compiled pattern: compiled at first use, since most runs of the product never scan."""
    if pattern not in _compiled:
        _compiled[pattern] = re.compile(pattern or _vendor_pattern(), re.ASCII)
    return _compiled[pattern]


def _vendor_pattern() -> str:
    """All vendor rows as one pattern, with a branch for each first character, which `re` can skip to."""
    branches: dict[str, list[str]] = {}
    for _, prefixes, rest in _VENDORS:
        for prefix in prefixes.split():
            seen = re.escape(prefix)
            # A short or word-like prefix must not continue a word; but the letters before it may be the
            # end of an escape: `\n` in JSON, a terminal colour, `%3D` in a URL.
            boundary = rf"(?:(?<![A-Za-z0-9]{seen})|(?<=\\[nrtbf]{seen})|(?<=[0-9]m{seen})|(?<=%[0-9A-F]{{2}}{seen}))"
            distinctive = len(prefix) > 3 and not prefix.isalnum()
            branches.setdefault(prefix[0], []).append(seen[1:] + ("" if distinctive else boundary) + rest)
    return "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in branches.items())


def _candidates(text: str, lowered: str) -> Iterator[Secret]:
    """Everything found; the self-evident first, so that it names a span found twice."""
    for match in _re("").finditer(text):
        if not _re(_HARMLESS).search(match[0]):
            kind = next(kind for kind, prefixes, _ in _VENDORS if match[0].startswith(tuple(prefixes.split())))
            # After a backslash the first letter belongs to an escape such as `\n`, which must stay whole.
            yield Secret(kind, match.start() + (text[match.start() - 1 : match.start()] == "\\"), match.end())
    for kind, pattern in _SHAPES:
        for match in _re(pattern).finditer(text):
            group = match.lastindex or 0
            if not _is_harmless(match[group]):
                yield Secret(kind, *match.span(group))
    done = 0
    for match in _re(_COOKIE).finditer(lowered):
        done = max(done, match.end())
        while match.end() <= done and (part := _re(_COOKIE_PART).match(text, done)):
            done = part.end()
            if part[1] and _is_secret(part[1], "dense", "literal"):
                yield Secret("cookie", *part.span(1))
    for pattern in (_NAMED, _FLAG):
        done = 0
        for match in _re(pattern).finditer(lowered):
            if match.start() >= done:  # else within a value already taken
                for secret in _named_values(text, match):
                    yield secret
                    done = secret.end


def _named_values(text: str, match: re.Match[str]) -> Iterator[Secret]:
    """The secret values, several if in a list, given to the name that `match` found."""
    floor = max(0, match.start(1) - 48)
    start = floor + len(text[floor : match.start(1)].rstrip(_NAME_CHARACTERS))
    start += text[start - 1 : start] == "\\"  # the name follows an escape such as `\n`
    name = _re(r"[-.]+|(?<=[a-z0-9])(?=[A-Z])").sub("_", text[start : match.end(1)]).lower()
    asked = next((asked for asked, pattern in _NAMES if _re(pattern).search(name)), "none")
    if name in ("pass", "pw") and match["close"]:
        asked = "any"
    if asked == "none" or (match["tag"] and text[start - 1 : start] != "<"):
        return
    kind = "authorization" if name.endswith(("authorization", "bearer")) else "assigned-secret"
    position: int | None = match.end()
    while position is not None:
        first, end, quote = _read_value(text, position)
        # A quote that closes a string in JSON opens no value: what follows it tells.
        if end == first or (quote and quote != match["close"] and text[first] in " \t,:;)]}+"):
            return
        form = "prose" if match["prose"] or match["call"] else "literal" if quote else _form_of(text, match, start, end)
        if not _is_secret(text[first:end], asked, form) or (name.endswith("pwd") and text[first] in "/~"):
            return
        if not quote and end - first >= _JUDGED:  # read on only now: a refused value may be read many times
            end = _re(_BARE + "*+").match(text, end).end()
        yield Secret(kind, first, end)
        following = _re(_NEXT_ITEM).match(text, end) if match["list"] else None
        position = following.end() if following else None


def _read_value(text: str, position: int) -> tuple[int, int, str]:
    """Start, end and opening quote of the value at `position`, without an `Authorization` scheme."""
    opening = _re(rf"(?:[bBfFrRuU]{{1,2}}|@)?({_QUOTE})|[“‘「『]|\\{{1,15}}u(?:201c|2018|300c)").match(text, position)
    start = opening.end() if opening else position
    scheme = _re(r"(?i:bearer|basic|token|bot|apikey|digest|negotiate)[ +]{1,3}").match(text, start)
    start = scheme.end() if scheme else start
    if opening and opening[1]:
        end = _closing_quote(text, start, opening[1])
        if end is not None:
            return start, end, opening[1]
    bare = _re(_BARE + f"{{1,{_JUDGED}}}+").match(text, start)
    end = bare.end() if bare else start
    while end > start and (text[end - 1] in ".:" or (text[end - 1] in ")]}" and not {*"([{"} & {*text[start:end]})):
        end -= 1
    return start, end, ""


def _closing_quote(text: str, start: int, opening: str) -> int | None:
    """Where a quoted value ends: before the quote that closes it, or closes a string around it."""
    for match in _re(r"(\\*+)([\"'`\n])|\\++").finditer(text, start, start + _LONGEST):
        if match[2] == "\n":
            return None
        closes = match[2] == opening[-1] and _depth(match[1]) <= _depth(opening[:-1])
        if closes or (match[2] == '"' and opening[-1] != '"'):
            return match.end() - 2 ** _depth(match[1])
    return None


def _depth(backslashes: str) -> int:
    """How deep in JSON within JSON a quote after these backslashes stands: each level turns n into 2n + 1."""
    count = len(backslashes)
    return (count ^ (count + 1)).bit_length() - 1


def _form_of(text: str, match: re.Match[str], start: int, end: int) -> str:
    """Of an unquoted value: `bare` if it must stand for itself, `code` if it may be a variable or a type."""
    if match["sign"] == "=" and text[match.start("sign") - 1] != " " and text[match.end("sign")] != " ":
        is_argument = text[end : end + 1] in (",", ")") and not text[start : match.end(1)].isupper()
        return "code" if is_argument else "bare"
    if match["sign"] == ":":  # one lower-case word on a line of its own is YAML
        line = text[max(0, start - 80) : start].rpartition("\n")[2].strip(" \t-'\"")
        is_last = _re(r"[ \t]{0,20}(?:[#\r\n]|$)").match(text, end)
        return "bare" if is_last and not line and text[start:end].islower() else "code"
    return "code" if (match["sign"] or "")[:1] in ("=", "!", ":") else "bare"


def _is_harmless(value: str) -> bool:
    """Whether `value` is no secret under any name: a template, a mask, an example, a type, an address."""
    core = _re(_TEMPLATE).sub("", value[:_JUDGED])
    return len(core) < 3 or bool(_re(_HARMLESS).search(core))


def _is_secret(value: str, asked: str, form: str) -> bool:
    """Whether `value` is a secret, by what its name asks and by how it is written."""
    value = _re(_TEMPLATE).sub("", value[:_JUDGED])
    shows = _re(_ASKED[asked]).fullmatch(value) and not _re(_EXCLUDED[form]).match(value)
    return bool(shows) and not _is_harmless(value)
