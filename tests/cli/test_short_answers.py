"""A person's day: questions of several projects, answered in the short words of somebody at a phone."""

import json

import pytest

from mi.evidence.records.questions import AskedLimit, QuestionOption
from mi.kernel.home import Home
from tests.cli.test_inbox import ask
from tests.conftest import Mi

STORES = [QuestionOption(key="A", text="sqlite"), QuestionOption(key="B", text="postgres")]
YES_OR_NO = [QuestionOption(key="yes"), QuestionOption(key="no")]


def waits(mi: Mi) -> list[int]:
    """The numbers that wait."""
    return sorted(item["number"] for item in json.loads(mi("inbox", "--json").stdout))


@pytest.mark.req("person.answer.short")
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["1", "B"], "postgres"),
        (["1 B"], "postgres"),
        (["1B"], "postgres"),
        (["#1: b"], "postgres"),
        (["1.", "B"], "postgres"),
        (["B"], "postgres"),
        (["第二个"], "postgres"),
        (["Ｂ"], "postgres"),
        (["1", "the", "first"], "sqlite"),
        (["no,", "use", "mysql"], "no, use mysql"),
        (["1", "2 tables in one file"], "2 tables in one file"),
        (["qu_shop1", "B"], "postgres"),
        (["不", "用", "mysql"], "不 用 mysql"),
    ],
)
def test_short_words_answer_the_one_question_there_is(home: Home, mi: Mi, words: list[str], answer: str) -> None:
    ask(home, "shop", 1, text="Which store?", options=STORES)
    mi("inbox")
    done = mi("answer", *words, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["question"], told["answer"]) == ("Which store?", answer)
    assert waits(mi) == []


@pytest.mark.req("person.answer.short")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_number_several_questions_are_named_and_none_is_answered(home: Home, mi: Mi, language: str) -> None:
    ask(home, "shop", 1, text="Which store?", options=STORES)
    ask(home, "blog", 2, text="Add a changelog entry?", options=YES_OR_NO)
    env = {"MI_LANG": language}
    mi("inbox")
    refused = mi("answer", "yes", env=env)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "1 Which store?" in refused.stderr
    assert "2 Add a changelog entry?" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert waits(mi) == [1, 2]
    assert mi("answer", "2", "好").returncode == 0
    assert waits(mi) == [1]


@pytest.mark.req("person.limit.answered", "person.answer.short")
@pytest.mark.parametrize(("said", "limit"), [("5 more", "7 batches"), ("20", "22 batches"), ("1 5 more", "7 batches")])
def test_a_number_that_names_nothing_raises_the_one_limit_that_waits(home: Home, mi: Mi, said: str, limit: str) -> None:
    limited = AskedLimit(name="batches", value=2)
    ask(home, "shop", 1, text="Raise the limit by how much?", about="limit", limit=limited, options=YES_OR_NO)
    mi("inbox")
    done = mi("answer", *said.split())
    assert (done.returncode, f"The limit becomes: {limit}" in done.stdout) == (0, True), done
    late = mi("answer", *said.split())
    assert late.returncode != 0  # it is answered: no number means it any more


@pytest.mark.req("person.answer.only-seen")
@pytest.mark.parametrize("said", ["yes", "no, it was the agent", "A", "是的", "see"])
def test_what_is_only_told_takes_no_word_but_seen(home: Home, mi: Mi, said: str) -> None:
    ask(home, "shop", 1, text="Not MI's: claims.jsonl. Was it you?", about="home", options=[QuestionOption(key="seen")])
    mi("inbox")
    refused = mi("answer", "1", said)
    assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (2, "", 1)
    assert f"does not offer {said!r}; say one of: seen" in refused.stderr
    assert waits(mi) == [1]
    assert mi("answer", "1", "Seen.").returncode == 0
    assert waits(mi) == []


@pytest.mark.req("person.answer.short", "person.answer.empty")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["1"], 2, "mi inbox dismiss 1"),
        (["#1:"], 2, "mi inbox dismiss 1"),
        (["qu_shop1"], 2, "mi inbox dismiss qu_shop1"),
        (["7 B"], 1, "nothing waits under 7"),
        (["qu_other", "B"], 1, "nothing waits under qu_other"),
        (["C"], 2, "has no option 'C'"),
    ],
)
def test_what_is_no_answer_is_said_in_one_line(home: Home, mi: Mi, words: list[str], code: int, told: str) -> None:
    ask(home, "shop", 1, text="Which store?", options=STORES)
    mi("inbox")
    refused = mi("answer", *words)
    assert (refused.returncode, refused.stdout) == (code, "")
    assert told in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert waits(mi) == [1]


def test_where_nothing_waits_a_word_is_an_answer_to_nothing(home: Home, mi: Mi) -> None:
    refused = mi("answer", "yes")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "nothing waits under yes" in refused.stderr


@pytest.mark.req("person.answer.follows")
@pytest.mark.parametrize(("word", "limit"), [("yes", "4 batches"), ("好", "4 batches"), ("3 more", "5 batches")])
def test_what_a_limit_becomes_is_said(home: Home, mi: Mi, word: str, limit: str) -> None:
    limited = AskedLimit(name="batches", value=2)
    ask(home, "shop", 1, text="Raise the limit by how much?", about="limit", limit=limited, options=YES_OR_NO)
    said = mi("answer", "1", word)
    assert said.returncode == 0, said.stderr
    assert f"The limit becomes: {limit}" in said.stdout


@pytest.mark.req("person.answer.several")
@pytest.mark.parametrize(
    "words",
    [["1", "B", "2", "yes"], ["1B 2 yes"], ["1:", "B,", "2:", "y"], ["#1", "postgres;", "#2", "好"], ["1B", "2y"]],
)
def test_several_questions_are_answered_at_once(home: Home, mi: Mi, words: list[str]) -> None:
    ask(home, "shop", 1, text="Which store?", options=STORES)
    ask(home, "blog", 2, text="Add a changelog entry?", options=YES_OR_NO)
    mi("inbox")
    done = mi("answer", *words, "--json")
    assert done.returncode == 0, done.stderr
    assert [one["question"] for one in json.loads(done.stdout)] == ["Which store?", "Add a changelog entry?"]
    assert json.loads(done.stdout)[0]["answer"] == "postgres"
    assert waits(mi) == []


@pytest.mark.req("person.answer.several")
@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["1", "keep", "2", "spaces"], "keep 2 spaces"),
        (["1", "yes, 2 yes"], "yes, 2 yes"),
        (["1", "B", "7", "times"], "B 7 times"),
        (["1", "sqlite 2"], "sqlite 2"),
    ],
)
def test_a_number_in_an_answer_is_no_other_question(home: Home, mi: Mi, words: list[str], answer: str) -> None:
    ask(home, "shop", 1, text="Which store?", options=STORES)
    ask(home, "blog", 2, text="Add a changelog entry?", options=YES_OR_NO)
    mi("inbox")
    assert json.loads(mi("answer", *words, "--json").stdout)["answer"] == answer
    assert waits(mi) == [2]


@pytest.mark.req("person.answer.several")
@pytest.mark.parametrize("words", [["1", "B", "2", "spaces"], ["1", "yes,", "2", "spaces"], ["1", "B", "2"]])
def test_what_may_be_one_answer_or_two_is_none(home: Home, mi: Mi, words: list[str]) -> None:
    ask(home, "shop", 1, text="Which store?", options=STORES)
    ask(home, "blog", 2, text="Add a changelog entry?", options=YES_OR_NO)
    mi("inbox")
    refused = mi("answer", *words)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "mi answer 2 …" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert waits(mi) == [1, 2]
