"""The plan: questions that are decided one by one before the work begins."""

from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from mi.kernel import clock
from mi.kernel.errors import NotFound, UsageError
from mi.nexus.state import Issue, Plan, is_given
from mi.nexus.store import Store

Answer = dict[str, Any]  # the shape that the contract gives each tool


class PlanStart(Struct, frozen=True, kw_only=True):
    topic: str
    issues: list[str]
    research_summary: str


class PlanStatus(Struct, frozen=True, kw_only=True):
    pass


class PlanUpdate(Struct, frozen=True, kw_only=True):
    action: str  # no closed list: any other action is answered, not refused by a schema
    issue_id: int | UnsetType = UNSET
    title: str | UnsetType = UNSET


class PlanDecide(Struct, frozen=True, kw_only=True):
    issue_id: int
    decision: str
    how_agents: list[str] | UnsetType = UNSET
    how_summary: dict[str, str] | UnsetType = UNSET
    how_agent_ids: dict[str, str] | UnsetType = UNSET


def start(store: Store, asked: PlanStart) -> Answer:
    """Begin a plan; the one before it goes into the history first."""
    with store.lock():
        former = store.plan()
        if former is not None:
            from mi.nexus import extensions

            gone = extensions.collect_leaving(store, "plan")
            cycle, _ = store.archive(former, [])
            extensions.archive(store, gone, cycle.completed_at)
        issues = [Issue(id=number, title=title, status="pending") for number, title in enumerate(asked.issues, 1)]
        plan = Plan(
            id=_next_id(store.cycles()),
            topic=asked.topic,
            issues=issues,
            research_summary=asked.research_summary,
            created_at=clock.now(),
        )
        store.save(store.place.plan, plan)
    return {
        "created": True,
        "plan_id": plan.id,
        "topic": plan.topic,
        "issueCount": len(issues),
        "previousArchived": former is not None,
    }


def _next_id(cycles: list[dict[str, Any]]) -> int:
    plans = [cycle["plan"] for cycle in cycles if isinstance(cycle.get("plan"), dict)]
    ids = [plan["id"] for plan in plans if isinstance(plan.get("id"), int)]
    return int(max([0, *ids])) + 1


def show_status(store: Store, asked: PlanStatus) -> Answer:
    """Return the plan as it stands."""
    plan = store.plan()
    if plan is None:
        return {"active": False}
    decided = sum(issue.status == "decided" for issue in plan.issues)
    summary = {"total": len(plan.issues), "pending": len(plan.issues) - decided, "decided": decided}
    issues = msgspec.to_builtins(plan.issues)
    answer = {"active": True, "plan_id": plan.id, "topic": plan.topic, "issues": issues, "summary": summary}
    return answer | ({"research_summary": plan.research_summary} if is_given(plan.research_summary) else {})


def update(store: Store, asked: PlanUpdate) -> Answer:
    """Add, remove, rename or reopen a question."""
    _active(store)  # before the lock, which would make the folder
    with store.lock():
        plan = _active(store)
        changes = {"add": _add, "remove": _remove, "edit": _edit, "reopen": _reopen}
        if asked.action not in changes:
            raise UsageError("nx-unknown-action")
        changed, answer = changes[asked.action](plan, asked)
        store.save(store.place.plan, changed)
    return answer


def _add(plan: Plan, asked: PlanUpdate) -> tuple[Plan, Answer]:
    if not asked.title:
        raise UsageError("nx-add-title")
    new = Issue(id=max([0, *(issue.id for issue in plan.issues)]) + 1, title=asked.title, status="pending")
    return _with(plan, [*plan.issues, new]), {"added": True, "issue": msgspec.to_builtins(new)}


def _remove(plan: Plan, asked: PlanUpdate) -> tuple[Plan, Answer]:
    issue = _named(plan, asked)
    rest = [one for one in plan.issues if one is not issue]
    return _with(plan, rest), {"removed": True, "issue": {"id": issue.id}}


def _edit(plan: Plan, asked: PlanUpdate) -> tuple[Plan, Answer]:
    if asked.issue_id is UNSET or not asked.title:
        raise UsageError("nx-edit-needs")
    issue = _issue(plan, asked.issue_id)
    changed = _replaced(plan, issue, msgspec.structs.replace(issue, title=asked.title))
    return changed, {"edited": True, "issue": {"id": issue.id, "title": asked.title}}


def _reopen(plan: Plan, asked: PlanUpdate) -> tuple[Plan, Answer]:
    issue = _named(plan, asked)
    changed = _replaced(plan, issue, msgspec.structs.replace(issue, status="pending", decision=UNSET))
    return changed, {"reopened": True, "issue": {"id": issue.id, "title": issue.title, "status": "pending"}}


def decide(store: Store, asked: PlanDecide) -> Answer:
    """Decide a question; says what is left."""
    _active(store)
    with store.lock():
        plan = _active(store)
        issue = _issue(plan, asked.issue_id)
        how = {name: getattr(asked, name) for name in ("how_agents", "how_summary", "how_agent_ids")}
        kept = {name: value for name, value in how.items() if is_given(value)}
        decided = msgspec.structs.replace(issue, status="decided", decision=asked.decision, **kept)
        plan = _replaced(plan, issue, decided)
        store.save(store.place.plan, plan)
    left = [issue for issue in plan.issues if issue.status != "decided"]
    answer: Answer = {"decided": True, "issue": issue.title, "allComplete": not left}
    if left:
        return answer | {"remaining": [{"id": one.id, "title": one.title, "status": one.status} for one in left]}
    return answer | {"message": "All issues are decided. Turn the decisions into tasks now, one nx_task_add each."}


def _active(store: Store) -> Plan:
    plan = store.plan()
    if plan is None:
        raise NotFound("nx-no-plan")
    return plan


def _named(plan: Plan, asked: PlanUpdate) -> Issue:
    if asked.issue_id is UNSET:
        raise UsageError("nx-issue-id", action=asked.action)
    return _issue(plan, asked.issue_id)


def _issue(plan: Plan, issue_id: int) -> Issue:
    for issue in plan.issues:
        if issue.id == issue_id:
            return issue
    raise NotFound("nx-no-issue", id=issue_id)


def _replaced(plan: Plan, old: Issue, new: Issue) -> Plan:
    return _with(plan, [new if issue is old else issue for issue in plan.issues])


def _with(plan: Plan, issues: list[Issue]) -> Plan:
    return msgspec.structs.replace(plan, issues=issues)
