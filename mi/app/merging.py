"""`mi merge`, put together: which run, whether it is done, where to, and the list that hears of it."""

import os
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.app.trust import bind_merged
from mi.app.work_trees import describe_tree, find_keep_rules
from mi.autopilot.resume import latest_run_id, records_of
from mi.autopilot.run_lock import find_running
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.governed import TaskOutcome
from mi.evidence.records.run import RunEnd, RunStart
from mi.evidence.records.trees import TreeWork
from mi.fleet.merging import MergePlan, MergeResult, MergeWay, find_checked_out, find_target, merge_branch
from mi.fleet.tree_registry import TreeRegistry, WorkTree
from mi.fleet.tree_steps import commit_work, take_up_recorded
from mi.fleet.work_trees import choose_filters, mend_tree
from mi.kernel import git
from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.kernel.messages import text as say
from mi.kernel.named_tuple import NamedTuple

_SHOWN = 20  # files that are named


class TreeRun(NamedTuple):
    """A run in a work tree of its own, as its log tells of it."""

    start: RunStart
    end: RunEnd | None
    works: list[TreeWork]
    tree: WorkTree  # as the home lists it; of one that was removed, as it was
    writer: EvidenceWriter

    @property
    def is_done(self) -> bool:
        """Return whether the run ended done."""
        return self.end is not None and self.end.status == "done"


class MergedRun(NamedTuple):
    """A run whose work was brought over."""

    run_id: str
    branch: str
    into: str
    result: MergeResult
    ticked: str = ""  # the task of the list that is done now


def find_tree_run(context: HomeContext, run: str) -> TreeRun:
    """Return a run of this project that worked in a tree of its own; NotFound or UsageError where there is none."""
    log, notices = context.project_home.evidence, context.notices
    run_id = _find_latest(context) if run == "last" else find_run_id(context, run)
    records = records_of(log, run_id, notices)
    start = records[0] if records else None
    if not isinstance(start, RunStart):
        raise NotFound("not-a-run", run_id=run_id, path=log)
    if not start.main_root:
        raise UsageError("merge-no-tree", run_id=run_id, root=start.project_root)
    top = git.find_toplevel(context.main_root)
    if top is None:
        raise UsageError("tree-no-git", root=context.main_root)
    registry = TreeRegistry(context.home, notices)
    listed = registry.find(run_id)
    tree = mend_tree(registry, listed, top) if listed else describe_tree(start, context.project.project_id, top)
    ends = [record for record in records if isinstance(record, RunEnd)]
    works = [record for record in records if isinstance(record, TreeWork)]
    writer = EvidenceWriter.resume(log, run_id, notices, context.by)
    return TreeRun(start, ends[-1] if ends else None, works, tree, writer)


def _find_latest(context: HomeContext) -> str:
    """Return the latest run of this project that has a work tree; where none has, the latest of all."""
    trees = TreeRegistry(context.home, context.notices).read().values()
    own = [tree for tree in trees if tree.project_id == context.project.project_id]
    if own:
        return max(own, key=lambda tree: tree.made_at).run_id
    return latest_run_id(context.project_home.evidence, context.notices)


def merge_run(context: HomeContext, run: str, way: MergeWay, into: str, anyway: bool) -> MergedRun:
    """Bring a run's work to a branch; where that is not possible, nothing has changed."""
    context.use_project()
    found = find_tree_run(context, run)
    run_id, tree = found.start.run_id, found.tree
    for running in find_running(context.home, context.project.project_id):
        if running.owner.run_id == run_id:
            raise Blocked("run-in-progress", run_id=run_id, pid=running.owner.pid, since=running.owner.ts)
    if not found.is_done and not anyway:
        raise _explain_undone(found)
    commit_rest(context, found, anyway)
    tip = _find_tip(found)
    if found.is_done and not anyway:
        _refuse_foreign(found, tip)
    here = git.find_toplevel(context.project.root)
    target, commit = find_target(tree.main if here in (None, tree.path) else str(here), into)
    if target == tree.branch:
        raise UsageError("merge-into-itself", branch=target)
    _refuse_where_a_run_works(context, tree.main, target)
    message = f"Merge {tree.branch}\n\nMI-Run: {run_id}\n"
    plan = MergePlan(tree.main, tree.branch, tip, target, commit, message, choose_filters(context.home, tree))
    result = merge_branch(plan, way)
    if result.way != "already":
        work = TreeWork(act="merged", path=tree.path, branch=tree.branch, commit=tip, into=target, result=result.commit)
        found.writer.append(work, sync=True)
        bind_merged(context, tree.base, tip)
    return MergedRun(run_id, tree.branch, target, result, _tick(context, found))


def describe_merge(merged: MergedRun, language: str) -> Iterator[str]:
    """Yield, line by line, what was brought over."""
    result, count = merged.result, len(merged.result.files)
    if result.way == "already":
        yield say("merge.already", language, branch=merged.branch, into=merged.into)
    else:
        told = {"way": say(f"merge.way-{result.way}", language), "commit": result.commit[:12], "count": count}
        yield say("merge.done", language, branch=merged.branch, into=merged.into, **told)
    yield from (f"  {path}" for path in result.files[:_SHOWN])
    if count > _SHOWN:
        yield say("merge.more", language, count=count - _SHOWN)
    if merged.ticked:
        yield say("merge.ticked", language, task_id=merged.ticked)


def _refuse_where_a_run_works(context: HomeContext, main: str, target: str) -> None:
    """Raise Blocked where an agent works in the tree that has the branch: it would take what comes for its own work."""
    place = find_checked_out(main, target)
    for running in find_running(context.home, context.project.project_id) if place else ():
        if git.find_toplevel(running.owner.root or main) == os.path.realpath(place):
            raise Blocked("merge-run-there", into=target, root=place, run_id=running.owner.run_id)


def _explain_undone(found: TreeRun) -> MiError:
    run_id, end = found.start.run_id, found.end
    if end is None:
        return Blocked("merge-not-ended", run_id=run_id)
    missing = ", ".join(end.open_rows) or end.reason
    return Blocked("merge-not-done", run_id=run_id, status=end.status, missing=missing)


def commit_rest(context: HomeContext, found: TreeRun, anyway: bool = False) -> None:
    """Commit what a run left: of one that is done only where nobody did yet, e.g. it was killed in between."""
    if not os.path.isdir(found.tree.path):
        return
    if found.is_done and found.works:
        take_up_recorded(context.home, found.tree, found.works[-1].commit)
        return
    end = found.end or RunEnd(run_id=found.start.run_id, status="interrupted")
    if found.is_done or anyway:
        commit_work(
            context.home,
            found.tree,
            found.start.task,
            end,
            find_keep_rules(context),
            found.writer.append,
            context.notices,
        )


def _find_tip(found: TreeRun) -> str:
    """Return the commit that is the run's work; NotFound where there is none any more."""
    tree = found.tree
    at = git.run(tree.main, "rev-parse", "--verify", "-q", f"refs/heads/{tree.branch}^{{commit}}")
    tip = at.output.strip() if at.code == 0 else ""
    kept = [work.commit for work in found.works if work.act == "committed" and work.commit]
    if kept and tip in ("", tree.base):  # the branch was removed, or MI was killed before it moved it
        tip = kept[-1] if git.run(tree.main, "cat-file", "-e", f"{kept[-1]}^{{commit}}").code == 0 else tip
    if not tip:
        raise NotFound("merge-branch-gone", branch=tree.branch, root=tree.main, run_id=tree.run_id)
    if tip == tree.base:
        raise MiError("merge-nothing", run_id=tree.run_id, branch=tree.branch)
    return tip


def _refuse_foreign(found: TreeRun, tip: str) -> None:
    """Raise Blocked where the branch of a run that is done holds what it did not leave: nobody has judged that."""
    left = [work.commit for work in found.works if work.act == "committed" and work.commit]
    if left and tip != left[-1]:
        tree = found.tree
        raise Blocked("merge-foreign", run_id=tree.run_id, branch=tree.branch, commit=left[-1][:12], tip=tip[:12])


def _tick(context: HomeContext, found: TreeRun) -> str:
    """Tick the task of the person's list that the run worked on; return its id, '' where there is none to tick."""
    task_id = found.start.list_task
    if not task_id or task_id.startswith("HO-") or not found.is_done or found.end is None:
        return ""
    from mi.app.tasks import build_task_store
    from mi.autopilot.steps.tasks import settle_task

    store = build_task_store(context.at(context.main_root))
    found.writer.append(TaskOutcome(task_id=task_id, authority=store.name, status="done", reason=found.end.reason))
    try:
        return task_id if settle_task(store, task_id, found.end) else ""
    except (MiError, OSError) as error:
        context.notices.add("task-not-settled", store.name, task_id=task_id, reason=str(error))
        return ""
