import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back, read_on
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.run import BatchEnd, RunEnd, RunStart
from mi.kernel import clock
from mi.kernel.notices import Notices
from tests.disks import fill, small_disk

RUN = "run_20261116T145233Z_abcdefgh"


def stored(log: str) -> list[dict]:
    return [json.loads(line) for line in Path(log).read_bytes().splitlines()]


@pytest.mark.req("v1.ev.seq", "v1.ev.event-id", "v1.ev.ts-rfc3339", "mi.ids.ev", "mi.rec.v1-evidence")
def test_a_writer_stamps_every_record(home, notices):
    writer = EvidenceWriter(home.evidence, RUN, notices)
    returned = [
        writer.append(RunStart(task="mend it")),
        writer.append(BatchEnd(batch_id="b0")),
        writer.append(RunEnd()),
    ]
    records = stored(home.evidence)
    assert [record["kind"] for record in records] == ["run_start", "batch_end", "run_end"]
    assert [record["seq"] for record in records] == [1, 2, 3]
    assert [record["event_id"] for record in records] == [f"ev_{RUN}_{number}" for number in (1, 2, 3)]
    assert {(record["run_id"], record["v"]) for record in records} == {(RUN, 1)}
    for record in records:
        assert re.match(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$", record["ts"])
        assert clock.parse(record["ts"]) > 0
    assert [(one.event_id, one.seq, one.ts) for one in returned] == [
        (r["event_id"], r["seq"], r["ts"]) for r in records
    ]
    assert (returned[0].task, returned[1].batch_id) == ("mend it", "b0")


@pytest.mark.req("v1.ev.run-id", "mi.ids.cli")
def test_each_command_writes_under_an_id_of_its_own(home, notices):
    writers = [EvidenceWriter.for_command(home.evidence, notices) for _ in range(2)]
    events = [writer.append(RunStart()).event_id for writer in writers * 2]
    assert len(set(events)) == 4
    assert all(re.match(r"^ev_cli_\d{8}T\d{6}Z_\w{8}_[12]$", event) for event in events)


@pytest.mark.req("v1.goal.persistent-evidence", "v1.ev.append-only")
def test_what_one_process_wrote_the_next_reads_and_adds_to(home, notices):
    code = f"""
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import RunStart
from mi.kernel.notices import Notices
EvidenceWriter({home.evidence!r}, {RUN!r}, Notices()).append(RunStart(task="first"))
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    before = Path(home.evidence).read_bytes()
    EvidenceWriter.resume(home.evidence, RUN, notices).append(RunEnd(status="done"))
    assert Path(home.evidence).read_bytes().startswith(before)
    assert [event.head.kind for event in read_on(home.evidence, 0, notices)] == ["run_start", "run_end"]


@pytest.mark.req("v1.ev.seq")
def test_a_resumed_run_goes_on_counting(home, notices):
    EvidenceWriter(home.evidence, RUN, notices, last_seq=41).append(RunStart())
    EvidenceWriter.for_command(home.evidence, notices).append(RunStart())
    assert EvidenceWriter.resume(home.evidence, RUN, notices).append(RunEnd()).seq == 43
    assert EvidenceWriter.resume(home.evidence, "run_other", notices).append(RunEnd()).seq == 1


@pytest.mark.req("v1.ev.seq")
def test_a_run_whose_last_record_is_huge_goes_on_counting(home, notices):
    writer = EvidenceWriter(home.evidence, RUN, notices)
    writer.append(RunStart())
    writer.append(HandsInput(input="x" * 3_000_000))
    assert EvidenceWriter.resume(home.evidence, RUN, notices).append(RunEnd()).seq == 3


def test_an_append_that_fails_does_not_use_its_id_twice(home, notices, monkeypatch):
    """Ctrl-C in the middle of an append: the run's end must not carry the id of the record that may be stored."""
    writer = EvidenceWriter(home.evidence, RUN, notices)
    writer.append(RunStart())
    close = os.close

    def interrupted(fd: int) -> None:
        close(fd)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "close", interrupted)  # the last thing an append does
    with pytest.raises(KeyboardInterrupt):
        writer.append(BatchEnd())
    monkeypatch.undo()
    writer.append(RunEnd(status="interrupted"))
    ids = [record["event_id"] for record in stored(home.evidence)]
    assert len(set(ids)) == len(ids) == 3


@pytest.mark.req("mi.fail.torn-line-append", "mi.fail.torn-line-once")
def test_a_torn_line_is_set_aside_recorded_and_reported_once(home, notices):
    writer = EvidenceWriter(home.evidence, RUN, notices)
    writer.append(RunStart())
    with open(home.evidence, "ab") as file:
        file.write(b'{"kind":"batch_')
    writer.append(BatchEnd())
    writer.append(RunEnd())
    records = stored(home.evidence)
    assert [record["kind"] for record in records] == ["run_start", "batch_end", "state_corrupt", "run_end"]
    assert [record["seq"] for record in records] == [1, 2, 3, 4]
    (notice,) = notices
    assert (notice.key, notice.path, notice.details["size"]) == ("torn-set-aside", home.evidence, 15)
    assert Path(str(notice.details["kept_in"])).read_bytes() == b'{"kind":"batch_'
    assert list(read_back(home.evidence, Notices()))  # a reader has nothing left to complain of
    later = Notices()
    EvidenceWriter.resume(home.evidence, RUN, later).append(RunEnd())
    assert list(later) == []


@pytest.mark.req("mi.fail.torn-line-once")
def test_a_line_without_its_newline_is_completed_and_reported_once(home, notices):
    EvidenceWriter(home.evidence, RUN, notices).append(RunStart())
    with open(home.evidence, "rb+") as file:
        file.truncate(Path(home.evidence).stat().st_size - 1)
    EvidenceWriter.resume(home.evidence, RUN, notices).append(RunEnd())
    assert [record["kind"] for record in stored(home.evidence)] == ["run_start", "run_end", "state_corrupt"]
    assert [notice.key for notice in notices] == ["torn-completed"]


@pytest.mark.req("mi.home.relative-refs")
def test_a_record_names_files_relative_to_the_home(home, notices):
    for log, place in ((home.evidence, "global"), (home.project("0a1b").evidence, "projects/0a1b")):
        Path(log).parent.mkdir(parents=True)
        Path(log).write_bytes(b"{torn")
        EvidenceWriter.for_command(log, notices).append(RunStart())
        corrupt = stored(log)[1]
        assert corrupt["path"] == f"{place}/evidence.jsonl"
        assert Path(home.path(corrupt["kept_in"])).read_bytes() == b"{torn"
        EvidenceWriter.for_command(log, notices).append_corrupt(
            home.selection, home.selection + ".corrupt.x", "no JSON"
        )
        other = stored(log)[2]
        assert (other["path"], other["reason"]) == ("global/project_selection.json", "no JSON")
        assert other["kept_in"] == "global/project_selection.json.corrupt.x"


def test_text_that_is_no_utf8_is_stored_with_replacements(home, notices):
    EvidenceWriter.for_command(home.evidence, notices).append(RunStart(task="caf\udce9"))
    assert stored(home.evidence)[0]["task"] == "caf\ufffd"


def test_a_full_disk_leaves_the_log_intact_and_the_writer_usable(tmp_path, notices):
    with small_disk(tmp_path / "disk", "256k") as disk:
        log = str(disk / "global/evidence.jsonl")
        writer = EvidenceWriter(log, RUN, notices)
        writer.append(RunStart())
        fill(disk)
        with pytest.raises(OSError, match="space"):
            writer.append(HandsInput(input="x" * 100_000))
        assert [record["kind"] for record in stored(log)] == ["run_start"]
        (disk / "ballast").unlink()
        writer.append(RunEnd())
        ids = [record["event_id"] for record in stored(log)]
        assert len(set(ids)) == len(ids) == 2
        assert list(notices) == []
