"""Judging without a model: a table of cases, each with the one answer that is right."""

import pytest

from mi.evidence.records.run import Marks
from mi.mind.language import claims_done
from mi.mind.prompts.auto_answer_to_hands import auto_answer_to_hands
from mi.mind.prompts.checkpoint_decide import SegmentCase, checkpoint_decide
from mi.mind.prompts.decide_next import decide_next
from mi.mind.prompts.extract_evidence import extract_evidence
from mi.mind.prompts.loop_break import LoopCase, loop_break
from mi.mind.prompts.plan_min_checks import plan_min_checks
from mi.mind.prompts.risk_judge import risk_judge
from mi.mind.views import BatchView, Case, CitableText, Person, ProjectView, SeenCommand

PYTEST = ProjectView(check_commands=["pytest -q"], has_tests=True)
VERIFIED = Marks(ran=True, claimed=True, verified=True)


def case(project: ProjectView = PYTEST, person: Person | None = None, requested: int = 0, **batch: object) -> Case:
    given = {"task": "fix the failing test", "last_message": "Done."} | batch
    given.setdefault("marks", Marks(ran=True, claimed=claims_done(str(given["task"]), str(given["last_message"]))))
    return Case(batch=BatchView(**given), project=project, person=person or Person(), checks_requested=requested)


def check(exit_code: int | None, after: bool = True) -> SeenCommand:
    return SeenCommand(command="pytest -q", exit_code=exit_code, is_check=True, after_last_change=after)


@pytest.mark.parametrize(
    ("given", "action", "status"),
    [
        pytest.param(case(changed_files=["a.py"], commands=[check(0)], marks=VERIFIED), "stop", "done", id="verified"),
        pytest.param(case(changed_files=["a.py"]), "send_to_hands", "not_done", id="claimed, no check yet"),
        pytest.param(case(changed_files=["a.py"], requested=1), "stop", "blocked", id="claimed twice, no check"),
        pytest.param(case(changed_files=["a.py"], commands=[check(1)]), "send_to_hands", "not_done", id="check failed"),
        pytest.param(
            case(changed_files=["t.py"], changed_judges=["t.py"], marks=VERIFIED),
            "send_to_hands",
            "not_done",
            id="test deleted",
        ),
        pytest.param(case(ended=False, errors=["429"]), "stop", "blocked", id="the turn did not end"),
        pytest.param(case(), "send_to_hands", "not_done", id="claims done, nothing changed"),
        pytest.param(
            case(last_message="I will look around.", person=Person(ask_when_uncertain=False)),
            "send_to_hands",
            "not_done",
            id="idle: go on",
        ),
        pytest.param(
            case(task="why does it fail?", last_message="The sign is wrong."),
            "stop",
            "done",
            id="the answer was the task",
        ),
        pytest.param(
            case(task="为什么失败？", last_message="符号写反了。"),
            "stop",
            "done",
            id="the answer was the task, Chinese",
        ),
        pytest.param(case(ProjectView(), changed_files=["a.py"]), "stop", "blocked", id="no way to check"),
        pytest.param(
            case(
                ProjectView(testless_strategy=CitableText(id="cl_1", text="open the page")),
                changed_files=["a.html"],
                requested=1,
            ),
            "stop",
            "done",
            id="shown as agreed",
        ),
    ],
)
def test_decide_next(given: Case, action: str, status: str):
    move = decide_next.rules(given)
    assert (move.next_action, move.status) == (action, status)
    assert bool(move.next_hands_input) is (action == "send_to_hands")
    assert bool(move.ask_user_question) is (action == "ask_user")
    assert move.notes or action != "stop"


def test_an_agent_without_command_results_is_blocked_with_the_reason():
    move = decide_next.rules(case(ProjectView(), changed_files=["a.py"], shows_commands=False))
    assert move.notes == "cannot verify: this agent shows no command results"


def test_a_failed_check_is_sent_back_with_the_task():
    move = decide_next.rules(case(changed_files=["a.py"], commands=[check(1)]))
    assert "pytest -q" in move.next_hands_input
    assert "exit code 1" in move.next_hands_input
    assert "fix the failing test" in move.next_hands_input


@pytest.mark.parametrize(
    ("given", "should_run", "needs_strategy"),
    [
        pytest.param(case(changed_files=["a.py"], marks=VERIFIED), False, False, id="already verified"),
        pytest.param(case(), False, False, id="nothing changed"),
        pytest.param(case(changed_files=["a.py"]), True, False, id="run the tests"),
        pytest.param(case(changed_files=["a.py"], requested=1), False, False, id="asked for already"),
        pytest.param(case(changed_files=["a.py"], commands=[check(1)]), False, False, id="ran and failed"),
        pytest.param(case(ProjectView(), changed_files=["a.py"]), False, True, id="no tests: ask once"),
        pytest.param(
            case(ProjectView(testless_strategy=CitableText(id="cl_1", text="open the page")), changed_files=["a.py"]),
            True,
            False,
            id="as agreed",
        ),
    ],
)
def test_plan_min_checks(given: Case, should_run: bool, needs_strategy: bool):
    plan = plan_min_checks.rules(given)
    assert (plan.should_run_checks, plan.needs_testless_strategy) == (should_run, needs_strategy)
    assert bool(plan.hands_check_input) is should_run
    assert bool(plan.testless_strategy_question) is needs_strategy


VALUES = [
    CitableText(id="cl_pytest", text="Use pytest for tests."),
    CitableText(id="cl_push", text="Never push to main."),
    CitableText(id="cl_ask", text="Ask me before you delete migrations."),
    CitableText(id="cl_zh", text="提交信息用英文写。"),
]


@pytest.mark.parametrize(
    ("message", "cited"),
    [
        ("Which framework for the tests, pytest or unittest?", ["cl_pytest"]),
        ("Should I push to main now?", ["cl_push"]),
        ("提交信息用中文还是英文？", ["cl_zh"]),
    ],
)
def test_questions_that_values_cover_are_answered_with_a_citation(message: str, cited: list[str]):
    answer = auto_answer_to_hands.rules(case(last_message=message, person=Person(values=VALUES)))
    assert answer.should_answer
    assert answer.cited_ids == cited
    assert not answer.needs_user_input


@pytest.mark.parametrize(
    "message",
    [
        "Should I delete the old migrations?",  # the person wants to be asked
        "Should I deploy the tests with pytest?",  # a grave word that no value names
        "Which colour should the button have?",
        "按钮用什么颜色？",
    ],
)
def test_other_questions_go_to_the_person(message: str):
    answer = auto_answer_to_hands.rules(case(last_message=message, person=Person(values=VALUES)))
    assert answer.needs_user_input
    assert answer.ask_user_question == message
    assert not answer.should_answer


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("I need the API key of the service. What is it?", "I need the API key of the service. What is it?"),
        ("It works. Which colour should the button have?", "Which colour should the button have?"),
        ("我想改按钮的颜色。可以吗？", "我想改按钮的颜色。 可以吗？"),
    ],
)
def test_the_person_is_asked_what_can_be_understood_by_itself(message: str, question: str):
    assert auto_answer_to_hands.rules(case(last_message=message)).ask_user_question == question


def test_no_question_no_answer():
    answer = auto_answer_to_hands.rules(case(person=Person(values=VALUES)))
    assert not answer.should_answer
    assert not answer.needs_user_input


@pytest.mark.parametrize(
    ("signals", "category", "severity", "ask"),
    [
        (["push: git push origin main"], "push", "high", True),
        (["network: curl x", "publish: npm publish"], "publish", "critical", True),
        (["install: pip install x"], "install", "medium", False),
        (["network: curl x"], "network", "low", False),
    ],
)
def test_risk(signals: list[str], category: str, severity: str, ask: bool):
    risk = risk_judge.rules(case(risk_signals=signals))
    assert (risk.category, risk.severity, risk.should_ask_user) == (category, severity, ask)
    assert risk.learn_suggested == []


def test_evidence_names_a_claim_without_proof():
    found = extract_evidence.rules(case(changed_files=["a.py"], commands=[check(0, after=False)]))
    assert found.facts == ["1 files changed"]
    assert "says it is done" in found.unknowns[0]
    assert found.results == ["pytest -q (exit 0, a check, but files changed after it)"]


def test_loop_break_checks_first_then_asks_then_stops():
    def action(**kwargs: object) -> str:
        return loop_break.rules(
            LoopCase(case=case(**kwargs), pattern="aaa", reason="thrice the same", next_input="go on")
        ).action

    assert action(changed_files=["a.py"]) == "run_checks_then_continue"
    assert action(changed_files=["a.py"], requested=1) == "ask_user"
    assert action(person=Person(ask_when_uncertain=False)) == "stop_blocked"


@pytest.mark.parametrize(("hint", "batches", "kind"), [("", 1, "none"), ("", 4, "max_batches"), ("done", 1, "done")])
def test_checkpoints_at_the_end_or_after_a_long_stretch(hint: str, batches: int, kind: str):
    decision = checkpoint_decide.rules(SegmentCase(task="t", events=[], batches=batches, status_hint=hint))
    assert decision.checkpoint_kind == kind
    assert decision.should_checkpoint is (kind != "none")
    assert not decision.should_mine_workflow
