"""`mi workflow habits` and `mi workflow keep`: what runs showed again and again, and taking it over by hand."""

import os
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.app.workflows import build_workflows
from mi.cli.arguments import Args
from mi.cli.output import Output, Progress
from mi.kernel.errors import MiError, NotFound

if TYPE_CHECKING:
    from mi.mind.prompts.suggest_workflow import SuggestedWorkflow


def show(context: HomeContext, args: Args) -> int:
    """Print the habits that were seen, each with the events that show it."""
    import msgspec

    from mi.learning.habits import read_habits

    out = Output(context.language)
    habits = read_habits(context.project_home.workflow_candidates, context.notices)
    if args.json:
        out.json([{"signature": name} | msgspec.to_builtins(one) for name, one in habits.items()])
        return 0
    for name, one in habits.items():
        became = one.workflow_id or out.text("workflow.not-kept")
        out.say("workflow.habit", signature=name, name=one.name, count=one.count, benefit=one.benefit, became=became)
        out.line(f"    {' '.join(one.event_ids[-3:])}")
    if not habits:
        out.say("workflow.no-habits")
    context.note_last()
    return 0


def keep(context: HomeContext, args: Args) -> dict[str, Any]:
    """Make a habit a workflow now; what to say of it."""
    from mi.learning.habits import keep as keep_habit
    from mi.learning.habits import read_habits
    from mi.learning.mind_calls import Rules
    from mi.learning.mine_command import CommandHand

    path = context.project_home.workflow_candidates
    habits = read_habits(path, context.notices)
    habit = habits.get(args.signature)
    if habit is None or not habit.event_ids:
        raise NotFound("unknown-habit", signature=args.signature, known=", ".join(habits) or "-")
    if habit.workflow_id and _is_stored(context, habit.workflow_id):
        raise MiError("habit-kept-already", signature=args.signature, id=habit.workflow_id)
    suggestion = _suggested(context, habit.event_ids[-1])
    hand = CommandHand(context.open_project_log(), Rules())
    made = keep_habit(hand, build_workflows(context), path, suggestion, True, [])
    return {"id": made.id, "name": made.name, "scope": "project", "signature": args.signature}


def _is_stored(context: HomeContext, workflow_id: str) -> bool:
    """Return whether the workflow that a habit became is there or can be restored.

    One that was deleted may be made again.
    """
    from mi.workflows.store import WorkflowStore

    undone = WorkflowStore(os.path.join(context.project_home.workflows, "undone"), "project", context.notices)
    return any(store.raw_bytes(workflow_id) is not None for store in (build_workflows(context).own, undone))


def _suggested(context: HomeContext, event_id: str) -> "SuggestedWorkflow":
    import msgspec

    from mi.mind.prompts.suggest_workflow import WorkflowAdvice

    log = context.project_home.evidence
    event = context.evidence_index.find(log, event_id, Progress(Output(context.language), "progress.indexing"))
    try:
        advice = msgspec.convert(event.fields().get("output") if event else None, WorkflowAdvice)
    except msgspec.ValidationError as error:
        raise MiError("unreadable-record", reason=str(error)) from None
    if advice.suggestion is None:
        raise NotFound("unknown-id", ref=event_id, where=log)
    return advice.suggestion
