"""The state files as types: what is written is one of these and nothing else; the JSON Schemas are made from them."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from mi.nexus.layout import HARNESS_PATTERN

Id = Annotated[int, Meta(ge=1)]
Text = Annotated[str, Meta(min_length=1)]
Moment = Annotated[str, Meta(min_length=1, extra_json_schema={"format": "date-time"})]
IssueStatus = Literal["pending", "decided"]
TaskStatus = Literal["pending", "in_progress", "completed"]
ReusePolicy = Literal["fresh", "resume_if_same_artifact", "resume"]
Version = Annotated[str, Meta(pattern=r"^\d+\.\d+$")]
SCHEMA_VERSION = "1.0"


class Issue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question of a plan."""

    id: Id
    title: str
    status: IssueStatus
    decision: str | UnsetType = UNSET
    how_agents: list[str] | UnsetType = UNSET
    how_summary: dict[str, str] | UnsetType = UNSET
    how_agent_ids: dict[str, str] | UnsetType = UNSET


class Plan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`plan.json`: what is to be decided before work begins."""

    id: Id
    topic: str
    issues: list[Issue]
    created_at: Moment
    research_summary: str | UnsetType = UNSET


class Task(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One piece of work."""

    id: Id
    title: str
    context: str
    status: TaskStatus
    deps: list[int]
    approach: str | UnsetType = UNSET
    acceptance: str | UnsetType = UNSET
    risk: str | UnsetType = UNSET
    plan_issue: int | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    owner_agent_id: str | UnsetType = UNSET
    owner_reuse_policy: ReusePolicy | UnsetType = UNSET
    created_at: Moment | UnsetType = UNSET


class Tasks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`tasks.json`: what is being done."""

    goal: str
    decisions: list[str]
    tasks: list[Task]


class Cycle(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A closed plan with its tasks."""

    completed_at: Moment
    branch: str
    plan: Plan | None
    tasks: list[Task]
    schema_version: Version | UnsetType = UNSET  # written always, tolerated when absent


class History(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`history.json`: every cycle there ever was, oldest first."""

    cycles: list[Cycle]


class TrackerEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One agent instance of a session; ids are opaque."""

    harness_id: Annotated[str, Meta(pattern=HARNESS_PATTERN)]
    started_at: Moment
    agent_name: str | UnsetType = UNSET
    agent_id: str | UnsetType = UNSET
    last_resumed_at: Moment | UnsetType = UNSET
    resume_count: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    status: Literal["running", "completed"] | UnsetType = UNSET
    stopped_at: Moment | UnsetType = UNSET
    last_message: str | UnsetType = UNSET
    files_touched: list[str] | UnsetType = UNSET


class AccessRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `memory-access.jsonl`: how one memory file was used; `path` is the key."""

    path: Text
    last_accessed_ts: Moment
    access_count: Annotated[int, Meta(ge=0)]
    last_agent: Text
    schema_version: Version | UnsetType = UNSET


class ToolLogLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of `tool-log.jsonl`."""

    ts: Moment
    agent_id: str
    tool: Text
    status: Literal["ok", "error"]
    file: str | UnsetType = UNSET
    error: str | UnsetType = UNSET


Fields = dict[str, Any]  # what a harness adds to an issue or a task; its own business


class PlanExtension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What this harness knows about the plan beyond `plan.json`."""

    extends: Literal["plan.json"]
    extension_for_plan_id: Id
    issue_extensions: dict[str, Fields]


class TasksExtension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What this harness knows about the tasks beyond `tasks.json`."""

    extends: Literal["tasks.json"]
    task_extensions: dict[str, Fields]


class CycleExtension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The extensions of a closed cycle, found again by its `completed_at`."""

    completed_at: Moment
    issue_extensions: dict[str, Fields] | UnsetType = UNSET
    task_extensions: dict[str, Fields] | UnsetType = UNSET


class HistoryExtension(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """This harness's own archive of its extensions."""

    extends: Literal["history.json"]
    cycle_extensions: list[CycleExtension]


def is_given(value: Any) -> bool:
    """Return whether an optional field has a value."""
    return value is not UNSET and value is not None
