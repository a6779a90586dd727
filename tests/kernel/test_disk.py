"""A disk that is full or read-only: one clear line, nothing lost, everything as it was."""

import json
import os
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from mi.kernel import errors, files, jsonl
from mi.kernel.config import edit
from mi.kernel.home import Home
from mi.kernel.state import read_state, update_state
from tests.disks import fill, read_only_disk, small_disk


class State(Struct, frozen=True, kw_only=True):
    text: str = ""


def larger(state: State) -> State:
    return msgspec.structs.replace(state, text="x" * 20_000)


def line_of(error: OSError) -> str:
    """What a person would read."""
    line = errors.from_os_error(error).line()
    assert "\n" not in line
    return line


@pytest.fixture
def disk(tmp_path):
    with small_disk(tmp_path / "disk", "256k") as folder:
        yield folder


def test_a_log_on_a_full_disk_stays_intact_and_goes_on_later(disk):
    log = disk / "home/evidence.jsonl"
    jsonl.append(str(log), b'{"n":1}')
    fill(disk)
    record = b'{"n":2,"pad":"%s"}' % (b"x" * 3000)
    jsonl.append(str(log), record)  # into what is left of the log's last block
    with pytest.raises(OSError, match="space") as caught:
        jsonl.append(str(log), record, sync=True)
    assert (
        line_of(caught.value) == f"{log}: no space left on the disk; nothing was lost (free some space and try again)"
    )
    records = [json.loads(line) for line in log.read_bytes().splitlines()]
    assert log.read_bytes().endswith(b"\n")
    assert records[0] == {"n": 1}
    (disk / "ballast").unlink()
    assert jsonl.append(str(log), b'{"n":3}').repair is None
    assert len(log.read_bytes().splitlines()) == len(records) + 1


def test_of_many_lines_that_do_not_fit_none_is_kept(disk):
    log = disk / "evidence.jsonl"
    jsonl.append(str(log), b'{"n":1}')
    fill(disk, leave=8192)
    with pytest.raises(OSError, match="space"):
        jsonl.append(str(log), *[b'{"pad":"%s"}' % (b"x" * 1000)] * 50)
    assert log.read_bytes() == b'{"n":1}\n'


def test_a_new_log_on_a_full_disk(disk):
    fill(disk)
    with pytest.raises(OSError, match="space") as caught:
        jsonl.append(str(disk / "evidence.jsonl"), b'{"n":1}')
    assert errors.from_os_error(caught.value).code == "disk-full"
    assert list(jsonl.read_forward(str(disk / "evidence.jsonl"))) == []


def test_a_torn_line_that_cannot_be_set_aside_stays_where_it_is(disk):
    log = disk / "evidence.jsonl"
    torn = b'{"torn":"' + b"x" * 9000
    log.write_bytes(b'{"n":1}\n' + torn)
    fill(disk)
    for _ in range(2):
        with pytest.raises(OSError, match="space") as caught:
            jsonl.append(str(log), b'{"n":2}')
        assert errors.from_os_error(caught.value).code == "disk-full"
        assert log.read_bytes() == b'{"n":1}\n' + torn
        assert sorted(os.listdir(disk)) == ["ballast", "evidence.jsonl"]
    (disk / "ballast").unlink()
    repair = jsonl.append(str(log), b'{"n":2}').repair
    assert repair is not None
    assert Path(repair.kept_in).read_bytes() == torn
    assert log.read_bytes() == b'{"n":1}\n{"n":2}\n'


def test_a_state_file_on_a_full_disk_keeps_its_old_content(disk, notices):
    path = disk / "home/state.json"
    update_state(str(path), State, lambda old: msgspec.structs.replace(old, text="old"), notices)
    before = path.read_bytes()
    fill(disk, leave=4096)
    with pytest.raises(OSError, match="space") as caught:
        update_state(str(path), State, larger, notices)
    assert line_of(caught.value).startswith(f"{path}: no space left")
    assert path.read_bytes() == before
    assert read_state(str(path), State, notices).text == "old"
    assert os.listdir(path.parent) == ["state.json"]


def test_a_configuration_on_a_full_disk_keeps_its_old_content(disk):
    home = Home(str(disk / "home"))
    edit.init(home, force=False)
    before = Path(home.config).read_bytes()
    fill(disk, leave=4096)
    for change in (lambda: edit.init(home, force=True), lambda: edit.apply_template(home, "strict")):
        with pytest.raises(OSError, match="space") as caught:
            change()
        assert errors.from_os_error(caught.value).code == "disk-full"
        assert Path(home.config).read_bytes() == before


@pytest.fixture
def locked_home(tmp_path):
    """A home with a log and a state file on a disk that cannot be written."""
    folder = tmp_path / "fixed"
    jsonl.append(str(folder / "evidence.jsonl"), b'{"n":1}')
    files.write_atomic(str(folder / "state.json"), b'{"text":"old"}\n')
    (folder / "torn.jsonl").write_bytes(b'{"n":1}\n{"to')
    (folder / "broken.json").write_bytes(b"{")
    with read_only_disk(folder):
        yield folder


def changes(folder: Path, notices) -> dict[str, object]:
    """Every way to write into the home, by the file that the complaint must name."""
    return {
        "evidence.jsonl": lambda: jsonl.append(str(folder / "evidence.jsonl"), b'{"n":2}'),
        "torn.jsonl": lambda: jsonl.append(str(folder / "torn.jsonl"), b'{"n":2}'),
        "new.jsonl": lambda: jsonl.append(str(folder / "new.jsonl"), b'{"n":2}'),
        "global": lambda: jsonl.append(str(folder / "global/evidence.jsonl"), b'{"n":2}'),
        "state.json": lambda: update_state(str(folder / "state.json"), State, larger, notices),
        "broken.json": lambda: update_state(str(folder / "broken.json"), State, larger, notices),
    }


@pytest.mark.parametrize("name", ["evidence.jsonl", "torn.jsonl", "new.jsonl", "global", "state.json", "broken.json"])
def test_a_read_only_disk_is_named_and_nothing_changes(locked_home, notices, name):
    before = {path.name: path.read_bytes() for path in locked_home.iterdir()}
    with pytest.raises(OSError, match="Read-only") as caught:
        changes(locked_home, notices)[name]()
    wanted = f"{locked_home / name}: the disk is read-only (use another home: mi --home <folder>)"
    assert line_of(caught.value) == wanted
    assert {path.name: path.read_bytes() for path in locked_home.iterdir()} == before


def test_a_read_only_disk_can_be_read(locked_home, notices):
    assert read_state(str(locked_home / "state.json"), State, notices).text == "old"
    assert [line.data for line in jsonl.read_backward(str(locked_home / "torn.jsonl"))] == [b'{"to', b'{"n":1}']
