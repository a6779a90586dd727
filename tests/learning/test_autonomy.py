"""Earned autonomy: what MI would have said, how often that was right, and where it may answer by itself."""

import json

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, QuestionOption, UserInput, WouldAnswer
from mi.evidence.records.thoughts import AnsweredAlone
from mi.kernel.notices import Notices
from mi.learning.autonomy import SettledQuestion, TopicAgreement, add_up, count_answer, may_answer
from tests.autopilot.workbench import MEND, TEST, Workbench, say

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
FRAMEWORK = "Should I write the new tests with pytest or unittest?"
# the second value speaks of both and chooses neither: that is a doubt, and the person is asked
VALUES = "Use pytest for tests. The pytest and unittest suites of the tests are kept apart."
OPTIONS = [QuestionOption(key="A", text="pytest"), QuestionOption(key="B", text="unittest")]


def asked(answer: str = "pytest.", text: str = FRAMEWORK, topic: str = "tests") -> Question:
    would = WouldAnswer(answer=answer, confidence=0.5, topic=topic)
    return Question(id="qu_1", text=text, options=OPTIONS if text == FRAMEWORK else [], would=would, keep=True)


def settled(count: int, right: int, **fields: str) -> list[SettledQuestion]:
    said = ["pytest" if number < right else "unittest" for number in range(count)]
    return [
        SettledQuestion(asked(**fields), UserInput(answer=one, ts=f"2026-01-{at + 10}")) for at, one in enumerate(said)
    ]


def tally(answered: list[SettledQuestion | AnsweredAlone]) -> list[TopicAgreement]:
    return add_up(map(count_answer, answered))


def test_agreement_is_counted_by_topic() -> None:
    style = SettledQuestion(
        asked("No.", "Do you want type hints?", "style"), UserInput(answer="yes please", ts="2026-02-01")
    )
    nothing = SettledQuestion(asked("", "Do you want type hints?", "style"), UserInput(answer="no", ts="2026-03-01"))
    other = SettledQuestion(asked("No.", "Do you like it?", ""), UserInput(answer="no", ts="2026-03-01"))
    found = tally([*settled(3, 2), style, nothing, other, AnsweredAlone(topic="tests", ts="2026-04-01")])
    assert found == [
        TopicAgreement("tests", 3, 3, 2, 1, "2026-01-10"),
        TopicAgreement("style", 2, 1, 0, 0, "2026-02-01"),
        TopicAgreement("", 1, 1, 1, 0, "2026-03-01"),
    ]


@pytest.mark.req("person.autonomy.earned")
@pytest.mark.parametrize(
    ("count", "right", "earned"),
    [(9, 9, False), (10, 10, True), (10, 9, False), (20, 19, True), (21, 19, False), (40, 38, True), (0, 0, False)],
)
def test_autonomy_is_earned_by_ten_answers_and_ninety_five_percent(count: int, right: int, earned: bool) -> None:
    assert [one.is_earned for one in tally(settled(count, right))] == [earned] * bool(count)


@pytest.mark.req("person.autonomy.grave")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Should I push the tests to origin?", "Yes."),
        ("Should I delete the old tests?", "Yes."),
        ("May I rewrite the tests?", "Yes."),
        ("Should the tests use the production database?", "Yes."),
        ("Should I spend more tokens on the tests?", "Yes."),
        ("What about the failing tests?", "Delete them."),
        ("要不要删除旧测试？", "要。"),
        (FRAMEWORK, ""),
    ],
)
def test_what_is_at_stake_or_unknown_is_asked_whatever_was_earned(question: str, answer: str) -> None:
    earned = tally(settled(30, 30))
    assert may_answer(asked(), earned) is not None
    assert may_answer(asked(answer, question), earned) is None


def test_no_other_topic_lends_its_agreement() -> None:
    assert may_answer(asked(topic="style"), tally(settled(30, 30))) is None
    assert may_answer(asked(topic=""), tally(settled(30, 30, topic=""))) is None


@pytest.mark.req("person.autonomy.sampled")
def test_a_tenth_of_what_could_be_answered_is_asked_all_the_same() -> None:
    known: list[SettledQuestion | AnsweredAlone] = [*settled(10, 10)]
    alone = 0
    for number in range(100):
        if may_answer(asked(), tally(known)):
            alone += 1
            known.append(AnsweredAlone(topic="tests", ts=f"2027-{number}"))
        else:
            known += settled(1, 1)
    assert alone == 90


def teach(bench: Workbench, count: int, answer: str) -> None:
    """Let the person have answered so often before."""
    (log,) = bench.home.glob("projects/*/evidence.jsonl")
    writer = EvidenceWriter.for_command(str(log), Notices())
    for number in range(count):
        question = asked()
        writer.append(Question(id=f"qu_t{number}", text=FRAMEWORK, options=OPTIONS, would=question.would, keep=True))
        writer.append(UserInput(question=FRAMEWORK, answer=answer, question_id=f"qu_t{number}", by="terminal"))


@pytest.mark.req("person.autonomy.would", "person.autonomy.shown", "person.autonomy.earned")
def test_mi_answers_by_itself_only_where_the_person_wants_it_and_it_was_right(bench: Workbench) -> None:
    bench.values(VALUES)
    bench.agent([say(FRAMEWORK)], DONE)
    bench.run().ended("blocked")
    (question,) = [one for one in bench.records() if one["kind"] == "question"]
    assert (question["would"]["answer"], question["would"]["topic"]) == ("pytest.", "tests")
    assert question["would"]["why_asked"]
    bench.mi("answer", question["id"], "pytest", "--once")
    teach(bench, 10, "pytest")
    shown = json.loads(bench.mi("autonomy", "--json").stdout)
    (topic,) = shown["topics"]
    assert (shown["autonomy"], topic["topic"], topic["asked"], topic["agreed"]) == ("ask", "tests", 11, 11)
    assert topic["earned"] is True
    bench.agent([say(FRAMEWORK)], DONE)
    bench.run().ended("blocked")
    bench.mi("inbox", "dismiss", bench.inbox()[0]["id"])
    bench.configure(runtime={**bench.config["runtime"], "autonomy": "earned"})
    bench.agent([say(FRAMEWORK)], DONE)
    ran = bench.run()
    ran.ended("done")
    assert ran.inputs[-1].startswith("pytest.")
    (alone,) = ran.of("answered_alone")
    assert (alone["question"], alone["answer"], alone["agreed"]) == (FRAMEWORK, "pytest.", 11)
    assert "answered alone 1" in bench.mi("autonomy").stdout
