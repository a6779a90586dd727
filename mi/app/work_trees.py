"""Runs in work trees of their own, put together: where one begins, and where it is found again."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.evidence.records.run import RunStart
from mi.fleet.work_trees import TreeRegistry, WorkTree, make_tree, plan_tree
from mi.kernel.errors import NotFound
from mi.project.left_out import KeepRules

if TYPE_CHECKING:
    from mi.autopilot.steps.protocol import RunSteps


def begin_tree(context: HomeContext, run_id: str, task: str, with_changes: bool) -> WorkTree:
    """Make the work tree of a new run; what was made for it already is taken as it is."""
    context.use_project()
    planned = plan_tree(context.home, context.project, run_id, task)
    return make_tree(context.home, planned, find_keep_rules(context) if with_changes else None, context.notices)


def find_keep_rules(context: HomeContext) -> KeepRules:
    """Return which new files are kept and committed."""
    config = context.config.snapshot
    return KeepRules(config.max_file, config.secrets)


def find_tree(context: HomeContext, run_id: str) -> WorkTree | None:
    """Return the work tree that was made for a run."""
    return TreeRegistry(context.home, context.notices).find(run_id)


def open_run_context(context: HomeContext, run_id: str) -> HomeContext:
    """Return the context of the work tree that a run works in; the given one where it has none of its own."""
    found = context.evidence_index.find(context.project_home.evidence, f"ev_{run_id}_1", lambda done, total: None)
    start = found.record() if found else None
    if not isinstance(start, RunStart) or not start.main_root or start.project_root == context.project.root:
        return context
    if not os.path.isdir(start.project_root):
        raise NotFound("run-tree-gone", run_id=run_id, path=start.project_root, branch=start.branch)
    return context.at(start.project_root)


def build_tree_steps(context: HomeContext, run_id: str, task: str) -> "list[RunSteps]":
    """Return what commits the work of a run in a work tree of its own."""
    tree = find_tree(context, run_id) if context.project.linked_to else None
    if tree is None:
        return []
    from mi.fleet.tree_steps import TreeSteps

    return [TreeSteps(context.home, tree, task, find_keep_rules(context), context.notices)]
