"""A patch as the page shows it: files, their hunks line by line, and the words that differ within a line."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import takewhile

from markupsafe import Markup, escape

from mi.governance.change_units import list_paths, split_blocks
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.kernel.text import make_printable

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_HUNK = re.compile(r"^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LONGEST = 2000  # characters of a line: generated files have longer ones
_COMPARED = 120  # words of a changed stretch that are compared one by one
_ALIKE = 0.3  # of two lines, below which they are different lines and not one that changed


class PatchLine(NamedTuple):
    """A line of a hunk; where it is not in the former or in the new file, its number there is 0."""

    sign: str  # " ", "+" or "-"
    old: int
    new: int
    text: str  # without secrets and controls
    shown: Markup  # the same, with the words marked that differ

    @property
    def place(self) -> str:
        """Return which line it is: `12` of the new file, `-12` of the former one."""
        return str(self.new) if self.new else f"-{self.old}"


class PatchHunk(NamedTuple):
    """Lines that follow each other."""

    around: str  # the function or heading they are in, as git names it
    lines: list[PatchLine]


class FilePatch(NamedTuple):
    """What a patch says of one file."""

    path: str
    hunks: list[PatchHunk]
    modes: tuple[str, str] = ("", "")  # before and after, where they differ
    is_binary: bool = False

    @property
    def length(self) -> int:
        return sum(len(hunk.lines) for hunk in self.hunks)


def read_patch(patch: str) -> Iterator[FilePatch]:
    """Yield what the text of a git diff says of each file, free of secrets and of what could drive a terminal."""
    return (_read_file(block) for block in _FILE.split(patch) if block.startswith("diff --git "))


def _read_file(block: str) -> FilePatch:
    (head,) = split_blocks(block)
    extended = head.extended
    return FilePatch(
        list_paths(head)[0],
        list(_read_hunks(_hide_secrets(make_printable(block)).split("\n"))),
        (extended.get("old mode", ""), extended.get("new mode", "")),
        "binary" in extended,
    )


def _hide_secrets(block: str) -> str:
    """Return a block without its secrets and with as many lines: what follows keeps its numbers."""
    signs = [line[:1] for line in block.split("\n")]
    text = "\n".join(line[1:] for line in block.split("\n"))  # a key is known by lines without signs
    found = find_secrets(text)
    if not found:
        return block
    while found:
        ends = [0, *(secret.end for secret in found)]
        kept = [
            f"{text[ends[place] : secret.start]}[redacted:{secret.kind}]"
            + "\n" * text.count("\n", secret.start, secret.end)
            for place, secret in enumerate(found)
        ]
        text = "".join([*kept, text[ends[-1] :]])
        found = find_secrets(text)
    return "\n".join(sign + line for sign, line in zip(signs, text.split("\n"), strict=True))


def _read_hunks(lines: list[str]) -> Iterator[PatchHunk]:
    places = [(place, head) for place, line in enumerate(lines) if (head := _HUNK.match(line))]
    ends = [*(place for place, _ in places), len(lines)][1:]
    for (place, head), end in zip(places, ends, strict=True):
        body = [line for line in lines[place + 1 : end] if line[:1] in (" ", "+", "-")]
        yield PatchHunk(head[3], list(_number(body, int(head[1]), int(head[2]))))


def _number(body: list[str], old: int, new: int) -> Iterator[PatchLine]:
    """Yield the lines of a hunk; of those that were replaced, the words that differ are marked."""
    shown = _mark_words(body)
    for line, marked in zip(body, shown, strict=True):
        sign, text = line[0], line[1:]
        yield PatchLine(sign, old if sign != "+" else 0, new if sign != "-" else 0, text[:_LONGEST], marked)
        old, new = old + (sign != "+"), new + (sign != "-")


def _mark_words(body: list[str]) -> list[Markup]:
    shown = [escape(_cut(line[1:])) for line in body]
    at = 0
    while at < len(body):
        removed = len(list(takewhile(lambda line: line[0] == "-", body[at:])))
        added = len(list(takewhile(lambda line: line[0] == "+", body[at + removed :])))
        for first in range(at, at + min(removed, added)):
            second = first + removed
            shown[first], shown[second] = _mark_pair(_cut(body[first][1:]), _cut(body[second][1:]))
        at += max(removed + added, 1)
    return shown


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _mark_pair(before: str, after: str) -> tuple[Markup, Markup]:
    """Return two lines with the words marked in which they differ; none where they have little in common."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    middle = old[start : len(old) - end], new[start : len(new) - end]
    if max(map(len, middle)) > _COMPARED:
        return escape(before), escape(after)
    blocks = SequenceMatcher(None, *middle, autojunk=False).get_matching_blocks()
    between = [(start + block.a, start + block.b, block.size) for block in blocks]
    same = [(0, 0, start), *between, (len(old) - end, len(new) - end, end)]
    alike = sum(len("".join(old[a : a + size]).strip()) for a, _, size in same)
    if alike < _ALIKE * max(len(before.strip()), len(after.strip())):
        return escape(before), escape(after)
    return _join(old, [(a, size) for a, _, size in same]), _join(new, [(b, size) for _, b, size in same])


def _join(words: list[str], same: list[tuple[int, int]]) -> Markup:
    """Return a line of which all is marked but what is the same."""
    shown, at = Markup(), 0
    for start, size in same:
        changed = "".join(words[at:start])
        shown += Markup("<mark>{}</mark>").format(changed) if changed else Markup()
        shown += escape("".join(words[start : start + size]))
        at = start + size
    return shown
