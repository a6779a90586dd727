"""The never-lose net: a work tree as it was before each batch of a run, kept as a commit under `refs/mi/`."""

import os
import re
import shutil
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from mi.kernel import git
from mi.kernel.named_tuple import NamedTuple
from mi.project.tree_store import TreeStore, find_store, make_repository

if TYPE_CHECKING:  # whoever only reads snapshots writes no tree
    from mi.project.left_out import LeftOut
    from mi.project.tree_writer import TreeWriter, WrittenTree

DAYS = 30
END = "end"  # in a batch's place: the state after the latest batch
CLEANED = "cleaned"  # in a batch's place: what was in a work tree when it was removed, which is no state of the run
_PREFIX = "refs/mi/"
_SETTINGS = {"core.logAllRefUpdates": "false", "i18n.commitEncoding": "UTF-8"}
_WHO = {"NAME": "Mind Incarnation", "EMAIL": "mi@localhost"}
_WORDS = ("before {batch} of {run}", "after the latest batch of {run}")
_IDENTITY = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()}


class TakenSnapshot(NamedTuple):
    """A work tree that was kept; with a `reason`, why it was not."""

    commit: str = ""
    tree: str = ""
    place: str = ""  # the repository that keeps it
    left_out: "tuple[LeftOut, ...]" = ()
    reason: str = ""
    is_first: bool = False  # of this repository
    attributes: str = ""  # git's rules to write it out by, where they are not those of the run's start


class KeptSnapshot(NamedTuple):
    """A snapshot that a repository keeps."""

    run_id: str
    batch_id: str
    commit: str
    time: float

    @property
    def ref(self) -> str:
        return name_ref(self.run_id, self.batch_id)


def name_ref(run_id: str, batch_id: str) -> str:
    """Return the reference under which a snapshot is kept."""
    return _PREFIX + "/".join(re.sub(r"[^\w-]", "-", part) for part in (run_id, batch_id))


def open_store(root: str, home_folder: str) -> TreeStore | None:
    """Return where snapshots of a project go: its own repository, or a folder of the home outside of git.

    None when git cannot say where the repository keeps its contents.
    """
    top = git.find_toplevel(root)
    if top is not None:
        return find_store(top)
    if not os.path.exists(os.path.join(home_folder, "HEAD")):
        make_repository(home_folder, {})
    return _own_store(home_folder)


def _own_store(home_folder: str) -> TreeStore:
    return TreeStore(home_folder, os.path.join(home_folder, "objects"), is_own=True)


def take_snapshot(writer: "TreeWriter", run_id: str, batch_id: str) -> TakenSnapshot:
    """Keep the work tree as it is now; a failure is a value, no run stops for it."""
    taken = _take(writer, run_id, batch_id)
    if taken.reason and writer.renew():  # contents that the index relies on may have been thrown away meanwhile
        taken = _take(writer, run_id, batch_id)
    return taken


def _take(writer: "TreeWriter", run_id: str, batch_id: str) -> TakenSnapshot:
    written = writer.write()
    if written.reason:
        return TakenSnapshot(reason=written.reason)
    return keep_written(writer, written, run_id, batch_id)


def keep_written(writer: "TreeWriter", written: "WrittenTree", run_id: str, batch_id: str) -> TakenSnapshot:
    """Keep a work tree that was written down as the snapshot of a batch."""
    taken = keep_tree(writer, written.exact, run_id, batch_id, written.left_out)
    return taken._replace(attributes=written.attributes)


def keep_tree(
    writer: "TreeWriter", tree: str, run_id: str, batch_id: str, left_out: "tuple[LeftOut, ...]" = ()
) -> TakenSnapshot:
    """Keep a tree that was written down as the snapshot of a batch."""
    store, ref = writer.store, name_ref(run_id, batch_id)
    if store is None:
        return TakenSnapshot(reason="no repository")
    if writer.kept is None:
        listed = _ask(store, "for-each-ref", "--format=%(refname) %(objectname) %(tree)", _PREFIX).splitlines()
        writer.kept = {ref: (commit, kept) for ref, commit, kept in (line.split(" ") for line in listed)}
    # Of this run alone: an older commit would go with its own run, and its date would have this snapshot removed early.
    own = name_ref(run_id, "")
    known = {kept: commit for name, (commit, kept) in writer.kept.items() if name.startswith(own)}
    if writer.kept.get(ref, ("", ""))[1] == tree:
        return TakenSnapshot(writer.kept[ref][0], tree, store.git_dir, left_out)
    words = _WORDS[batch_id == END].format(batch=batch_id, run=run_id)
    made = _store(store, ref, known[tree]) if tree in known else _commit(writer, store, ref, tree, words)
    if made.code != 0 and tree in known:  # somebody has removed it meanwhile
        made = _commit(writer, store, ref, tree, words)
    if made.code != 0:
        return TakenSnapshot(reason=made.error)
    commit, is_first = made.output.decode().strip(), not writer.kept
    writer.kept[ref] = (commit, tree)
    return TakenSnapshot(commit, tree, store.git_dir, left_out, is_first=is_first)


def _store(store: TreeStore, ref: str, commit: str) -> git.GitBytes:
    """Put a commit under a reference; the answer's output is the commit."""
    answer = _git(store, "update-ref", "--no-deref", ref, commit)
    return answer._replace(output=commit.encode())


def _commit(writer: "TreeWriter", store: TreeStore, ref: str, tree: str, words: str) -> git.GitBytes:
    """Put a new commit under a reference; its parent is the work tree's own, where that has one."""
    made = git.GitBytes(1, b"", "")
    if writer.repository:
        made = _git(store, "commit-tree", tree, "-p", "HEAD", "-m", words, cwd=writer.top)
    if made.code != 0:
        made = _git(store, "commit-tree", tree, "-m", words)
    return _store(store, ref, made.output.decode().strip()) if made.code == 0 else made


def list_snapshots(store: TreeStore, run_id: str = "") -> list[KeptSnapshot]:
    """Return what a repository keeps: of one run in the order in which it was taken, of all runs oldest first."""
    where = name_ref(run_id, "").rstrip("/") if run_id else _PREFIX
    listed = _ask(
        store, "for-each-ref", "--sort=creatordate", "--format=%(refname) %(objectname) %(creatordate:unix)", where
    )
    found = []
    for line in listed.splitlines():
        ref, commit, moment = line.split(" ")
        run, _, batch = ref.removeprefix(_PREFIX).partition("/")
        found.append(KeptSnapshot(run, batch, commit, float(moment or 0)))
    return order_snapshots(found) if run_id else found


def order_snapshots(snapshots: list[KeptSnapshot]) -> list[KeptSnapshot]:
    """Return the snapshots of a run in the order in which they were taken: by number, whatever their commits' dates."""

    def place(kept: KeptSnapshot) -> tuple[int, list[int]]:
        numbers = [int(part) for part in kept.batch_id.removeprefix("b").split("-") if part.isdecimal()]
        return ("", END, CLEANED).index(kept.batch_id) if kept.batch_id in (END, CLEANED) else 0, numbers

    return sorted(snapshots, key=place)


def remove_snapshots(store: TreeStore, snapshots: Iterable[KeptSnapshot]) -> str:
    """Remove snapshots; return why not, '' when they are gone. git itself frees the room when it next tidies up."""
    lines = "".join(f"delete {kept.ref} {kept.commit}\n" for kept in snapshots)
    answer = _git(store, "update-ref", "--no-deref", "--stdin", stdin=lines.encode())
    if answer.code == 0 and store.is_own:
        _tidy(store)
    return "" if answer.code == 0 else answer.error or "git update-ref"


def find_old(store: TreeStore, days: float = DAYS) -> list[KeptSnapshot]:
    """Return the snapshots that are older than so many days."""
    return [kept for kept in list_snapshots(store) if kept.time < time.time() - days * 86400]


def find_kept_stores(root: str, home_folder: str) -> list[TreeStore]:
    """Return where snapshots of a project may be, without making a place for them.

    In its repository, and in a folder of the home if there was a time before it was a repository.
    """
    top = git.find_toplevel(root)
    found = [find_store(top)] if top is not None else []
    if home_folder and os.path.exists(os.path.join(home_folder, "HEAD")):
        found.append(_own_store(home_folder))
    return [store for store in found if store is not None]


def remove_old_snapshots(root: str, home_folder: str, days: float = DAYS) -> None:
    """Remove what a project keeps for longer than so many days; what fails is tried again by the next run."""
    for store in find_kept_stores(root, home_folder):
        old = find_old(store, days)
        if old:
            remove_snapshots(store, old)


def _tidy(store: TreeStore) -> None:
    """Free the room in a repository of MI's own."""
    if not list_snapshots(store):
        shutil.rmtree(store.git_dir, ignore_errors=True)
    else:
        _git(store, "gc", "--quiet", "--prune=now")


def _ask(store: TreeStore, *args: str) -> str:
    answer = _git(store, *args)
    return os.fsdecode(answer.output).strip() if answer.code == 0 else ""


def _git(store: TreeStore, *args: str, stdin: bytes = b"", cwd: str = "") -> git.GitBytes:
    """Run git on a store, or with `cwd` in a work tree of it."""
    env = _IDENTITY if cwd else _IDENTITY | {"GIT_DIR": store.git_dir}
    umask = 0o077 if store.is_own else -1
    return git.run_bytes(cwd or store.git_dir, *args, stdin=stdin, settings=_SETTINGS, env=env, umask=umask)
