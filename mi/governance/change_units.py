"""Change units of a diff: one contiguous hunk in one file; new, deleted, renamed, mode and binary changes one each."""

import re
from collections.abc import Iterable
from typing import Literal

from mi.governance.review_gate import BATCH, is_together
from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple

Kind = Literal["modified", "new", "deleted", "renamed", "mode", "binary", "generated", "lock"]
_HEADER = re.compile(r"^diff --(?:git|cc|combined) ")
_HUNK = re.compile(r"^@@+ -(\d+)(?:,(\d+))? (?:-\d+(?:,\d+)? )*\+(\d+)(?:,(\d+))? @@")
_LOCK = re.compile(
    r"(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock"
    r"|Pipfile\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|flake\.lock|mix\.lock|pubspec\.lock|packages\.lock\.json"
    r"|Podfile\.lock|gradle\.lockfile|conda-lock\.yml)$"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:node_modules|dist|build|vendor|__pycache__|__snapshots__|\.next|coverage|target)/|\.min\.(?:js|css)$|\.map$"
    r"|(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h)|\.g\.dart|\.freezed\.dart|\.snap|\.pyc)$|(?:^|/|[._-])generated(?:[._/-]|$)"
)
_HEAD_LINES = 5


class FileDiff(NamedTuple):
    """What a diff does to one file."""

    path: str
    kind: Kind
    units: int
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    old_path: str = ""

    @property
    def lines(self) -> int:
        return len(self.added) + len(self.removed)


class Counted(NamedTuple):
    """A diff in change units."""

    files: tuple[FileDiff, ...]

    @property
    def units(self) -> int:
        return sum(file.units for file in self.files)

    @property
    def lines(self) -> int:
        return sum(file.lines for file in self.counted)

    @property
    def counted(self) -> list[FileDiff]:
        return [file for file in self.files if file.units]

    @property
    def dirs(self) -> int:
        return len({file.path.rpartition("/")[0] for file in self.counted})

    @property
    def together(self) -> bool:
        return is_together(len(self.counted), self.lines)

    def first_batch(self) -> list[tuple[str, int]]:
        """Paths with their units for a first batch of at most five, whole files first; [] for a small change."""
        if self.units <= BATCH:
            return []
        batch, room = list[tuple[str, int]](), BATCH
        for file in sorted(self.counted, key=lambda file: file.units > BATCH):
            taken = file.units if file.units <= room else room if not batch else 0
            if taken:
                batch.append((file.path, taken))
                room -= taken
        return batch


def count(diff: str, count_generated: bool = False) -> Counted:
    """Return the change units of the text of a git diff, best made with -U0.

    Generated and lock files count by policy.
    """
    files = [_file(block, count_generated) for block in split_blocks(diff)]
    return Counted(tuple(file for file in files if file is not None))


def add_unseen(counted: Counted, files: Iterable[str], count_generated: bool = False) -> Counted:
    """Return the units with changed files of which a cut diff shows nothing: at least one each."""
    shown = {path for file in counted.files for path in (file.path, file.old_path)}
    return Counted((*counted.files, *(_unseen(path, count_generated) for path in files if path not in shown)))


def _unseen(path: str, count_generated: bool) -> FileDiff:
    by_machine = _machine_made(path, FileBlock(""))
    return FileDiff(path, by_machine or "modified", 0 if by_machine and not count_generated else 1)


class FileBlock:
    """The lines about one file: its headers, and its hunks line by line."""

    def __init__(self, header: str) -> None:
        self.header = header
        self.extended: dict[str, str] = {}
        self.runs: list[tuple[int, int, int, int]] = []  # old start, old end, new start, new end, ends not included
        self.added: list[str] = []
        self.removed: list[str] = []


def split_blocks(diff: str) -> list[FileBlock]:
    """Return what a diff says of each file, in its order."""
    found: list[FileBlock] = []
    lines = iter(diff.split("\n"))
    for line in lines:
        if _HEADER.match(line):
            found.append(FileBlock(line))
        elif found and (hunk := _HUNK.match(line)):
            _hunk(found[-1], hunk, lines)
        elif found:
            _extended(found[-1], line)
    return found


def _extended(block: FileBlock, line: str) -> None:
    for key in ("old mode", "new mode", "new file mode", "deleted file mode", "rename from", "rename to", "copy to"):
        if line.startswith(key + " "):
            block.extended[key] = _unquoted(line[len(key) + 1 :])
    if line.startswith(("--- ", "+++ ")):
        block.extended[line[:3]] = _unquoted(line[4:].rstrip("\t"))
    if line.startswith(("Binary files ", "GIT binary patch")):
        block.extended["binary"] = line


def _hunk(block: FileBlock, hunk: "re.Match[str]", lines: "object") -> None:
    """Read as many lines as the hunk says; runs of changed lines with context between them are units of their own."""
    old, old_left = int(hunk[1]), int(hunk[2] or "1")
    new, new_left = int(hunk[3]), int(hunk[4] or "1")
    old, new = old + (old_left == 0), new + (new_left == 0)  # an empty side names the line before it
    while old_left > 0 or new_left > 0:
        line = next(lines, None)  # type: ignore[call-overload]
        if line is None:
            return
        sign = line[:1]
        if sign == "-":
            block.removed.append(line[1:])
            _run(block, old, old + 1, new, new)
            old, old_left = old + 1, old_left - 1
        elif sign == "+":
            block.added.append(line[1:])
            _run(block, old, old, new, new + 1)
            new, new_left = new + 1, new_left - 1
        elif sign != "\\":
            old, old_left, new, new_left = old + 1, old_left - 1, new + 1, new_left - 1


def _run(block: FileBlock, old: int, old_end: int, new: int, new_end: int) -> None:
    """Add a changed line; one that touches the run before it, on both sides, belongs to it."""
    if block.runs:
        first_old, last_old, first_new, last_new = block.runs[-1]
        if old <= last_old and new <= last_new:
            block.runs[-1] = (first_old, old_end, first_new, new_end)
            return
    block.runs.append((old, old_end, new, new_end))


def _file(block: FileBlock, count_generated: bool) -> FileDiff | None:
    extended = block.extended
    path, old = list_paths(block)
    mode = "old mode" in extended
    hunks = len(block.runs)
    kind: Kind
    if "new file mode" in extended or "copy to" in extended:
        kind, units = "new", 1
    elif "deleted file mode" in extended:
        kind, units = "deleted", 1
    elif "rename to" in extended:
        kind, units = "renamed", 1 + hunks + mode
    elif "binary" in extended:
        kind, units = "binary", 1 + mode
    elif mode and not hunks:
        kind, units = "mode", 1
    else:
        kind, units = "modified", hunks + mode
    if not units:
        return None
    by_machine = _machine_made(path, block)
    if by_machine and not count_generated:
        kind, units = by_machine, 0
    return FileDiff(path, kind, units, tuple(block.added), tuple(block.removed), old if old != path else "")


def _machine_made(path: str, block: FileBlock) -> Literal["lock", "generated"] | None:
    if _LOCK.search(path):
        return "lock"
    head = [*block.added[:_HEAD_LINES], *block.removed[:_HEAD_LINES]]
    says_so = compiled(patterns().generated)
    return "generated" if _GENERATED.search(path) or any(says_so.search(line) for line in head) else None


def list_paths(block: FileBlock) -> tuple[str, str]:
    """Return the name of the file, and its former one ('' for a new one)."""
    extended = block.extended
    new = extended.get("rename to") or extended.get("copy to") or _side(extended.get("+++", ""))
    old = extended.get("rename from") or _side(extended.get("---", ""))
    if not new and not old:  # binary, mode only, or empty: only the header names it
        new = _from_header(block.header)
    return new or old, old


def _side(name: str) -> str:
    return "" if name in ("", "/dev/null") else name[2:] if name[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else name


def _from_header(header: str) -> str:
    rest = re.sub(r"^diff --\S+ ", "", header)
    if rest.startswith('"'):
        return _side(_unquoted(rest[: rest.index('"', 1) + 1]) if '"' in rest[1:] else rest)
    half = rest[: len(rest) // 2]  # `a/x b/x`: both halves name the same file
    return _side(half) if rest[len(half) + 1 :][2:] == half[2:] else _side(rest.split(" ")[0])


def _unquoted(name: str) -> str:
    """Return a path as git writes it: in quotes with C escapes when it holds unusual bytes."""
    if not (name.startswith('"') and name.endswith('"') and len(name) > 1):
        return name
    escapes = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
    data = bytearray()
    for escaped in re.finditer(r"\\([0-7]{3})|\\(.)|([^\\]+)", name[1:-1], re.S):
        if escaped[1]:
            data.append(int(escaped[1], 8) & 255)
        else:
            data += (escapes.get(escaped[2], escaped[2]) if escaped[2] else escaped[3]).encode("utf-8", "replace")
    return data.decode("utf-8", "replace")
