"""Torn, interleaved and unreadable lines, broken state, two writers: said once, and nothing lost."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from mi.evidence.records.run import RunStart
from tests.cli.conftest import Stage
from tests.conftest import MI
from tests.seals import unseal

READING = ["", "status --json", "tail", "tail --json", "tail --raw", "show last", "show last --json", "doctor"]


@pytest.mark.req("mi.fail.torn-line-works", "mi.log.readers-around-corrupt")
@pytest.mark.parametrize(
    "torn", [b'{"kind":"run_start","task":"ha', b"{", b"\xff\xfe", b'{"kind":"evidence","x":"\\u00']
)
def test_torn_last_line_bricks_nothing(mi, recorded: Stage, torn):
    whole = recorded.log.read_bytes()
    recorded.log.write_bytes(whole + torn)
    for command in READING if torn.startswith(b"{") else ["status", "tail", "doctor"]:
        done = mi(*command.split())
        assert done.returncode == 0, command
        if command != "doctor":
            size = f"{len(torn)} byte{'s' if len(torn) > 1 else ''}"
            told = f"mi: {recorded.log} ends in a torn line of {size}; the next write sets it aside\n"
            assert done.stderr == told
    assert recorded.log.read_bytes() == whole + torn
    assert len(json.loads(mi("tail", "--json").stdout)) == min(20, len(whole.splitlines()))


@pytest.mark.req("mi.fail.torn-line-append", "mi.fail.torn-line-once")
def test_next_write_sets_a_torn_line_aside_and_says_so_once(mi, recorded: Stage):
    whole = recorded.log.read_bytes()
    torn = b'{"kind":"run_start","task":"ha'
    recorded.log.write_bytes(whole + torn)
    set_ = ["settings", "set", "--scope", "project", "--ask-when-uncertain", "ask"]
    done = mi(*set_)
    assert done.returncode == 0
    (kept,) = recorded.log.parent.glob("evidence.jsonl.torn.*")
    assert kept.read_bytes() == torn
    assert done.stderr == f"mi: {recorded.log} ended in a torn line of {len(torn)} bytes; it is kept in {kept}\n"
    assert mi(*set_).stderr == ""
    assert mi("tail").stderr == ""
    assert recorded.log.read_bytes().startswith(whole)
    kinds = [json.loads(line)["kind"] for line in recorded.log.read_bytes()[len(whole) :].splitlines()]
    assert kinds == ["settings_set", "state_corrupt", "settings_set"]
    assert json.loads(mi("show", "last", "--json").stdout)["state_corrupt_recent"]["kept_in"]
    assert str(kept) in mi("doctor").stdout


@pytest.mark.req("mi.fail.torn-line-append")
def test_whole_line_without_its_newline_is_completed(mi, recorded: Stage):
    whole = recorded.log.read_bytes()
    recorded.log.write_bytes(whole.removesuffix(b"\n"))
    assert len(json.loads(mi("tail", "--json", "-n", "100").stdout)) == len(whole.splitlines())
    mi("settings", "set", "--scope", "project", "--ask-when-uncertain", "ask")
    assert recorded.log.read_bytes().startswith(whole)
    assert list(recorded.log.parent.glob("*.torn.*")) == []


@pytest.mark.req("mi.fail.torn-line-works")
@pytest.mark.parametrize("log", ["thoughtdb/global/claims.jsonl", "thoughtdb/global/edges.jsonl"])
def test_torn_thoughts(mi, home, log):
    mi("init", "--values", "Be kind.")
    mi("settings", "set", "--ask-when-uncertain", "proceed")
    mi("settings", "set", "--ask-when-uncertain", "ask")
    path = Path(home.root, log)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"kind":"cla')
    assert "Be kind." in mi("values", "show").stdout
    assert json.loads(mi("settings", "show", "--json").stdout)["ask_when_uncertain"]["value"] == "ask"
    done = mi("settings", "set", "--ask-when-uncertain", "proceed")
    assert done.returncode == 0
    assert path.read_bytes().startswith(whole)
    assert json.loads(mi("settings", "show", "--json").stdout)["ask_when_uncertain"]["value"] == "proceed"
    assert "Be kind." in mi("values", "show").stdout


@pytest.mark.req("mi.log.readers-around-corrupt")
def test_lines_that_were_mixed_or_are_no_records(mi, recorded: Stage):
    whole = recorded.log.read_bytes()
    first, second = b'{"kind":"run_start","task":"one"}', b'{"kind":"run_start","task":"two"}'
    mixed = first[:20] + second[:15] + first[20:] + second[15:]
    odd = [mixed, b"", b"[1, 2]", b'"text"', b"null", b"\x00" * 64, b"{}", b'{"kind": 3}', b"[" * 100_000]
    unseal(recorded.log)
    recorded.log.write_bytes(b"\n".join([*odd, whole.rstrip(b"\n"), *odd, b""]))
    records = len(whole.splitlines())
    shown = mi("tail", "--json", "-n", "100")
    assert len(json.loads(shown.stdout)) == records
    assert shown.stderr == f"mi: {recorded.log}: {2 * 8} unreadable lines passed over\n"
    for command in READING:
        done = mi(*command.split())
        assert done.returncode == 0, command
        assert done.stderr.count("\n") <= 1, command
    assert json.loads(mi("status", "--json").stdout)["run"]["status"] == "done"


@pytest.mark.req("mi.log.readers-around-corrupt")
def test_records_with_odd_content(mi, recorded: Stage):
    odd = {
        "ev_utf8": b'{"kind":"note","event_id":"ev_utf8","text":"caf\xe9 \xff\xfe"}',
        "ev_inf": b'{"kind":"note","event_id":"ev_inf","n":1e999}',
        "ev_big": b'{"kind":"note","event_id":"ev_big","n":123456789012345678901234567890}',
        "ev_half": b'{"kind":"note","event_id":"ev_half","text":"\\ud800"}',
        "ev_twice": b'{"kind":"note","event_id":"ev_twice","a":1,"a":2}',
        "ev_type": b'{"kind":"user_input","event_id":"ev_type","answer":5}',
        "ev_long": b'{"kind":"note","event_id":"ev_long","text":"' + b"x" * 2_000_000 + b'"}',
    }
    unseal(recorded.log)
    with recorded.log.open("ab") as file:
        file.write(b"".join(line + b"\n" for line in odd.values()))
    shown = mi("tail", "--json", "-n", str(len(odd)))
    assert (shown.returncode, shown.stderr) == (0, "")
    assert [one["event_id"] for one in json.loads(shown.stdout)] == list(odd)
    assert len(mi("tail", "-n", str(len(odd))).stdout.splitlines()) == len(odd)
    for event_id in odd:
        done = mi("show", event_id)
        assert (done.returncode, done.stderr) == (0, ""), event_id
        assert event_id in done.stdout
    assert "caf\ufffd" in mi("show", "ev_utf8").stdout
    assert len(json.loads(mi("show", "ev_long", "--json").stdout)["text"]) == 2_000_000


@pytest.mark.req("mi.log.derived-deletable", "mi.log.evidence-sqlite")
@pytest.mark.parametrize("damage", ["gone", "rubbish", "empty", "folder", "another version"])
def test_index_that_is_gone_or_broken_costs_nothing(mi, recorded: Stage, home, damage):
    (event,) = recorded.append(RunStart(task="wanted"))
    assert mi("show", event.event_id).returncode == 0
    index = Path(home.evidence_index)
    assert index.exists()
    if damage == "rubbish":
        index.write_bytes(b"SQLite format 3\x00" + os.urandom(5000))
    elif damage == "another version":
        import sqlite3

        with sqlite3.connect(index) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
    else:
        index.unlink()
        if damage != "gone":
            index.mkdir() if damage == "folder" else index.write_bytes(b"")
    for command in (f"show {event.event_id}", "status"):
        done = mi(*command.split())
        assert (done.returncode, done.stderr) == (0, ""), command


@pytest.mark.req(
    "v1.state.quarantine",
    "v1.state.continue-defaults",
    "v1.emit.state-corrupt-quarantine",
    "mi.log.writer-quarantines",
    "mi.log.readers-around-corrupt",
)
@pytest.mark.parametrize("name", ["global/project_selection.json", "indexes/projects.json", "overlay.json"])
def test_broken_state_file(mi, stage: Stage, home, name):
    mi("project", "pin")
    path = Path(stage.place.overlay if name == "overlay.json" else Path(home.root, name))
    path.write_bytes(b'{"version": "v1", ')
    for command in ("status", "tail", "show project", "project alias list"):
        done = mi(*command.split())
        assert done.returncode == 0, command
        assert done.stderr.count("\n") <= 1
        assert path.read_bytes() == b'{"version": "v1", '
    done = mi("project", "alias", "add", "app", "--cd", str(stage.root))
    assert done.returncode == 0
    assert json.loads(path.read_text("utf-8"))
    (kept,) = path.parent.glob(path.name + ".corrupt.*")
    assert kept.read_bytes() == b'{"version": "v1", '
    assert str(kept) in done.stderr
    assert done.stderr.count("\n") == 1
    log = stage.log if name == "overlay.json" else Path(home.evidence)
    (corrupt,) = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert corrupt["kind"] == "state_corrupt"
    assert Path(home.root, corrupt["path"]) == path
    assert Path(home.root, corrupt["kept_in"]) == kept
    assert mi("project", "status").stderr == ""


@pytest.mark.req("mi.env.state-warnings", "v1.state.env-warnings-on", "v1.state.env-warnings-off")
def test_warnings_about_state(mi, stage: Stage, home):
    mi("project", "pin")
    Path(home.selection).write_bytes(b"broken")
    by_default = mi("project", "status")
    assert by_default.stderr.count("\n") == 1
    assert home.selection in by_default.stderr
    assert mi("project", "status", env={"MI_STATE_WARNINGS_STDERR": "1"}).stderr == by_default.stderr
    silent = mi("project", "status", env={"MI_STATE_WARNINGS_STDERR": "0"})
    assert (silent.stdout, silent.stderr) == (by_default.stdout, "")


def test_what_was_noticed_is_said_when_the_command_fails(mi, stage: Stage, home):
    mi("project", "alias", "add", "app")
    Path(home.selection).write_bytes(b"broken")
    done = mi("status", "--cd", "@app")
    assert done.returncode == 1
    noticed, failed = done.stderr.splitlines()
    assert home.selection in noticed
    assert "@app" in failed


def test_two_writers_at_once_lose_nothing(stage: Stage, home):
    mi = str(MI)
    set_ = [mi, "settings", "set", "--scope", "project", "--ask-when-uncertain", "ask"]
    alias = [mi, "project", "alias", "add"]
    commands = [set_] * 4 + [[*alias, f"a{number}"] for number in range(4)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for command in commands]
    for process in running:
        out, complaint = process.communicate(timeout=60)
        assert (process.returncode, complaint) == (0, b""), out
    events = [json.loads(line) for line in stage.log.read_text("utf-8").splitlines()]
    assert len(events) == len({one["event_id"] for one in events}) == 4
    assert set(json.loads(Path(home.selection).read_text("utf-8"))["aliases"]) == {"a0", "a1", "a2", "a3"}
    claims = Path(stage.place.thoughts, "claims.jsonl").read_text("utf-8").splitlines()
    assert len({json.loads(line)["claim_id"] for line in claims}) == 4
