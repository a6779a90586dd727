"""Which answers hold for the next time."""

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, QuestionOption, UserInput
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
from mi.learning.answers import keep_answer, may_keep, read_answers

TWO = [QuestionOption(key="A", text="install click"), QuestionOption(key="B", text="use argparse")]


def question(text: str, options: list[QuestionOption] | None = None, keep: bool = True) -> Question:
    return Question(id="qu_1", text=text, options=options or [], keep=keep)


@pytest.mark.req("person.asked-once.no-permission")
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("May I rewrite the parser?", "yes"),
        ("Is it okay if I change the signature?", "yes, go ahead"),
        ("Should I push it to origin?", "yes"),
        ("Should I delete the old files?", "sure"),
        ("What should I do with the table?", "drop it"),
        ("Should I push to main or to a branch?", "main"),
        ("Should I use the production database for the check?", "yes"),
        ("Should I spend more tokens on it?", "yes"),
        ("Raise the limit to 40 more batches?", "yes"),
        ("我可以重写解析器吗？", "可以"),
        ("要不要推送到远端？", "要"),
        ("是否允许修改接口？", "允许"),
        ("Which password should I use?", "hunter2"),
        ("Tabs or spaces?", "tabs, just this once"),
        ("Tabs or spaces?", "for now, spaces"),
        ("用制表符还是空格？", "这次用空格"),
        ("Which key should I use?", "AKIAIOSFODNN7EXAMPLE"),
        ("Tabs or spaces?", "  "),
        ("Tabs or spaces?", "not sure"),
        ("Where should the tests go?", "you decide"),
        ("Where should the tests go?", "what do you mean?"),
        ("测试放在哪里？", "随便"),
        ("Should I skip the failing test?", "yes"),
        ("Should I upload the results to the tracker?", "yes"),
        ("Should I disable the certificate check?", "yes"),
        ("要不要跳过失败的测试？", "要"),
        ("Tabs or spaces?", "spaces " * 400),
    ],
)
def test_what_holds_this_one_time_only(asked: str, answer: str) -> None:
    assert not may_keep(question(asked), answer)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Tabs or spaces?", "spaces"),
        ("Should I add type hints?", "yes"),
        ("May I rewrite the parser?", "no, leave it alone"),
        ("Should I push it to origin?", "no, never"),
        ("Can I use pathlib, or should I stay with os.path?", "pathlib"),
        ("Where should the tests go?", "beside the module"),
        ("要不要写测试？", "要"),
    ],
)
def test_what_holds_from_now_on(asked: str, answer: str) -> None:
    assert may_keep(question(asked), answer)


def test_the_harmless_option_is_kept_and_the_grave_one_is_not() -> None:
    assert may_keep(question("Which one?", TWO), "B")
    assert not may_keep(question("Which one?", TWO), "A")


@pytest.fixture
def own(tmp_path) -> ThoughtStore:
    return ThoughtStore(str(tmp_path / "thoughts"), "project", "p", Notices())


@pytest.fixture
def keep(tmp_path, own):
    log = EvidenceWriter.for_command(str(tmp_path / "evidence.jsonl"), Notices())

    def keep(asked: Question, answer: str, **fields):
        given = log.append(UserInput(question=asked.text, answer=answer, question_id=asked.id, **fields))
        return keep_answer(own, asked, given, log.append)

    return keep


def test_a_letter_is_kept_as_the_option_it_stands_for(own, keep):
    keep(question("Which one?", TWO), "B: use argparse")
    (kept,) = read_answers(own)
    assert (kept.question, kept.answer) == ("Which one?\nA) install click\nB) use argparse", "use argparse")


def test_only_an_agents_question_that_was_answered_is_kept(own, keep):
    assert keep(question("Tabs or spaces?", keep=False), "tabs") is None
    assert keep(question("Tabs or spaces?"), "", dismissed=True) is None
    assert keep(question("Tabs or spaces?"), "tabs", once=True) is None
    assert read_answers(own) == []


def test_the_same_answer_to_the_same_words_is_kept_once(own, keep):
    assert keep(question("Tabs or spaces?"), "tabs") is not None
    assert keep(question("Tabs or spaces?"), "tabs") is None
    assert len(read_answers(own)) == 1


def test_a_claim_that_an_agent_dresses_up_as_an_answer_is_none(own):
    own.add_claims([own.new_claim("Tabs? → yes", ["mi:answer"], "ev_1", "hands", notes="Tabs?")])
    assert read_answers(own) == []
