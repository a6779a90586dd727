"""Mining a stretch for a habit, kept once it recurred over runs; and changing a workflow by saying how."""

from collections.abc import Callable
from functools import partial

import msgspec

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.workflow_ir import Workflow
from mi.evidence.records.workflows import WorkflowSuggestion
from mi.kernel.errors import MiError, UsageError
from mi.kernel.state import update_state
from mi.learning.checkpoint import MindQuestion
from mi.learning.habits import Habit, Habits, count_sighting, is_ripe, keep, make_habit_signature, read_habits, runs_of
from mi.learning.knowledge import Knowledge
from mi.learning.mind_calls import Judge, ask_recorded
from mi.learning.segments import Hand, Segment
from mi.learning.text_overlap import wished_by_agent
from mi.mind.mind import Judgement
from mi.mind.prompts.checkpoint_decide import CheckpointDecision
from mi.mind.prompts.edit_workflow import NO_MODEL, EditCase, EditedWorkflow, edit_workflow
from mi.mind.prompts.suggest_workflow import HabitCase, SuggestedWorkflow, WorkflowAdvice, suggest_workflow
from mi.workflows.editor import WorkflowDesk
from mi.workflows.ir import check_new


class WorkflowMiner:
    """Asks for a habit at a checkpoint; one that was seen in enough runs becomes a workflow of the project."""

    def __init__(
        self, knowledge: Knowledge, desk: WorkflowDesk, run_id: str, changed: Callable[[Hand, str], object]
    ) -> None:
        self._knowledge = knowledge
        self._desk = desk
        self._run_id = run_id
        self._changed = changed  # brings the bound workspaces up to date
        self._path = knowledge.place.workflow_candidates
        self._knobs = knowledge.runtime.workflows

    def is_wanted(self, decision: CheckpointDecision) -> bool:
        return decision.should_mine_workflow

    def ask(self, segment: Segment) -> MindQuestion | None:
        return suggest_workflow, self._case(segment)

    def learn(self, hand: Hand, segment: Segment, judgement: Judgement[WorkflowAdvice]) -> None:
        advice = judgement.value
        suggestion = advice.suggestion if advice is not None and advice.should_suggest else None
        signature = make_habit_signature(suggestion.signature) if suggestion else ""
        habit = read_habits(self._path, self._knowledge.notices).get(signature, Habit())
        seen = runs_of([*habit.event_ids, f"ev_{self._run_id}_0"])
        record = WorkflowSuggestion(
            state=judgement.state,
            mind_transcript_ref=judgement.transcript_ref,
            segment_id=segment.segment_id,
            signature=signature,
            count=len(seen) if signature else 0,
            output=msgspec.to_builtins(advice) if advice else None,
        )
        event = hand.append(record)
        if suggestion is None or not signature:
            return
        habit = self._seen(signature, suggestion, event.event_id)
        sure = suggestion.confidence >= self._knowledge.runtime.preference_mining.min_confidence
        if not habit.workflow_id and is_ripe(habit.count, suggestion.benefit, self._knobs, sure):
            self._keep(hand, segment, suggestion)

    def _case(self, segment: Segment) -> HabitCase:
        given = self._knowledge.to_mine(segment)
        habits = read_habits(self._path, self._knowledge.notices)
        names = [f"{one.workflow.name}: {one.workflow.trigger.pattern}" for one in self._desk.all("effective")]
        return HabitCase(
            task=given.task,
            events=given.events,
            known=given.known,
            workflows=[*names, *(f"signature {one}: {habit.name}" for one, habit in habits.items())],
            settings=given.runtime,
            project=given.overlay,
            notes=given.notes,
        )

    def _seen(self, signature: str, suggestion: SuggestedWorkflow, event_id: str) -> Habit:
        """Note a habit by the event that suggests it; it counts once in a run."""

        def note(habits: Habits) -> Habits:
            old = habits.candidates.get(signature, Habit())
            new = msgspec.structs.replace(
                count_sighting(old, [*old.event_ids, event_id]),
                name=suggestion.workflow.name,
                benefit=suggestion.benefit,
            )
            return msgspec.structs.replace(habits, candidates=habits.candidates | {signature: new})

        return update_state(self._path, Habits, note, self._knowledge.notices).candidates[signature]

    def _keep(self, hand: Hand, segment: Segment, suggestion: SuggestedWorkflow) -> None:
        allowed = [segment.task.id, *(event.id for event in segment.events)]
        by_agent = partial(wished_by_agent, segment=segment)
        try:
            made = keep(hand, self._desk, self._path, suggestion, self._knobs.auto_enable, allowed, by_agent)
        except MiError as error:  # two steps of one id, or a secret in it: it stays a suggestion
            self._knowledge.notices.add("habit-not-kept", suggestion.signature, reason=error.line())
            return
        if self._knobs.auto_sync_on_change:
            self._changed(hand, f"solidified {made.id}")


def propose(
    judge: Judge, knowledge: Knowledge, workflow: Workflow, request: str, log: EvidenceWriter
) -> EditedWorkflow:
    """Return the workflow as the request wants it.

    MiError when no model understood it or what came back is no workflow.
    """
    if not request.strip():
        raise UsageError("empty-text", field="--request")
    given = EditCase(
        workflow=workflow,
        request=request,
        known=knowledge.known(f"{workflow.name} {request}"),
        settings=knowledge.runtime_text(),
        project=knowledge.overlay_text(),
    )
    judgement = ask_recorded(judge, edit_workflow, given, log)
    edited = judgement.value
    if edited is None or NO_MODEL in edited.conflicts:
        raise MiError("edit-needs-model", id=workflow.id, reason=judgement.error or judgement.by)
    kept = {name: getattr(workflow, name) for name in ("version", "id", "source", "created_ts", "updated_ts")}
    wanted = msgspec.structs.replace(edited.workflow, **kept)
    check_new(wanted, judgement.by)
    return msgspec.structs.replace(edited, workflow=wanted)
