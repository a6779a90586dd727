"""Checking memory files and forgetting those nobody needs; each deletion is a commit that says the way back."""

import os
import shlex
import time
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from mi.kernel import clock, git
from mi.kernel.config.types import MemoryGc
from mi.kernel.config.types import Nexus as Settings
from mi.kernel.errors import NotFound, StorageError, UsageError
from mi.kernel.files import read_bytes
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.nexus import access, memory, memory_rules
from mi.nexus.knowledge import list_files, read_text
from mi.nexus.memory import share, words_of
from mi.nexus.memory_rules import objection
from mi.nexus.store import Store

_DAY_S = 86400.0


class StaleMemory(NamedTuple):
    """A memory file and how long it was not needed; a signal is None when it is not configured."""

    name: str
    path: str
    days: int
    cycles: int
    accesses: int
    signals: dict[str, bool]

    @property
    def forgotten(self) -> bool:
        """Whether all three signals say so."""
        return len(self.signals) == 3 and all(self.signals.values())

    def fields(self) -> dict[str, Any]:
        said = {"name": self.name, "days": self.days, "cycles": self.cycles, "accesses": self.accesses}
        return said | {"signals": self.signals, "forgotten": self.forgotten}


class Merge(NamedTuple):
    """Two files of a category of which one says most of the other."""

    source: str
    into: str
    share: float


class Done(NamedTuple):
    """What gc did: names, and the commits that hold the way back."""

    deleted: list[str]
    merged: list[Merge]
    commits: list[str]


def find_stale(store: Store, settings: MemoryGc, now: float | None = None) -> list[StaleMemory]:
    """Return the memory files for which at least one signal speaks, the most forgotten first."""
    records = {record.path: record for record in access.read_records(store.place.access)}
    closed = [_seconds(cycle.get("completed_at")) for cycle in store.cycles()]
    moment = time.time() if now is None else now
    found = []
    for one in list_files(store, "memory"):
        record = records.get(os.path.realpath(one.path))
        since = _seconds(record.last_accessed_ts) if record else one.modified
        days = int(max(0.0, moment - since) / _DAY_S)
        cycles = sum(at > since for at in closed)
        accesses = record.access_count if record else 0
        measured = {
            "days": settings.days is not None and days >= settings.days,
            "cycles": settings.cycles is not None and cycles >= settings.cycles,
            "accesses": settings.accesses is not None and accesses <= settings.accesses,
        }
        configured = {name: held for name, held in measured.items() if getattr(settings, name) is not None}
        if any(configured.values()):
            found.append(StaleMemory(one.name, one.path, days, cycles, accesses, configured))
    return sorted(found, key=lambda one: (-sum(one.signals.values()), one.name))


def _seconds(timestamp: Any) -> float:
    try:
        return clock.parse(str(timestamp))
    except ValueError:
        return 0.0


def find_merges(store: Store, settings: Settings) -> list[Merge]:
    """Pairs of files that say the same; the smaller one goes into the larger."""
    known, enough = memory.list_categories(settings), max(settings.memory_overlap, 0.01)
    found, gone = [], set[str]()
    files = sorted(list_files(store, "memory"), key=lambda file: file.size)
    words = {file.name: words_of(read_text(file.path)) for file in files}
    kinds = {file.name: memory_rules.category_of(file.name, known) for file in files}
    for one, other in combinations(words, 2):
        if kinds[one] != kinds[other] or one in gone:
            continue
        held = share(words[one], words[other])
        if held >= enough:
            gone.add(one)
            found.append(Merge(one, other, held))
    return found


def forget_automatically(store: Store, settings: Settings) -> Done:
    """Return what happens without being asked, where someone switched it on: three signals or nothing."""
    gc = settings.memory_gc
    if not gc.auto:
        return Done([], [], [])
    if None in (gc.days, gc.cycles, gc.accesses):
        raise UsageError("memory-gc-signals")
    if not os.path.exists(store.place.access):  # reads are not observed here: their absence tells nothing
        return Done([], [], [])
    chosen = [candidate.name for candidate in find_stale(store, gc) if candidate.forgotten]
    return apply(store, settings, chosen, []) if chosen else Done([], [], [])


def apply(store: Store, settings: Settings, names: list[str], pairs: list[Merge]) -> Done:
    """Delete files and merge pairs, each a commit of its own; without git nothing is deleted."""
    paths = [memory.find_memory(store, name) for name in dict.fromkeys(map(name_memory_file, names))]
    root = _repository(store)
    signals = {candidate.name: candidate for candidate in find_stale(store, settings.memory_gc)}
    commits: list[str] = []
    with store.lock():
        for pair in pairs:
            commits.append(_merge(store, root, pair))
        for path in paths:
            commits.append(_delete(store, root, path, _why(signals.get(os.path.basename(path)))))
    return Done([os.path.basename(path) for path in paths], pairs, commits)


def name_memory_file(name: str) -> str:
    """Return a memory's file name, with or without its ending given."""
    return name if name.endswith(".md") else name + ".md"


def _why(found: StaleMemory | None) -> str:
    if found is None:
        return "Chosen by name."
    return f"Not read for {found.days} days and {found.cycles} cycles; {found.accesses} reads in all."


def _repository(store: Store) -> str:
    """Return the repository that will hold what is deleted; an error when a deletion could not be taken back."""
    root = git.find_toplevel(store.place.root)
    if root is None or git.run(root, "rev-parse", "--git-dir").code != 0:
        raise StorageError("memory-gc-no-git", path=store.place.root)
    if git.find_branch(root) == "HEAD":
        raise StorageError("memory-gc-detached", path=root)
    if not git.run(root, "var", "GIT_COMMITTER_IDENT").output.strip():
        raise StorageError("memory-gc-identity", path=root)
    return root


def _delete(store: Store, root: str, path: str, why: str) -> str:
    """Commit the file as it is, then its deletion; a commit that fails leaves the file where it was."""
    inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
    name = os.path.basename(path)
    before = _kept(root, inside, name)
    content = read_bytes(path) or b""
    os.unlink(path)
    try:
        commit = _commit(root, [inside], f"memory: forget {name}\n\n{why}\n{_way_back(before, inside)}")
    except StorageError:
        store.write(path, content)
        raise
    access.drop(store, [path, os.path.join(os.path.realpath(os.path.dirname(path)), name)])
    return commit


def _merge(store: Store, root: str, pair: Merge) -> str:
    """Put one file's text into another and delete it, in one commit."""
    source, into = memory.find_memory(store, pair.source), memory.find_memory(store, pair.into)
    real = os.path.realpath(root)
    paths = [os.path.relpath(os.path.realpath(path), real) for path in (source, into)]
    before = _kept(root, paths[0], pair.source)
    _kept(root, paths[1], pair.into)
    said, former = read_bytes(source) or b"", read_bytes(into) or b""
    store.write(into, former.rstrip() + b"\n\n" + said.strip() + b"\n")
    os.unlink(source)
    try:
        said_so = f"memory: merge {pair.source} into {pair.into}\n\n{_way_back(before, paths[0])}"
        commit = _commit(root, paths, said_so)
    except StorageError:
        store.write(source, said)
        store.write(into, former)
        raise
    access.drop(store, [os.path.realpath(source), source])
    return commit


def _way_back(commit: str, inside: str) -> str:
    """Return the command that brings a file back, to be typed at the top of the repository."""
    return f"Restore: git checkout {commit} -- {shlex.quote(inside)}\n"


def _kept(root: str, inside: str, name: str) -> str:
    """Return the commit that holds a file exactly as it is; made when there is none yet."""
    tracked = git.run(root, "ls-files", "--error-unmatch", "--", inside).code == 0
    if tracked and git.run(root, "diff", "--quiet", "HEAD", "--", inside).code == 0:
        return git.run(root, "rev-parse", "HEAD").output.strip()
    if git.run(root, "add", "--", inside).code != 0:
        raise StorageError("memory-gc-commit", path=inside)
    try:
        return _commit(root, [inside], f"memory: keep {name} before it goes\n")
    except StorageError:
        if not tracked:  # the index is the person's: a file that nobody added is taken out again
            git.run(root, "rm", "-q", "--cached", "--", inside)
        raise


def _commit(root: str, paths: list[str], message: str) -> str:
    """Commit these paths and nothing else, whatever else is changed or staged."""
    done = git.run(root, "commit", "-q", "--no-verify", "--only", "-m", message, "--", *paths)
    if done.code != 0:
        raise StorageError("memory-gc-commit", path=", ".join(paths))
    return git.run(root, "rev-parse", "HEAD").output.strip()


def restore(store: Store, name: str) -> str:
    """Bring a deleted memory file back as it was; its path."""
    name = name_memory_file(name)
    path = os.path.join(store.place.memory, name)
    if os.path.lexists(path):
        raise UsageError("memory-exists", name=name)
    root = git.find_toplevel(store.place.root)
    if root is None:
        raise StorageError("memory-gc-no-git", path=store.place.root)
    if memory_rules.fault_of(name) == "form":
        raise NotFound("no-deleted-memory", name=name)
    inside = os.path.relpath(path, os.path.realpath(root))
    found = git.run(root, "log", "-1", "--diff-filter=D", "--format=%H", "--", inside).output.strip()
    if not found:
        raise NotFound("no-deleted-memory", name=name)
    with store.lock():
        if git.run(root, "checkout", f"{found}^", "--", inside).code != 0:
            raise StorageError("memory-gc-commit", path=inside)
    return path


class MemoryFault(NamedTuple):
    """What is wrong with a file; `rule` names its text in the catalogue (`memory-lint_memory.<rule>`)."""

    rule: str
    name: str
    detail: str = ""

    def fields(self) -> dict[str, str]:
        return {"rule": self.rule, "name": self.name, "detail": self.detail}


def lint_memory(store: Store, settings: Settings) -> Iterator[MemoryFault]:
    """Yield every fault of the memory files; looking counts as no reading."""
    known = memory.list_categories(settings)
    for one in list_files(store, "memory"):
        fault = memory_rules.fault_of(one.name, known)
        if fault:
            yield MemoryFault(fault, one.name)
        text = read_text(one.path)
        reason = objection(text, memory_rules.topic_of(one.name, known))
        if reason:
            yield MemoryFault(reason, one.name)
        if not text.strip():
            yield MemoryFault("empty", one.name)
        if found := find_secrets(text):
            yield MemoryFault("secret", one.name, found[0].kind)
    for pair in find_merges(store, settings):
        yield MemoryFault("twins", pair.source, pair.into)
