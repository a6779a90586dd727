"""Putting a project's files back as a run found them, and showing what a run did: snapshots, lock and evidence."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from mi.app.home_context import HomeContext, find_current_folder
from mi.autopilot.resume import latest_run_id, records_of
from mi.autopilot.run_lock import run_lock
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import LeftOutFile, TreeRestore, TreeSnapshot
from mi.kernel import git
from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.project.left_out import KeepRules
from mi.project.restore import Restored, look_at, make_ready, put_back
from mi.project.restore_plan import Difference, KeptTree, LeftAlone, compare, is_inside, open_writer, write_present
from mi.project.snapshots import (
    END,
    KeptSnapshot,
    TakenSnapshot,
    find_kept_store,
    keep_tree,
    list_snapshots,
    name_ref,
)
from mi.project.tree_diff import TreePair
from mi.project.tree_store import TreeStore
from mi.project.tree_writer import TreeWriter, name_excludes
from mi.project.trees import GitTree

if TYPE_CHECKING:
    from mi.project.restore_plan import PresentTree

BEFORE = "restore"  # in a batch's place: the state that a restore replaced


class ChosenSnapshots(NamedTuple):
    """The snapshots that somebody's words mean: where they are, the first one, and the one after it."""

    store: TreeStore
    top: str
    first: KeptSnapshot
    last: KeptSnapshot | None  # after the batch, or at the end of the run; None: nothing was kept since


def order(snapshots: list[KeptSnapshot]) -> list[KeptSnapshot]:
    """Return the snapshots of a run in the order in which they were taken."""

    def place(kept: KeptSnapshot) -> tuple[bool, list[int]]:
        numbers = [int(part) for part in kept.batch_id.removeprefix("b").split("-") if part.isdecimal()]
        return kept.batch_id == END, numbers

    return sorted(snapshots, key=place)


def list_runs(context: HomeContext) -> list[KeptSnapshot]:
    """Return everything that can be put back here, the newest first."""
    store = find_kept_store(context.project.root, context.project_home.snapshots)
    return list(reversed(list_snapshots(store))) if store else []


def choose_snapshots(context: HomeContext, ref: str) -> ChosenSnapshots:
    """Return what `last`, a run, `run/batch`, a batch of the latest run or a whole reference means."""
    store = _open_store(context)
    run, batch = _split(context, ref.removeprefix("refs/mi/"))
    found = order(list_snapshots(store, run))
    _require_same_place(context, ref, run)
    if not found:
        raise NotFound("nothing-kept", ref=ref, path=context.project.root)
    names = [kept.batch_id for kept in found]
    if batch and batch not in names:
        raise NotFound("batch-not-kept", ref=ref, known=", ".join(f"{run}/{name}" for name in names))
    at = names.index(batch) if batch else 0
    later = found[at + 1 :]
    last = (later[0] if batch else later[-1]) if later else None
    return ChosenSnapshots(store, _find_top(context), found[at], last)


def _open_store(context: HomeContext) -> TreeStore:
    store = find_kept_store(context.project.root, context.project_home.snapshots)
    if store is None:
        raise NotFound("no-snapshots-here", path=context.project.root)
    return store


def _find_top(context: HomeContext) -> str:
    root = os.path.realpath(context.project.root)
    return git.find_toplevel(root) or root


def _split(context: HomeContext, ref: str) -> tuple[str, str]:
    """Return run and batch; a batch alone is one of the latest run."""
    run, _, batch = ref.partition("/")
    if not run.startswith(("run_", "cli_")) and not batch:
        run, batch = ("last", "" if run == "last" else run)
    if run == "last":
        run = latest_run_id(context.project_home.evidence, context.notices)
    if not run.startswith(("run_", "cli_")):
        raise UsageError("bad-snapshot", ref=ref)
    return run, batch.replace(".", "-")


def _require_same_place(context: HomeContext, ref: str, run: str) -> None:
    """Raise NotFound for a run that worked elsewhere: work trees of one repository share their snapshots."""
    own = os.path.realpath(context.project.root)
    projects = {own: context.project.project_id} | {
        root: known.project_id for root, known in context.known_projects.roots.items() if root != own
    }
    for root, project_id in projects.items():
        log = context.home.project(project_id).evidence
        event = (
            context.evidence_index.find(log, f"ev_{run}_1", lambda done, total: None) if os.path.exists(log) else None
        )
        if event is not None:
            worked_in = os.path.realpath(str(event.fields().get("project_root") or root))
            if worked_in != own and os.path.isdir(worked_in):  # one that is gone was moved to here
                raise NotFound("run-elsewhere", ref=ref, root=worked_in)
            return


def read_kept(context: HomeContext, chosen: ChosenSnapshots) -> KeptTree:
    """Return what the first snapshot holds, with what its record says was left out."""
    kept = chosen.first
    records = records_of(context.project_home.evidence, kept.run_id, context.notices)
    taken = [one for one in records if isinstance(one, TreeSnapshot) and one.of.replace(".", "-") == kept.batch_id]
    left_out = tuple(left.path for left in taken[-1].left_out) if taken else ()
    frozen = name_excludes(context.project_home.path("trees", kept.run_id))
    return KeptTree(_open_tree(chosen, kept), kept.time, left_out, frozen)


def _open_tree(chosen: ChosenSnapshots, kept: KeptSnapshot) -> GitTree:
    env = {"GIT_DIR": chosen.store.git_dir}
    found = git.run(chosen.top, "rev-parse", "--verify", "-q", f"{kept.commit}^{{tree}}", env=env)
    if found.code != 0:
        raise MiError("snapshot-broken", ref=kept.ref, path=chosen.store.git_dir)
    return GitTree(chosen.top, found.output.strip(), env)


def find_difference(context: HomeContext, chosen: ChosenSnapshots, within: Sequence[str]) -> Difference:
    """Return what putting back would change; nothing is written."""
    kept = read_kept(context, chosen)
    _require_known(chosen, within, kept.tree)
    with open_writer(chosen.top, None, _rules(context)) as writer:
        return compare(kept, _readable(write_present(writer, kept), chosen.top), within)


def _require_known(chosen: ChosenSnapshots, within: Sequence[str], *trees: GitTree) -> None:
    for path in within:
        is_here = os.path.lexists(os.path.join(chosen.top, path))
        if not is_here and not any(is_inside(one, [path]) for tree in trees for one in tree.entries):
            raise NotFound("path-unknown", path=path, ref=f"{chosen.first.run_id}/{chosen.first.batch_id}")


def _rules(context: HomeContext) -> KeepRules:
    config = context.config.snapshot
    return KeepRules(config.max_file, config.secrets)


def _readable(now: "PresentTree", top: str) -> "PresentTree":
    if now.reason:
        raise MiError("state-not-kept", path=top, reason=now.reason)
    return now


def restore(
    context: HomeContext,
    chosen: ChosenSnapshots,
    within: Sequence[str],
    shown: Difference,
    tell: Callable[[str], None],
) -> Restored:
    """Keep the present state, say where, then put back what was shown; Blocked when that is no longer the difference.

    No run begins meanwhile.
    """
    log, kept, top = context.open_project_log(), read_kept(context, chosen), chosen.top
    with run_lock(context.project_home.run_lock, log.run_id, context.notices):
        looks = look_at(top, [*shown.put_back, *shown.removed])
        with open_writer(top, chosen.store, _rules(context)) as writer:
            now = _readable(write_present(writer, kept), top)
            if compare(kept, now, within) != shown:
                raise Blocked("files-changed-meanwhile", path=top)
            with ExitStack() as opened:
                ready = _make_ready(opened, writer, kept, shown)
                taken = keep_tree(writer, now.tree.tree_id, log.run_id, BEFORE, now.left_out)
                if taken.reason:
                    raise MiError("state-not-kept", path=top, reason=taken.reason)
                begun = _record(log, chosen, shown, taken)
                tell(log.run_id)
                done = put_back(top, ready, shown, looks)
            left = [*begun.left, *map(_describe_left, done.left)]
            log.append(replace(begun, state="done", put_back=done.put_back, removed=done.removed, left=left), sync=True)
            return done


def _make_ready(opened: ExitStack, writer: TreeWriter, kept: KeptTree, shown: Difference) -> str:
    try:
        return opened.enter_context(make_ready(writer, kept.tree, shown.put_back))
    except OSError as error:
        raise MiError("not-ready", path=writer.top, reason=error.strerror or str(error)) from None


def _record(log: EvidenceWriter, chosen: ChosenSnapshots, shown: Difference, taken: TakenSnapshot) -> TreeRestore:
    """Record the state that was kept and what is about to be done."""
    log.append(_describe(taken))
    record = TreeRestore(
        ref=chosen.first.ref,
        commit=chosen.first.commit,
        kept=name_ref(log.run_id, BEFORE),
        put_back=list(shown.put_back),
        removed=list(shown.removed),
        left=list(map(_describe_left, shown.left)),
    )
    return log.append(record, sync=True)


def _describe_left(one: LeftAlone) -> LeftOutFile:
    return LeftOutFile(path=one.path, why=one.why)


def _describe(taken: TakenSnapshot) -> TreeSnapshot:
    return TreeSnapshot(
        of=BEFORE,
        commit=taken.commit,
        tree=taken.tree,
        place=taken.place,
        left_out=[LeftOutFile(path=left.path, why=left.why, size=left.size) for left in taken.left_out],
        is_first=taken.is_first,
    )


def find_scope(context: HomeContext, top: str, paths: Sequence[str]) -> list[str]:
    """Return paths that somebody named as seen from the top of the work tree; without any, the project's folder."""
    root = os.path.realpath(context.project.root)
    if not paths:
        return [_seen_from(top, root)]
    here = os.path.realpath(find_current_folder())
    base = here if here == top or here.startswith(top + os.sep) else root
    found = []
    for path in paths:
        place = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
        if not (place + os.sep).startswith(top + os.sep):
            place = os.path.join(os.path.realpath(os.path.dirname(place)), os.path.basename(place))
        if not (place + os.sep).startswith(top + os.sep):
            raise UsageError("path-not-in-tree", path=path, top=top)
        found.append(_seen_from(top, place))
    return found


def _seen_from(top: str, place: str) -> str:
    return "" if place == top else os.path.relpath(place, top)


@contextmanager
def open_diff(
    context: HomeContext, chosen: ChosenSnapshots, within: Sequence[str], until_now: bool
) -> Iterator[TreePair]:
    """Yield what to compare: a batch's or a run's beginning and end, or its beginning and the work tree now."""
    kept = read_kept(context, chosen)
    if chosen.last is not None and not until_now:
        after = _open_tree(chosen, chosen.last)
        _require_known(chosen, within, kept.tree, after)
        yield TreePair(chosen.top, kept.tree.tree_id, after.tree_id, dict(after.env))
        return
    _require_known(chosen, within, kept.tree)
    with open_writer(chosen.top, None, _rules(context)) as writer:
        now = _readable(write_present(writer, kept), chosen.top)
        yield TreePair(chosen.top, kept.tree.tree_id, now.tree.tree_id, dict(now.tree.env))
