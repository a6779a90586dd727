"""What a log goes through: kills at any byte, writers side by side, a kill in mid-flood."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mi.kernel import jsonl

RECORDS = st.dictionaries(st.sampled_from("abc"), st.text(alphabet='x值"\\\n😀', max_size=30), max_size=3)
STEPS = st.lists(st.tuples(st.lists(RECORDS, min_size=1, max_size=3), st.floats(0, 1)), min_size=1, max_size=12)


@pytest.mark.req("mi.fail.torn-line-append")
@settings(deadline=None, max_examples=60)
@given(STEPS)
def test_appends_with_kills_in_between_lose_no_complete_line(steps):
    """Each step appends and is killed: of what it added, only the bytes up to a random one reached the file."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log.jsonl")
        complete: list[bytes] = []
        torn: list[bytes] = []
        for records, survived in steps:
            encoded = [json.dumps(record, ensure_ascii=False).encode() for record in records]
            start = jsonl.append(log, *encoded).offset
            end = os.path.getsize(log)
            os.truncate(log, start + round((end - start) * survived))
            left = Path(log).read_bytes()[start:]
            whole = left.splitlines() if left.endswith(b"\n") or not left else _whole(left, encoded)
            complete += whole
            torn += [] if len(whole) == len(left.splitlines()) else [left.splitlines()[-1]]
        jsonl.append(log, b"{}")
        assert [line.data for line in jsonl.read_forward(log)] == [*complete, b"{}"]
        assert [line.data for line in jsonl.read_backward(log)] == [b"{}", *complete[::-1]]
        assert sorted(path.read_bytes() for path in Path(folder).glob("*.torn.*")) == sorted(torn)


def _whole(left: bytes, written: list[bytes]) -> list[bytes]:
    """The lines that survived: the last counts when only its newline is missing."""
    *ended, last = left.split(b"\n")
    return [*ended, last] if last in written and len(ended) < len(written) and written[len(ended)] == last else ended


WRITER = """
import sys
from mi.kernel import jsonl
print("ready", flush=True)
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    pad = "x" * (number % 300)
    jsonl.append(sys.argv[1], f'{{"writer":"{sys.argv[2]}","n":{number},"pad":"{pad}"}}'.encode())
"""


def writer(log: Path, name: str, count: int) -> subprocess.Popen[bytes]:
    """A process that appends `count` records once its standard input ends."""
    command = [sys.executable, "-c", WRITER, str(log), name, str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.req("mi.log.append-one-write")
def test_two_writers_lose_no_record_and_interleave_no_line(tmp_path):
    log = tmp_path / "home/evidence.jsonl"
    with writer(log, "a", 2000) as one, writer(log, "b", 2000) as other:
        for process in (one, other):
            assert process.stdin is not None
            process.stdin.close()
    assert (one.returncode, other.returncode) == (0, 0)
    records = [json.loads(line) for line in log.read_bytes().splitlines()]
    for name in "ab":
        assert [record["n"] for record in records if record["writer"] == name] == list(range(2000))
    assert len(records) == 4000
    assert os.listdir(log.parent) == ["evidence.jsonl"]


@pytest.mark.req("mi.fail.torn-line-append")
def test_a_writer_killed_in_mid_flood_leaves_a_log_to_go_on_with(tmp_path):
    log = tmp_path / "evidence.jsonl"
    done = 0
    for round_ in range(5):
        with writer(log, str(round_), 10_000_000) as flood:
            assert flood.stdin is not None
            flood.stdin.close()
            _wait_until_larger(log, jsonl.measure_size(str(log)) + 100_000)
            flood.kill()
        *complete, rest = log.read_bytes().split(b"\n")
        numbers = [json.loads(line)["n"] for line in complete if json.loads(line)["writer"] == str(round_)]
        assert numbers == list(range(len(numbers)))
        assert len(numbers) > 100
        repair = jsonl.append(str(log), b'{"writer":"after","n":0}').repair
        assert (repair is not None) == bool(rest)
        done += len(numbers) + 1
    kinds = [json.loads(line)["writer"] for line in log.read_bytes().splitlines()]
    assert len(kinds) >= done
    assert kinds.count("after") == 5


def _wait_until_larger(log: Path, size: int) -> None:
    for _ in range(10_000_000):
        if jsonl.measure_size(str(log)) > size:
            return
    pytest.fail("the writer wrote nothing")
