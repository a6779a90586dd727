"""The difference of two trees, for people and for programs; no program that a repository names is run for it."""

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Literal

from mi.kernel import files, git
from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode
from mi.project.tree_store import TreeStore, make_repository

ChangeKind = Literal["added", "removed", "changed", "renamed"]

_GIT_S = 120.0
_SAFE = ("--no-ext-diff", "--no-textconv", "--no-color", "-M")
_KINDS: dict[str, ChangeKind] = {"A": "added", "D": "removed", "M": "changed", "T": "changed", "R": "renamed"}


class TreePair(NamedTuple):
    """Two trees to compare, and where their contents are."""

    top: str
    before: str
    after: str
    env: Mapping[str, str]
    unseen: Mapping[str, str] = MappingProxyType({})  # what one of the two leaves out, and why: it is not compared


class ChangedFile(NamedTuple):
    """What became of one file; lines are unknown (None) where the content is no text."""

    path: str
    kind: ChangeKind
    added: int | None
    removed: int | None
    was: str = ""  # the former path of a renamed one


@contextmanager
def open_plain(store: TreeStore, tree: str) -> Iterator[dict[str, str]]:
    """Yield the variables by which git compares trees of a store by their contents alone.

    Neither the repository's settings nor its attributes are asked: they could hide a change.
    """
    with tempfile.TemporaryDirectory(prefix="mi-diff-") as folder:
        make_repository(folder, {"extensions.objectformat": "sha256"} if len(tree) == 64 else {})
        files.write_atomic(os.path.join(folder, "info", "attributes"), b"* !diff\n", sync=False)
        yield {"GIT_DIR": folder, "GIT_WORK_TREE": folder, "GIT_OBJECT_DIRECTORY": store.objects}


def list_changes(pair: TreePair, within: Sequence[str]) -> list[ChangedFile]:
    """Return every file that differs, with how many lines came and went."""
    fields = _fields(_ask(pair, within, "--raw", "--numstat", "-z"))
    kinds: dict[str, tuple[ChangeKind, str]] = {}
    found = []
    for line in fields:
        if line.startswith(":"):  # git tells of every file what became of it, then of every file its lines
            letter = line.rpartition(" ")[2][:1]
            was = next(fields) if letter in ("R", "C") else ""
            kinds[next(fields)] = (_KINDS.get(letter, "changed"), was)
            continue
        added, removed, path = line.split("\t", 2)
        if not path:  # renamed: the two paths follow
            path = (next(fields), next(fields))[1]
        kind, was = kinds[path]
        found.append(ChangedFile(path, kind, _read_count(added), _read_count(removed), was))
    return found


def _read_count(said: str) -> int | None:
    return int(said) if said != "-" else None


def _fields(data: bytes) -> Iterator[str]:
    return (os.fsdecode(one) for one in data.split(b"\0") if one)


def write_patch(pair: TreePair, within: Sequence[str], only_stat: bool) -> str:
    """Return the difference as git shows it: the patch, or which files and how much."""
    return decode(_ask(pair, within, "--stat=120" if only_stat else "--patch")).rstrip("\n")


def _ask(pair: TreePair, within: Sequence[str], *options: str) -> bytes:
    paths = [f":(top,literal){path}" for path in within if path]
    paths += [f":(top,literal,exclude){path}" for path, why in pair.unseen.items() if why != "submodule"]
    words = ("diff", *options, *_SAFE, pair.before, pair.after, "--", *paths)
    answer = git.run_bytes(pair.env.get("GIT_WORK_TREE", pair.top), *words, timeout_s=_GIT_S, env=pair.env)
    if answer.code != 0:
        raise MiError("no-difference", path=pair.top, reason=answer.error)
    return answer.output
