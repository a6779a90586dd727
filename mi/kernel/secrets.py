"""Find and redact secrets in any text: the one scanner used before text is stored, shown or sent.

A value that identifies itself (vendor prefix, JWT, PEM block, URL credential) is a secret anywhere; any
other only by the name it is given (`password`, `token`, in any language), so a bare hash, id or blob is left alone.

The work is linear: each quantifier is bounded, or possessive, or consumes what it matched, so no start
position can rescan an unbounded stretch; the bounds are far above any real credential. Patterns start
with a literal where they can: `re` skips to it without trying every position.
"""

import re
from binascii import a2b_base64
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, NewType

from mi.kernel.language import patterns

# Text that `redact` went over while it was whole. What cuts text for a person, a Mind or a program takes only this:
# half a secret is not known for one any more.
Redacted = NewType("Redacted", str)
LOOK_AHEAD = 16_384  # characters, more than any rule looks at: what is read beyond a cut of a text that may be huge


class Secret(NamedTuple):
    """One secret: `text[start:end]` is the value itself, without its name or quotes."""

    kind: str
    start: int
    end: int


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
_PREFIXES = [(kind, prefix, rest) for kind, prefixes, rest in _VENDORS for prefix in prefixes.split()]
# Before a prefix: the middle of no word or base64, or the end of an escape of JSON, a terminal, a URL.
_EDGES = (r"(?<![A-Za-z0-9+]", r"(?<=\\[nrtbf]", r"(?<=[0-9]m", r"(?<=%[0-9A-F]{2}")
_QUOTE = r"(?:\\{15}|\\{7}|\\{3}|\\)?[\"'`]"  # at each depth of JSON within JSON
_SPACE = r"(?:\s|\\{1,15}[nrt]){0,40}"
_MORE_ITEMS = rf"(?:{_QUOTE}{_SPACE},{_SPACE}{_QUOTE}[^\"'`\\]*)*+"
# {"name": "token", "value": "x"}, also in YAML and HTML; {"token": {"value": "x"}}
_PAIR = rf"(?:,|:[ \t]?\{{)?[\s\\nrt]{{0,40}}[\"']?value(?:{_QUOTE})?[ \t]?[:=][ \t]?"
_EDGE_LINE = r"-----? ?%s [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?"
_BEGIN, _END = _EDGE_LINE % "BEGIN", _EDGE_LINE % "END"
# Between the lines of a key: newlines, the margin of a diff or a listing, the seam of two strings.
_SEAM = rf"(?:\s|\\{{1,15}}[nrt]|{_QUOTE}[ \t]*[,+\s]\s*{_QUOTE}|[>|+:]|\d{{1,5}}[ :|]){{1,40}}+"
_LINE = rf"{_SEAM}(?:[A-Z][A-Za-z-]{{3,20}}: [^\n\"\\]{{0,90}}|[A-Za-z0-9+/]{{16,}}+={{0,2}}(?!{_QUOTE}\s*:))"
_LINES = rf"(?:{_LINE})++(?:{_SEAM}[A-Za-z0-9+/]{{1,15}}={{0,2}}(?![\w ]|{_QUOTE}\s*:))?"
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
_SHAPES = (
    # Up to the END line when no string ends before it, else as many base64 lines as follow.
    ("private-key", "PRIVATE KEY", rf"{_BEGIN}(?=[^-]{{0,900}}?[A-Za-z0-9+/]{{16}})(?:[^\"'`-]|-(?!---))*+{_END}"),
    ("private-key", "PRIVATE KEY", rf"{_BEGIN}{_LINES}(?:{_SEAM}{_END})?"),
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
    ("cookie", "ookie", rf"ookie2?(?:{_QUOTE})?(?:{_PAIR}|: ?)\[?{_SPACE}(?:{_QUOTE})?([\w.-]+=[^\r\n\"'\\]{{8,}})"),
    ("cookie", ";", r"=([^\s;,\"'\\=<>]{8,4096}={0,2}); ?(?i:path=|domain=|expires=|max-age=|secure|http|same)"),
)
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
# With what the languages call a secret, and how they say what it is, in their places.
_NAMED = (
    r"(?P<name>(?:<NAMES>)?[a-z0-9_.ñ-]{0,64}+)"
    # counts and flags, by far the most frequent values, are dropped before anything else is tried
    r"(?![\\\"']{0,16}[:=] ?(?:-?[0-9.]{1,5}|true|false|null|none)[^\w.-])"
    rf"(?:\[[0-9]{{0,6}}\])?(?P<close>(?:{_QUOTE}\]?)?)(?>(?P<pair>{_PAIR})"
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
    rf"|(?P<flag>(?:[ \t]{{1,4}}|{_SPACE},{_SPACE}(?={_QUOTE}))(?=[^\s-])))"
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
_PASSWORDS = r"(?i:pass(?:word|wd|phrase|code)|pwd|<NAMES>)"
_PLAIN = r"(?:_*+[A-Za-z][a-z]*+(?:[_. -]?[A-Z][a-z]++|[_. -][a-z]++)*+|[A-Z]++(?:[_-][A-Z]++)*+)"  # words
# In place of the entropy limits of detect-secrets, for names that only hint at a secret.
_RANDOM = r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9+/_-]{16,}={0,2}"
_ASKED = (
    (_ABOUT, ""),
    (_ANY, r".{4,}"),
    (_DENSE, rf"(?!{_PLAIN}$)(?=[^A-Za-z]*[A-Za-z])\S{{8,}}|[a-z]{{20,}}"),
    (r"[a-z0-9]_key\d{0,4}$", rf"{_RANDOM}|[0-9a-f]{{32,}}"),
    (r"(?<![a-z0-9])(?:key|auth)\d{0,4}$", _RANDOM),
)
# What a value cannot be, by how it is written: a quoted one a sentence; an unquoted one a call or an
# attribute, and in code also a variable (a constant, short, or named like a secret) or a type.
_SENTENCE = r"(?i:(?=.*\s).*(?:<PROSE>))"
_CALL = r"[(\[{|]|[A-Za-z_$@][\w$.+:>-]*[(\[]|[A-Za-z_$]+(?:(?:\.|->|::|\?\.)[A-Za-z_$]+)+$"
_NAMED_ALIKE = r"(?=\w*(?i:pass|pwd|secret|token|key))[A-Za-z_]\w*$|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$"
_VARIABLE = rf"{_CALL}|{_NAMED_ALIKE}|{_PLAIN}$|[*!#:]|\d{{1,5}}$|[A-Za-z_]\w{{0,4}}$|\w+(?:\.[A-Za-z_]\w*)+$"
_UNMIXED = r"[^0-9]*$|[^A-Za-z]*$|.{1,5}$|.*\s|(?i:sha|md|base|utf|aes|rsa|[hre]s|ed|argon|oauth|http)[-_]?\d"
_BRACES = r"\$\{[^}]{0,80}\}{1,2}|\{{1,2}[ A-Za-z_][\w. ]{0,80}\}{1,2}|\$\([^)]{0,80}\)|<[^<>]{1,80}>"
_ESCAPES = r"\\{1,15}u(?:003c.*|[0-9a-f]{4})|[\u3000-\u9fff\uff00-\uffef]+"  # Chinese text is prose
_TEMPLATE = rf"{_BRACES}|{_ESCAPES}|%(?:\(\w{{1,40}}\))?[sdv]|^\$(?:[A-Za-z_]+|[A-Z0-9_]+)$"
# Masks and examples; types, and words that are said about secrets; URLs, paths and our own ids.
_HARMLESS = (
    r"(?i:redacted|\*{3}|x{6}|•{2}|\.{3}|…|^[x*#?._-]+$|^(.)\1*$|(?<![a-z0-9])(?:your|example|fake"
    r"|placeholder|changeme|(?:change|replace)[_-]?(?:me|this|it|with)|insert|dummy|fixme|masked|sample|todo|xxxx"
    r"|here)(?![a-z])|^(?:argument|auth|authentication|basic|bearer|bool|boolean|bytes?|default|disabled|empty"
    r"|enabled|expired|false|flag|hidden|inherit|integer|invalid|missing|none|null|number|object|options?|optional"
    r"|pass|passphrase|passwd|password|required|secret|string!?|text|tokens?|true|u?int\d+\w*|undefined|user|value)$)"
    r"|^(?:[a-z][a-z0-9+.-]{1,20}:(?:\\{0,15}/){2}|arn:|data:|sha\d{1,3}[:-]|[~.]{0,2}(?:/[a-z0-9_.@-]+)+/?$"
    r"|/Users/|[A-Z]:\\|(?![sr]k_)[a-z]{2,5}(?:_[a-z]{1,20}){0,3}_(?:\d{8}T\d{6}Z|01[0-9a-z]{6,24}$))"
)
# An unquoted value: printable, but a comma or semicolon only inside, and no escape of JSON.
_BARE = r"(?:[!#-%(-+\--:=?-\[\]-_a-~\xc0-\u1fff]|[;,](?!\s|$|[\w.-]{1,40}[=:])|\\(?![nrtbfu\"\\]))"
_JUDGED, _LONGEST = 128, 8192  # characters of a value that are looked at; within which its quote must close

_PRINTABLE = bytes([9, 10, 13, *range(32, 127)])

_compiled: dict[str, re.Pattern[str]] = {}


class Hints(NamedTuple):
    """What can be in a text at all: everything is looked for by a literal without which it cannot be."""

    prefixes: Sequence[tuple[str, str, str]]
    shapes: Sequence[tuple[str, str, str]]
    words: Sequence[str]  # sought in lower-cased text
    escaped_words: Sequence[str]  # those beyond ASCII, as they begin when JSON escapes them


@cache
def _all_hints() -> Hints:
    names = patterns().secret_names
    escaped = dict.fromkeys(f"u{ord(name[0]):04x}" for name in names if not name.isascii())
    return Hints(_PREFIXES, _SHAPES, names, tuple(escaped))


@cache
def _in_words(pattern: str) -> str:
    """Return a pattern with the words of all languages in their places."""
    known = patterns()
    names = [name for name in known.secret_names if not name.isascii()]  # no blank ends them; JSON may escape them
    ends = "|".join(f"{ord(name[-1]):04x}" for name in names)
    places = {
        "<NAMES>": "|".join([*names, rf"u\w{{4}}\\{{1,15}}u(?:{ends})"]),
        "<BEGINS>": "".join(name[0] for name in names),
        "<IS>": known.secret_is,
        "<IS_ESCAPED>": "|".join(f"{ord(word):04x}" for word in known.secret_is_words),
        "<PROSE>": known.prose_words,
        "<GIVEN>": known.secret_given,
    }
    for place, words in places.items():
        pattern = pattern.replace(place, words)
    return pattern


def find_hints(texts: Iterable[str]) -> Hints:
    """Return what can be in some texts: looked for once in all of them, it need not be in each."""
    whole = "\n".join(texts)
    lowered = _lowered(whole)
    signs = {sign for one in (*_PREFIXES, *_SHAPES) for sign in one[1]}
    there = {sign for sign in signs if sign in whole}  # a single sign is found, or not, at once

    def may_hold(one: tuple[str, str, str]) -> bool:
        return there.issuperset(one[1]) and one[1] in whole

    return Hints(
        [*filter(may_hold, _PREFIXES)],
        [*filter(may_hold, _SHAPES)],
        [word for word in _all_hints().words if word in lowered],
        [word for word in _all_hints().escaped_words if word in lowered],
    )


def find_secrets(text: str, hints: Hints | None = None) -> list[Secret]:
    """Return all secrets of `text`, sorted by place; findings that overlap become one, named for the longest."""
    if ";base64," in text:  # media in data: URLs is no secret, whatever letters it happens to hold
        text = _re(r";base64,[A-Za-z0-9+/]{64,}+").sub(lambda match: " " * len(match[0]), text)
    merged: list[Secret] = []
    known = hints or _all_hints()
    for found in sorted(
        [*_self_evident(text, known), *_ends_of_keys(text), *_encoded(text), *_named(text, known)],
        key=lambda found: (found.start, -found.end),
    ):
        merged.append(_joined(merged.pop(), found) if merged and found.start < merged[-1].end else found)
    return merged


def _joined(one: Secret, other: Secret) -> Secret:
    longest = max(one, other, key=lambda either: either.end - either.start)
    return Secret(longest.kind, one.start, max(one.end, other.end))


def redact(text: str, hints: Hints | None = None) -> Redacted:
    """`text` with each secret replaced by `[redacted:<kind>]`; the same object when there is none."""
    # Until nothing is found: what stood next to a secret may become recognisable once that is gone.
    while found := find_secrets(text, hints):
        hints = None  # what it was replaced by is new
        ends = [0, *(secret.end for secret in found)]
        kept = [f"{text[ends[i] : secret.start]}[redacted:{secret.kind}]" for i, secret in enumerate(found)]
        text = "".join([*kept, text[ends[-1] :]])
    return Redacted(text)


def hide_credentials(text: str) -> tuple[str, list[str]]:
    """Return a text that goes on to an agent without what lets anybody in, and the kinds of that; an address stays."""
    kinds: dict[str, None] = {}
    while found := [one for one in find_secrets(text) if one.kind != "public-ip"]:
        for kind, start, end in reversed(found):
            kinds[kind] = None
            text = f"{text[:start]}[redacted:{kind}]{text[end:]}"
    return text, [*kinds]


def redact_start(text: str, limit: int, hints: Hints | None = None) -> Redacted:
    """Return the first `limit` characters of a text of any length, its secrets hidden before it is cut."""
    return Redacted(redact(text[: limit + LOOK_AHEAD], hints)[:limit])


def redact_end(text: str, limit: int) -> Redacted:
    """Return the last `limit` characters of a whole text: what makes them a secret may stand far before them."""
    return Redacted(redact(text)[-limit:])


def _re(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern: compiled at first use, since most runs of the product never scan."""
    if pattern not in _compiled:
        _compiled[pattern] = re.compile(pattern, re.ASCII)
    return _compiled[pattern]


def _vendor_pattern(prefix: str, rest: str) -> str:
    """Return a vendor's key by its prefix, which `re` can skip to.

    What stands before it decides whether it begins there.
    """
    seen = re.escape(prefix)
    edge = "|".join(f"{edge}{seen})" for edge in _EDGES)
    return rf"{seen}(?:{edge}){rest}"


def _self_evident(text: str, hints: Hints) -> Iterator[Secret]:
    """Yield what is a secret by its own shape. Only what a literal in the text hints at is looked for, and compiled."""
    for kind, prefix, rest in hints.prefixes:
        if prefix in text:
            for match in _re(_vendor_pattern(prefix, rest)).finditer(text):
                if _is_secret(match[0]):
                    # After a backslash the first letter is that of an escape such as `\n`, which must stay whole.
                    yield Secret(kind, match.start() + (text[match.start() - 1 : match.start()] == "\\"), match.end())
    last, is_there = "", False
    for kind, hint, pattern in hints.shapes:
        last, is_there = hint, is_there if hint == last else hint in text
        if is_there:
            for match in _re(pattern).finditer(text):
                if _is_secret(match[match.lastindex or 0]):
                    yield Secret(kind, *match.span(match.lastindex or 0))


def _ends_of_keys(text: str) -> Iterator[Secret]:
    """Yield the lines of base64 before the END line of a private key whose beginning is not there."""
    if "PRIVATE KEY" not in text:
        return
    after = 0
    for end in _re(_END).finditer(text):
        start, line = end.start(), r"[A-Za-z0-9+/]++={0,2}"  # the last line may be short, no other
        for piece in reversed([*_re(r"(?:\\++[nrt])*+([^\s\\\"'`,>|:]++)").finditer(text, after, end.start())]):
            if len(piece[1]) < 4 and start == end.start():  # the margin of the END line
                continue
            if not _re(line).fullmatch(piece[1]):
                break
            start, line = piece.start(1), r"[A-Za-z0-9+/]{32,}+"
        if end.start() - start >= 32:
            yield Secret("private-key", start, end.end())
        after = end.end()


def _encoded(text: str) -> Iterator[Secret]:
    """Yield what is base64 of text in which a secret is known by itself."""
    for run in _re(r"\b[A-Za-z0-9+/]{32,}+={0,2}").finditer(text):
        if _is_printable(_decode(run[0][:24])):
            inner = _decode(run[0])
            if _is_printable(inner) and any(_self_evident(inner.decode(), _all_hints())):
                yield Secret("encoded-secret", *run.span())


def _decode(run: str) -> bytes:
    whole = run.rstrip("=")
    return a2b_base64(whole[: len(whole) - (len(whole) % 4 == 1)] + "=" * (-len(whole) % 4 % 3))


def _is_printable(data: bytes) -> bool:
    return data.isascii() and not data.translate(None, _PRINTABLE)


def _lowered(text: str) -> str:
    """`İ` alone has a longer lower case; without it offsets are the same in both texts."""
    return text.replace("İ", "i").lower()


def _named(text: str, hints: Hints) -> Iterator[Secret]:
    """Yield what is a secret by the name it is given."""
    words = (*hints.words, *hints.escaped_words) if "\\u" in text else hints.words
    lowered = _lowered(text) if words else ""
    for word in words:
        position = lowered.find(word)
        while position >= 0:
            match = _re(_in_words(_NAMED)).match(lowered, position)
            may_be = match and (not match["flag"] or _may_give(lowered[max(0, position - 24) : position]))
            found = _value_of(text, match) if match and may_be else None
            if found:
                yield found
            position = lowered.find(word, found.end if found else position + 1)


def _may_give(before: str) -> bool:
    """Return whether a value may follow a name after a blank or a comma: of a flag, in a call, in a request."""
    return "--" in before or "(" in before or bool(_re(_in_words("<GIVEN>")).search(before))


def _form_after(name: str, before: str, quote: str) -> str:
    """Return what a value after a blank or a comma cannot be; '' where it is none."""
    if name.startswith("--"):
        return _SENTENCE if quote else _CALL
    if call := _re(
        rf"(?i:(define)|set\w{{0,16}}|put\w{{0,16}}|add\w{{0,16}}|append|header)\(\s{{0,8}}{_QUOTE}$"
    ).search(before):
        return _SENTENCE if call[1] else _UNMIXED
    says = _re(_in_words(_PASSWORDS)).fullmatch(name) and _re(_in_words("<GIVEN>")).search(before.lower())
    return "" if not says else r".*\s" if quote else _UNMIXED


def _value_of(text: str, match: re.Match[str]) -> Secret | None:
    """Return the secret that the name and the sign found by `match` introduce, if it is one."""
    start = match.start("name")
    before = text[max(0, start - 48) : start]
    start -= len(before) - len(before := before.rstrip(_NAME_CHARACTERS))
    start += text[start - 1 : start] == "\\" and text[start] in "nrt"  # the letter of an escape
    name = text[start : match.end("name")]
    words = _re(r"[-.]+|(?<=[a-z0-9])(?=[A-Z])").sub("_", name).lower()
    asked = next((asked for names, asked in _ASKED if _re(_in_words(names)).search(words)), "")
    if not asked or "secretsmanager:" in before or (match["xml"] and before[-1:] not in ("<", ">", ":", *"\"'")):
        return None
    first, end, quote = _read_value(text, match.end())
    if match["xml"] or match["block"]:
        end, quote = _re(r"[^<\s]++" if match["block"] else r"[^<]*+").match(text, first).end(), ""  # type: ignore[union-attr]
    value = text[first:end]
    if quote:  # a quote that closes a string in JSON opens no value: what follows it tells
        is_value = value and (quote == match["close"] or value[0] not in " \t,:;)]}+")
    else:  # a bare value in JSON is a number, in whose place nothing could stand
        is_number = match["close"] and _re(r"-?(?:[0-9.,eE+-]*|Infinity)").fullmatch(value)
        is_value = words not in ("pass", "pw") and not is_number and not match["list"]
    is_prose = match["yaml"] and (before.rpartition("\n")[2].strip(" -") or not value.islower())
    is_code = (match["code"] or match["pair"]) and (match["close"] or not name.isupper())
    form = _UNMIXED if match["prose"] else _SENTENCE if quote else _VARIABLE if is_code else _CALL
    if match["flag"]:
        form = _form_after(name, before, quote)
    elif match["xml"]:
        form = _UNMIXED if match["close"] else rf"{_SENTENCE}|{_CALL}"
    if not form or is_prose or not is_value or not _is_secret(value, asked, form):
        return None
    if match["list"] or (len(value) == _JUDGED and not quote):  # only now: to read on has no bound
        more = _re(_MORE_ITEMS if match["list"] else _BARE + "*+").match(text, end)
        end = more.end() if more else end
    kind = "authorization" if words.endswith(("authorization", "bearer")) else "assigned-secret"
    return Secret(kind, first, end)


def _read_value(text: str, position: int) -> tuple[int, int, str]:
    """Start, end and opening quote of the value at `position`, without an `Authorization` scheme."""
    opening = _re(rf"[bBfFrRuU@]{{0,2}}({_QUOTE})|\u201c|\\{{1,15}}u201c").match(text, position)
    start = opening.end() if opening else position
    scheme = _re(r"(?i:bearer|basic|token|bot|apikey|digest|negotiate)[ +]{1,3}").match(text, start)
    start = scheme.end() if scheme else start
    quote = opening[1] if opening and opening[1] else ""
    end = _closing_quote(text, start, quote) if quote else None
    if end is None:
        bare = _re(_BARE + f"{{1,{_JUDGED}}}+").match(text, start)
        end = bare.end() if bare else start
        value = text[start:end].rstrip("([{")
        end = start + len(value.rstrip(".:,;" if {*"([{"} & {*value} else ".:,;)]}"))
    return start, end, quote


def _closing_quote(text: str, start: int, opening: str) -> int | None:
    """Return where a quoted value ends: before the quote that closes it, or closes a string around it."""
    inner = 2 * len(opening) - 1  # a quote n deep has 2**n - 1 backslashes: in binary, n ones at the end
    for match in _re(r"(\\*+)([\"'`\n])|\\++").finditer(text, start, start + _LONGEST):
        slashes, quote = len(match[1] or ""), match[2]
        if quote == "\n":
            return None
        if (quote == opening[-1] and slashes & inner != inner) or (quote == '"' and opening[-1] != '"'):
            return int(match.end() - 1 - (slashes & ~(slashes + 1)))
    return None


def _is_secret(value: str, asked: str = r"(?s:.{3,})", excluded: str = r"(?!)") -> bool:
    """Return whether `value` shows what is asked, is nothing excluded, and is no mask, template or address."""
    core = _re(_TEMPLATE).sub("", value[:_JUDGED]) if _re(asked).fullmatch(value[:_JUDGED]) else ""
    shows = core and _re(asked).fullmatch(core) and not _re(_in_words(excluded)).match(core)
    return bool(shows) and not _re(_HARMLESS).search(core)
