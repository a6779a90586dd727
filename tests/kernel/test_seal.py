"""The seal of a log: what MI did not write is noticed, what MI was killed over is not."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mi.kernel import jsonl
from mi.kernel.adoption import seal_logs
from mi.kernel.home import Home
from mi.kernel.marker import Marker
from mi.kernel.seal import SUFFIX, AppendSeal, find_changes, find_marked, read_head, seal_anew

LINES = [json.dumps({"number": number}).encode() for number in range(20)]


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = str(tmp_path / "log.jsonl")
    for number, line in enumerate(LINES):
        jsonl.append(path, line, sync=number % 3 == 0, sealed=True)
    return path


def kinds(path: str, thorough: bool = True) -> list[str]:
    return [one.kind for one in find_changes(path, thorough=thorough)]


@pytest.mark.req("safe.seal.evidence", "safe.seal.rewritten")
@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda data: data, []),
        (lambda data: data + b'{"forged": 1}\n', ["added"]),
        (lambda data: data.replace(b'"number": 1}', b'"number": 7}', 1), ["changed"]),
        (lambda data: data.replace(b'{"number": 4}\n', b""), ["changed"]),
        (lambda data: data[:-40], ["cut"]),
        (lambda data: b"", ["cut"]),
    ],
)
def test_what_was_done_to_a_log_is_found(log: str, change, found: list[str]) -> None:
    path = Path(log)
    path.write_bytes(change(path.read_bytes()))
    assert kinds(log)[: len(found)] == found
    assert bool(kinds(log)) == bool(found)


@pytest.mark.req("safe.seal.evidence")
def test_what_was_added_stays_marked_when_mi_goes_on_writing(log: str) -> None:
    before = os.path.getsize(log)
    with open(log, "ab") as file:
        file.write(b'{"forged": 1}\n')
    jsonl.append(log, b'{"own": 1}', sealed=True)
    assert kinds(log) == []  # known already
    assert find_marked(log) == [("added", before, before + 14)]
    jsonl.append(log, b'{"own": 2}', sync=True, sealed=True)
    assert find_marked(log) == [("added", before, before + 14)]
    seal_anew(log)
    assert find_marked(log) == []


@pytest.mark.req("safe.seal.rewritten")
def test_a_change_in_place_is_found_after_mi_wrote_on(log: str) -> None:
    with open(log, "r+b") as file:
        file.write(LINES[0].replace(b"0", b"9"))
    jsonl.append(log, b'{"own": 1}', sealed=True)
    assert kinds(log, thorough=False) == ["changed"]


@pytest.mark.req("safe.seal.rewritten")
@pytest.mark.parametrize("is_removed", [False, True])
def test_a_remembered_head_tells_of_a_seal_that_was_written_anew(log: str, is_removed: bool) -> None:
    held = read_head(log)
    with open(log, "r+b") as file:
        file.write(LINES[0].replace(b"0", b"9"))
    if is_removed:
        os.unlink(log + SUFFIX)
    else:
        seal_anew(log)
        assert kinds(log) == []  # nothing else could tell
    assert [one.kind for one in find_changes(log, [held])] == ["changed"]


@pytest.mark.req("safe.seal.cost")
def test_a_log_that_nobody_touched_is_not_read(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    jsonl.append(log, b"{}", sync=True, sealed=True)
    seen: list[int] = []
    real = os.pread

    def pread(fd: int, size: int, offset: int) -> bytes:
        if os.path.samestat(os.fstat(fd), os.stat(log)):
            seen.append(size)
        return real(fd, size, offset)

    monkeypatch.setattr(os, "pread", pread)
    assert kinds(log, thorough=False) == []
    assert seen == []


@pytest.mark.req("safe.seal.kills")
def test_a_kill_before_or_within_an_append_is_nobodys_change(log: str) -> None:
    """Every place at which a writer can be stopped, by the bytes that were on disk then."""
    new = b'{"first": 1}\n{"second": 2}\n'
    for written in range(len(new) + 1):
        fd = os.open(log, os.O_RDWR | os.O_APPEND)
        seal = AppendSeal(log, fd)
        seal.begin(new, sync=False)
        os.write(fd, new[:written])
        seal.close()
        os.close(fd)
        assert kinds(log) == [], f"killed after {written} bytes"
        assert find_marked(log) == []
        jsonl.append(log, b'{"next": 1}', sealed=True)
        assert kinds(log) == [], f"after the repair of {written} bytes"


@pytest.mark.req("safe.seal.kills")
@pytest.mark.parametrize("step", range(4))
def test_a_kill_while_a_log_is_replaced_is_nobodys_change(log: str, step: int) -> None:
    program = f"""
import os, sys
from mi.kernel import seal
steps = 0
def dying(real):
    def call(*args, **kwargs):
        global steps
        if steps == {step}:
            os._exit(9)
        steps += 1
        return real(*args, **kwargs)
    return call
seal._announce, seal.os.replace, seal.seal_anew = map(dying, (seal._announce, os.replace, seal.seal_anew))
seal.replace_log({log!r}, {log + ".tmp.1"!r})
"""
    Path(f"{log}.tmp.1").write_bytes(b'{"all": "that is left"}\n')
    subprocess.run([sys.executable, "-c", program], check=False)
    assert (kinds(log), find_marked(log)) == ([], [])
    jsonl.append(log, b'{"next": 1}', sealed=True)
    assert (kinds(log), find_marked(log)) == ([], [])


@pytest.mark.req("safe.seal.adopted")
def test_logs_of_an_older_home_are_sealed_as_they_are(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    for log in (home.evidence, home.project("0" * 16).evidence):
        Path(log).parent.mkdir(parents=True)
        Path(log).write_bytes(b'{"event_id": "ev_1", "kind": "run_start", "ts": "2026-01-01T00:00:00Z"}\n')
    jsonl.append(home.evidence, b"{}", sealed=True)
    assert all(find_marked(log) == [] and kinds(log) == [] for log in home.logs())
    assert Marker(home.root).read().sealed
    lines = Path(Marker(home.root).path).read_bytes().splitlines(keepends=True)
    Path(Marker(home.root).path).write_bytes(b"".join(line for line in lines if b'"sealed"' not in line))
    Path(home.project("0" * 16).evidence + SUFFIX).unlink()
    assert not Marker(home.root).read().sealed  # whoever sealed the logs was stopped on the way: it is done again
    seal_logs(home.root)
    assert all(find_marked(log) == [] and kinds(log) == [] for log in home.logs())
    Path(home.evidence + SUFFIX).unlink()  # from now on a seal that is gone was taken away
    jsonl.append(home.evidence, b"{}", sealed=True)
    assert [one.kind for one in find_marked(home.evidence)] == ["unsealed"]


@pytest.mark.req("safe.seal.kills")
def test_a_full_disk_leaves_log_and_seal_as_they_were(log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path(log).read_bytes()

    def refuse(fd: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(os, "write", refuse)
        with pytest.raises(OSError, match="space"):
            jsonl.append(log, b"{}", sealed=True)
    assert Path(log).read_bytes() == before
    assert (kinds(log), find_marked(log)) == ([], [])


@pytest.mark.req("safe.seal.kills")
@pytest.mark.parametrize("sync", [False, True])
def test_an_append_that_found_no_room_is_not_missed_later(tmp_path: Path, sync: bool) -> None:
    log = str(tmp_path / "evidence.jsonl")
    jsonl.append(log, b'{"n": 1}', sync=True, sealed=True)
    for _ in range(2):
        with open(log, "rb+") as file:
            stopped = AppendSeal(log, file.fileno())
            stopped.begin(b'{"n": "so long that there is no room for it"}\n', sync)
            stopped.close()
    jsonl.append(log, b'{"n": 2}', sync=sync, sealed=True)
    assert find_changes(log, thorough=True) == []
    jsonl.append(log, b'{"n": 3}', sync=sync, sealed=True)
    assert find_changes(log, thorough=True) == []
