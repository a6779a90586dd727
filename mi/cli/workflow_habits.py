"""`mi workflow habits` and `mi workflow keep`: what runs showed again and again, and taking it over by hand."""

import os
from typing import TYPE_CHECKING, Any

from mi.app import App
from mi.cli.arguments import Args
from mi.cli.output import Output, Progress
from mi.kernel.errors import MiError, NotFound

if TYPE_CHECKING:
    from mi.mind.prompts.suggest_workflow import SuggestedWorkflow


def show(app: App, args: Args) -> int:
    """Print the habits that were seen, each with the events that show it."""
    import msgspec

    from mi.learning.habits import read_habits

    out = Output(app.language)
    habits = read_habits(app.project_home.workflow_candidates, app.notices)
    if args.json:
        out.json([{"signature": name} | msgspec.to_builtins(one) for name, one in habits.items()])
        return 0
    for name, one in habits.items():
        became = one.workflow_id or out.text("workflow.not-kept")
        out.say("workflow.habit", signature=name, name=one.name, count=one.count, benefit=one.benefit, became=became)
        out.line(f"    {' '.join(one.event_ids[-3:])}")
    if not habits:
        out.say("workflow.no-habits")
    app.note_last()
    return 0


def keep(app: App, args: Args) -> dict[str, Any]:
    """Make a habit a workflow now; what to say of it."""
    from mi.learning.habits import keep as keep_habit
    from mi.learning.habits import read_habits
    from mi.learning.mind_calls import Rules
    from mi.learning.mine_command import CommandHand

    path = app.project_home.workflow_candidates
    habits = read_habits(path, app.notices)
    habit = habits.get(args.signature)
    if habit is None or not habit.event_ids:
        raise NotFound("unknown-habit", signature=args.signature, known=", ".join(habits) or "-")
    if habit.workflow_id and _is_stored(app, habit.workflow_id):
        raise MiError("habit-kept-already", signature=args.signature, id=habit.workflow_id)
    suggestion = _suggested(app, habit.event_ids[-1])
    hand = CommandHand(app.open_project_log(), Rules())
    made = keep_habit(hand, app.workflows, path, suggestion, True, [])
    return {"id": made.id, "name": made.name, "scope": "project", "signature": args.signature}


def _is_stored(app: App, workflow_id: str) -> bool:
    """Whether the workflow that a habit became is there or can be restored; one that was deleted may be made again."""
    from mi.workflows.store import WorkflowStore

    undone = WorkflowStore(os.path.join(app.project_home.workflows, "undone"), "project", app.notices)
    return any(store.raw_bytes(workflow_id) is not None for store in (app.workflows.own, undone))


def _suggested(app: App, event_id: str) -> "SuggestedWorkflow":
    import msgspec

    from mi.mind.prompts.suggest_workflow import WorkflowAdvice

    log = app.project_home.evidence
    event = app.evidence_index.find(log, event_id, Progress(Output(app.language), "progress.indexing"))
    try:
        advice = msgspec.convert(event.fields().get("output") if event else None, WorkflowAdvice)
    except msgspec.ValidationError as error:
        raise MiError("unreadable-record", reason=str(error)) from None
    if advice.suggestion is None:
        raise NotFound("unknown-id", ref=event_id, where=log)
    return advice.suggestion
