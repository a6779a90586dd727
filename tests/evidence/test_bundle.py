import os

import pytest

from mi.evidence import reader
from mi.evidence.bundle import find_latest_batch
from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import WINDOW
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import Evidence, HandsInput
from mi.evidence.records.mind import CheckPlan, DecideNext, RiskEvent
from mi.evidence.records.run import BatchEnd, RunEnd, RunStart, StateCorrupt
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested, SettingsSet, WhyTrace
from tests.seals import unseal

RUN = "run_20261116T145233Z_aaaaaaaa"
HANDS, MIND = "projects/p/transcripts/hands/h.jsonl", "projects/p/transcripts/mind/{}.jsonl"


@pytest.fixture
def writer(home, notices) -> EvidenceWriter:
    return EvidenceWriter(home.evidence, RUN, notices)


@pytest.fixture
def bundle(home, notices):
    return lambda: find_latest_batch(home.evidence, EvidenceIndex(home), notices, lambda done, total: None)


def batch(writer: EvidenceWriter, name: str) -> dict[str, str]:
    """A batch as a run writes it; the event ids by kind."""
    records = [
        HandsInput(batch_id=name, thread_id="t1", input=f"do {name}", transcript_path=HANDS, light_injection="values"),
        BatchEnd(batch_id=name, hands_transcript_ref=HANDS, last_message=f"did {name}"),
        Evidence(batch_id=name, mind_transcript_ref=MIND.format("extract")),
        RiskEvent(batch_id=name),
        CheckPlan(batch_id=name, mind_transcript_ref=MIND.format("plan")),
        CheckPlan(batch_id=f"{name}.after_testless", mind_transcript_ref=MIND.format("plan again")),
        LearnSuggested(batch_id=name, id=f"ls_{name}_1", text="one"),
        LearnSuggested(batch_id=name, id=f"ls_{name}_2", text="two"),
        DecideNext(batch_id=name, mind_transcript_ref=MIND.format("extract"), status="done"),
    ]
    return {record.__struct_config__.tag: writer.append(record).event_id for record in records}


def test_there_is_none_before_the_first_batch(writer, bundle):
    assert bundle() is None
    writer.append(RunStart())
    assert bundle() is None


def test_the_bundle_shows_what_was_sent_said_judged_and_where_it_is(writer, bundle, home, notices):
    writer.append(RunStart(task="x"))
    batch(writer, "b0")
    ids = batch(writer, "b1")
    writer.append(WhyTrace(batch_id="b1", query="why?"))
    writer.append(RunEnd(status="done"))
    command = EvidenceWriter.for_command(home.evidence, notices)
    command.append(LearnApplied(suggestion_id="ls_b1_2"))
    command.append(LearnApplied(suggestion_id="ls_b0_1"))
    command.append(SettingsSet())
    seen = bundle()
    assert {name: seen[name] for name in ("run_id", "batch_id", "thread_id", "hands_last_message")} == {
        "run_id": RUN,
        "batch_id": "b1",
        "thread_id": "t1",
        "hands_last_message": "did b1",
    }
    assert seen["hands_input"]["input"] == "do b1"
    assert seen["check_plan"]["batch_id"] == "b1.after_testless"
    assert seen["evidence"]["event_id"] == ids["evidence"]
    assert seen["decide_next"]["status"] == "done"
    assert seen["why_trace"]["query"] == "why?"
    assert len(seen["why_traces"]) == 1
    assert [one["id"] for one in seen["learn_suggested"]] == ["ls_b1_1", "ls_b1_2"]
    assert [one["suggestion_id"] for one in seen["learn_applied"]] == ["ls_b1_2"]
    assert seen["hands_transcript_ref"] == HANDS
    assert seen["mind_transcript_refs"] == [MIND.format(name) for name in ("extract", "plan", "plan again")]
    assert seen["event_ids"][0] == ids["hands_input"]
    assert ids["decide_next"] in seen["event_ids"]
    assert (seen["loop_guard"], seen["state_corrupt_recent"]) == (None, None)


def test_a_batch_that_has_just_begun(writer, bundle):
    batch(writer, "b0")
    writer.append(HandsInput(batch_id="b1", input="next", transcript_path=HANDS))
    seen = bundle()
    assert (seen["batch_id"], seen["hands_last_message"], seen["evidence"]) == ("b1", "", None)
    assert seen["hands_transcript_ref"] == HANDS


def test_records_of_another_run_do_not_mix_in(writer, bundle, home, notices):
    writer.append(HandsInput(batch_id="b0", input="ours"))
    EvidenceWriter(home.evidence, "run_other", notices).append(BatchEnd(batch_id="b0", last_message="theirs"))
    seen = bundle()
    assert (seen["hands_input"]["input"], seen["batch_end"]) == ("ours", None)


def test_the_most_recent_corrupt_state_is_pointed_to(writer, bundle):
    batch(writer, "b0")
    for path in ("old", "new"):
        writer.append(StateCorrupt(path=path))
    assert bundle()["state_corrupt_recent"]["path"] == "new"


def test_a_batch_further_back_than_the_window_is_found_through_the_index(writer, bundle, home, notices):
    ids = batch(writer, "b7")
    command = EvidenceWriter.for_command(home.evidence, notices)
    while os.path.getsize(home.evidence) < 2 * WINDOW:
        command.append(SettingsSet(settings={"x": "y" * 10_000}))
    seen = bundle()
    assert (seen["batch_id"], seen["decide_next"]["event_id"]) == ("b7", ids["decide_next"])


def test_huge_and_odd_records_do_not_break_the_bundle(writer, bundle, home):
    writer.append(HandsInput(batch_id="b0", input="x" * (2 * WINDOW)))
    unseal(home.evidence)
    with open(home.evidence, "ab") as file:
        file.write(
            b'garbage\n{"kind":"batch_end","run_id":"%s","batch_id":"b0","last_message":"a\xffb"}\n' % RUN.encode()
        )
    seen = bundle()
    assert seen["hands_input"]["cut"] is True
    assert seen["hands_last_message"] == "a\ufffdb"


@pytest.mark.req("alive.show.last-bounded")
def test_a_batch_with_very_many_records_behind_it_is_read_by_its_ends(writer, bundle, home, notices, monkeypatch):
    batch(writer, "b0")
    line = b'{"kind":"recall","run_id":"cli_x","query":"%s"}\n' % (b"x" * 100)
    for records in (50_000, 50_000):
        EvidenceWriter.for_command(home.evidence, notices).append(LearnApplied(suggestion_id="ls_b0_2"))
        unseal(home.evidence)
        with open(home.evidence, "ab") as file:
            file.write(line * records)
    whole = bundle()  # which also brings the index up to date
    read: list[int] = []
    parse = reader.parse
    monkeypatch.setattr(reader, "parse", lambda line: read.append(1) or parse(line))
    assert bundle() == whole
    assert 0 < len(read) < 5000
    assert (whole["decide_next"]["status"], whole["hands_last_message"]) == ("done", "did b0")
    assert {one["suggestion_id"] for one in whole["learn_applied"]} == {"ls_b0_2"}
