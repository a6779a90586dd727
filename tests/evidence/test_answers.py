"""Answers: read by the options of a question, heard wherever they are given, and the first one counts."""

from collections.abc import Sequence

import pytest

from mi.evidence.answers import AnswerWatch, ReadAnswer, lacks_option, read_answer
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, QuestionOption, UserInput
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.seals import unseal

COLOURS = [QuestionOption(key="A", text="red"), QuestionOption(key="B", text="dark green")]
PORTS = [QuestionOption(key="1", text="80"), QuestionOption(key="2", text="8080")]
LEAVE = [QuestionOption(key="yes"), QuestionOption(key="no")]
ONCE = [QuestionOption(key="once", text="yes, this once"), QuestionOption(key="no", text="no")]


@pytest.mark.req("person.answer.option")
@pytest.mark.parametrize(
    ("options", "said", "answer", "choice"),
    [
        (COLOURS, "Red or dark green?", "B", ReadAnswer("dark green", "B")),
        (COLOURS, "Red or dark green?", "b.", ReadAnswer("dark green", "B")),
        (COLOURS, "Red or dark green?", "(B)", ReadAnswer("dark green", "B")),
        (COLOURS, "Red or dark green?", " Dark  Green ", ReadAnswer("Dark  Green", "B")),
        (COLOURS, "A) red\nB) dark green\nWhich?", "B", ReadAnswer("B: dark green", "B")),
        (PORTS, "Which?\n1. 80\n2. 8080", "2", ReadAnswer("2: 8080", "2")),
        (PORTS, "Which?\n1. 80\n2. 8080", "80", ReadAnswer("80", "1")),
        (LEAVE, "", "yes", ReadAnswer("yes", "yes")),
        (LEAVE, "", "NO.", ReadAnswer("no", "no")),
        (ONCE, "", "once", ReadAnswer("once", "once")),
        (ONCE, "", "yes, this once", ReadAnswer("yes, this once", "once")),
        (COLOURS, "", "Neither, use blue.", ReadAnswer("Neither, use blue.")),
        (COLOURS, "", "A and B", ReadAnswer("A and B")),
        ([], "", "  free words ", ReadAnswer("free words")),
        (COLOURS, "", "...", ReadAnswer("...")),
        (COLOURS, "", "Ｂ", ReadAnswer("dark green", "B")),
        (COLOURS, "", "the first one", ReadAnswer("red", "A")),
        (COLOURS, "", "the latter", ReadAnswer("dark green", "B")),
        (COLOURS, "", "第二个", ReadAnswer("dark green", "B")),
        (COLOURS, "", "后者", ReadAnswer("dark green", "B")),
        (COLOURS, "", "the third one", ReadAnswer("the third one")),
        (COLOURS, "", "first red, then green", ReadAnswer("first red, then green")),
        (LEAVE, "", "second", ReadAnswer("second")),
    ],
)
def test_an_option_is_named_by_its_key_or_its_text(
    options: Sequence[QuestionOption], said: str, answer: str, choice: ReadAnswer
) -> None:
    assert read_answer(options, said, answer) == choice


@pytest.mark.req("person.answer.lone-mark")
@pytest.mark.parametrize(
    ("options", "answer", "lacks"),
    [
        (COLOURS, "Z", True),
        (COLOURS, "(c)", True),
        (COLOURS, "3", True),
        (COLOURS, "y", True),
        (COLOURS, "b", False),
        (COLOURS, "blue", False),
        (COLOURS, "no", False),
        (COLOURS, "蓝", False),
        (PORTS, "C", True),
        (PORTS, "80", False),
        (PORTS, "90", False),
        (LEAVE, "y", False),
        (LEAVE, "n", False),
        (LEAVE, "x", True),
        ([], "Z", False),
    ],
)
def test_a_lone_letter_or_number_must_name_an_option(
    options: Sequence[QuestionOption], answer: str, lacks: bool
) -> None:
    assert lacks_option(options, answer) is lacks


@pytest.fixture
def writer(home: Home, notices: Notices) -> EvidenceWriter:
    made = EvidenceWriter(home.project("p1").evidence, "run_20260101T000000Z_aaaaaaaa", notices)
    made.append(Question(id="qu_1", text="One?"))
    return made


def test_a_watch_hears_the_first_answer_given_after_it_began(writer: EvidenceWriter, notices: Notices) -> None:
    watch = AnswerWatch.over(writer.path, "qu_1", notices)
    assert watch.look() is None
    writer.append(UserInput(question_id="qu_other", answer="x"))
    assert watch.look() is None
    writer.append(UserInput(question_id="qu_1", answer="first"))
    writer.append(UserInput(question_id="qu_1", answer="second"))
    assert watch.look().answer == "first"  # type: ignore[union-attr]


def test_a_watch_knows_an_answer_given_before_it_began(writer: EvidenceWriter, notices: Notices) -> None:
    writer.append(UserInput(question_id="qu_1", answer="first"))
    writer.append(UserInput(question_id="qu_1", answer="second"))
    assert AnswerWatch.over(writer.path, "qu_1", notices).look().answer == "first"  # type: ignore[union-attr]


def test_a_line_that_is_not_complete_yet_is_read_when_it_is(writer: EvidenceWriter, notices: Notices) -> None:
    watch = AnswerWatch.over(writer.path, "qu_1", notices)
    line = b'{"kind":"user_input","question_id":"qu_1","answer":"late"}'
    unseal(writer.path)
    with open(writer.path, "ab") as log:
        log.write(line[:20])
    assert watch.look() is None
    with open(writer.path, "ab") as log:
        log.write(line[20:] + b"\n")
    assert watch.look().answer == "late"  # type: ignore[union-attr]
