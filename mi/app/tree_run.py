"""Which run `last` means, and where a run worked: a project may have several work trees."""

import os

from mi.app.home_context import HomeContext
from mi.app.run_names import find_run_id
from mi.kernel.errors import Blocked


def find_tree_run(context: HomeContext) -> str:
    """Return the latest run of the linked work tree that a command stands in; '' where every run is meant."""
    return find_latest_here(context) if context.project.linked_to else ""


def find_latest_here(context: HomeContext) -> str:
    """Return the latest run that worked in this very tree; '' when none did."""
    log, index = context.project_home.evidence, context.evidence_index
    if not os.path.exists(log):
        return ""
    from mi.evidence.runs import find_latest_of_tree

    index.catch_up(log, lambda done, total: None)
    return find_latest_of_tree(index, context.home.relative(log), context.project.root)


def choose_resumed(context: HomeContext, run_id: str) -> str:
    """Return the run to go on with: the named one, else the latest of this tree, else of the project.

    Blocked for one that goes on, perhaps in another tree, whose lock is not the one that is about to be taken.
    """
    from mi.autopilot.resume import latest_run_id
    from mi.autopilot.run_lock import find_running

    living = {run.owner.run_id: run.owner for run in find_running(context.home)}
    run_id = "" if run_id == "last" else run_id
    here = "" if run_id else find_tree_run(context)
    chosen = find_run_id(context, run_id) or (here if here not in living else "")
    chosen = chosen or latest_run_id(context.project_home.evidence, context.notices, living)
    if chosen in living:
        owner = living[chosen]
        raise Blocked("run-in-progress", run_id=chosen, pid=owner.pid, since=owner.ts)
    return chosen


def open_tree_of(context: HomeContext, run_id: str) -> HomeContext:
    """Return the context of the work tree in which a run of this project worked, if it is another that is there."""
    index, log = context.evidence_index, context.project_home.evidence
    event = index.find(log, f"ev_{run_id}_1", lambda done, total: None) if os.path.exists(log) else None
    root = str(event.fields().get("project_root") or "") if event else ""
    if root in ("", context.project.root) or not os.path.isdir(root):
        return context
    there = context.at(root)
    return there if there.project.project_id == context.project.project_id else context
