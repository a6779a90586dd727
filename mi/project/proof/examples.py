"""Examples that a task states: a call with its result, as it is told to be or as it is wanted."""

import re

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import split_sentences

_CALL = r"`?(?P<call>\b(?P<name>[A-Za-z_]\w*)\((?P<args>[^()\n`]*)\))`?"
_VALUE = (
    r"(?:`(?P<code>[^`\n]+)`|(?P<text>\"[^\"\n]*\"|'[^'\n]*')|(?P<plain>-?\d+(?:\.\d+)?|\[[^\]\n]*\]"
    r"|\b(?:True|False|None|true|false|null|undefined)\b)(?![\w%])(?!\.\w)(?!\s+(?!(?:{follows})\b)[a-z]))"
)
_BETWEEN = 60  # characters between a result and the one that is wanted in its place


class StatedExample(NamedTuple):
    """A call and its result: `wanted` where the words say that it must be, `told` where they may say what is."""

    call: str
    name: str
    args: str
    wanted: str = ""
    told: str = ""
    is_complaint: bool = False  # what is told is said to be wrong


def find_examples(task: str) -> list[StatedExample]:
    """Return the examples of a task whose words leave no doubt about call and result."""
    sentences = split_sentences(task)
    found: list[StatedExample] = []
    for at, sentence in enumerate(sentences):
        following = sentences[at + 1] if at + 1 < len(sentences) else ""
        found += [_read(sentence, match, following) for match in re.finditer(_CALL, sentence)]
    return [one for one in dict.fromkeys(found) if one.wanted or one.told]


def _read(sentence: str, match: re.Match[str], following: str) -> StatedExample:
    known = patterns()
    call, name, args = match["call"], match["name"], match["args"]
    rest = sentence[match.end() :]
    next_call = re.search(_CALL, rest)
    rest = rest[: next_call.start()] if next_call else rest
    if compiled(rf"(?:{known.no_statement}|{known.negation})\W*\Z").search(sentence[: match.start()]):
        return StatedExample(call, name, args)
    if wanted := _value(rf"^[\s,:]*(?:{known.must_give})[\s:]*", rest):
        return StatedExample(call, name, args, wanted=wanted)
    told = _value(rf"^[\s,:]*(?:{known.gives})[\s:]*", rest)
    instead = _value(rf"^.{{0,{_BETWEEN}}}?(?:{known.in_place_of}|{known.must_give})[\s:]*", rest) if told else ""
    if instead:
        return StatedExample(call, name, args, wanted=instead)
    around = f"{rest} {following}"
    wrong = compiled(f"{known.mending}|{known.must_give}|{known.in_place_of}|{known.called_wrong}").search(around)
    kept = compiled(known.stays_so).search(rest)
    return StatedExample(call, name, args, told=told, is_complaint=wrong is not None and kept is None)


def _value(before: str, text: str) -> str:
    """Return the value that follows some words; '' where none does."""
    found = compiled(before + _VALUE.replace("{follows}", patterns().follows_value)).search(text)
    return next((value for value in (found["code"], found["text"], found["plain"]) if value), "") if found else ""
