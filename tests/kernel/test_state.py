import json
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from mi.kernel.notices import Notices
from mi.kernel.state import encode_pretty, read_state, update_state


class Inner(Struct, frozen=True, kw_only=True):
    name: str = ""
    count: int = 0


class State(Struct, frozen=True, kw_only=True):
    version: str = "v1"
    title: str = "untitled"
    inner: Inner = Inner()
    optional: Inner | None = None
    named: dict[str, Inner] = {}
    items: list[str] = []


def write(path: Path, content: object) -> None:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def keys(notices: Notices) -> list[str]:
    return [notice.key for notice in notices]


def test_a_missing_file_is_the_default_and_stays_missing(tmp_path, notices):
    path = tmp_path / "home/state.json"
    assert read_state(str(path), State, notices) == State()
    assert not path.parent.exists()
    assert keys(notices) == []


@pytest.mark.req("mi.fail.missing-key-kept")
def test_a_missing_key_costs_only_itself(tmp_path, notices):
    path = tmp_path / "state.json"
    write(path, {"title": "mine", "inner": {"count": 7}})
    assert read_state(str(path), State, notices) == State(title="mine", inner=Inner(count=7))
    changed = update_state(str(path), State, lambda old: msgspec.structs.replace(old, items=["x"]), notices)
    assert changed == State(title="mine", inner=Inner(count=7), items=["x"])
    assert read_state(str(path), State, notices) == changed
    assert keys(notices) == []


def test_keys_of_a_newer_version_survive_a_change_at_every_depth(tmp_path, notices):
    path = tmp_path / "state.json"
    later = {"inner": {"name": "a", "new": 1}, "named": {"x": {"new": 2}, "gone": {"new": 3}}, "new": {"deep": [4]}}
    write(path, later | {"optional": {"new": 5}})

    def change(old: State) -> State:
        inner = msgspec.structs.replace(old.inner, count=9)
        return msgspec.structs.replace(old, inner=inner, named={"x": old.named["x"], "y": Inner()})

    update_state(str(path), State, change, notices)
    stored = json.loads(path.read_text("utf-8"))
    assert stored["inner"] == {"name": "a", "count": 9, "new": 1}
    assert stored["named"] == {"x": {"name": "", "count": 0, "new": 2}, "y": {"name": "", "count": 0}}
    assert stored["new"] == {"deep": [4]}
    assert stored["optional"]["new"] == 5
    update_state(str(path), State, lambda old: msgspec.structs.replace(old, optional=None), notices)
    assert json.loads(path.read_text("utf-8"))["optional"] is None


def test_nothing_is_written_when_nothing_changes(tmp_path, notices):
    path = tmp_path / "state.json"
    update_state(str(path), State, lambda old: old, notices)
    before = path.stat()
    update_state(str(path), State, lambda old: old, notices)
    assert path.stat().st_ino == before.st_ino
    assert path.stat().st_mtime_ns == before.st_mtime_ns


BROKEN = ["", "{", '{"title": 5}', "[]", '{"title": "x"} trailing', '{"inner": {"count": "many"}}', "\x00\x00\x00"]


@pytest.mark.req("mi.log.writer-quarantines", "v1.state.continue-defaults")
@pytest.mark.parametrize("content", BROKEN)
def test_a_reader_notices_a_broken_file_and_leaves_it(tmp_path, notices, content):
    path = tmp_path / "state.json"
    write(path, content)
    assert read_state(str(path), State, notices) == State()
    assert keys(notices) == ["state-broken"]
    assert path.read_text("utf-8") == content
    assert sorted(os.listdir(tmp_path)) == ["state.json", "user", "work"]


@pytest.mark.req("mi.log.writer-quarantines", "v1.state.quarantine", "v1.state.continue-defaults")
@pytest.mark.parametrize("content", BROKEN)
def test_a_writer_sets_a_broken_file_aside_and_goes_on(tmp_path, notices, content):
    path = tmp_path / "state.json"
    write(path, content)
    update_state(str(path), State, lambda old: msgspec.structs.replace(old, title="new"), notices)
    (aside,) = tmp_path.glob("state.json.corrupt.*")
    assert aside.read_text("utf-8") == content
    assert read_state(str(path), State, notices) == State(title="new")
    (notice,) = notices
    assert (notice.key, notice.path, notice.details["kept_in"]) == ("state-quarantined", str(path), str(aside))


@pytest.mark.req("v1.state.quarantine")
def test_what_was_set_aside_in_the_same_moment_is_all_kept(tmp_path, notices, monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_000_000_000)
    path = tmp_path / "state.json"
    for number in range(20):
        write(path, f"broken {number}")
        update_state(str(path), State, lambda old: old, notices)
    kept = {one.read_text("utf-8") for one in tmp_path.glob("state.json.corrupt.*")}
    assert kept == {f"broken {number}" for number in range(20)}


def test_a_reader_goes_on_around_what_cannot_even_be_opened(tmp_path, notices):
    path = tmp_path / "state.json"
    path.mkdir()
    assert read_state(str(path), State, notices) == State()
    assert keys(notices) == ["state-broken"]
    with pytest.raises(IsADirectoryError):
        update_state(str(path), State, lambda old: old, notices)


def test_text_that_is_no_utf8_can_be_stored(tmp_path, notices):
    path = str(tmp_path / "state.json")
    update_state(path, State, lambda old: msgspec.structs.replace(old, title="caf\udce9"), notices)
    assert read_state(path, State, notices).title == "caf\ufffd"


def test_state_is_written_for_people():
    assert encode_pretty({"a": [1], "b": "值"}).decode() == '{\n  "a": [\n    1\n  ],\n  "b": "值"\n}\n'


def test_two_processes_lose_no_change(tmp_path):
    path = tmp_path / "state.json"
    code = f"""
import sys, msgspec
from mi.kernel.notices import Notices
from mi.kernel.state import update_state
from tests.kernel.test_state import State
for number in range(40):
    add = lambda old: msgspec.structs.replace(old, items=[*old.items, f"{{sys.argv[1]}}{{number}}"])
    update_state({str(path)!r}, State, add, Notices())
"""
    root = str(Path(__file__).resolve().parent.parent.parent)
    running = [subprocess.Popen([sys.executable, "-c", code, name], cwd=root) for name in "ab"]
    assert [process.wait() for process in running] == [0, 0]
    items = read_state(str(path), State, Notices()).items
    assert sorted(items) == sorted(f"{name}{number}" for name in "ab" for number in range(40))
