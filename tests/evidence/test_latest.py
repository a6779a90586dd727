import os
from itertools import islice

import pytest

from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import WINDOW, find_latest_run, read_window
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import Evidence, HandsInput
from mi.evidence.records.proof import Proof
from mi.evidence.records.run import BatchEnd, Marks, RunEnd, RunStart, RunUsage, StateCorrupt
from mi.evidence.records.thoughts import SettingsSet, ValuesSet
from mi.kernel.notices import Notices
from tests.seals import unseal

FIRST, SECOND = "run_20261116T145233Z_aaaaaaaa", "run_20261116T145234Z_bbbbbbbb"


@pytest.fixture
def writer(home, notices) -> EvidenceWriter:
    return EvidenceWriter(home.evidence, FIRST, notices)


def test_no_run_was_ever_started(home, notices):
    assert find_latest_run(home.evidence, EvidenceIndex(home), notices) is None
    EvidenceWriter.for_command(home.evidence, notices).append(SettingsSet())
    assert find_latest_run(home.evidence, EvidenceIndex(home), notices) is None


def test_a_run_that_goes_on_or_was_killed_has_no_end(home, writer, notices):
    writer.append(RunStart(task="x"))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert (run.run_id, run.ended, run.batches) == (FIRST, None, 0)
    writer.append(HandsInput(batch_id="b0"))
    writer.append(BatchEnd(batch_id="b0"))
    writer.append(HandsInput(batch_id="b1.after_testless"))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert (run.ended, run.batches, run.marks, run.spent) == (None, 2, Marks(), RunUsage())


def test_an_ended_run_shows_its_marks_and_what_it_spent(home, writer, notices):
    writer.append(RunStart())
    writer.append(BatchEnd(batch_id="b4"))
    marks, spent = Marks(ran=True, verified=True), RunUsage(input_tokens=7)
    end = writer.append(RunEnd(status="done", marks=marks, spent=spent, evidence_ids=["ev_1"]))
    EvidenceWriter.for_command(home.evidence, notices).append(SettingsSet())
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run == (FIRST, end, marks, spent, 5, ["ev_1"])


@pytest.mark.parametrize(("later", "shown"), [(True, True), (False, False), (None, None)])
def test_a_proof_that_came_later_is_no_part_of_the_runs_course(home, writer, notices, later, shown):
    writer.append(RunStart())
    writer.append(BatchEnd(batch_id="b0"))
    end = writer.append(RunEnd(status="done", marks=Marks(ran=True, verified=True)))
    EvidenceWriter.resume(home.evidence, FIRST, notices).append(Proof(proved=later))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert (run.ended, run.batches) == (end, 1)
    assert run.marks == Marks(ran=True, verified=True, proved=shown)


def test_the_run_that_wrote_last_counts(home, writer, notices):
    writer.append(RunStart())
    other = EvidenceWriter(home.evidence, SECOND, notices)
    other.append(RunStart())
    other.append(BatchEnd(batch_id="b0"))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert (run.run_id, run.ended, run.batches) == (SECOND, None, 1)
    writer.append(RunEnd(status="done"))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert run.run_id == FIRST
    assert run.ended is not None


def test_a_repair_after_the_end_does_not_reopen_a_run(home, writer, notices):
    """The end of a run may be the append that finds another writer's torn line; the repair is recorded after it."""
    writer.append(RunStart())
    with open(home.evidence, "ab") as file:
        file.write(b'{"torn')
    writer.append(RunEnd(status="blocked"))
    run = find_latest_run(home.evidence, EvidenceIndex(home), Notices())
    assert run is not None
    assert run.ended is not None
    assert run.ended.status == "blocked"


def test_a_last_record_longer_than_the_window_is_seen(home, writer, notices):
    writer.append(RunStart())
    writer.append(Evidence(batch_id="b2", facts=["x" * (2 * WINDOW)]))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert (run.run_id, run.ended, run.batches) == (FIRST, None, 3)
    writer.append(RunEnd(status="done", evidence_ids=["ev_" + "x" * 50] * 10_000))
    run = find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert run is not None
    assert run.ended is not None
    assert len(run.evidence_ids) == 10_000


def test_the_window_reaches_back_a_bounded_way(home, writer, notices):
    for number in range(3000):
        writer.append(StateCorrupt(reason=f"{number} " + "x" * 100))
    events = list(read_window(home.evidence, notices))
    size = os.path.getsize(home.evidence)
    assert events[0].head.seq == 3000
    assert WINDOW <= size - events[-1].offset < WINDOW + 1000
    known = events[10].offset
    assert [event.offset for event in read_window(home.evidence, notices, known)] == [e.offset for e in events[:11]]
    assert list(read_window(home.evidence, notices, size)) == []


def test_the_cost_does_not_grow_with_the_log(home, writer, notices, monkeypatch):
    writer.append(RunStart())
    unseal(home.evidence)
    with open(home.evidence, "ab") as file:
        file.write(b'{"kind":"recall","run_id":"cli_x","query":"%s"}\n' % (b"x" * 100) * 100_000)
    asked = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: asked.append(size) or pread(fd, size, at))
    find_latest_run(home.evidence, EvidenceIndex(home), notices)
    assert sum(asked) < 3 * WINDOW
    asked.clear()
    list(islice(read_window(home.evidence, notices), 20))
    assert sum(asked) < WINDOW // 2


def test_a_run_far_back_is_known_through_the_index(home, notices):
    writer = EvidenceWriter(home.evidence, "run_20260101T000000Z_aaaaaaaa", notices)
    writer.append(RunStart(task="t"))
    writer.append(RunEnd(status="done", exit=0, batch_id="b2"))
    other = EvidenceWriter.for_command(home.evidence, notices)
    for _ in range(4):
        other.append(ValuesSet(values_text="x" * 100_000))
    index = EvidenceIndex(home)
    index.catch_up(home.evidence, lambda done, total: None)
    found = find_latest_run(home.evidence, index, notices)
    assert found is not None
    assert (found.run_id, found.ended.status if found.ended else None, found.batches) == (writer.run_id, "done", 3)
