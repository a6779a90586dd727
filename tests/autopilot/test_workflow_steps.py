"""The steps that workflows fill, one by one: what the judge is asked and shown, and what stands in the log."""

from typing import Any

import pytest

from mi.autopilot.batch_judgements import planned_check
from mi.autopilot.steps.protocol import AllSteps, RunPlace, RunSteps, SendFirst, Stop
from mi.autopilot.steps.workflows import WorkflowSteps, injected
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import Marks, RunEnd
from mi.evidence.records.workflow_ir import WorkflowStep
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.mind.mind import Mind
from mi.mind.prompts.decide_next import decide_next
from mi.mind.provider import ModelReply, ModelRequest, Provider
from mi.mind.views import BatchView, Case, FollowedWorkflow
from mi.project.identity import Project
from mi.project.overlay import WorkflowRun, read_overlay
from mi.workflows.editor import WorkflowDesk
from tests.workflows.made import CHECK, GATE, WORK, workflow

PROJECT = Project(root="/srv/app", project_id="p1", key="path:/srv/app")
RUN = "run_20260101T000000Z_aaaaaaaa"


class Told(Provider):
    """A model that says one thing and counts how often it was asked."""

    name = "told"

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.requests: list[ModelRequest] = []

    def ask(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        return ModelReply(self.answer)


class Hand:
    """A hand in a real log, with a person who says one thing."""

    def __init__(self, home: Home, mind: Mind, notices: Notices, says: str | None = None) -> None:
        self.log = EvidenceWriter(home.project("p1").evidence, RUN, notices)
        self.mind = mind
        self.says = says
        self.asked: list[str] = []
        self.records: list[Any] = []

    def append(self, record: Any, *, note: str = "") -> Any:
        self.records.append(self.log.append(record))
        return self.records[-1]

    def judge(self, prompt: Any, given: Any) -> Any:
        return self.mind.ask(prompt, given)

    def ask_once(self, question: str) -> str | None:
        self.asked.append(question)
        return self.says


ANSWER = """{"should_update": true, "completed_step_ids": ["s1", "s77"], "next_step_id": "s2", "should_close": false,
"close_reason": null, "confidence": 0.7, "notes": "seen"}"""


@pytest.fixture
def model() -> Told:
    return Told(ANSWER)


@pytest.fixture
def hand(home: Home, notices: Notices, model: Told) -> Hand:
    return Hand(home, Mind(home, home.mind_transcripts, model), notices)


@pytest.fixture
def steps(home: Home, notices: Notices) -> WorkflowSteps:
    return WorkflowSteps(RunPlace(home, PROJECT, RUN, notices), continues=False)


@pytest.fixture
def cursor(home: Home, notices: Notices) -> Any:
    return lambda: read_overlay(home, PROJECT, notices).workflow_run


def begun(home: Home, notices: Notices, steps: WorkflowSteps, hand: Hand, *flow: WorkflowStep) -> None:
    """A run that follows the release workflow, before its first batch."""
    WorkflowDesk(home, PROJECT, notices).own.add(workflow(steps=list(flow or (WORK, CHECK, GATE))))
    steps.preflight(hand, "cut a release")
    steps.before_batch(hand, "cut a release")


CASE = Case(batch=BatchView(task="cut a release", last_message="Done: the changelog.", marks=Marks(ran=True)))


@pytest.mark.req("v1.cursor.update-per-batch", "mi.prompt.unknown-step-ids", "v1.overlay.workflow-run")
def test_the_answer_moves_the_cursor_and_stands_in_the_log(
    home, notices, steps, hand: Hand, model: Told, cursor
) -> None:
    begun(home, notices, steps, hand)
    assert steps.opening(hand, "cut a release") == injected(workflow())
    assert steps.opening(hand, "cut a release") == ""
    followed = steps.workflow_progress(hand, CASE)
    assert followed == FollowedWorkflow(workflow=followed.workflow, completed=["s1"], next_step=CHECK)
    record = hand.records[-1]
    assert (record.state, record.workflow_id, record.output.completed_step_ids) == ("ok", "wf_release", ["s1", "s77"])
    assert record.output.notes == "seen; no step s77"
    assert record.mind_transcript_ref
    now: WorkflowRun = cursor()
    assert (now.completed_step_ids, now.next_step_id, now.last_confidence) == (["s1"], "s2", 0.7)
    again = steps.workflow_progress(hand, CASE)
    assert again.next_step == CHECK


@pytest.mark.req("v1.cursor.respects-circuit")
def test_with_an_open_circuit_no_model_is_asked(home, notices, steps, hand: Hand, model: Told) -> None:
    begun(home, notices, steps, hand)
    hand.mind.circuit.failed()
    hand.mind.circuit.failed()
    steps.workflow_progress(hand, CASE)
    assert model.requests == []
    assert hand.records[-1].state == "skipped"


def test_a_model_that_fails_moves_nothing(home, notices, steps, hand: Hand, model: Told, cursor) -> None:
    begun(home, notices, steps, hand)
    model.answer = "no JSON"
    before = cursor()
    followed = steps.workflow_progress(hand, CASE)
    assert (hand.records[-1].state, hand.records[-1].output) == ("error", None)
    assert (cursor().next_step_id, cursor().completed_step_ids) == (before.next_step_id, [])
    assert followed.next_step == WORK


@pytest.mark.parametrize(
    ("policy", "says", "outcome", "told"),
    [
        ("ask", "yes", SendFirst, "said: yes"),
        ("ask", "no", Stop, "did not open the gate 'Push'"),
        ("ask", None, Stop, "waits for your word"),
        ("deny", "go ahead", SendFirst, "said: go ahead"),
        ("deny", None, Stop, "waits for your word"),
        ("allow", None, type(None), ""),
        ("values_judged", None, type(None), ""),
    ],
)
def test_gates(home, notices, steps, hand: Hand, cursor, policy: str, says: str | None, outcome, told: str) -> None:
    gate = WorkflowStep(id="g", kind="gate", title="Push", hands_input="Push it.", risk_category="push", policy=policy)
    WorkflowDesk(home, PROJECT, notices).own.add(workflow(steps=[gate, WORK]))
    hand.says = says
    steps.preflight(hand, "cut a release")
    found = steps.before_batch(hand, "cut a release")
    assert isinstance(found, outcome)
    assert told in (found[0] if found else "")
    assert len(hand.asked) == (policy in ("ask", "deny"))
    assert all(("nevertheless" in one) is (policy == "deny") for one in hand.asked)
    if outcome is SendFirst:
        assert cursor().next_step_id == "s1"
        assert steps.before_batch(hand, "after a kill") == found  # until a batch has heard it
        assert len(hand.asked) == 1
        steps.workflow_progress(hand, CASE)
        assert steps.before_batch(hand, "next") is None
    assert cursor().active is (says != "no")


def test_a_gate_asks_in_the_persons_language(home, notices, hand: Hand) -> None:
    WorkflowDesk(home, PROJECT, notices).own.add(workflow(steps=[GATE]))
    steps = WorkflowSteps(RunPlace(home, PROJECT, RUN, notices, "zh"), continues=False)
    steps.preflight(hand, "cut a release")
    assert steps.before_batch(hand, "x") == Stop("工作流 'Release' 的关卡在等你的答复")
    assert "继续吗？" in hand.asked[0]


def test_the_end_of_a_run_closes_what_it_followed(home, notices, steps, hand: Hand, cursor) -> None:
    begun(home, notices, steps, hand)
    steps.session_log(hand, RunEnd(status="blocked"))
    assert cursor().active
    steps.session_log(hand, RunEnd(status="done"))
    assert (cursor().active, cursor().close_reason) == (False, "the run is done")


def test_a_check_that_is_next_is_the_plan() -> None:
    def plan(step: WorkflowStep, stalled: bool = False) -> Any:
        followed = FollowedWorkflow(workflow=workflow(), next_step=step, stalled=stalled)
        return planned_check(Case(batch=CASE.batch, workflow=followed))

    checks = plan(CHECK).value
    assert (checks.hands_check_input, checks.commands_hints) == ("Run `make test`.", ["make test"])
    assert plan(CHECK, stalled=True) is None
    assert plan(WORK) is None
    assert planned_check(CASE) is None


@pytest.mark.req("v1.cursor.context-for-decide")
def test_the_decision_sees_the_workflow() -> None:
    followed = FollowedWorkflow(workflow=workflow(), completed=["s1"], next_step=CHECK)
    shown = decide_next.user(Case(batch=CASE.batch, workflow=followed))
    assert "<<<WORKFLOW THAT IS FOLLOWED\nRelease\n" in shown
    assert "[x] s1 (hands)" in shown
    assert "[ ] s2 (check)" in shown
    ended = Case(batch=BatchView(task="x", last_message="Done.", marks=Marks(verified=True)), workflow=followed)
    move = decide_next.rules(ended)
    assert (move.next_action, move.next_hands_input) == (
        "send_to_hands",
        "Go on with 'Release'. The next step: Run `make test`.",
    )


class Says(RunSteps):
    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def before_batch(self, pen: Any, next_input: str) -> Any:
        return self.outcome


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([None, None], None),
        ([SendFirst("a"), None, SendFirst("b")], SendFirst("a\n\nb")),
        ([SendFirst("a"), Stop("no"), SendFirst("b")], Stop("no")),
    ],
)
def test_what_several_rooms_say_before_a_batch_goes_out_together(
    hand: Hand, outcomes: list[Any], expected: Any
) -> None:
    assert AllSteps([Says(one) for one in outcomes]).before_batch(hand, "x") == expected
