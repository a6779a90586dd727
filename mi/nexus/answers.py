"""What each tool answers, as types: the door of agents publishes their JSON Schemas."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from mi.nexus.state import Issue, Task


class PlanStarted(Struct, frozen=True, kw_only=True):
    created: Literal[True]
    plan_id: int
    topic: str
    issueCount: int
    previousArchived: bool


class PlanSummary(Struct, frozen=True, kw_only=True):
    total: int
    pending: int
    decided: int


class PlanShown(Struct, frozen=True, kw_only=True):
    active: bool
    plan_id: int | UnsetType = UNSET
    topic: str | UnsetType = UNSET
    issues: list[Issue] | UnsetType = UNSET
    research_summary: str | UnsetType = UNSET
    summary: PlanSummary | UnsetType = UNSET


class IssueShown(Struct, frozen=True, kw_only=True):
    id: int
    title: str | UnsetType = UNSET
    status: str | UnsetType = UNSET


class PlanUpdated(Struct, frozen=True, kw_only=True):
    issue: IssueShown
    added: Literal[True] | UnsetType = UNSET
    removed: Literal[True] | UnsetType = UNSET
    edited: Literal[True] | UnsetType = UNSET
    reopened: Literal[True] | UnsetType = UNSET


class Remaining(Struct, frozen=True, kw_only=True):
    id: int
    title: str
    status: str


class PlanDecided(Struct, frozen=True, kw_only=True):
    decided: Literal[True]
    issue: Annotated[str, Meta(description="The title of the issue.")]
    allComplete: bool
    message: str | UnsetType = UNSET
    remaining: list[Remaining] | UnsetType = UNSET


class TasksProgress(Struct, frozen=True, kw_only=True):
    total: int
    completed: int
    pending: int


class TaskSummary(TasksProgress, frozen=True, kw_only=True):
    blocked: Annotated[int, Meta(description="How many are in progress.")]
    ready: Annotated[list[int], Meta(description="The pending tasks all of whose deps are completed.")]


class TasksShown(Struct, frozen=True, kw_only=True):
    exists: Literal[False] | UnsetType = UNSET
    goal: str | UnsetType = UNSET
    tasks: list[Task] | UnsetType = UNSET
    summary: TaskSummary | UnsetType = UNSET


class TaskShown(Struct, frozen=True, kw_only=True):
    task: Task


class Archived(Struct, frozen=True, kw_only=True):
    plan: bool
    decisions: int
    tasks: int


class MemoryHint(Struct, frozen=True, kw_only=True):
    taskCount: int
    decisionCount: int
    cycleTopics: list[str]


class CycleClosed(Struct, frozen=True, kw_only=True):
    closed: Literal[True]
    cycle: Annotated[str, Meta(description="When it was closed: the name of the cycle.")]
    branch: str
    archived: Archived
    deleted: list[str]
    total_cycles: int
    incomplete_count: int
    memoryHint: MemoryHint


class PlanDecision(Struct, frozen=True, kw_only=True):
    title: str
    decision: str


class CycleShown(Struct, frozen=True, kw_only=True):
    completed_at: str
    branch: str
    topic: str | UnsetType = UNSET
    decisions: list[PlanDecision] | UnsetType = UNSET
    task_count: int | UnsetType = UNSET


class HistoryFound(Struct, frozen=True, kw_only=True):
    total: int
    showing: int
    cycles: list[CycleShown]


class ContextShown(Struct, frozen=True, kw_only=True):
    branch: str
    activeMode: Literal["team"] | None
    decisions: list[str]
    goal: str | UnsetType = UNSET
    tasksSummary: TasksProgress | UnsetType = UNSET


class ArtifactWritten(Struct, frozen=True, kw_only=True):
    success: Literal[True]
    path: str
