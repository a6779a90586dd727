"""Putting a project's files back as a run found them, and showing what a run did: snapshots, lock and evidence."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mi.app.home_context import HomeContext, find_current_folder
from mi.app.snapshots import ChosenSnapshots, open_tree, read_kept
from mi.autopilot.run_lock import read_owner, run_lock
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import LeftOutFile, TreeRestore, TreeSnapshot
from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.kernel.locks import is_held
from mi.project.left_out import KeepRules
from mi.project.restore import Restored, look_at, make_ready, put_back
from mi.project.restore_plan import Difference, KeptTree, LeftAlone, compare, is_inside, open_present
from mi.project.snapshots import TakenSnapshot, keep_tree, name_ref, open_store
from mi.project.tree_diff import TreePair, open_plain
from mi.project.tree_writer import TreeWriter, quote_path
from mi.project.trees import GitTree

if TYPE_CHECKING:
    from mi.project.restore_plan import PresentTree

BEFORE = "restore"  # in a batch's place: the state that a restore replaced


def find_difference(context: HomeContext, chosen: ChosenSnapshots, within: Sequence[str]) -> Difference:
    """Return what putting back would change; nothing is written."""
    kept = read_kept(context, chosen)
    _require_known(chosen, within, kept.tree)
    with open_present(kept, None, _rules(context)) as (_, now):
        return compare(kept, _readable(now, chosen.top), within)


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
    _refuse_runs_inside(context, top, within)
    with run_lock(context.project_home.run_lock, log.run_id, context.notices):
        looks = look_at(top, [*shown.put_back, *shown.removed])
        store = open_store(top, context.project_home.snapshots)
        with open_present(kept, store, _rules(context)) as (writer, now):
            if compare(kept, _readable(now, top), within) != shown:
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
        lock = context.home.project(known.project_id).run_lock
        if root != context.project.root and is_inside(root, [top]) and is_held(lock):
            place = _seen_from(top, root)
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
        after = open_tree(chosen, chosen.last)
        _require_known(chosen, within, kept.tree, after)
        with open_plain(chosen.store, after.tree_id) as env:
            yield TreePair(chosen.top, kept.tree.tree_id, after.tree_id, env)
        return
    _require_known(chosen, within, kept.tree)
    with open_present(kept, None, _rules(context)) as (_, now):
        env = dict(_readable(now, chosen.top).tree.env)
        env["GIT_ALTERNATE_OBJECT_DIRECTORIES"] += os.pathsep + quote_path(chosen.store.objects)
        yield TreePair(chosen.top, kept.tree.tree_id, now.tree.tree_id, env)
