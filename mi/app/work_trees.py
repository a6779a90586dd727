"""Runs in work trees of their own, put together: where one begins, and where it is found again."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import RunEnd, RunStart
from mi.fleet.tree_registry import TreeRegistry, WorkTree
from mi.fleet.tree_setup import PORT_VARIABLE
from mi.fleet.work_trees import make_tree, mend_tree, plan_tree, remake_tree
from mi.kernel import git
from mi.kernel.errors import MiError
from mi.project.left_out import KeepRules

if TYPE_CHECKING:
    from mi.autopilot.steps.protocol import RunSteps

Say = Callable[[str], None]


def begin_tree(
    context: HomeContext, run_id: str, task: str, with_changes: bool, say: Say = lambda command: None
) -> WorkTree:
    """Make the work tree of a new run; what was made for it already is taken as it is.

    A run whose tree cannot be made ready by the person's commands has failed, and its log says so.
    """
    context.use_project()
    planned = plan_tree(context.home, context.project, run_id, task)
    try:
        keep = find_keep_rules(context) if with_changes else None
        return enter_tree(make_tree(context.home, planned, keep, context.notices, say))
    except MiError as error:
        if error.code == "tree-command-failed":
            _record_failed(context, planned, task, error)
        raise


def enter_tree(tree: WorkTree) -> WorkTree:
    """Let whatever this process starts know the ports of a work tree."""
    os.environ.pop(PORT_VARIABLE, None)
    if tree.ports:
        os.environ[PORT_VARIABLE] = str(tree.ports)
    return tree


def _record_failed(context: HomeContext, tree: WorkTree, task: str, error: MiError) -> None:
    writer = EvidenceWriter(context.project_home.evidence, tree.run_id, context.notices)
    main_root = context.project.main_root
    writer.append(
        RunStart(task=task, project_root=tree.root, main_root=main_root, branch=tree.branch, base_commit=tree.base)
    )
    writer.append(RunEnd(status="failed", exit=1, reason=error.line(context.language_for(task))), sync=True)


def find_keep_rules(context: HomeContext) -> KeepRules:
    """Return which new files are kept and committed."""
    config = context.config.snapshot
    return KeepRules(config.max_file, config.secrets)


def find_tree(context: HomeContext, run_id: str) -> WorkTree | None:
    """Return the work tree that was made for a run."""
    return TreeRegistry(context.home, context.notices).find(run_id)


def open_run_context(context: HomeContext, run_id: str, say: Say = lambda command: None) -> HomeContext:
    """Return the context of the work tree that a run works in; the given one where it has none of its own.

    A tree that is gone is made again, from its branch and its latest snapshot.
    """
    found = context.evidence_index.find(context.project_home.evidence, f"ev_{run_id}_1", lambda done, total: None)
    start = found.record() if found else None
    if not isinstance(start, RunStart) or not start.main_root:
        return context
    registry, top = TreeRegistry(context.home, context.notices), git.find_toplevel(context.main_root)
    tree = registry.find(run_id)
    if tree is not None and top is not None:
        tree = enter_tree(mend_tree(registry, tree, top))
    if not os.path.isdir(start.project_root) and top is not None:
        tree = tree or describe_tree(start, context.project.project_id, top)
        enter_tree(remake_tree(context.home, tree, find_snapshot(top, run_id), context.notices, say))
    return context if start.project_root == context.project.root else context.at(start.project_root)


def describe_tree(start: RunStart, project_id: str, main: str) -> WorkTree:
    """Return the work tree of a run that the home does not list, by what its first record tells."""
    folder = os.path.relpath(start.main_root, git.find_toplevel(start.main_root) or start.main_root)
    is_top = folder == os.curdir
    return WorkTree(
        path=start.project_root if is_top else start.project_root.removesuffix(f"/{folder}"),
        run_id=start.run_id,
        project_id=project_id,
        main=main,
        folder="" if is_top else folder,
        branch=start.branch,
        base=start.base_commit,
    )


def find_snapshot(top: str, run_id: str) -> str:
    """Return the latest snapshot of a run; '' where none is kept."""
    from mi.project.snapshots import list_snapshots
    from mi.project.tree_store import find_store

    store = find_store(top)
    kept = list_snapshots(store, run_id) if store else []
    return max(reversed(kept), key=lambda one: one.time).commit if kept else ""


def build_tree_steps(context: HomeContext, run_id: str, task: str) -> "list[RunSteps]":
    """Return what commits the work of a run in a work tree of its own."""
    tree = find_tree(context, run_id) if context.project.linked_to else None
    if tree is None:
        return []
    from mi.fleet.hub_claim import read_claim
    from mi.fleet.tree_steps import TreeSteps
    from mi.kernel.messages import text

    language = context.language_for(task)
    opening = text("run.begins-anew", language) if read_claim(context.home, context.notices).begins_anew else ""
    return [TreeSteps(context.home, tree, task, find_keep_rules(context), context.notices, language, opening)]
