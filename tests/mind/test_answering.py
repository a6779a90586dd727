"""Answers from values: a table of questions, each beside what the person said."""

import pytest

from mi.kernel.text import split_sentences
from mi.mind.answering import Chosen, choose
from mi.mind.asked_questions import read_questions
from mi.mind.language import questions_in
from mi.mind.views import CitableText
from tests.mind.questions import ANSWERED, ASKED


def chosen(values: str, question: str) -> list[Chosen | None]:
    said = [CitableText(id=one, text=one) for one in split_sentences(values)]
    message = f"I looked at the code. {question}"
    questions = read_questions(questions_in(message) or [question], message)
    assert questions
    return [choose(one, said) for one in questions]


@pytest.mark.req("judge.answers.values", "judge.answers.examples")
@pytest.mark.parametrize(("values", "question", "reply"), ANSWERED)
def test_values_that_choose_clearly_answer_and_are_cited(values: str, question: str, reply: str) -> None:
    (answer,) = chosen(values, question)
    assert answer is not None
    assert answer.reply.startswith(reply)
    assert {one.text for one in answer.said} <= set(split_sentences(values))


@pytest.mark.req("judge.answers.asked", "judge.answers.irreversible")
@pytest.mark.parametrize(("values", "question"), ASKED)
def test_everything_else_is_the_persons_to_answer(values: str, question: str) -> None:
    assert None in chosen(values, question)


@pytest.mark.req("judge.answers.values")
def test_a_third_of_the_table_is_asked() -> None:
    assert len(ASKED) * 3 >= len(ASKED) + len(ANSWERED) >= 80


@pytest.mark.req("judge.answers.asked")
def test_what_an_agent_said_is_no_value_of_the_person() -> None:
    said = [CitableText(id="ev_1", text="Prefer the standard library.", by_person=False)]
    (question,) = read_questions(["May I install numpy?"], "")
    assert choose(question, said) is None


def test_two_values_that_agree_are_both_cited() -> None:
    (answer,) = chosen("No new dependencies. Prefer the standard library.", "May I install numpy?")
    assert answer is not None
    assert [one.text for one in answer.said] == ["No new dependencies.", "Prefer the standard library."]
