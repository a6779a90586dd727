"""The snapshots that a person's words mean: by their references, and by what the evidence says was kept."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext, find_current_folder
from mi.app.run_names import find_run_id, is_short_name
from mi.app.tree_run import find_latest_here
from mi.evidence.reader import read_back, read_those, read_whole
from mi.evidence.records.trees import TreeSnapshot
from mi.kernel import clock, files, git
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode
from mi.project.snapshots import CLEANED, END, KeptSnapshot, find_kept_stores, list_snapshots, order_snapshots
from mi.project.tree_paths import is_inside
from mi.project.tree_store import TreeStore
from mi.project.trees import GitTree

if TYPE_CHECKING:  # what a look at snapshots does not need
    from mi.project.restore_plan import KeptTree, PresentTree
    from mi.project.tree_writer import TreeWriter


class ChosenSnapshots(NamedTuple):
    """The snapshots that somebody's words mean: where they are, the first one, and the one after it."""

    store: TreeStore
    top: str
    first: KeptSnapshot
    last: KeptSnapshot | None  # after the batch, or at the end of the run; None: nothing was kept since
    begun: TreeSnapshot | None = None  # what was recorded of the first
    ended: TreeSnapshot | None = None  # and of the last
    batches: tuple[str, ...] = ()  # of the run, before which something was kept


def list_kept(context: HomeContext) -> list[KeptSnapshot]:
    """Return everything that can be put back here, the newest first."""
    found = [kept for store in _find_stores(context) for kept in reversed(list_snapshots(store))]
    found.sort(key=lambda kept: kept.time, reverse=True)
    return found


def choose_snapshots(context: HomeContext, ref: str) -> ChosenSnapshots:
    """Return what `last`, a run, `run/batch`, a batch of the latest run or a whole reference means."""
    run, batch = split_reference(context, ref)
    recorded = _read_recorded(context, run, _find_beginning(context, ref, run))
    store, found = _find_run(context, run, recorded)
    if not found or store is None:
        raise NotFound("nothing-kept", ref=ref, path=context.project.root)
    names = [kept.batch_id for kept in found]
    if batch and batch not in names:
        raise NotFound("batch-not-kept", ref=ref, known=", ".join(f"{run}/{name}" for name in names))
    at = names.index(batch) if batch else 0
    later = [kept for kept in found[at + 1 :] if kept.batch_id != CLEANED]
    last = (later[0] if batch else later[-1]) if later else None
    ended = recorded.get(last.batch_id) if last else None
    begun, batches = recorded.get(names[at]), tuple(name for name in names if name != END)
    return ChosenSnapshots(store, find_top(context), found[at], last, begun, ended, batches)


def find_top(context: HomeContext) -> str:
    """Return the folder that is kept as a whole: the work tree of a repository, or the project's own."""
    root = os.path.realpath(context.project.root)
    return git.find_toplevel(root) or root


def _find_stores(context: HomeContext) -> list[TreeStore]:
    top = find_top(context)
    if other := git.find_stranger(top):
        raise MiError("repository-of-another", path=top, place=other)
    return find_kept_stores(context.project.root, context.project_home.snapshots)


def split_reference(context: HomeContext, ref: str) -> tuple[str, str]:
    """Return run and batch; a batch alone is one of the latest run."""
    named = ref.removeprefix("refs/mi/")
    run, _, batch = (find_run_id(context, named) if is_short_name(named) else named).partition("/")
    run = find_run_id(context, run)
    if is_short_name(run):
        raise NotFound("not-a-run", run_id=run, path=context.project_home.evidence)
    if not run.startswith(("run_", "cli_")) and not batch:
        run, batch = ("last", "" if run == "last" else run)
    if run == "last":
        run = _find_latest(context)
    if not run.startswith(("run_", "cli_")):
        raise UsageError("bad-snapshot", ref=ref)
    return run, _as_in_ref(batch)


def _as_in_ref(batch_id: str) -> str:
    return batch_id.replace(".", "-")


def _find_latest(context: HomeContext) -> str:
    """Return the latest run of this tree, else of the project: its folder may have been moved."""
    log = context.project_home.evidence
    runs = (event.head.run_id for event in read_back(log, context.notices) if event.head.run_id.startswith("run_"))
    found = find_latest_here(context) or next(runs, "")
    if not found:
        raise NotFound("no-run", path=log)
    return found


def _find_beginning(context: HomeContext, ref: str, run: str) -> int | None:
    """Return where a run begins in the project's log; None when no log knows it.

    NotFound when it worked elsewhere: work trees of one repository share their snapshots.
    """
    own = os.path.realpath(context.project.root)
    others = {root: known.project_id for root, known in context.known_projects.roots.items() if root != own}
    for root, project_id in ({own: context.project.project_id} | others).items():
        log = context.home.project(project_id).evidence
        if not os.path.exists(log):
            continue
        event = context.evidence_index.find(log, f"ev_{run}_1", lambda done, total: None)
        if event is not None:
            worked_in = os.path.realpath(str(event.fields().get("project_root") or root))
            if worked_in != own and os.path.isdir(worked_in):  # one that is gone was moved to here
                raise NotFound("run-elsewhere", ref=ref, root=worked_in)
            return event.offset if log == context.project_home.evidence else None
    return None


def _read_recorded(context: HomeContext, run: str, beginning: int | None) -> dict[str, TreeSnapshot]:
    """Return the latest record of each snapshot of a run that was taken."""
    found: dict[str, TreeSnapshot] = {}
    if beginning is None:
        return found
    log = context.project_home.evidence
    for event in read_those(log, context.evidence_index.list_events(log, run, lambda done, total: None)):
        is_snapshot = event.head.run_id == run and event.head.kind == "tree_snapshot"
        record = read_whole(log, event).record() if is_snapshot else None
        if isinstance(record, TreeSnapshot) and record.commit:
            found[_as_in_ref(record.of)] = record
    return found


def _find_run(
    context: HomeContext, run: str, recorded: dict[str, TreeSnapshot]
) -> tuple[TreeStore | None, list[KeptSnapshot]]:
    """Return what is kept of a run, in order, and where.

    What the evidence says was kept before a batch goes before a reference: whoever can write to the repository can
    change or remove a reference, and the commit is still there.
    """
    for store in _find_stores(context):
        found = {kept.batch_id: kept for kept in list_snapshots(store, run)}
        for name, record in recorded.items():
            kept = KeptSnapshot(run, name, record.commit, clock.parse(record.ts))
            known = found.get(name)
            if known and (known.commit == kept.commit or name == END):
                found[name] = known._replace(time=max(known.time, kept.time))
            elif _holds(store, record.commit):
                context.notices.add("snapshot-recorded", store.git_dir, ref=kept.ref, commit=kept.commit)
                found[name] = kept
        if found:
            return store, order_snapshots(list(found.values()))
    return None, []


def _holds(store: TreeStore, commit: str) -> bool:
    asked = ("cat-file", "-e", f"{commit}^{{commit}}")
    return git.run(store.git_dir, *asked, env={"GIT_DIR": store.git_dir}).code == 0


def read_kept(context: HomeContext, chosen: ChosenSnapshots) -> "KeptTree":
    """Return what the first snapshot holds, and the rules that it was taken by as far as they are known."""
    from mi.project.restore_plan import KeptTree, read_attributes
    from mi.project.tree_writer import name_attributes, name_excludes

    folder = context.project_home.path("trees", chosen.first.run_id)
    (tree,) = open_trees(chosen, chosen.first)
    begun = chosen.begun or TreeSnapshot()
    frozen = begun.attributes or decode(files.read_bytes(name_attributes(folder)) or b"")
    attributes = frozen or read_attributes(tree)
    config = os.path.join(folder, "config")
    return KeptTree(
        tree,
        chosen.first.time,
        tuple(left.path for left in begun.left_out),
        name_excludes(folder),
        chosen.store.objects,
        attributes,
        config if os.path.isfile(config) else "",
    )


@contextmanager
def open_now(
    context: HomeContext, kept: "KeptTree", store: "TreeStore | None"
) -> "Iterator[tuple[TreeWriter, PresentTree]]":
    """Yield the work tree as it is now; MiError when it cannot be written down."""
    from mi.project.left_out import KeepRules
    from mi.project.restore_plan import open_present

    config = context.config.snapshot
    with open_present(kept, store, KeepRules(config.max_file, config.secrets)) as (writer, now):
        if now.reason:
            raise MiError("state-not-kept", path=kept.tree.root, reason=now.reason)
        yield writer, now


def open_trees(chosen: ChosenSnapshots, *kept: KeptSnapshot) -> list[GitTree]:
    """Return the trees of snapshots; MiError when one cannot be read."""
    env = {"GIT_DIR": chosen.store.git_dir}
    found = git.run(chosen.top, "rev-parse", *(f"{one.commit}^{{tree}}" for one in kept), env=env)
    if found.code != 0:
        broken = next((one for one in kept if not _holds(chosen.store, one.commit)), kept[0])
        raise MiError("snapshot-broken", ref=broken.ref, path=chosen.store.git_dir)
    return [GitTree(chosen.top, tree_id, env) for tree_id in found.output.split()]


def find_scope(context: HomeContext, top: str, paths: Sequence[str]) -> list[str]:
    """Return paths that somebody named as seen from the top of the work tree; without any, the project's folder."""
    root = os.path.realpath(context.project.root)
    if not paths:
        return [see_from(top, root)]
    here = os.path.realpath(find_current_folder())
    base = here if here == top or here.startswith(top + os.sep) else root
    found = []
    for path in paths:
        place = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
        if not (place + os.sep).startswith(top + os.sep):
            place = os.path.join(os.path.realpath(os.path.dirname(place)), os.path.basename(place))
        if not (place + os.sep).startswith(top + os.sep):
            raise UsageError("path-not-in-tree", path=path, top=top)
        found.append(see_from(top, place))
    return found


def see_from(top: str, place: str) -> str:
    """Return a place in a work tree as seen from its top."""
    return "" if place == top else os.path.relpath(place, top)


def require_known(chosen: ChosenSnapshots, within: Sequence[str], *trees: GitTree) -> None:
    """Raise NotFound for a path that is neither here nor in a tree."""
    for path in within:
        is_here = os.path.lexists(os.path.join(chosen.top, path))
        if not is_here and not any(is_inside(one, [path]) for tree in trees for one in tree.entries):
            raise NotFound("path-unknown", path=path, ref=f"{chosen.first.run_id}/{chosen.first.batch_id}")
