"""A question that was answered before is known again, and only that one."""

import pytest

from mi.mind.asked_before import find_answer, find_vote, rank
from mi.mind.asked_questions import AskedQuestion, read_questions, read_stored
from mi.mind.same_question import is_same
from mi.mind.views import AnsweredBefore
from tests.mind.asked_again import OTHER, SAME


def read(text: str) -> AskedQuestion:
    return read_questions([text], text)[0]


def answered(question: str, answer: str, name: str = "cl_1") -> AnsweredBefore:
    return AnsweredBefore(id=name, question=question, answer=answer)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_question_in_other_words_is_known_again(one: str, other: str) -> None:
    assert is_same(read(one), read(other))
    assert is_same(read(other), read(one))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_a_question_about_something_else_is_not(one: str, other: str) -> None:
    assert not is_same(read(one), read(other))
    assert not is_same(read(other), read(one))


def test_an_answer_about_one_function_does_not_hold_for_all_but_one_about_all_holds_for_each() -> None:
    every, one = read("Should bad input raise?"), read("Should bad input to `parse_date` raise?")
    assert is_same(every, one)
    assert not is_same(one, every)


@pytest.mark.parametrize(
    ("before", "said", "asked", "reply"),
    [
        ("Tabs or spaces?", "spaces", "How do you want it indented?\n1. tabs\n2. spaces", "2: spaces."),
        ("Tabs or spaces?", "spaces, not tabs", "Should I indent with spaces or tabs?", "spaces."),
        ("Should I add type hints?", "yes please", "Do you want annotations?", "Yes."),
        ("Should I add type hints?", "no, never", "Do you want annotations?", "No."),
        (
            "Where should the tests go?",
            "beside the module",
            "Which folder do you want the tests in?",
            "beside the module.",
        ),
        ("用制表符还是空格缩进？", "空格", "缩进用空格还是制表符？", "空格."),
    ],
)
def test_the_answer_is_said_in_the_options_of_the_new_question(before: str, said: str, asked: str, reply: str) -> None:
    found = find_answer(read(asked), [answered(before, said)])
    assert found is not None
    assert (found.reply, [one.id for one in found.said]) == (reply, ["cl_1"])


@pytest.mark.parametrize(
    ("before", "said", "asked"),
    [
        ("Tabs or spaces?", "whatever the linter says", "Should I indent with tabs or spaces?"),
        ("Should I delete the old files?", "yes", "Should I delete the old files?"),
        ("Push to main or open a pull request?", "push to main", "Push to main or open a pull request?"),
    ],
)
def test_what_chooses_nothing_or_cannot_be_taken_back_goes_to_the_person(before: str, said: str, asked: str) -> None:
    assert find_answer(read(asked), [answered(before, said)]) is None


def test_answers_that_disagree_answer_nothing_unless_one_is_to_the_very_words() -> None:
    first, second = (
        answered("Tabs or spaces?", "tabs"),
        answered("Should I indent with tabs or spaces?", "spaces", "cl_2"),
    )
    assert find_answer(read("Do you prefer spaces or tabs?"), [first, second]) is None
    found = find_answer(read("tabs or spaces?"), [first, second])
    assert found is not None
    assert found.reply == "tabs."


@pytest.mark.parametrize(
    ("answer", "vote"),
    [
        ("B", 1),
        ("b)", 1),
        ("option A", 0),
        ("use argparse", 1),
        ("argparse, not click", 1),
        ("either", None),
        ("C", None),
    ],
)
def test_an_option_is_chosen_by_its_mark_or_by_words_of_its_own(answer: str, vote: int | None) -> None:
    question = read_stored("Which one?\nA) install click\nB) use argparse")
    assert find_vote(answer, question) == vote


def test_of_many_answers_those_near_a_question_come_first() -> None:
    many = [answered(f"Should topic{number} be first or second?", "first", f"cl_{number}") for number in range(40)]
    wanted = answered("Should I add type hints?", "yes", "cl_wanted")
    found = rank([read("Do you want annotations?")], [*many[:20], wanted, *many[20:]])
    assert found[0].id == "cl_wanted"
    assert len(found) == 12
