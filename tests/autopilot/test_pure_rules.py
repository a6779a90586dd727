"""The loop's fixed rules: injection, loop guard, arbitration."""

from collections.abc import Iterable

import pytest

from mi.autopilot.injection import (
    CHANGING,
    EXTERNAL,
    PURPOSE,
    REFACTOR,
    Told,
    build,
    compose,
    injection_for,
    news_for,
)
from mi.autopilot.loop_guard import RepetitionGuard, signature
from mi.autopilot.outcomes import AskStrategy, AskUser, SendNext, arbitrate
from mi.evidence.records.mind import AutoAnswerOutput, Checks

VALUES = [Told("cl_1", "Keep changes small."), Told("cl_2", "改动要小。")]


@pytest.mark.req("mi.inject.order")
def test_injection_has_a_fixed_order():
    injected = build(VALUES, [Told("cl_3", "Use pytest.")], [Told("cl_4", "The parser is in core/.")], True, 2000)
    lines = injected.text.splitlines()
    assert lines == [
        PURPOSE,
        "Values:",
        "- Keep changes small.",
        "- 改动要小。",
        "Also:",
        "- Use pytest.",
        "Known here:",
        "- The parser is in core/.",
        EXTERNAL,
        REFACTOR,
    ]
    assert injected.claim_ids == ["cl_1", "cl_2", "cl_3", "cl_4"]


@pytest.mark.parametrize("limit", [500, 800, 2000])
@pytest.mark.req("mi.inject.max-chars")
def test_injection_never_exceeds_its_limit_and_keeps_values_longest(limit: int):
    many = [Told(f"cl_{number}", f"Value number {number} says something.") for number in range(200)]
    injected = build(many, many, many, True, limit)
    assert len(injected.text) <= limit
    assert injected.text.startswith(PURPOSE)
    assert injected.text.endswith(REFACTOR)
    assert "more values" in injected.text
    assert "Known here:" not in injected.text


def test_injection_speaks_of_more_values_only_where_there_are_more():
    few, many = [Told("cl_0", "Small steps.")], [Told(f"cl_{n}", f"Fact number {n} is told.") for n in range(1, 200)]
    assert "more values" not in build(few, [], many, True, 800).text
    assert "more values" in build(few, many, [], True, 800).text


@pytest.mark.parametrize("limit", [0, 1, 100, 140, 225, 230, 311, 350, 365, 366, 367, 420])
@pytest.mark.req("mi.inject.max-chars")
def test_a_limit_below_what_is_always_said_holds_too_and_the_external_rule_goes_last(limit: int):
    injected = build(VALUES, [], [], True, limit).text
    assert len(injected) <= limit
    assert (EXTERNAL in injected) == (limit >= len(EXTERNAL))
    assert (PURPOSE in injected) == (limit >= len(EXTERNAL) + 1 + len(PURPOSE))


@pytest.mark.req("mi.inject.deterministic")
def test_injection_is_deterministic_and_free_of_secrets():
    value = [Told("cl_1", "The key is " + "ghp_" + "aB3dE5gH7" * 4)]
    first = build(value, [], [], True, 2000)
    assert first == build(value, [], [], True, 2000)
    assert "aB3dE5gH7" not in first.text


def test_the_task_travels_where_no_thread_remembers_it():
    assert compose("INJ", "run the tests", "fix the bug") == "INJ\n\nThe task: fix the bug\n\nrun the tests"
    assert compose("INJ", "fix the bug", "fix the bug") == "INJ\n\nfix the bug"
    assert compose("", "run the tests", None) == "run the tests"
    assert compose("", "green", "fix it", "Which?") == "The task: fix it\n\nYou wrote last:\nWhich?\n\ngreen"
    assert compose("", "green", None, "Which?") == "green"


class Known:
    """Somebody's values and what they say of a refactoring."""

    def __init__(self, *values: Told, keeps: bool = True, gone: tuple[Told, ...] = ()) -> None:
        self._values, self._keeps, self._gone = list(values), keeps, gone

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        return self._values, [], []

    def behaviour_preserving(self) -> bool:
        return self._keeps

    def withdrawn(self, claim_ids: Iterable[str]) -> list[Told]:
        return [one for one in self._gone if one.id in set(claim_ids)]


SMALL, TABS, AGAIN = Told("cl_1", "Small."), Told("cl_2", "Tabs."), Told("cl_3", "Small.")
NEW = "New since you were told what the person values:\n"


@pytest.mark.req("alive.loop.thread-hears-values")
@pytest.mark.parametrize(
    ("now", "news"),
    [
        (Known(SMALL), ""),
        (Known(SMALL, TABS), f"{NEW}- Tabs."),
        (Known(gone=(SMALL,)), "This holds no longer:\n- Small."),
        (Known(AGAIN, gone=(SMALL,)), ""),  # said anew in the same words
        (Known(SMALL, Told("cl_4", "Which one? → This.", is_answer=True)), ""),  # it is told as the answer
        (Known(SMALL, keeps=False), CHANGING),
    ],
)
def test_a_thread_is_told_what_changed_and_only_once(now: Known, news: str) -> None:
    heard = injection_for(Known(SMALL), "task", 1000).heard
    told = news_for(now, "task", heard, 1000)
    assert told.text == news
    assert news_for(now, "task", told.heard, 1000).text == ""


def test_a_refactoring_that_keeps_behaviour_again_is_told_again() -> None:
    heard = news_for(Known(SMALL, keeps=False), "task", injection_for(Known(SMALL), "task", 1000).heard, 1000).heard
    assert news_for(Known(SMALL), "task", heard, 1000).text == REFACTOR


@pytest.mark.parametrize("room", [0, 40, 60, 90, 2000])
def test_news_keep_to_the_room_there_is(room: int) -> None:
    many = Known(*(Told(f"cl_{number}", "word " * 9) for number in range(30)))
    assert len(news_for(many, "task", ["refactor:preserving"], room).text) <= room


def exchange(guard: RepetitionGuard, message: str, sent: str) -> str | None:
    repetition = guard.notice(message, sent)
    guard.add(message, sent)
    return repetition.pattern if repetition else None


def test_three_equal_exchanges_are_a_loop():
    guard = RepetitionGuard()
    exchanges = [("same", "go on"), ("Same ", "go  on"), ("same", "GO ON")]
    assert [exchange(guard, message, sent) for message, sent in exchanges] == [None, None, "aaa"]


def test_alternating_exchanges_are_a_loop():
    guard = RepetitionGuard()
    assert [exchange(guard, message, "go on") for message in ("a", "b", "a", "b")] == [None, None, None, "abab"]


def test_what_was_planned_and_not_sent_repeats_nothing():
    guard = RepetitionGuard([signature("a", "go"), signature("a", "go")])
    assert guard.notice("a", "go") is not None
    guard.add("a", "look elsewhere")
    assert guard.notice("a", "go") is None


def test_progress_is_no_loop_and_a_resumed_guard_remembers():
    guard = RepetitionGuard([signature("a", "go"), signature("a", "go")])
    assert guard.notice("b", "go") is None
    resumed = RepetitionGuard([signature("a", "go"), signature("a", "go")])
    assert resumed.notice("a", "go") is not None


ANSWER = AutoAnswerOutput(should_answer=True, hands_answer_input="Use pytest.", cited_ids=["cl_1"])
UNKNOWN = AutoAnswerOutput(needs_user_input=True, ask_user_question="Which colour?")
CHECK = Checks(should_run_checks=True, hands_check_input="Run pytest.")
NO_TESTS = Checks(needs_testless_strategy=True, testless_strategy_question="What counts?")


@pytest.mark.parametrize(
    ("answer", "checks", "has_strategy", "expected"),
    [
        (UNKNOWN, CHECK, False, AskUser("Which colour?", "Run pytest.")),
        (UNKNOWN, NO_TESTS, False, AskUser("Which colour?", "")),
        (ANSWER, NO_TESTS, False, AskStrategy("What counts?")),
        (ANSWER, NO_TESTS, True, SendNext("Use pytest.", False)),
        (ANSWER, CHECK, False, SendNext("Use pytest.\n\nRun pytest.", True)),
        (None, CHECK, False, SendNext("Run pytest.", True)),
        (ANSWER, None, False, SendNext("Use pytest.", False)),
        (None, None, False, None),
        (AutoAnswerOutput(), Checks(), True, None),
    ],
)
@pytest.mark.req("v1.arb.deterministic")
def test_arbitration_order(answer, checks, has_strategy, expected):
    assert arbitrate(answer, checks, has_strategy) == expected
