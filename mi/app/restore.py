"""Putting a project's files back as a run found them: the difference, the lock, the state before, the evidence."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.app.snapshots import ChosenSnapshots, open_now, read_kept, require_known, see_from
from mi.autopilot.run_lock import read_owner, run_lock
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.trees import LeftOutFile, TreeRestore, TreeSnapshot
from mi.kernel.errors import Blocked, MiError
from mi.kernel.locks import is_held
from mi.project.restore import Restored, look_at, make_ready, put_back
from mi.project.restore_plan import Difference, KeptTree, LeftAlone, compare
from mi.project.snapshots import TakenSnapshot, keep_tree, name_ref, open_store
from mi.project.tree_paths import is_inside
from mi.project.tree_writer import TreeWriter

BEFORE = "restore"  # in a batch's place: the state that a restore replaced


def find_difference(context: HomeContext, chosen: ChosenSnapshots, within: Sequence[str]) -> Difference:
    """Return what putting back would change; nothing is written."""
    kept = read_kept(context, chosen)
    require_known(chosen, within, kept.tree)
    with open_now(context, kept, None) as (_, now):
        return compare(kept, now, within)


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
    _refuse_runs_inside(context, top, within)
    root = context.project.root
    with run_lock(context.project_home.find_run_lock(root), log.run_id, context.notices, root=root):
        looks = look_at(top, [*shown.put_back, *shown.removed])
        store = open_store(top, context.project_home.snapshots)
        with open_now(context, kept, store) as (writer, now):
            if compare(kept, now, within) != shown:
                raise Blocked("files-changed-meanwhile", path=top)
            with ExitStack() as opened:
                ready = _make_ready(opened, writer, kept, shown)
                taken = keep_tree(writer, now.tree.tree_id, log.run_id, BEFORE, now.left_out)
                if taken.reason:
                    raise MiError("state-not-kept", path=top, reason=taken.reason)
                begun = _record(log, chosen, shown, _describe(taken, now.attributes))
                tell(log.run_id)
                done = put_back(top, ready, shown, looks)
            left = [*begun.left, *map(_describe_left, done.left)]
            log.append(replace(begun, state="done", put_back=done.put_back, removed=done.removed, left=left), sync=True)
            return done


def _refuse_runs_inside(context: HomeContext, top: str, within: Sequence[str]) -> None:
    """Raise Blocked when an agent works in another project whose files would be put back."""
    for root, known in context.known_projects.roots.items():
        lock = context.home.project(known.project_id).find_run_lock(root)
        if root != context.project.root and is_inside(root, [top]) and is_held(lock):
            place = see_from(top, root)
            if is_inside(place, within) or any(is_inside(one, [place]) for one in within):
                owner = read_owner(lock)
                raise Blocked("run-in-progress", run_id=owner.run_id, pid=owner.pid, since=owner.ts)


def _make_ready(opened: ExitStack, writer: TreeWriter, kept: KeptTree, shown: Difference) -> str:
    try:
        return opened.enter_context(make_ready(writer, kept, shown.put_back))
    except OSError as error:
        raise MiError("not-ready", path=writer.top, reason=error.strerror or str(error)) from None


def _record(log: EvidenceWriter, chosen: ChosenSnapshots, shown: Difference, taken: TreeSnapshot) -> TreeRestore:
    """Record the state that was kept and what is about to be done."""
    log.append(taken)
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


def _describe(taken: TakenSnapshot, attributes: str) -> TreeSnapshot:
    return TreeSnapshot(
        of=BEFORE,
        commit=taken.commit,
        tree=taken.tree,
        place=taken.place,
        left_out=[LeftOutFile(path=left.path, why=left.why, size=left.size) for left in taken.left_out],
        is_first=taken.is_first,
        attributes=attributes,
    )
