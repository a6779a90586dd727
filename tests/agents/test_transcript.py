"""The live transcript: whole, timestamped, private, in bounded memory."""

import json
import os
from pathlib import Path

import pytest

from mi.agents.transcript import LONG_LINE, Captured, StreamLines, Transcript, TranscriptHeader
from mi.evidence.transcripts import tail
from mi.kernel.clock import parse


@pytest.fixture
def transcript(tmp_path: Path) -> Transcript:
    path = tmp_path / "home" / "transcripts" / "one.jsonl"
    header = TranscriptHeader(
        ts="2026-01-01T00:00:00.000Z", kind="hands", cwd="/repo", argv=("agent", "-p"), thread_id="t1"
    )
    return Transcript(str(path), header)


def stored(transcript: Transcript) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(transcript.path).read_text("utf-8").splitlines()]


def test_the_first_line_is_the_header(transcript: Transcript) -> None:
    transcript.close()
    assert stored(transcript) == [
        {
            "type": "mi.transcript.header",
            "v": 1,
            "ts": "2026-01-01T00:00:00.000Z",
            "kind": "hands",
            "cwd": "/repo",
            "argv": ["agent", "-p"],
            "thread_id": "t1",
        }
    ]


@pytest.mark.req("v1.transp.raw-transcript")
def test_each_line_is_stored_with_its_time_and_stream_before_the_agent_ends(transcript: Transcript) -> None:
    out, err = StreamLines("stdout", transcript), StreamLines("stderr", transcript)
    assert out.feed(b"one\ntw") == [Captured("stdout", b"one", "one")]
    err.feed(b"oh\n")
    lines = stored(transcript)[1:]
    assert [(line["stream"], line["line"], line["v"]) for line in lines] == [("stdout", "one", 1), ("stderr", "oh", 1)]
    assert all(parse(str(line["ts"])) > 0 for line in lines)
    out.feed(b"o\n")
    assert stored(transcript)[-1]["line"] == "two"
    transcript.close()


def test_nobody_else_may_read_it_and_none_is_overwritten(transcript: Transcript) -> None:
    assert os.stat(transcript.path).st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        Transcript(transcript.path, TranscriptHeader(ts="", kind="hands", cwd="", argv=()))
    transcript.close()


def test_a_last_line_without_its_end_is_kept(transcript: Transcript) -> None:
    lines = StreamLines("stdout", transcript)
    assert lines.feed(b"no end") == []
    assert [line.text for line in lines.end()] == ["no end"]
    assert stored(transcript)[-1]["line"] == "no end"
    transcript.close()


def test_what_is_no_utf8_becomes_a_mark_and_controls_survive(transcript: Transcript) -> None:
    StreamLines("stdout", transcript).feed(b'\xff\xfe \x1b[31m \r "q" \\ \xe4\xbd\xa0\n')
    assert stored(transcript)[-1]["line"] == '�� \x1b[31m \r "q" \\ 你'
    transcript.close()


def test_a_character_split_between_two_reads_is_one_character(transcript: Transcript) -> None:
    lines = StreamLines("stdout", transcript)
    lines.feed("你".encode()[:1])
    assert [line.text for line in lines.feed("你".encode()[1:] + b"\n")] == ["你"]
    transcript.close()


def test_a_line_longer_than_memory_is_stored_whole_and_shortened_for_everybody_else(transcript: Transcript) -> None:
    lines = StreamLines("stdout", transcript)
    text = ('你好 "x" \\ ' * 200_000)[: 3 * LONG_LINE]
    data = text.encode()
    for start in range(0, len(data), 60_000):
        assert lines.feed(data[start : start + 60_000]) == []
        StreamLines("stderr", transcript).feed(b"meanwhile\n")
    (captured,) = lines.feed(b"\nnext\n")[:1]
    assert captured.is_cut
    assert len(captured.data) < 100_000
    assert [line["line"] for line in stored(transcript) if line.get("stream") == "stdout"] == [text, "next"]
    assert tail(transcript.path, 1)[0].line == "next"
    transcript.close()
    assert os.listdir(os.path.dirname(transcript.path)) == ["one.jsonl"]


def test_a_json_line_with_one_huge_text_in_it_can_still_be_understood(transcript: Transcript) -> None:
    lines = StreamLines("stdout", transcript)
    event = {"type": "item.completed", "item": {"aggregated_output": 'a\\"\n' * 800_000, "exit_code": 3}}
    lines.feed(json.dumps(event).encode())
    (captured,) = lines.feed(b"\n")
    understood = json.loads(captured.data)
    assert understood["item"]["exit_code"] == 3
    transcript.close()
