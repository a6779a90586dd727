import json
import os
from itertools import islice
from pathlib import Path

import pytest

from mi.evidence import reader
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import DecideNext
from mi.evidence.records.run import RunEnd, RunStart
from mi.kernel.notices import Notices
from tests.seals import unseal

RUN = "run_20261116T145233Z_abcdefgh"


@pytest.fixture
def log(home) -> Path:
    """A log of three records."""
    writer = EvidenceWriter(home.evidence, RUN, Notices())
    for task in ("one", "two", "three"):
        writer.append(RunStart(task=task))
    unseal(home.evidence)
    return Path(home.evidence)


def add(log: Path, data: bytes) -> None:
    with log.open("ab") as file:
        file.write(data)


def tasks(events) -> list[str]:
    return [event.fields().get("task", "") for event in events]


def keys(notices: Notices) -> list[str]:
    return [notice.key for notice in notices]


def test_no_log_has_no_events(home, notices):
    assert list(reader.read_back(home.evidence, notices)) == []
    assert list(reader.read_on(home.evidence, 0, notices)) == []
    assert reader.read_last(home.evidence, 5, notices) == []
    assert reader.read_at(home.evidence, 0) is None
    assert keys(notices) == []


def test_events_are_read_from_the_end_and_from_an_offset(log, notices):
    events = list(reader.read_on(str(log), 0, notices))
    assert tasks(events) == ["one", "two", "three"]
    assert list(reader.read_back(str(log), notices)) == events[::-1]
    assert list(reader.read_on(str(log), events[1].offset, notices)) == events[1:]
    assert reader.read_at(str(log), events[1].offset) == events[1]
    assert reader.read_last(str(log), 2, notices) == events[1:]
    assert reader.read_last(str(log), 0, notices) == []
    assert reader.read_last(str(log), 9, notices) == events
    assert tasks(reader.read_last(str(log), 1, notices, lambda event: event.fields()["task"] != "three")) == ["two"]


def test_an_event_is_its_typed_record(log, notices):
    event = next(reader.read_back(str(log), notices))
    assert event.head == reader.Head("run_start", f"ev_{RUN}_3", RUN, 3, "", event.head.ts)
    record = event.record()
    assert isinstance(record, RunStart)
    assert (record.task, record.event_id) == ("three", f"ev_{RUN}_3")


@pytest.mark.parametrize("torn", [b'{"kind":"run_', b'{"kind":"run_end","seq":4', b"\xff\xfe", b"\x00" * 5000])
def test_a_torn_last_line_costs_nothing_else_and_is_said_once(log, notices, torn):
    add(log, torn)
    for _ in range(2):
        assert tasks(reader.read_back(str(log), notices)) == ["three", "two", "one"]
        assert tasks(reader.read_on(str(log), 0, notices)) == ["one", "two", "three"]
    (notice,) = notices
    assert (notice.key, notice.details) == ("torn-line", {"size": len(torn)})


def test_a_last_line_that_only_lacks_its_newline_is_an_event(log, notices):
    add(log, b'{"kind":"run_start","task":"four"}')
    assert tasks(reader.read_last(str(log), 2, notices)) == ["three", "four"]
    assert keys(notices) == []


def test_broken_and_interleaved_lines_are_passed_over_and_counted_once(log, notices):
    good = b'{"kind":"run_start","task":"after"}\n'
    for broken in (
        b'{"kind":"a"{"kind":"b"}\n',
        b"garbage\n",
        b"\n",
        b"   \n",
        b"[1]\n",
        b'{"no":"kind"}\n',
        b'{"kind":5}\n',
    ):
        add(log, broken + good)
    assert tasks(reader.read_on(str(log), 0, notices)) == ["one", "two", "three"] + ["after"] * 7
    (notice,) = notices
    assert (notice.key, notice.details) == ("unreadable-lines", {"count": 5})


def test_a_reader_that_stops_early_complains_only_of_what_it_saw(log, notices):
    add(log, b"garbage\n" + b'{"kind":"run_start","task":"end"}\n' * 3)
    assert tasks(islice(reader.read_back(str(log), notices), 2)) == ["end", "end"]
    assert keys(notices) == []
    assert tasks(reader.read_last(str(log), 4, notices)) == ["three", "end", "end", "end"]
    assert keys(notices) == ["unreadable-lines"]


ODD_TEXT = [
    (b'{"kind":"run_start","seq":9,"task":"a\xffb"}', "a\ufffdb"),
    (b'{"kind":"run_start","seq":9,"task":"a\\ud800b"}', "a\ufffdb"),
    (b'{"kind":"run_start","seq":9,"task":"ab","odd":NaN,"far":1e999}', "ab"),
    (b'{"kind":"run_start","seq":9,"task":"ab","event_id":null,"batch_id":7}', "ab"),
]


@pytest.mark.parametrize(("line", "task"), ODD_TEXT)
def test_odd_text_and_types_cost_the_odd_character_or_field_not_the_record(log, notices, line, task):
    add(log, line + b"\n")
    event = next(reader.read_back(str(log), notices))
    assert (event.head.kind, event.head.seq, event.head.event_id) == ("run_start", 9, "")
    assert event.fields()["task"] == task
    assert event.raw == line
    assert keys(notices) == []


def test_a_record_with_odd_text_is_still_typed(log, notices):
    add(log, ODD_TEXT[0][0] + b"\n")
    record = next(reader.read_back(str(log), notices)).record()
    assert isinstance(record, RunStart)
    assert record.task == "a\ufffdb"


@pytest.mark.req("v1.ev.unknown-kinds")
def test_kinds_and_fields_of_a_newer_version_are_shown_as_they_are(log, notices):
    add(
        log,
        b'{"kind":"teleport","event_id":"ev_x_1","to":{"deep":[1]},"v":9}\n{"kind":"run_end","status":"vanished","v":9}\n',
    )
    newer, odd = reader.read_last(str(log), 2, notices)
    assert newer.record() is None
    assert newer.fields() == {"kind": "teleport", "event_id": "ev_x_1", "to": {"deep": [1]}, "v": 9}
    assert odd.record() is None
    assert odd.fields()["status"] == "vanished"
    assert keys(notices) == []


@pytest.mark.req("v1.ev.old-logs", "mi.rec.version-absent")
def test_records_of_older_logs_are_read(home, notices):
    """Without event_id, run_id, seq and v, as the seed's record shapes have them."""
    shape = {"kind": "decide_next", "batch_id": "b0", "ts": "2026-02-08T10:00:00Z", "thread_id": "t", "status": "done"}
    more = {
        "next_action": "stop",
        "confidence": 1,
        "phase": "initial",
        "decision": {"x": 1},
        "thought_db": {"edges_n": 2},
    }
    Path(home.evidence).parent.mkdir(parents=True)
    Path(home.evidence).write_text(json.dumps(shape | more) + "\n", "utf-8")
    (event,) = reader.read_on(home.evidence, 0, notices)
    assert event.head == reader.Head("decide_next", "", "", 0, "b0", "2026-02-08T10:00:00Z")
    record = event.record()
    assert isinstance(record, DecideNext)
    assert (record.v, record.status, record.thought_db.edges_n) == (1, "done", 2)


def test_a_line_of_50_mb_is_read_cut_and_found_whole(log, notices, monkeypatch):
    writer = EvidenceWriter.resume(str(log), RUN, notices)
    writer.append(HandsInput(batch_id="b0", input="值" * 17_000_000, transcript_path="kept at the end"))
    writer.append(RunEnd())
    asked = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: asked.append(size) or pread(fd, size, at))
    end, huge, before = islice(reader.read_back(str(log), notices), 3)
    assert max(asked) < 300_000
    assert (end.head.kind, before.fields()["task"]) == ("run_end", "three")
    assert (huge.head.kind, huge.head.seq, huge.head.batch_id, huge.cut) == ("hands_input", 4, "b0", True)
    assert huge.length > 51_000_000
    assert len(huge.raw) < 300_000
    assert huge.record() is None
    assert huge.fields() == {**huge.fields(), "event_id": f"ev_{RUN}_4", "cut": True, "bytes": huge.length}
    whole = reader.read_whole(str(log), huge)
    assert len(whole.fields()["input"]) == 17_000_000
    assert isinstance(whole.record(), HandsInput)
    assert reader.read_whole(str(log), end) is end
    assert keys(notices) == []


def test_a_long_line_that_is_no_record_is_passed_over(log, notices):
    add(log, b"x" * 600_000 + b'\n{"kind":"run_start","task":"after"}\n')
    assert tasks(reader.read_last(str(log), 2, notices)) == ["three", "after"]
    assert keys(notices) == ["unreadable-lines"]
