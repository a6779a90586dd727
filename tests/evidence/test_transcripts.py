import gzip
import json
from pathlib import Path

import pytest

from mi.evidence import transcripts
from mi.kernel.errors import NotFound, StorageError


@pytest.fixture
def folder(tmp_path) -> Path:
    path = tmp_path / "transcripts/hands"
    (path / "archive").mkdir(parents=True)
    return path


def lines(count: int) -> bytes:
    header = {
        "type": "mi.transcript.header",
        "ts": "2026-11-16T14:52:33.120Z",
        "kind": "hands",
        "cwd": "/x",
        "argv": [],
    }
    entries = [{"ts": f"2026-11-16T14:52:{n:02d}.000Z", "stream": "stdout", "line": f"line {n}"} for n in range(count)]
    return b"".join(json.dumps(one).encode() + b"\n" for one in [header, *entries])


def shown(path: Path, count: int = 200) -> list[str]:
    return [entry.line for entry in transcripts.tail(str(path), count)]


def archive(folder: Path, name: str, content: bytes, archived_path: str | None = None) -> Path:
    """An archived transcript behind its stub."""
    (folder / f"archive/{name}.gz").write_bytes(content)
    stub = {"type": "mi.transcript.archived", "archived_path": archived_path or str(folder / f"archive/{name}.gz")}
    (folder / name).write_text(json.dumps(stub) + "\n", "utf-8")
    return folder / name


def test_the_latest_transcript_is_the_last_by_name(folder):
    assert transcripts.find_latest(str(folder)) is None
    assert transcripts.find_latest(str(folder / "none")) is None
    for name in ("2026-11-16_b.jsonl", "2026-11-17_a.jsonl", "2026-11-18.txt", "2026-11-15.jsonl"):
        (folder / name).write_bytes(b"")
    assert transcripts.find_latest(str(folder)) == str(folder / "2026-11-17_a.jsonl")


def test_the_end_of_a_transcript_is_shown_oldest_first(folder):
    path = folder / "t.jsonl"
    path.write_bytes(lines(9))
    assert shown(path, 3) == ["line 6", "line 7", "line 8"]
    assert shown(path) == ["mi.transcript.header hands", *[f"line {number}" for number in range(9)]]
    assert shown(path, 0) == []
    entry = transcripts.tail(str(path), 1)[0]
    assert (entry.ts, entry.stream) == ("2026-11-16T14:52:08.000Z", "stdout")
    assert json.loads(entry.raw)["line"] == "line 8"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (b"plain text", "plain text"),
        (b'{"other": 1}', '{"other": 1}'),
        (b'{"ts":"t","stream":"stderr","line":""}', ""),
        (b'{"ts":"t","stream":"stdout","line":"a\xffb"}', "a\ufffdb"),
        (b'{"ts":"t","stream":"stdout","line":"a\\udc80b"}', "a\ufffdb"),
        (b'{"ts":"t","stream":"stdout","line":"torn', "torn"),
        (b'{"ts":"t","stream":"stdout","line":"torn\\', "torn"),
        (b'{"ts":"t","stream":"stdout","line":"torn \\u4f', "torn "),
        (b'{"ts":"t","stream":"stdout","line":"x" garbage', '{"ts":"t","stream":"stdout","line":"x" garbage'),
        (b"\x00\xff", "\x00\ufffd"),
    ],
)
def test_what_is_no_transcript_line_is_shown_as_it_stands(raw, line):
    entry = transcripts.parse_entry(raw)
    assert (entry.line, entry.raw) == (line, raw)


@pytest.mark.parametrize("zipped", [False, True])
def test_a_line_too_long_to_show_is_cut_with_its_time_and_stream(folder, zipped):
    long = json.dumps({"ts": "t1", "stream": "stderr", "line": "值\n" * 400_000}, ensure_ascii=False).encode()
    content = lines(2) + long + b"\n" + lines(1)
    path = folder / "t.jsonl"
    if zipped:
        path = archive(folder, "t.jsonl", gzip.compress(content))
    else:
        path.write_bytes(content)
    entries = transcripts.tail(str(path), 200)
    assert len(entries) == 6
    cut = entries[3]
    assert (cut.ts, cut.stream) == ("t1", "stderr")
    assert cut.line.startswith("值\n值\n值")
    assert len(cut.line) < 300_000
    assert entries[5].line == "line 0"


def test_no_transcript_is_said(folder):
    for path in (folder / "none.jsonl", folder):
        with pytest.raises(NotFound) as caught:
            transcripts.tail(str(path), 5)
        assert str(path) in caught.value.line()


def test_an_archived_transcript_is_read_through_its_stub(folder):
    path = archive(folder, "t.jsonl", gzip.compress(lines(9)))
    assert shown(path, 2) == ["line 7", "line 8"]
    assert shown(path, 1) == ["line 8"]
    assert shown(folder / "archive/t.jsonl.gz", 2) == ["line 7", "line 8"]


def test_a_moved_home_still_finds_its_archives(folder):
    path = archive(folder, "t.jsonl", gzip.compress(lines(1)), "/a/former/home/hands/archive/t.jsonl.gz")
    assert shown(path, 1) == ["line 0"]


def test_a_stub_leads_nowhere_else(folder, tmp_path):
    (tmp_path / "outside.jsonl.gz").write_bytes(gzip.compress(lines(1)))
    path = archive(folder, "t.jsonl", b"", "../../../outside.jsonl.gz")
    with pytest.raises(NotFound):
        transcripts.tail(str(path), 5)


def test_an_archive_that_is_gone_or_broken_is_said(folder):
    whole = gzip.compress(lines(2000))
    middle = len(whole) // 2
    broken = {
        "cut": whole[:middle],
        "no gzip": b"not gzip at all",
        "flipped": whole[:middle] + bytes(255 - byte for byte in whole[middle : middle + 50]) + whole[middle + 50 :],
        "no deflate": whole[:10] + b"\xff" * 50 + whole[60:],
        "wrong checksum": whole[:-8] + b"\x00" * 8,
    }
    for name, content in broken.items():
        path = archive(folder, f"{name}.jsonl", content)
        with pytest.raises(StorageError) as caught:
            transcripts.tail(str(path), 5)
        assert caught.value.code == "archive-broken"
    (folder / "archive/cut.jsonl.gz").unlink()
    with pytest.raises(NotFound) as gone:
        transcripts.tail(str(folder / "cut.jsonl"), 5)
    assert "archive" in gone.value.line()


def test_an_archive_that_holds_a_stub_does_not_go_round_in_circles(folder):
    stub = json.dumps({"type": "mi.transcript.archived", "archived_path": "t.jsonl.gz"}).encode()
    path = archive(folder, "t.jsonl", gzip.compress(stub))
    with pytest.raises(NotFound):
        transcripts.tail(str(path), 5)
