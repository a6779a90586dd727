"""The parts of a task, read from its words: items, joined sentences, and the named things each wants in the tree."""

import re
from typing import Literal

from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import split_sentences

Wish = Literal["added", "removed", "renamed", "returned", "edited"]
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_FILE = (
    r"(?:[\w.-]+/)*[\w.-]+\.(?:[a-z]{1,5}|[a-z]\w{1,3})\b|(?:[\w.-]+/)+[\w.-]+"
    r"|\b(?:README|CHANGELOG|CONTRIBUTING)\b"
)
_THING = re.compile(
    r"`(?P<code>[^`\n]{1,80})`"
    r"|[\"“](?P<quoted>[^\"”\n]{2,80})[\"”]"
    r"|(?<![\w-])(?P<option>--[a-z][\w-]+)"
    rf"|(?<![\w/.-])(?P<file>{_FILE})"
    r"|(?<![\w.])(?P<call>[A-Za-z_]\w*(?:\.\w+)*)\(\)"
    r"|\b(?P<constant>[A-Z][A-Z0-9]*_[A-Z0-9_]+)\b"
    r"|(?<![\w/.-])(?P<snake>[a-z][a-z0-9]*_[a-z0-9_]+)\b"
    r"|\b(?P<dotted>[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+)\b"
)
# An argument beside what it means, as in `members (monthly=True) pay nothing`; not that of a call.
_ARGUMENT = re.compile(r"(?<![A-Za-z0-9_\])`])[(\uff08]\s*([a-z_]\w*)\s*=\s*(?:True|False|true|false)\s*[)\uff09]")
_PATH = re.compile(rf"(?:{_FILE})\Z")
_PLACEHOLDER = re.compile(
    r"<[^<>]+>|\{[^{}\"']*\}|\[[^\]\"']*\]|%[sd]\b|\.\.\.|…|(?<![\w-])[A-Z][A-Z0-9_]+(?![\w-])|(?<=[\s=])[A-Z](?![\w-])"
)
_DOCUMENT = re.compile(r"\.(?:md|rst|adoc)\Z|\A(?:README|CHANGELOG|CONTRIBUTING)\Z")  # nothing that a program writes
_VERSION = re.compile(r"v?\d[\d.]*+\w*+\Z|e\.g|i\.e", re.IGNORECASE)
_MANY = 30  # parts that are followed; a longer list is for the Mind alone


class Wanted(NamedTuple):
    """A named thing that the final tree must show as the task says; `former` is the old name of a renamed one."""

    name: str
    wish: Wish
    is_file: bool = False
    former: str = ""
    is_called: bool = False  # it is named as something to be called


class TaskPart(NamedTuple):
    """One thing that a task asks for."""

    text: str
    wanted: tuple[Wanted, ...] = ()


def split_task(task: str) -> list[TaskPart]:
    """Return the parts of a task in their order; a task of one sentence is one part."""
    texts = [text for text in _texts(task) if re.search(r"\w", text)]
    return [TaskPart(text, tuple(find_wanted(text))) for text in texts[:_MANY]]


def find_called_names(task: str) -> list[str]:
    """Return the names of what a task asks to add and others call."""
    wanted = [one for part in split_task(task) for one in part.wanted]
    return [one.name for one in wanted if one.wish == "added" and one.is_called and one.name.isidentifier()]


def _texts(task: str) -> list[str]:
    """Return the items of its lists; without lists its sentences, parted where words join two wishes."""
    known = patterns()
    marks = one_of(".", ")", *known.list_marks)
    item = compiled(rf"^\s*(?:[-*•+]|\(?\d{{1,2}}{marks}|\[[ x]\])\s+(?=\S)")
    lines = _FENCE.sub(" ", task).splitlines()
    items = [item.sub("", line).strip() for line in lines if item.match(line)]
    prose = " ".join(line.strip() for line in lines if line.strip() and not item.match(line))
    if len(items) > 1:
        return items
    joined = compiled(known.joins_parts)
    around = " " + "".join((*known.commas, *known.semicolons, *known.list_marks))
    sentences = split_sentences(" ".join([prose, *items]))
    return [part.strip(around) for sentence in sentences for part in joined.split(sentence)]


def find_wanted(text: str) -> list[Wanted]:
    """Return what a sentence wants to see added, removed, renamed, returned or edited, by name."""
    known = patterns()
    found = [_name(match) for match in _THING.finditer(text)]
    called = {
        _literal(name)
        for (*_, name), match in zip(found, _THING.finditer(text), strict=True)
        if _is_called(text, match)
    }
    things = [(start, end, name) for start, end, name in found if name]
    wanted = [renamed for at in range(len(things) - 1) if (renamed := _renamed(text, *things[at : at + 2]))]
    taken = {name for one in wanted for name in (one.name, one.former)}
    for start, end, name in things:
        if place := _place_after(text[end:]):
            text = f"{text[:start]}{' ' * (end - start + len(place))}{text[end + len(place) :]}"
            continue
        wish = None if name in taken else _wish_for(text[:start], known.between_wish_and_name)
        if wish is None and name not in taken and _DOCUMENT.search(name) and _is_written_down(text[:start]):
            wish = "edited"
        fixed = _literal(name) if wish in ("added", "returned") else name
        fixed = fixed.split()[-1] if wish == "added" and " " in fixed and fixed != name else fixed
        if fixed and wish is not None and (wish != "edited" or _is_file(name)):
            wanted.append(Wanted(fixed, wish, _is_file(name), is_called=fixed in called))
    if not compiled(rf"{known.takes_out}|{known.negation}").search(text):
        wanted += [Wanted(name, "returned") for name in _ARGUMENT.findall(text)]
    return list(dict.fromkeys(wanted))


def _place_after(after: str) -> str:
    """Return the words after a name that say that it is only where something is, as Chinese says "`x` in a.py"."""
    pattern = patterns().place_after
    found = compiled(pattern).match(after) if pattern else None
    return found[0] if found else ""


def _is_written_down(before: str) -> bool:
    """Return whether a sentence wants something written into the document that it names next."""
    return compiled(patterns().writes_down).search(before.replace("`", "")) is not None


def _name(match: re.Match[str]) -> tuple[int, int, str]:
    name = str(next(text for text in match.groups() if text)).strip()
    name = re.sub(r"\(.*\Z", "", name) if re.match(r"[\w.]+\(.*\)", name) else name
    usable = not _VERSION.match(name) and len(name.split()) <= 12
    return match.start(), match.end(), name if usable else ""


def _literal(name: str) -> str:
    """Return what of a name stands in the code as it is: of `copy SOURCE <target>` the first word."""
    if _is_file(name) or not re.search(r"[a-z]|^-|\.\.\.|…", name):
        return name
    longest = max((piece.strip(" =,") for piece in _PLACEHOLDER.split(name)), key=len)
    return longest if re.search(r"\w", longest) else ""


def _is_called(text: str, match: re.Match[str]) -> bool:
    """Return whether a name is that of something to be called: `name(…)`, or `function name`."""
    before = compiled(rf"(?:{patterns().callable_things})\s*\Z").search(text[: match.start()])
    return bool(re.search(r"[\w.]\([^()]*\)", match[0])) or (bool(match["code"]) and before is not None)


def _is_file(name: str) -> bool:
    return bool(_PATH.match(name)) and " " not in name


def _renamed(text: str, old: tuple[int, int, str], new: tuple[int, int, str]) -> Wanted | None:
    """Return the renaming that two names which follow each other are, if they are one."""
    known = patterns()
    between, before = text[old[1] : new[0]], text[: old[0]]
    stops = re.escape("".join(known.full_stops))
    if not (
        compiled(rf"(?:{known.gives_name})[^{stops}`]{{0,40}}\Z").search(before)
        and compiled(rf"^\W*(?:{known.before_new_name})\W*\Z").search(between)
    ):
        return None
    keeps = compiled(known.keeps_old).search(text) is not None
    return Wanted(new[2], "added" if keeps else "renamed", _is_file(new[2]), "" if keeps else old[2])


def _wish_for(before: str, between: str) -> Wish | None:
    """Return what the last verb before a name wants of it; None when a word between them says it is only the place."""
    known = patterns()
    wishes: tuple[tuple[Wish, str], ...] = (
        ("added", known.adds),
        ("removed", known.takes_out),
        ("returned", known.returns),
        ("edited", known.edits),
    )
    last = max(
        ((match.end(), wish) for wish, verbs in wishes for match in compiled(verbs).finditer(before)), default=None
    )
    if last is None:
        return None
    gap = re.sub(r"\bwith\b", "", before[last[0] :]) if last[1] == "returned" else before[last[0] :]
    refused = compiled(rf"(?:{known.negation})[^,.;]{{0,20}}\Z").search(before[: last[0]])
    return None if refused or len(gap) > 120 or compiled(between).search(gap) else last[1]
