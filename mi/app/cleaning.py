"""`mi runs clean`, put together: which work trees can go, what is kept of them first, and what stays and why."""

import os
from collections.abc import Iterator
from contextlib import ExitStack

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.app.work_trees import find_keep_rules
from mi.autopilot.resume import records_of
from mi.autopilot.run_lock import run_lock
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import RunEnd
from mi.evidence.records.trees import TreeWork
from mi.fleet.cleaning import is_merged, keep_contents, look_into, remove_branch, remove_tree
from mi.fleet.tree_registry import TreeRegistry, WorkTree
from mi.fleet.tree_setup import run_commands
from mi.fleet.work_trees import mend_tree, refuse_untrusted
from mi.kernel import git
from mi.kernel.errors import Blocked, MiError, NotFound
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple


class CleanedTree(NamedTuple):
    """What became of one work tree, or would."""

    tree: WorkTree
    stays: str = ""  # why, in words; '' it goes
    branch_goes: bool = False  # another one has its work
    kept: str = ""  # the reference that holds what no branch has
    would_keep: bool = False


def clean_trees(context: HomeContext, runs: list[str], apply: bool) -> Iterator[CleanedTree]:
    """Remove the work trees whose work is merged or kept in a reference; of runs that are not done only those named."""
    listed, runs = TreeRegistry(context.home, context.notices).read(), [find_run_id(context, run) for run in runs]
    for run_id in runs:
        if run_id not in listed:
            raise NotFound("clean-unknown", run_id=run_id)
    for run_id, tree in listed.items():
        if not runs or run_id in runs:
            yield _clean(context, tree, apply, is_named=run_id in runs)


def _clean(context: HomeContext, tree: WorkTree, apply: bool, is_named: bool) -> CleanedTree:
    place, language = context.home.project(tree.project_id), context.language
    try:
        with ExitStack() as held:
            if os.path.isdir(tree.path):
                lock = place.find_run_lock(tree.root)
                held.enter_context(run_lock(lock, tree.run_id, context.notices, root=tree.root))
            return _look(context, tree, apply, is_named)
    except Blocked as error:
        key = "clean.running" if error.code == "run-in-progress" else ""
        return CleanedTree(tree, text(key, language) if key else error.line(language))
    except MiError as error:
        return CleanedTree(tree, error.line(language))


def _look(context: HomeContext, tree: WorkTree, apply: bool, is_named: bool) -> CleanedTree:
    log, language = context.home.project(tree.project_id).evidence, context.language
    records = records_of(log, tree.run_id, context.notices) if os.path.exists(log) else []
    ends = [record for record in records if isinstance(record, RunEnd)]
    works = [record for record in records if isinstance(record, TreeWork)]
    if not is_named and not (ends and ends[-1].status == "done"):
        return CleanedTree(tree, text("clean.not-done", language, run_id=tree.run_id))
    if not os.path.isdir(tree.main):
        return CleanedTree(tree, text("clean.no-main", language, path=tree.main))
    tree = mend_tree(TreeRegistry(context.home, context.notices), tree, tree.main)
    tip = git.run(tree.main, "rev-parse", "--verify", "-q", f"refs/heads/{tree.branch}^{{commit}}").output.strip()
    merged = bool(tip) and is_merged(tree, tip, works)
    is_there = os.path.lexists(os.path.join(tree.path, ".git"))
    if not is_there and os.path.isdir(tree.path) and os.listdir(tree.path):
        return CleanedTree(tree, text("clean.no-git", language))
    contents = look_into(context.home, tree, find_keep_rules(context)) if is_there else None
    if contents and contents.stuck:
        key, detail = contents.stuck
        return CleanedTree(tree, text(f"clean.stuck-{key}", language, detail=detail))
    if not apply:
        would_keep = bool(contents and (contents.tree or contents.loose))
        return CleanedTree(tree, branch_goes=merged, would_keep=would_keep)
    kept = keep_contents(tree, contents, context.notices) if contents else ""
    if tree.teardown and is_there:
        refuse_untrusted(context.home, tree.project_id, tree.teardown)
        run_commands(tree.teardown, tree.root, tree.ports, tree.seconds)
    writer = EvidenceWriter.resume(log, tree.run_id, context.notices)
    writer.append(TreeWork(act="removed", path=tree.path, branch=tree.branch, commit=tip, result=kept), sync=True)
    remove_tree(context.home, tree, context.notices)
    if merged:
        remove_branch(tree, tip)
    return CleanedTree(tree, branch_goes=merged, kept=kept)
