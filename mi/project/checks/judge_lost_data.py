"""Data of a project that a change emptied or took away, though its task speaks of no such thing."""

import re
from collections.abc import Iterator

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_lock
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.trees import Tree

_DATA = frozenset(
    "csv tsv json jsonl ndjson yaml yml xml sql txt po pot ini dat parquet sqlite db xlsx geojson".split()
)
_ONLY_DATA = frozenset("csv tsv jsonl ndjson sql dat parquet sqlite db xlsx geojson".split())
_SOME = 10  # lines that are more than a few
_LEFT = 0.1  # of the lines: what is less is lost


class LostData(NamedTuple):
    """A file whose content is gone."""

    path: str
    way: str


def find_lost_data(base: Tree, final: Tree, task: str) -> list[LostData]:
    """Return the files of data that are gone, empty or cut to a few lines; what the task names is its own."""
    changed = [path for path in final.changed_since(base) if extension(path) in _DATA and not judge_kind(path)]
    return [
        one for path in changed if not is_lock(path) and not _is_named(path, task) for one in _lost(path, base, final)
    ]


def _lost(path: str, base: Tree, final: Tree) -> Iterator[LostData]:
    before, after = base.read(path), final.read(path)
    lines = len((before or b"").splitlines())
    if lines <= _SOME:
        return
    if after is None:
        is_moved = any(final.read(other) == before for other in final.changed_since(base) if base.read(other) is None)
        if extension(path) in _ONLY_DATA and not is_moved:
            yield LostData(path, f"{path}: removed")
    elif len(after.splitlines()) <= lines * _LEFT and len(after) <= len(before or b"") * _LEFT * 2:
        yield LostData(path, f"{path}: cut from {lines} to {len(after.splitlines())} lines")


def _is_named(path: str, task: str) -> bool:
    """Return whether a task names a file, a folder it is in, or its kind."""
    words = {word.lower().rstrip("s") for word in re.findall(r"[\w-]{2,}", task)}
    parts = re.split(r"[/._-]", path.lower())
    return any(part.rstrip("s") in words for part in parts if len(part) > 2)
