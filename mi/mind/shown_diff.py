"""A diff as a judge reads it: tests and code apart, whole hunks, what machines wrote only by its name."""

import re

from mi.governance.change_units import FileDiff, count
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_test

_FILE = re.compile(r"^(?=diff --(?:git|cc|combined) )", re.MULTILINE)
_HUNK = re.compile(r"^(?=@@)", re.MULTILINE)
_BLOCK = re.compile(r"^(?=@@|=== )", re.MULTILINE)
_NAMED_ONLY = ("binary", "generated", "lock", "mode")


class ShownDiff(NamedTuple):
    """What a diff says, in the parts that a judge looks at one by one."""

    code: str = ""
    tests: str = ""
    named: str = ""  # files of which only the name is told


def show_diff(diff: str) -> ShownDiff:
    """Return a git diff in its parts."""
    code: list[str] = []
    tests: list[str] = []
    named: list[str] = []
    for block in _FILE.split(diff):
        for file in count(block).files:
            if file.kind in _NAMED_ONLY:
                named.append(f"{file.path} ({file.kind})")
            else:
                (tests if is_test(file.path) else code).append(_show_file(file, block))
    return ShownDiff("\n".join(code), "\n".join(tests), "\n".join(named))


def _show_file(file: FileDiff, block: str) -> str:
    how = "" if file.kind == "modified" else f" ({file.kind}{f' from {file.old_path}' if file.old_path else ''})"
    hunks = [hunk.rstrip("\n") for hunk in _HUNK.split(block)[1:]]
    return "\n".join([f"=== {file.path}{how}", *hunks])


def cut_hunks(text: str, limit: int) -> str:
    """Return a shown diff within a limit: the largest hunks are left out first, each with its number of lines."""
    blocks = [block for block in _BLOCK.split(text) if block]
    size = len(text)
    for number in sorted(range(len(blocks)), key=lambda number: -len(blocks[number])):
        if size <= limit:
            break
        head, _, rest = blocks[number].partition("\n")
        short = f"{head} [{len(rest.splitlines())} lines left out]\n" if head.startswith("@@") else blocks[number]
        size -= len(blocks[number]) - len(short)
        blocks[number] = min(short, blocks[number], key=len)
    return "".join(blocks).rstrip("\n")
