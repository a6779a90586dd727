"""Habits: what was seen in runs and may become a workflow; counted by run, kept once, told apart by signature."""

import re
from collections.abc import Callable, Iterable

import msgspec
from msgspec import Struct

from mi.evidence.records.workflow_ir import Source, Workflow, WorkflowStep
from mi.evidence.records.workflows import WorkflowSolidified
from mi.governance.commands import classify
from mi.kernel import clock, ids
from mi.kernel.config.types import Workflows as Knobs
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.knowledge.search.words import tokens
from mi.learning.segments import Hand
from mi.mind.prompts.suggest_workflow import SuggestedWorkflow
from mi.workflows.editor import WorkflowDesk
from mi.workflows.ir import check_new


class Habit(Struct, frozen=True, kw_only=True):
    """How often a habit was seen, where, and which workflow it became."""

    count: int = 0  # of runs
    name: str = ""
    benefit: str = ""
    workflow_id: str = ""
    event_ids: list[str] = []
    undone_event_ids: list[str] = []
    updated_ts: str = ""


class Habits(Struct, frozen=True, kw_only=True):
    """`workflow_candidates.json`: what was seen, by signature."""

    version: str = "v1"
    candidates: dict[str, Habit] = {}


def make_habit_signature(text: str) -> str:
    """Return a signature in one form: its words, lower case, joined by dashes."""
    return "-".join(tokens(text))[:80]


def add_guards(step: WorkflowStep, by_agent: Callable[[str], bool] = lambda text: False) -> WorkflowStep:
    """Make a step that holds a risky command, or an agent's own words, a gate that asks.

    What an agent once did is no leave to do it again, and what it wished for none to do it at all.
    """
    commands = [*re.findall(r"`([^`]+)`", step.text), *step.text.splitlines()]
    grave = any(act.is_grave for command in commands for act in classify(command))
    said = re.sub(r"`[^`]+`", " ", step.text)  # a command that was run is the habit itself
    if step.is_closed_gate or not (grave or by_agent(said)):
        return step
    return msgspec.structs.replace(step, kind="gate", policy="ask", hands_input=step.text)


def count_sighting(habit: Habit, event_ids: list[str]) -> Habit:
    """Return the habit as these events show it."""
    return msgspec.structs.replace(habit, event_ids=event_ids, count=len(runs_of(event_ids)), updated_ts=clock.now())


def runs_of(event_ids: list[str]) -> set[str]:
    """Return the runs that events belong to."""
    return {one.removeprefix("ev_").rpartition("_")[0] for one in event_ids}


def is_ripe(count: int, benefit: str, knobs: Knobs, sure: bool = True) -> bool:
    """Return whether a habit was seen often enough to be kept; on one sight alone only by a judgement that was sure."""
    if count >= max(1, knobs.min_occurrences):
        return True
    return count >= 1 and benefit == "high" and sure and knobs.allow_single_if_high_benefit


def mark_kept(path: str, signature: str, workflow_id: str, notices: Notices) -> None:
    """Remember which workflow a habit became: whoever deletes or undoes it does not get it again."""

    def mark(habits: Habits) -> Habits:
        old = habits.candidates.get(signature, Habit())
        marked = msgspec.structs.replace(old, workflow_id=workflow_id)
        return msgspec.structs.replace(habits, candidates=habits.candidates | {signature: marked})

    update_state(path, Habits, mark, notices)


def keep(
    hand: Hand,
    desk: WorkflowDesk,
    path: str,
    suggestion: SuggestedWorkflow,
    enabled: bool,
    allowed: Iterable[str],
    by_agent: Callable[[str], bool] = lambda text: False,
) -> Workflow:
    """Make a habit a workflow of the project: the event first, then the file, which cites it; MiError when it is none.

    Of the events that the suggestion cites only those that are `allowed` are kept.
    """
    signature = make_habit_signature(suggestion.signature)
    habit = read_habits(path, desk.notices).get(signature, Habit())
    made = _workflow(suggestion, habit, enabled, {*allowed, *habit.event_ids}, by_agent)
    check_new(made, signature)
    record = WorkflowSolidified(workflow_id=made.id, workflow_name=made.name, signature=signature, count=habit.count)
    event = hand.append(record, note=f"a habit was kept as the workflow {made.name!r}")
    source = msgspec.structs.replace(made.source, evidence_refs=[*made.source.evidence_refs, event.event_id])
    stored = desk.own.add(msgspec.structs.replace(made, source=source))
    mark_kept(path, signature, made.id, desk.notices)
    return stored


def _workflow(
    suggestion: SuggestedWorkflow, habit: Habit, enabled: bool, allowed: set[str], by_agent: Callable[[str], bool]
) -> Workflow:
    cited = [one for one in suggestion.workflow.source.evidence_refs if one in allowed]
    refs = list(dict.fromkeys([*habit.event_ids, *cited]))
    return msgspec.structs.replace(
        suggestion.workflow,
        version="v1",
        id=ids.make_id("wf"),
        enabled=enabled,
        steps=[add_guards(step, by_agent) for step in suggestion.workflow.steps],
        source=Source(kind="suggested", reason=suggestion.reason, evidence_refs=refs),
        created_ts="",
        updated_ts="",
    )


def read_habits(path: str, notices: Notices) -> dict[str, Habit]:
    """Return what was seen so far, by signature."""
    return read_state(path, Habits, notices).candidates
