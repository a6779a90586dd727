"""What runs taught about workflows, taken back and restored: a file that is set aside, a habit that counts less."""

import os
from collections.abc import Callable

import msgspec

from mi.evidence.records.workflow_ir import Workflow
from mi.kernel import files
from mi.kernel.believed import note_written
from mi.kernel.home import ProjectHome, make_dirs
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.learning.habits import Habit, Habits, count_sighting
from mi.workflows.store import WorkflowStore

Holds = Callable[[str], bool]


class WorkflowLesson:
    """The workflows' part of an undo; nothing is erased: an undone workflow lies in `workflows/undone/`."""

    name = "workflows"

    def __init__(self, place: ProjectHome, notices: Notices, changed: Callable[[str], None]) -> None:
        self._path = place.workflow_candidates
        self._standing = WorkflowStore(place.workflows, "project", notices)
        self._undone = WorkflowStore(os.path.join(place.workflows, "undone"), "project", notices)
        self._notices = notices
        self._changed = changed

    def taught(self, holds: Holds) -> list[str]:
        kept = [f"{one.id} {one.name}" for one in self._standing.all() if _kept_by(one, holds)]
        habits = read_state(self._path, Habits, self._notices).candidates
        return kept + [f"habit {name}" for name, habit in habits.items() if any(holds(one) for one in habit.event_ids)]

    def take_back(self, holds: Holds, event_id: str) -> None:
        self._move(self._standing, self._undone, holds, event_id)
        self._recount(holds, undone=True)

    def restore(self, holds: Holds, event_id: str) -> None:
        self._move(self._undone, self._standing, holds, event_id)
        self._recount(holds, undone=False)

    def _move(self, source: WorkflowStore, target: WorkflowStore, holds: Holds, event_id: str) -> None:
        moved = [one.id for one in source.all() if _kept_by(one, holds)]
        for workflow_id in moved:
            make_dirs(target.folder)
            old, new = (os.path.join(one.folder, f"{workflow_id}.json") for one in (source, target))
            note_written(old, None)
            note_written(new, files.read_bytes(old))
            os.replace(old, new)
        if moved:
            self._changed(event_id)

    def _recount(self, holds: Holds, undone: bool) -> None:
        if not os.path.exists(self._path):
            return

        def change(habits: Habits) -> Habits:
            return msgspec.structs.replace(
                habits, candidates={name: _recounted(one, holds, undone) for name, one in habits.candidates.items()}
            )

        update_state(self._path, Habits, change, self._notices)


def _kept_by(workflow: Workflow, holds: Holds) -> bool:
    """Return whether an event of the target made it a workflow: the last that it cites did."""
    refs = workflow.source.evidence_refs
    return workflow.source.kind == "suggested" and bool(refs) and holds(refs[-1])


def _recounted(habit: Habit, holds: Holds, undone: bool) -> Habit:
    source, target = (habit.event_ids, habit.undone_event_ids) if undone else (habit.undone_event_ids, habit.event_ids)
    moved = [one for one in source if holds(one)]
    if not moved:
        return habit
    left, grown = [one for one in source if one not in moved], [*target, *moved]
    new = count_sighting(habit, left if undone else grown)
    return msgspec.structs.replace(new, undone_event_ids=grown if undone else left)
