"""Find and redact secrets in any text: the one scanner used before text is stored, shown or sent.

A value that identifies itself (vendor prefix, JWT, PEM block, URL credential) is a secret anywhere; any
other only by the name it is given (`password`, `token`, in any language), so a bare hash, id or blob is left alone.
`secret_rules.py` has the rules.
"""

import re
from binascii import a2b_base64
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NewType

from mi.kernel import secret_rules as rules
from mi.kernel.language import secret_patterns
from mi.kernel.named_tuple import NamedTuple

# Text that `redact` went over while it was whole. What cuts text for a person, a Mind or a program takes only this:
# half a secret is not known for one any more.
Redacted = NewType("Redacted", str)
LOOK_AHEAD = 16_384  # characters, more than any rule looks at: what is read beyond a cut of a text that may be huge


class Secret(NamedTuple):
    """One secret: `text[start:end]` is the value itself, without its name or quotes."""

    kind: str
    start: int
    end: int


_JUDGED, _LONGEST = 128, 8192  # characters of a value that are looked at; within which its quote must close

_PRINTABLE = bytes([9, 10, 13, *range(32, 127)])
_SHORTEST_RUN = 32  # characters of base64 in which a whole secret can be
# All characters of base64 are one sign, all others another: a long run of them is then found at once.
_BASE64 = bytes(97 if chr(code).isalnum() or code in b"+/" else 32 for code in range(128)) + b" " * 128

_compiled: dict[str, re.Pattern[str]] = {}


class Hints(NamedTuple):
    """What can be in a text at all: everything is looked for by a literal without which it cannot be."""

    prefixes: Sequence[tuple[str, str, str]]
    shapes: Sequence[tuple[str, str, str]]
    words: Sequence[str]  # sought in lower-cased text
    escaped_words: Sequence[str]  # those beyond ASCII, as they begin when JSON escapes them
    base64: bool = True  # whether there is a run of it that is long enough


@cache
def _all_hints() -> Hints:
    names = secret_patterns().secret_names
    escaped = dict.fromkeys(f"u{ord(name[0]):04x}" for name in names if not name.isascii())
    return Hints(rules.PREFIXES, rules.SHAPES, names, tuple(escaped))


@cache
def _in_words(pattern: str) -> str:
    """Return a pattern with the words of all languages in their places."""
    known = secret_patterns()
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
    signs = {sign for one in (*rules.PREFIXES, *rules.SHAPES) for sign in one[1]}
    there = {sign for sign in signs if sign in whole}  # a single sign is found, or not, at once

    def may_hold(one: tuple[str, str, str]) -> bool:
        return there.issuperset(one[1]) and one[1] in whole

    return Hints(
        [*filter(may_hold, rules.PREFIXES)],
        [*filter(may_hold, rules.SHAPES)],
        [word for word in _all_hints().words if word in lowered],
        [word for word in _all_hints().escaped_words if word in lowered],
        b"a" * _SHORTEST_RUN in whole.encode("ascii", "replace").translate(_BASE64),
    )


def find_secrets(text: str, hints: Hints | None = None) -> list[Secret]:
    """Return all secrets of `text`, sorted by place; findings that overlap become one, named for the longest."""
    if ";base64," in text:  # media in data: URLs is no secret, whatever letters it happens to hold
        text = _re(r";base64,[A-Za-z0-9+/]{64,}+").sub(lambda match: " " * len(match[0]), text)
    merged: list[Secret] = []
    known = hints or _all_hints()
    for found in sorted(
        [*_self_evident(text, known), *_ends_of_keys(text), *_encoded(text, known), *_named(text, known)],
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


def vendor_pattern(prefix: str, rest: str) -> str:
    """Return a vendor's key by its prefix, which `re` can skip to.

    What stands before it decides whether it begins there.
    """
    seen = re.escape(prefix)
    edge = "|".join(f"{edge}{seen})" for edge in rules.EDGES)
    return rf"{seen}(?:{edge}){rest}"


def _self_evident(text: str, hints: Hints) -> Iterator[Secret]:
    """Yield what is a secret by its own shape. Only what a literal in the text hints at is looked for, and compiled."""
    for kind, prefix, rest in hints.prefixes:
        if prefix in text:
            for match in _re(vendor_pattern(prefix, rest)).finditer(text):
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
    for end in _re(rules.END).finditer(text):
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


def _encoded(text: str, hints: Hints) -> Iterator[Secret]:
    """Yield what is base64 of text in which a secret is known by itself."""
    if not hints.base64:
        return
    for run in _re(rf"\b[A-Za-z0-9+/]{{{_SHORTEST_RUN},}}+={{0,2}}").finditer(text):
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
            match = _re(_in_words(rules.NAMED)).match(lowered, position)
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
        return rules.SENTENCE if quote else rules.CALL
    if call := _re(
        rf"(?i:(define)|set\w{{0,16}}|put\w{{0,16}}|add\w{{0,16}}|append|header)\(\s{{0,8}}{rules.QUOTE}$"
    ).search(before):
        return rules.SENTENCE if call[1] else rules.UNMIXED
    says = _re(_in_words(rules.PASSWORDS)).fullmatch(name) and _re(_in_words("<GIVEN>")).search(before.lower())
    return "" if not says else r".*\s" if quote else rules.UNMIXED


def _value_of(text: str, match: re.Match[str]) -> Secret | None:
    """Return the secret that the name and the sign found by `match` introduce, if it is one."""
    start = match.start("name")
    before = text[max(0, start - 48) : start]
    start -= len(before) - len(before := before.rstrip(rules.NAME_CHARACTERS))
    start += text[start - 1 : start] == "\\" and text[start] in "nrt"  # the letter of an escape
    name = text[start : match.end("name")]
    words = _re(r"[-.]+|(?<=[a-z0-9])(?=[A-Z])").sub("_", name).lower()
    asked = next((asked for names, asked in rules.ASKED if _re(_in_words(names)).search(words)), "")
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
    form = rules.UNMIXED if match["prose"] else rules.SENTENCE if quote else rules.VARIABLE if is_code else rules.CALL
    if match["flag"]:
        form = _form_after(name, before, quote)
    elif match["xml"]:
        form = rules.UNMIXED if match["close"] else rf"{rules.SENTENCE}|{rules.CALL}"
    if not form or is_prose or not is_value or not _is_secret(value, asked, form):
        return None
    if match["list"] or (len(value) == _JUDGED and not quote):  # only now: to read on has no bound
        more = _re(rules.MORE_ITEMS if match["list"] else rules.BARE + "*+").match(text, end)
        end = more.end() if more else end
    kind = "authorization" if words.endswith(("authorization", "bearer")) else "assigned-secret"
    return Secret(kind, first, end)


def _read_value(text: str, position: int) -> tuple[int, int, str]:
    """Start, end and opening quote of the value at `position`, without an `Authorization` scheme."""
    opening = _re(rf"[bBfFrRuU@]{{0,2}}({rules.QUOTE})|\u201c|\\{{1,15}}u201c").match(text, position)
    start = opening.end() if opening else position
    scheme = _re(r"(?i:bearer|basic|token|bot|apikey|digest|negotiate)[ +]{1,3}").match(text, start)
    start = scheme.end() if scheme else start
    quote = opening[1] if opening and opening[1] else ""
    end = _closing_quote(text, start, quote) if quote else None
    if end is None:
        bare = _re(rules.BARE + f"{{1,{_JUDGED}}}+").match(text, start)
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
    core = _re(rules.TEMPLATE).sub("", value[:_JUDGED]) if _re(asked).fullmatch(value[:_JUDGED]) else ""
    shows = core and _re(asked).fullmatch(core) and not _re(_in_words(excluded)).match(core)
    return bool(shows) and not _re(rules.HARMLESS).search(core)
