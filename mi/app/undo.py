"""Taking back what a run, a command, an event or a single claim taught: what that would change first, then the act."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.learning import build_other_lessons
from mi.app.reach import find_reach
from mi.app.thoughts import build_thoughts
from mi.kernel.errors import MiError, NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.editor import not_here, retract
from mi.knowledge.thoughts.graph import label
from mi.knowledge.thoughts.kinds import VALUES, kind_of
from mi.learning.undo import (
    OtherLesson,
    Target,
    UndoPlace,
    describe_change,
    find_last_taught,
    find_last_undone,
    find_restorable,
    redo,
    undo,
)
from mi.learning.values import take_back_value

if TYPE_CHECKING:
    from mi.evidence.reader import Event
    from mi.kernel.log_view import Progress
    from mi.knowledge.thoughts.editor import ThoughtEditor
    from mi.knowledge.thoughts.kinds import Kind
    from mi.learning.reach import Citation


class UndoPreview(NamedTuple):
    """What would change; `restores`: what was undone before would hold again."""

    ref: str
    changes: list[dict[str, str]]  # do, id, kind, scope, text
    reach: "list[Citation]"
    restores: bool = False


class Undoing:
    """Shows and does what `mi undo` and `mi redo` do, in one project and in what holds for all."""

    def __init__(self, context: HomeContext, progress: "Progress") -> None:
        self._context = context
        self._progress = progress
        self._places = _list_places(context)
        self._others: list[OtherLesson] = build_other_lessons(context)

    def find_last(self) -> str:
        """Return the latest run or command that taught something which still stands."""
        return find_last_taught(self._places, self._others, self._context.notices).ref

    def find_last_undone(self, ref: str | None) -> str:
        """Return what was undone last, or a given thing itself."""
        return find_last_undone(self._places, ref, self._context.notices).ref

    def preview(self, ref: str) -> UndoPreview:
        """Return what undoing would change and who cites that; to undo an undo is to restore."""
        event = self._find_first_event(ref)
        if event is not None and event.head.kind in ("undo", "redo"):
            target = Target(str(event.fields().get("target")))
            if event.head.kind == "undo":
                return self.preview_restoring(target.ref)
        else:
            target = Target(ref)
        changes = describe_change(self._places, target, self._others)
        if event is None and not changes:  # a run that taught nothing is no error; one that never was is
            raise NotFound("unknown-run", ref=ref)
        reach = find_reach(self._context, target.holds, changes, self._progress) if changes else []
        return UndoPreview(target.ref, changes, reach)

    def preview_restoring(self, ref: str) -> UndoPreview:
        """Return what restoring would bring back."""
        found = find_restorable(self._places, Target(ref), self._context.notices)
        return UndoPreview(ref, [line for one in found for line in one.shown()], [], restores=True)

    def take_back(self, ref: str) -> list[str]:
        """Take back what a target taught; returns the events that say so."""
        return undo(self._places, Target(ref), self._others)

    def restore(self, ref: str) -> dict[str, list[str]]:
        """Restore what was undone; returns the events and the ids that changed."""
        return redo(self._places, Target(ref), self._others, self._context.notices)

    def _find_first_event(self, ref: str) -> "Event | None":
        """Return the event, or the first of the run or command; an error that says where it is instead."""
        context, first = self._context, Target(ref).first
        for log in (context.project_home.evidence, context.home.evidence):
            if (event := context.evidence_index.find(log, first, self._progress)) is not None:
                return event
        for one in context.home.project_ids():  # only half of it could be undone from here
            log = context.home.project(one).evidence
            if os.path.exists(log) and context.evidence_index.find(log, first, self._progress) is not None:
                raise NotFound("thought-of-other-project", ref=ref, where=log)
        return None


def _list_places(context: HomeContext) -> list[UndoPlace]:
    return [
        UndoPlace(build_thoughts(context).own, context.project_home.evidence, context.open_project_log),
        UndoPlace(build_thoughts(context).shared, context.home.evidence, context.open_global_log),
    ]


def preview_retraction(context: HomeContext, ref: str, progress: "Progress") -> UndoPreview:
    """Return what taking one claim or node back would change."""
    thought = build_thoughts(context).read("effective").get(ref)
    if thought is None:
        raise not_here(ref, "effective", str(kind_of(ref)), build_thoughts(context).find_store(ref))
    if thought.status == "retracted":
        raise MiError("already-retracted", ref=ref)
    change = {"do": "take back", "id": ref, "kind": thought.kind, "scope": thought.scope, "text": label(thought)}
    is_part: Callable[[str], bool] = lambda event_id: False  # noqa: E731
    return UndoPreview(ref, [change], find_reach(context, is_part, [change], progress))


def retract_thought(context: HomeContext, ref: str, rationale: str) -> str:
    """Take one claim or node back, in the store that holds it; returns the event's id."""
    thoughts, kind = build_thoughts(context), kind_of(ref)
    scope = thoughts.find_store(ref)
    if scope not in ("project", "global") or kind is None:
        raise not_here(ref, "effective", str(kind), scope)
    return retract_at(thoughts.edit(scope), ref, kind, rationale)


def retract_at(desk: "ThoughtEditor", ref: str, kind: "Kind", rationale: str) -> str:
    """Take a thought of one store back, of a value also its words in the person's text; returns the event's id."""
    thought = desk.require(ref, kind)
    if thought.status == "active" and VALUES in (thought.raw.get("tags") or ()):
        return take_back_value(desk.store, desk.open_log(), ref, rationale).event_id
    return retract(desk, ref, kind, rationale)
