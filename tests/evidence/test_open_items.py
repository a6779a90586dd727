import os

import msgspec
import pytest

from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import WINDOW
from mi.evidence.log import EvidenceWriter
from mi.evidence.open_items import open_items
from mi.evidence.records.questions import HookCall, Question, UserInput
from mi.evidence.records.run import RunStart
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested


def silent(done: int, total: int) -> None:
    pass


@pytest.fixture
def writer(home, notices) -> EvidenceWriter:
    return EvidenceWriter.for_command(home.evidence, notices)


@pytest.fixture
def waiting(home, notices):
    """What waits, by id, and whether that is everything."""

    def ask() -> tuple[list[str], bool]:
        items = open_items(home.evidence, EvidenceIndex(home), notices)
        return [event.fields()["id"] for event in items.events], items.complete

    return ask


def pad(writer: EvidenceWriter, size: int = WINDOW) -> None:
    for _ in range(size // 10_000 + 1):
        writer.append(RunStart(task="x" * 10_000))


def test_nothing_waits_in_no_log(waiting):
    assert waiting() == ([], True)


def test_what_is_not_settled_waits_oldest_first(writer, waiting):
    writer.append(Question(id="qu_1", text="a?"))
    writer.append(LearnSuggested(id="ls_1", text="b"))
    writer.append(Question(id="qu_2", text="c?"))
    writer.append(UserInput(question_id="qu_1", answer="yes"))
    writer.append(UserInput(question="unasked", answer="of itself"))
    assert waiting() == (["ls_1", "qu_2"], True)
    writer.append(LearnApplied(suggestion_id="ls_1"))
    writer.append(UserInput(question_id="qu_2", answer="x" * (2 * WINDOW)))
    assert waiting()[0] == []


@pytest.mark.req("safe.seal.chat")
@pytest.mark.parametrize("indexed", ["all", "questions", "nothing"])
@pytest.mark.parametrize("word", [UserInput(answer="yes", by="chat"), UserInput(dismissed=True)])
def test_what_a_hook_stores_settles_no_question_of_a_run(home, writer, waiting, indexed, word):
    call = HookCall(host="codex", operation="push", target="main")
    asked = [
        Question(id="qu_run", text="a?"),
        Question(id="qu_call", text="b?", call=call),
        Question(id="qu_tasks", text="c?", about="proposal"),
    ]
    index = EvidenceIndex(home)
    for question in asked:
        writer.append(question)
    if indexed != "nothing":
        pad(writer)
    if indexed == "questions":
        index.catch_up(home.evidence, silent)
    for question in asked:
        writer.append(msgspec.structs.replace(word, question_id=question.id))
    if indexed == "all":
        pad(writer)
        index.catch_up(home.evidence, silent)
    assert waiting()[0] == ["qu_run"]
    writer.append(UserInput(question_id="qu_run", answer="x", by="terminal"))
    assert waiting()[0] == []


def test_a_question_further_back_than_the_window_is_known_through_the_index(home, writer, waiting):
    writer.append(Question(id="qu_old", text="a?"))
    writer.append(Question(id="qu_answered", text="b?"))
    writer.append(UserInput(question_id="qu_answered", answer="x"))
    pad(writer)
    assert waiting() == ([], False)
    assert not os.path.exists(home.indexes)
    EvidenceIndex(home).latest(home.evidence, "question", silent)
    writer.append(Question(id="qu_new", text="c?"))
    assert waiting() == (["qu_old", "qu_new"], True)
    writer.append(UserInput(question_id="qu_old", answer="at last"))
    assert waiting() == (["qu_new"], True)


def test_an_index_that_is_far_behind_is_not_everything(home, writer, waiting):
    writer.append(Question(id="qu_old", text="a?"))
    pad(writer)
    EvidenceIndex(home).latest(home.evidence, "question", silent)
    writer.append(Question(id="qu_between", text="b?"))
    pad(writer, 2 * WINDOW)
    assert waiting() == (["qu_old"], False)


def test_a_replaced_log_is_not_judged_by_the_index_of_the_old_one(home, writer, waiting, notices):
    writer.append(Question(id="qu_old", text="a?"))
    pad(writer, 3 * WINDOW)
    EvidenceIndex(home).latest(home.evidence, "question", silent)
    os.unlink(home.evidence)
    other = EvidenceWriter.for_command(home.evidence, notices)
    pad(other, WINDOW)
    other.append(Question(id="qu_new", text="b?"))
    assert waiting() == (["qu_new"], False)
