"""The gate: every rule, its code, the checklist and the next legal call."""

import json
from pathlib import Path
from typing import Any

import pytest

from mi.contract.diagnostics import NoInput, memory_check_task_authority
from mi.contract.gate import AllowedCall, GateMoment, MutationRequest, Permission, decide
from mi.contract.session import Refused
from mi.contract.state import Receipt, SessionState
from mi.contract.task_tools import CompleteInput, UpdateInput, task_complete, task_update
from mi.kernel import clock
from mi.kernel.notices import Notices
from mi.project.permissions import set_state
from mi.tasks.task_list import ListedTask, TaskList
from tests.contract.conftest import add, code_of, mode, ready, recall, write

NOW = clock.parse("2026-01-01T12:00:00Z")
FRESH = Receipt(query="q", ts="2026-01-01T11:59:00Z")
OLD = Receipt(query="q", ts="2026-01-01T10:00:00Z")
OPEN = TaskList("tinyTasks.md", True, tasks=(ListedTask(id="tk_1", title="a", checked=False),), pointer="tk_1")
DONE = TaskList("tinyTasks.md", True, tasks=(ListedTask(id="tk_1", title="a", checked=True),))
NONE = TaskList("tinyTasks.md")
UNSURE = TaskList("tinyTasks.md", True, unsure="no permission")
AWAITING = OPEN._replace(awaiting="qu_1")
NEXUS = OPEN._replace(authority=".nexus/state/tasks.json")
NX_ADD = MutationRequest("nx_task_add", "task", store=NEXUS.authority)
WRITE = MutationRequest("memory_write", "memory", task_id="tk_1")
PROPOSE = MutationRequest("task_add", "propose")
CHANGE = MutationRequest("task_complete", "task")
EDIT = MutationRequest("Edit", "edit")


def state(mode: Any = None, *receipts: Receipt, steps: int = 0) -> SessionState:
    return SessionState(mode=mode, receipts=list(receipts), steps=steps)


CASES = [
    # R1: recall before mutation, whatever mode is to come; an old, void or unreadable receipt is none.
    (WRITE, state(), NONE, "RECALL_REQUIRED"),
    (WRITE, state("GUARDED"), NONE, "RECALL_REQUIRED"),
    (WRITE, state("STRICT"), OPEN, "RECALL_REQUIRED"),
    (WRITE, state("GUARDED", OLD), NONE, "RECALL_REQUIRED"),
    (WRITE, state("GUARDED", Receipt(ts=FRESH.ts, void="pointer")), NONE, "RECALL_REQUIRED"),
    (WRITE, state("GUARDED", Receipt(ts="yesterday")), NONE, "RECALL_REQUIRED"),
    (WRITE, state("GUARDED", FRESH), NONE, "ok"),
    (WRITE, state("GUARDED", OLD, FRESH), NONE, "ok"),
    # R4: intent.
    (WRITE, state(None, FRESH), NONE, "MODE_NOT_SET"),
    (WRITE, state("PASSIVE", FRESH), NONE, "MODE_TOO_LOW"),
    (WRITE, state("PASSIVE"), NONE, "MODE_TOO_LOW"),
    (PROPOSE, state("PASSIVE", FRESH), NONE, "MODE_TOO_LOW"),
    (EDIT, state("PASSIVE", FRESH), NONE, "MODE_TOO_LOW"),
    # R2: tasks are required in STRICT always, in GUARDED with a file or after more than one declared step.
    (WRITE, state("STRICT", FRESH), NONE, "TASKS_REQUIRED"),
    (WRITE, state("GUARDED", FRESH, steps=2), NONE, "TASKS_REQUIRED"),
    (WRITE._replace(steps=3), state("GUARDED", FRESH), NONE, "TASKS_REQUIRED"),
    (WRITE, state("GUARDED", FRESH, steps=1), NONE, "ok"),
    (EDIT, state("STRICT", FRESH), NONE, "TASKS_REQUIRED"),
    # Proposing the list needs recall and mode only.
    (PROPOSE, state(), NONE, "RECALL_REQUIRED"),
    (PROPOSE, state(None, FRESH), NONE, "MODE_NOT_SET"),
    (PROPOSE, state("STRICT", FRESH, steps=5), NONE, "ok"),
    # R3: authority.
    (WRITE, state("GUARDED", FRESH), OPEN, "ok"),
    (WRITE, state("GUARDED", FRESH), DONE, "NO_UNCHECKED_TASK"),
    (CHANGE, state("GUARDED", FRESH), DONE, "NO_UNCHECKED_TASK"),
    (EDIT, state("GUARDED", FRESH), DONE, "NO_UNCHECKED_TASK"),
    (WRITE, state("GUARDED", FRESH), UNSURE, "TASKS_UNCERTAIN"),
    (WRITE, state("GUARDED", FRESH), AWAITING, "TASKS_UNVERIFIED"),
    (WRITE, state("STRICT", FRESH), OPEN, "ok"),
    (WRITE._replace(task_id="tk_2"), state("STRICT", FRESH), OPEN, "TASK_NOT_CURRENT"),
    (WRITE._replace(task_id=""), state("STRICT", FRESH), OPEN, "TASK_NOT_CURRENT"),
    (WRITE._replace(task_id="tk_2"), state("GUARDED", FRESH), OPEN, "ok"),
    (EDIT, state("STRICT", FRESH), OPEN, "ok"),
    # Whichever store keeps the list, the same rules; a tool of the other store begins no second one.
    (CHANGE, state(), NEXUS, "RECALL_REQUIRED"),
    (CHANGE, state("GUARDED", FRESH), NEXUS, "ok"),
    (WRITE, state("GUARDED", FRESH), NEXUS, "ok"),
    (NX_ADD, state(), OPEN, "OTHER_AUTHORITY"),
    (NX_ADD, state("GUARDED", FRESH), DONE, "OTHER_AUTHORITY"),
    (NX_ADD, state("GUARDED", FRESH), NEXUS, "ok"),
    (NX_ADD._replace(what="propose"), state("GUARDED", FRESH), NONE, "ok"),
    # R5: what a write must carry, after everything else.
    (WRITE._replace(lacks="EVIDENCE_REQUIRED"), state("GUARDED", FRESH), NONE, "EVIDENCE_REQUIRED"),
    (WRITE._replace(lacks="RATIONALE_REQUIRED"), state("GUARDED", FRESH), NONE, "RATIONALE_REQUIRED"),
    (WRITE._replace(lacks="EVIDENCE_REQUIRED"), state("GUARDED", FRESH), DONE, "NO_UNCHECKED_TASK"),
]


@pytest.mark.req(
    *("tm.r1.recall-before-mutation", "tm.modes.passive", "tm.modes.strict", "tm.modes.declare-first"),
    *("tm.r4.all-preconditions", "tm.r4.order", "tm.r4.recall-first", "tm.r4.intent", "tm.r4.externalised"),
    *("tm.r4.authority-confirmed", "tm.r2.no-mutation-until", "tm.r3.none-unchecked-stop", "tm.r6.fail-closed"),
    *("ac.gate.one-function", "ac.gate.order", "mi.product.gate-order", "ac.code.recall-required"),
    *("ac.code.mode-not-set", "ac.code.mode-too-low", "ac.code.tasks-required", "ac.code.no-unchecked-task"),
    *("ac.code.evidence-required", "ac.code.rationale-required", "ac.receipt.age", "ac.tasksreq.guarded-file"),
    *("ac.tasksreq.guarded-steps", "ac.tasksreq.guarded-else", "ac.tasksreq.strict-always", "ac.tasksreq.proposal"),
    *("ac.mode.passive-no-mutation", "ac.mode.strict-leaf", "ac.code.other-authority", "tm.r6.never-guess"),
)
@pytest.mark.parametrize(("request_", "before", "tasks", "code"), CASES)
def test_every_rule(request_, before, tasks, code):
    verdict = decide(request_, before, tasks, GateMoment(NOW))
    assert verdict.code == code
    assert [one.item for one in verdict.checklist] == [
        *("recall", "mode", "tasks", "task authority", "content", "permission")
    ]
    assert (verdict.next is None) == (code == "ok")
    if code not in ("ok", "OTHER_AUTHORITY"):
        missing = next(one for one in verdict.checklist if not one.done)
        assert missing.item == {
            "RECALL_REQUIRED": "recall",
            "MODE_NOT_SET": "mode",
            "MODE_TOO_LOW": "mode",
            "TASKS_REQUIRED": "tasks",
            "EVIDENCE_REQUIRED": "content",
            "RATIONALE_REQUIRED": "content",
        }.get(code, "task authority")


@pytest.mark.req("one.setup.least-mode")
def test_the_least_mode_that_counts():
    strict = GateMoment(NOW, least_mode="STRICT")
    refused = decide(WRITE, state("GUARDED", FRESH), OPEN, strict)
    assert (refused.code, refused.next) == (
        "MODE_TOO_LOW",
        AllowedCall(tool="memory_set_mode", arguments={"mode": "STRICT"}),
    )
    assert decide(WRITE, state(None, FRESH), OPEN, strict).next == refused.next
    assert decide(WRITE, state("STRICT", FRESH), OPEN, strict).passed


@pytest.mark.parametrize("max_age_s", [1, 59, 60, 3600])
@pytest.mark.req("mi.config.contract-receipt-age")
def test_how_long_a_recall_counts(max_age_s):
    verdict = decide(WRITE, state("GUARDED", FRESH), NONE, GateMoment(NOW, max_age_s))
    assert verdict.passed == (max_age_s >= 60)


@pytest.mark.req("ac.gate.permission-step", "ac.code.permission-denied")
@pytest.mark.parametrize("answer", ["ask", "deny"])
def test_permission_comes_last(answer):
    moment = GateMoment(NOW, permission=Permission(answer, "not on main"))
    assert decide(WRITE, state("GUARDED", FRESH), OPEN, moment).code == "PERMISSION_DENIED"
    assert decide(WRITE, state("GUARDED", FRESH), OPEN, moment).detail == "not on main"
    assert decide(WRITE, state("GUARDED"), OPEN, moment).code == "RECALL_REQUIRED"


def test_a_person_needs_no_permission_of_the_contract():
    by_hand = WRITE._replace(person=True)
    for tasks in (NONE, OPEN, DONE, AWAITING):
        assert decide(by_hand, state(), tasks, GateMoment(NOW)).passed
    lacking = by_hand._replace(lacks="EVIDENCE_REQUIRED")
    assert decide(lacking, state(), OPEN, GateMoment(NOW)).code == "EVIDENCE_REQUIRED"


NEXT = [
    ("RECALL_REQUIRED", WRITE, state(), NONE, AllowedCall(tool="memory_recent", arguments={"count": 10})),
    ("MODE_NOT_SET", WRITE, state(None, FRESH), NONE,
     AllowedCall(tool="memory_set_mode", arguments={"mode": "GUARDED"})),
    ("TASK_NOT_CURRENT", MutationRequest("memory_write", "memory", {"type": "note"}, task_id="x"),
     state("STRICT", FRESH), OPEN,
     AllowedCall(tool="memory_write", arguments={"type": "note", "task_id": "tk_1"})),
    ("OTHER_AUTHORITY", NX_ADD, state(), OPEN, AllowedCall(tool="task_list")),
    ("NO_UNCHECKED_TASK", WRITE, state("GUARDED", FRESH), DONE, AllowedCall(tool="task_list")),
]  # fmt: skip


@pytest.mark.req("ac.block.next-call", "ac.block.machine-code", "ac.block.checklist")
@pytest.mark.parametrize(("code", "request_", "before", "tasks", "wanted"), NEXT)
def test_next_legal_call(code, request_, before, tasks, wanted):
    verdict = decide(request_, before, tasks, GateMoment(NOW))
    assert (verdict.code, verdict.next) == (code, wanted)


@pytest.mark.req(
    *("ac.receipt.sequence-works", "ac.receipt.first-mode-keeps", "ac.receipt.first-list-keeps"),
    *("tm.enforce.no-recall", "tm.enforce.no-intent", "tm.tools.recall-all-modes", "tm.r1.either-tool"),
    *("tm.r1.empty-counts", "ac.gate.memory-writes", "ac.gate.task-changes"),
)
@pytest.mark.parametrize("query", ["", "anything"])
def test_recall_mode_task_write(session, query):
    assert code_of(lambda: write(session)) == "RECALL_REQUIRED"
    assert code_of(lambda: add(session)) == "RECALL_REQUIRED"
    assert recall(session, query) == []
    assert code_of(lambda: write(session)) == "MODE_NOT_SET"
    assert code_of(lambda: add(session)) == "MODE_NOT_SET"
    mode(session)
    added = add(session, "Ship it", "build", "test")
    kept = write(session, task_id=added.pointer)
    assert kept.id.startswith("nd_")
    assert [one.id for one in recall(session, "note")] == [kept.id]


@pytest.mark.req("ac.receipt.pointer-moves", "ac.receipt.mode-changes", "tm.r3.first-unchecked")
def test_when_a_receipt_stops_counting(session):
    ready(session)
    added = add(session, "Ship it", "build", "test")
    write(session)
    mode(session)  # the same mode again
    write(session)
    task_complete(session, CompleteInput(task_id=added.pointer))
    assert code_of(lambda: write(session)) == "RECALL_REQUIRED"
    assert session.state.receipts[-1].void == "pointer"
    recall(session)
    write(session)
    mode(session, "STRICT")
    assert code_of(lambda: write(session, task_id=session.tasks().pointer)) == "RECALL_REQUIRED"
    recall(session)
    write(session, task_id=session.tasks().pointer)
    task_complete(session, CompleteInput(task_id=session.tasks().pointer))
    recall(session)
    assert code_of(lambda: write(session)) == "NO_UNCHECKED_TASK"


def test_splitting_the_current_task_keeps_the_receipt(session):
    ready(session)
    added = add(session, "Ship it")
    task_update(session, UpdateInput(task_id=added.task_id, subtasks=["build", "test"]))
    write(session)


def test_a_person_who_moves_the_pointer_makes_recall_due(session, project):
    ready(session)
    add(session, "Ship it")
    write(session)
    project.tasks.write_text(project.tasks.read_text("utf-8").replace("- [ ]", "- [ ] Think\n- [ ]"), "utf-8")
    assert code_of(lambda: write(session)) == "RECALL_REQUIRED"


@pytest.mark.req(
    *("mi.kind.gate-written", "mi.kind.violation-written", "mi.kind.mode-set-written", "mi.kind.recall-written"),
    *("mi.ids.vi", "tm.enforce.audit", "ac.audit.violation-fields", "ac.state.violations-field"),
    *("ac.state.counters-field", "ac.gate.event-after", "mi.product.one-event-log", "ac.audit.violation-kinds"),
)
def test_every_decision_is_on_record(session, project):
    code_of(lambda: write(session))
    ready(session)
    kept = write(session)
    gates = project.events("gate")
    assert [(one.code, one.outcome, one.tool) for one in gates] == [
        ("RECALL_REQUIRED", "blocked", "memory_write"),
        ("ok", "done", "memory_write"),
    ]
    assert [one.done for one in gates[0].checklist] == [False, False, True, True, True, True]
    assert gates[1].details == kept.id
    (violation,) = project.events("violation")
    assert violation.id.startswith("vi_")
    said = (violation.code, violation.boundary, violation.mode, violation.outcome, violation.details, violation.client)
    assert said == ("RECALL_REQUIRED", "mcp", "", "blocked", "none", session.name)
    assert [one.id for one in session.state.violations] == [violation.id]
    assert session.state.counters == {"violations": 1, "blocked": 1, "recalls": 1, "modes": 1, "mutations": 1}
    assert [(one.mode, one.previous) for one in project.events("mode_set")] == [("GUARDED", "")]
    assert [(one.query, one.ids) for one in project.events("recall")] == [("", [])]


@pytest.mark.req("ac.gate.permission-step", "ac.code.permission-denied")
def test_rules_that_are_handed_in(opened, project):
    asked = []

    def rules(request: MutationRequest) -> Permission:
        asked.append(request.tool)
        return Permission("deny", "frozen")

    session = ready(opened(permission=rules))
    with pytest.raises(Refused) as refused:
        write(session)
    assert (refused.value.verdict.code, refused.value.why) == ("PERMISSION_DENIED", "frozen")
    assert asked == ["memory_write"]
    assert project.events("violation") == []
    assert not Path(project.context.project_home.thoughts, "nodes.jsonl").exists()


@pytest.mark.req("ac.gate.permission-step", "ac.code.permission-denied", "mi.product.one-gate")
def test_the_rules_of_the_team(session, project):
    ready(session)
    assert write(session).id
    set_state(project.home, "local-command", "DENY", Notices())
    assert code_of(lambda: write(session)) == "PERMISSION_DENIED"
    assert add(session, "Ship it").pointer
    set_state(project.home, "edit", "DENY", Notices())
    assert code_of(lambda: add(session, "More")) == "PERMISSION_DENIED"
    set_state(project.home, "local-command", "PROMPT", Notices())  # the host asks before it calls
    assert write(session).id


@pytest.mark.req("ac.tool.check-task-authority", "tm.tools.authority-helper", "tm.def.never-inferred")
def test_check_task_authority(session, project):
    def look() -> Any:
        return memory_check_task_authority(session, NoInput())

    before = look()
    assert (before.code, before.exists, before.required, before.next.tool) == (
        *("RECALL_REQUIRED", False, False),
        "memory_recent",
    )
    ready(session)
    add(session, "Ship it", "build", "test")
    now = look()
    assert (now.code, now.resolved, now.pointer_title, now.open, now.done) == ("ok", True, "build", 2, 0)
    project.tasks.write_text("# Tasks — x\n\n- [x] a\n", "utf-8")
    done = look()
    assert (done.code, done.resolved, done.required) == ("NO_UNCHECKED_TASK", False, True)
    assert json.loads(Path(session.state_file.path).read_bytes())["counters"].get("violations") is None
