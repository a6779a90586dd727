"""The eleven tools: one table of names, parameters and functions, called by every door and recorded each time."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec

from mi.evidence.records.governed import NexusEvent
from mi.kernel.errors import MiError, UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.nexus import history, plan, tasks
from mi.nexus.plan import Answer
from mi.nexus.store import Store

if TYPE_CHECKING:  # most reads record nothing
    from mi.evidence.records.governed import NexusEvent

_SHOWN = 400  # characters of one parameter that are kept in the event
Record = Callable[["NexusEvent"], object]


class NexusTool(NamedTuple):
    """A tool of the contract."""

    name: str
    summary: str
    run: Callable[[Store, Any], Answer]
    answer: str  # its type in mi.nexus.answers, which the shell has no need of
    writes: bool = False
    destructive: bool = False
    changes_list: bool = False  # of tasks: another list of the project stands before it
    closes: bool = False  # comes after a finished list, so that no open task is asked for

    @property
    def params(self) -> type[msgspec.Struct]:
        """The type of the parameters, as the function declares it."""
        declared: type[msgspec.Struct] = self.run.__annotations__["asked"]
        return declared


TOOLS = {
    tool.name: tool
    for tool in (
        NexusTool(
            "plan_start",
            "Begin a plan: a topic and the questions to decide. An active plan is archived first.",
            plan.start,
            "PlanStarted",
            writes=True,
        ),
        NexusTool(
            "plan_status", "The active plan, its questions and how many are decided.", plan.show_status, "PlanShown"
        ),
        NexusTool(
            "plan_update",
            "Change the questions of the active plan: add, remove, edit or reopen one.",
            plan.update,
            "PlanUpdated",
            writes=True,
        ),
        NexusTool(
            "plan_decide",
            "Record the decision of one question of the active plan.",
            plan.decide,
            "PlanDecided",
            writes=True,
        ),
        NexusTool("task_list", "All tasks, the goal, and which tasks can be begun.", tasks.show, "TasksShown"),
        NexusTool(
            "task_add",
            "Add a task; the first one makes the list.",
            tasks.add,
            "TaskShown",
            writes=True,
            changes_list=True,
        ),
        NexusTool(
            "task_update",
            "Set a task to pending, in_progress or completed.",
            tasks.update,
            "TaskShown",
            writes=True,
            changes_list=True,
        ),
        NexusTool(
            "task_close",
            "Close the cycle: archive plan and tasks in the history.",
            tasks.close,
            "CycleClosed",
            writes=True,
            closes=True,
            destructive=True,
        ),
        NexusTool("history_search", "Closed cycles that hold a text, the latest last.", history.search, "HistoryFound"),
        NexusTool(
            "context", "Branch, goal, progress and decisions of the present work.", history.read_context, "ContextShown"
        ),
        NexusTool(
            "artifact_write",
            "Keep a report or other output of an agent below .nexus/state/artifacts/.",
            history.write,
            "ArtifactWritten",
            writes=True,
        ),
    )
}


def call(store: Store, name: str, arguments: dict[str, Any], record: Record | None = None) -> Answer:
    """Run a tool by its name; the call is recorded whether it succeeds or not. Raises an error with its own text."""
    tool = TOOLS[name]
    error = ""
    try:
        asked = parse(tool, arguments)
        if tool.writes:
            refuse_secrets(arguments)
        return tool.run(store, asked)
    except MiError as failed:
        error = failed.line()
        raise
    finally:
        if record is not None:
            harness_id = store.place.harness_id
            record(NexusEvent(event=name, harness_id=harness_id, params=show_parameters(arguments), error=error))


def parse(tool: NexusTool, arguments: dict[str, Any]) -> Any:
    """Return the parameters as their type; what is missing, unknown or of another kind is named."""
    fields = {field.name: field for field in msgspec.structs.fields(tool.params)}
    values: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in fields:
            raise UsageError("nx-unknown-param", name=name, tool=tool.name, known=", ".join(fields) or "-")
        if value is None:  # many clients send null for what they leave out
            continue
        try:
            values[name] = msgspec.convert(value, fields[name].type, strict=False)
        except msgspec.ValidationError as error:
            reason = f"{error}{_choices(fields[name].type)}"
            raise UsageError("nx-wrong-param", name=name, tool=tool.name, reason=reason) from None
    for name, field in fields.items():
        if field.default is msgspec.NODEFAULT and name not in values:
            raise UsageError("nx-missing-param", name=name, tool=tool.name)
    return tool.params(**values)


def _choices(kind: Any) -> str:
    """Return the values that a parameter may have, where there are few."""
    options = [kind, *get_args(kind)]
    known = [value for one in options if get_origin(one) is Literal for value in get_args(one)]
    return f" (there are: {', '.join(known)})" if known else ""


def refuse_secrets(arguments: dict[str, Any]) -> None:
    """Raise when a text that would be kept in the repository holds a secret."""
    from mi.knowledge.thoughts.store import refuse_secret

    for name, value in arguments.items():
        for text in find_texts(value):
            refuse_secret(name, text)


def find_texts(value: Any) -> list[str]:
    """Return every text in a parameter."""
    match value:
        case str():
            return [value]
        case list():
            return [text for one in value for text in find_texts(one)]
        case dict():
            return [text for one in value.values() for text in find_texts(one)]
    return []


def show_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters as an event keeps them: without secrets, long texts cut."""
    return {key: _shown(value) for key, value in params.items()}


def _shown(value: Any) -> Any:
    """Return a parameter as the event keeps it: without secrets, and short."""
    match value:
        case str():
            safe = redact(value)
            return safe if len(safe) <= _SHOWN else f"{safe[:_SHOWN]}…"
        case list():
            return [_shown(one) for one in value]
        case dict():
            return {key: _shown(one) for key, one in value.items()}
    return value
