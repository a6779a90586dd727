"""Who cites what would be undone, over all that knows it: thoughts, workflows, runs and answers of every project."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.evidence.records.run import RunStart
from mi.learning.reach import (
    Citation,
    Lesson,
    acts_by_thoughts,
    find_citing_runs,
    find_citing_thoughts,
    find_citing_workflows,
    find_roles,
    find_run_roles,
    find_taken_back,
)
from mi.workflows.store import WorkflowStore

if TYPE_CHECKING:
    from mi.kernel.log_view import Progress
    from mi.learning.reach import Role


def find_reach(
    context: HomeContext, holds: Callable[[str], bool], changes: Iterable[dict[str, str]], progress: "Progress"
) -> list[Citation]:
    """Return who cites what would be taken back; of a lesson for all projects, in all of them.

    `holds` says which events are part of what taught it.
    """
    taken = [one for one in changes if one["do"] == "take back"]
    ids = {one["id"] for one in taken} | {one["text"].partition(" ")[0] for one in taken if one["kind"] == "workflows"}
    lesson = Lesson(frozenset(one for one in ids if one.startswith(("cl_", "nd_", "ed_", "wf_"))), holds)
    is_shared = any(one["scope"] == "global" for one in taken)
    own = context.project.project_id
    found: dict[str, Citation] = {}
    for project_id in dict.fromkeys([own, *(context.home.project_ids() if is_shared else ())]):
        for one in _find_in_project(context, lesson, project_id, progress):
            found.setdefault(one.id, one)
    return list(found.values())


def _find_in_project(context: HomeContext, lesson: Lesson, project_id: str, progress: "Progress") -> Iterator[Citation]:
    """Yield who cites a lesson in one project, and among what holds for all."""
    place = context.home.project(project_id)
    workflows = [WorkflowStore(place.workflows, "project", context.notices)]
    workflows.append(WorkflowStore(context.home.workflows, "global", context.notices))
    yield from find_citing_thoughts(lesson, build_thoughts(context).read_project(project_id))
    yield from find_citing_workflows(lesson, workflows)
    if os.path.exists(place.evidence):
        for one in find_citing_runs(lesson, place.evidence):
            yield _with_task(context, place.evidence, one, progress)


def _with_task(context: HomeContext, log: str, one: Citation, progress: "Progress") -> Citation:
    if one.kind != "run":
        return one
    event = context.evidence_index.find(log, f"ev_{one.id}_1", progress)
    record = event.record() if event else None
    return one._replace(text=record.task) if isinstance(record, RunStart) else one


def mark_run(context: HomeContext, log: str, run: dict[str, Any], progress: "Progress") -> dict[str, Any]:
    """Return a run with what it went by and was taken back since; as it is where all of that still holds."""
    begun = context.evidence_index.find(log, f"ev_{run['run_id']}_1", progress)
    return _mark(context, log, run, find_run_roles(log, run["run_id"], begun.offset if begun else 0))


def mark_event(context: HomeContext, log: str, event: dict[str, Any]) -> dict[str, Any]:
    """Return an event with what it names and was taken back since; as it is where all of that still holds."""
    return _mark(context, log, event, find_roles(event)) if acts_by_thoughts(str(event.get("kind"))) else event


def _mark(context: HomeContext, log: str, shown: dict[str, Any], roles: "dict[str, Role]") -> dict[str, Any]:
    if log == context.home.evidence:
        thoughts, undone = build_thoughts(context).read("global"), ""
    else:
        project = os.path.basename(os.path.dirname(log))
        thoughts = build_thoughts(context).read_project(project)
        undone = os.path.join(context.home.project(project).workflows, "undone")
    found = find_taken_back(roles, thoughts, undone)
    return shown | {"taken_back_since": [one._asdict() for one in found]} if found else shown
