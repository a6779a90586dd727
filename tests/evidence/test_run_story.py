"""The story of the latest run, found by the index."""

import pytest

from mi.evidence import run_story
from mi.evidence.index import EvidenceIndex
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import Evidence, HandsInput
from mi.evidence.records.mind import AutoAnswer, AutoAnswerOutput, DecideNext
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import RunEnd, RunStart
from mi.evidence.run_story import read_story

RUN = "run_20261116T145234Z_bbbbbbbb"


def write_run(home, notices, batches: int) -> None:
    earlier = EvidenceWriter(home.evidence, "run_20261116T145233Z_aaaaaaaa", notices)
    for record in (RunStart(task="before"), HandsInput(batch_id="b0"), RunEnd(status="done")):
        earlier.append(record)
    writer = EvidenceWriter(home.evidence, RUN, notices)
    writer.append(RunStart(task="add a flag"))
    for number in range(batches):
        for record in (HandsInput, Evidence, DecideNext):
            writer.append(record(batch_id=f"b{number}"))
    writer.append(RunEnd(status="interrupted"))
    writer.append(RunStart(task="add a flag", resumed_from=RUN))
    answer = AutoAnswerOutput(should_answer=True, hands_answer_input="pytest")
    writer.append(AutoAnswer(batch_id="b0", auto_answer=answer))
    writer.append(Question(id="qu_1", text="Red or green?"))
    command = EvidenceWriter(home.evidence, "cli_20261116T145235Z_cccccccc", notices)
    command.append(UserInput(question_id="qu_1", answer="green"))
    writer.append(RunEnd(status="done", reason="checked"))


@pytest.mark.req("alive.home.long-run")
def test_a_long_run_costs_no_more_reading_than_a_short_one(tmp_path, home, notices, monkeypatch):
    read: list[int] = []
    read_at = run_story.read_at
    monkeypatch.setattr(run_story, "read_at", lambda log, offset: read.append(offset) or read_at(log, offset))
    monkeypatch.setattr("mi.kernel.jsonl.read_backward", lambda *args: pytest.fail("read the log back"))
    write_run(home, notices, 300)
    story = read_story(home.evidence, RUN, EvidenceIndex(home), lambda done, total: None)
    assert (story.task, story.batches, story.end and story.end.reason) == ("add a flag", 300, "checked")
    assert [(one.id, one.answer) for one in story.asked] == [("qu_1", "green")]
    assert [one.answer for one in story.answered] == ["pytest"]
    assert len(read) == 9  # two starts, two ends, question, answers, the latest input and decision
