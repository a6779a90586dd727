import fcntl
import os
import time
from itertools import islice
from pathlib import Path

import pytest

from mi.kernel import files, jsonl


@pytest.fixture
def log(tmp_path) -> Path:
    return tmp_path / "home/evidence.jsonl"


def lines(log: Path) -> list[bytes]:
    return [line.data for line in jsonl.read_forward(str(log))]


def lines_from_the_end(log: Path) -> list[bytes]:
    return [line.data for line in jsonl.read_backward(str(log))]


@pytest.mark.req("mi.fail.modes-0600", "mi.fail.modes-0700")
def test_the_first_append_makes_the_log_for_the_owner_alone(log):
    old = os.umask(0)
    try:
        appended = jsonl.append(str(log), b'{"n":1}')
    finally:
        os.umask(old)
    assert appended == jsonl.Appended(0, None)
    assert log.read_bytes() == b'{"n":1}\n'
    assert log.stat().st_mode & 0o777 == 0o600
    assert log.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.req("v1.ev.append-only")
def test_appends_add_at_the_end_and_tell_where(log):
    before = b""
    for number in range(50):
        appended = jsonl.append(str(log), f'{{"n":{number}}}'.encode(), b'{"same":true}')
        assert appended.offset == len(before)
        assert log.read_bytes().startswith(before)
        before = log.read_bytes()
    assert len(lines(log)) == 100


def test_a_line_cannot_hold_a_newline(log):
    with pytest.raises(ValueError, match="newline"):
        jsonl.append(str(log), b"{}", b'{"a":\n1}')
    assert not log.exists()


@pytest.mark.req("mi.log.append-one-write")
def test_an_append_is_one_write_with_o_append_under_the_logs_lock(log, monkeypatch):
    jsonl.append(str(log), b"{}")
    writes = []
    write = os.write

    def spy(fd: int, data: bytes) -> int:
        other = os.open(log, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(other)
        assert fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_APPEND
        writes.append(bytes(data))
        return write(fd, data)

    monkeypatch.setattr(os, "write", spy)
    jsonl.append(str(log), b'{"n":1}', b'{"n":2}')
    assert writes == [b'{"n":1}\n{"n":2}\n']


def test_sync_reaches_the_disk_before_the_append_returns(log, monkeypatch):
    jsonl.append(str(log), b"{}")
    synced = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(os.path.samestat(os.fstat(fd), log.stat())))
    jsonl.append(str(log), b"{}")
    assert synced == []
    jsonl.append(str(log), b"{}", sync=True)
    jsonl.sync(str(log))
    assert synced == [True, True]


@pytest.mark.parametrize("failure", [OSError(5, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("stage", ["write", "fsync"])
def test_an_append_that_is_stopped_leaves_the_log_as_it_was(log, monkeypatch, failure, stage):
    jsonl.append(str(log), b'{"n":1}')
    write = os.write

    def fail(fd: int, data: bytes = b"") -> int:
        if data:
            write(fd, data[:3])
        raise failure

    monkeypatch.setattr(os, stage, fail)
    with pytest.raises(type(failure)) as caught:
        jsonl.append(str(log), b'{"n":2}', sync=True)
    assert log.read_bytes() == b'{"n":1}\n'
    assert getattr(caught.value, "filename", str(log)) == str(log)
    monkeypatch.undo()
    assert jsonl.append(str(log), b'{"n":3}').repair is None
    assert lines(log) == [b'{"n":1}', b'{"n":3}']


@pytest.mark.req("mi.fail.torn-line-append")
@pytest.mark.parametrize("torn", [b'{"n":', b"{", b'{"text":"half \xe4\xb8', b"\x00\x00\x00", b"{}x", b'"text"', b"7"])
def test_a_torn_end_is_set_aside_whole_and_the_append_stands_alone(log, torn):
    log.parent.mkdir()
    log.write_bytes(b'{"n":1}\n' + torn)
    repair = jsonl.append(str(log), b'{"n":2}').repair
    assert log.read_bytes() == b'{"n":1}\n{"n":2}\n'
    assert repair is not None
    assert repair.size == len(torn)
    assert Path(repair.kept_in).read_bytes() == torn
    assert Path(repair.kept_in).name.startswith("evidence.jsonl.torn.")
    assert Path(repair.kept_in).stat().st_mode & 0o777 == 0o600


@pytest.mark.req("mi.fail.torn-line-append")
@pytest.mark.parametrize(
    "record", [b'{"n":2}', b'{"text":"\xff is not UTF-8"}', b'{"text":"' + b"long " * 500_000 + b'"}']
)
def test_a_record_that_only_lacks_its_newline_is_completed(log, record):
    log.parent.mkdir()
    log.write_bytes(b'{"n":1}\n' + record)
    assert jsonl.append(str(log), b'{"n":3}').repair == jsonl.Repair(str(log), len(record), "")
    assert log.read_bytes() == b'{"n":1}\n' + record + b'\n{"n":3}\n'
    assert os.listdir(log.parent) == ["evidence.jsonl"]


def test_a_log_that_is_nothing_but_a_torn_line(log):
    log.parent.mkdir()
    log.write_bytes(b'{"n"')
    assert jsonl.append(str(log), b'{"n":1}').offset == 0
    assert log.read_bytes() == b'{"n":1}\n'


def test_many_torn_ends_in_the_same_moment_are_all_kept(log, monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_000_000_000)
    for number in range(30):
        jsonl.append(str(log), b"{}")
        with log.open("ab") as file:
            file.write(b'{"torn":%d' % number)
    jsonl.append(str(log), b"{}")
    kept = {path.read_bytes() for path in log.parent.glob("*.torn.*")}
    assert kept == {b'{"torn":%d' % number for number in range(30)}
    assert lines(log) == [b"{}"] * 31


def test_a_log_replaced_while_its_lock_was_waited_for_gets_the_append(log, monkeypatch):
    """Compaction writes a new file in the place of the log; an append may not go to the old one."""
    jsonl.append(str(log), b'{"old":1}')
    flock = fcntl.flock

    def replace_first(fd: int, how: int) -> None:
        if log.read_bytes() == b'{"old":1}\n':
            files.write_atomic(str(log), b'{"compacted":1}\n')
        flock(fd, how)

    monkeypatch.setattr(fcntl, "flock", replace_first)
    jsonl.append(str(log), b'{"new":1}')
    assert lines(log) == [b'{"compacted":1}', b'{"new":1}']


def test_no_log_has_no_lines(log):
    assert lines(log) == lines_from_the_end(log) == []
    assert jsonl.measure_size(str(log)) == 0
    assert jsonl.read_line(str(log), 0) is None
    assert jsonl.read_range(str(log), 0, 10) == b""
    assert jsonl.measure_size(str(log.parent / "file.jsonl/below")) == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"a",
        b"a\n",
        b"a\nb",
        b"a\n\nb\n",
        b"\n\na",
        b"x" * 70_000 + b"\ny\n" + b"z" * 140_000 + b"\n",
        b"\n" * 7,
    ],
)
def test_both_directions_see_the_same_lines(log, content):
    log.parent.mkdir()
    log.write_bytes(content)
    forward = list(jsonl.read_forward(str(log)))
    assert forward == list(jsonl.read_backward(str(log)))[::-1]
    assert [line.data for line in forward] == content.splitlines()
    assert [line.complete for line in forward] == [True] * content.count(b"\n") + [False] * (
        len(forward) - content.count(b"\n")
    )
    for line in forward:
        assert content[line.offset : line.offset + line.length] == line.data
        assert jsonl.read_line(str(log), line.offset) == (line.data if line.offset < len(content) else None)


@pytest.mark.parametrize("length", [99, 100, 101, 102, 65_536, 200_000])
@pytest.mark.parametrize("ended", [b"\n", b""])
def test_a_line_over_the_limit_is_handed_out_cut_with_its_true_length(log, length, ended):
    log.parent.mkdir()
    log.write_bytes(b"first\n" + b"x" * length + ended)
    for line in (list(jsonl.read_forward(str(log), max_line=100))[1], next(jsonl.read_backward(str(log), 100))):
        assert (line.offset, line.length, line.complete) == (6, length, bool(ended))
        assert line.data == b"x" * min(length, 100)
        assert line.cut == (length > 100)


def test_reading_starts_at_an_offset(log):
    jsonl.append(str(log), b'{"n":1}')
    second = jsonl.append(str(log), b'{"n":2}').offset
    assert [line.data for line in jsonl.read_forward(str(log), second)] == [b'{"n":2}']
    assert list(jsonl.read_forward(str(log), 10_000)) == []


def test_the_end_is_read_without_the_rest(log, monkeypatch):
    log.parent.mkdir()
    log.write_bytes(b'{"n":12345}\n' * 500_000)
    asked = []
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda fd, size, at: asked.append(size) or pread(fd, size, at))
    assert len(list(islice(jsonl.read_backward(str(log)), 20))) == 20
    assert sum(asked) < 200_000


def test_following_hands_out_lines_as_they_are_completed(log):
    jsonl.append(str(log), b'{"n":1}')
    following = jsonl.follow(str(log), log.stat().st_size, poll_s=0)
    jsonl.append(str(log), b'{"n":2}', b'{"n":3}')
    assert [next(following).data, next(following).data] == [b'{"n":2}', b'{"n":3}']
    with log.open("ab") as file:
        file.write(b'{"torn')
    jsonl.append(str(log), b'{"n":4}')
    assert next(following).data == b'{"n":4}'
    log.unlink()
    jsonl.append(str(log), b'{"again":1}')
    assert next(following).data == b'{"again":1}'


def test_following_after_a_last_line_that_was_shown_before_its_newline(log):
    log.parent.mkdir()
    log.write_bytes(b'{"n":1}\n{"n":2}')
    shown = next(jsonl.read_backward(str(log)))
    following = jsonl.follow(str(log), shown.offset + shown.length + 1, poll_s=0)
    jsonl.append(str(log), b'{"n":3}')
    assert next(following).data == b'{"n":3}'


def test_following_past_the_end_waits_instead_of_starting_again(log, monkeypatch):
    log.parent.mkdir()
    log.write_bytes(b'{"n":1}\n{"n":2}')
    waited = []

    def append_meanwhile(seconds: float) -> None:
        waited.append(seconds)
        jsonl.append(str(log), b'{"n":3}')

    monkeypatch.setattr("time.sleep", append_meanwhile)
    assert next(jsonl.follow(str(log), log.stat().st_size + 1)).data == b'{"n":3}'
    assert waited == [0.25]


def test_lines_that_hold_something_are_found_wherever_the_pieces_are_cut(log, monkeypatch):
    lines = [b'{"n": %d, "of": "%s"}' % (number, b"run_7" if number % 5 == 0 else b"run_8") for number in range(200)]
    log.parent.mkdir()
    log.write_bytes(b"".join(line + b"\n" for line in lines) + b'{"of": "run_7"')  # the last one is torn
    for size in (1, 7, 64, 1000, 1 << 20):
        monkeypatch.setattr(jsonl, "_PIECE", size)
        assert list(jsonl.find_lines_holding(str(log), b"run_7")) == [line for line in lines if b"run_7" in line]
    assert list(jsonl.find_lines_holding(str(log) + ".none", b"x")) == []
