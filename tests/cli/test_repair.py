"""`mi repair`: what doctor finds, mended without losing anything, and first only shown."""

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Stage


@pytest.fixture
def damaged(mi, tmp_path) -> Path:
    """A home with one damage of each kind."""
    mi("init", "--values", "Be kind.")
    mi("search", "kind")
    home = tmp_path / "home"
    log = home / "global/evidence.jsonl"
    with log.open("ab") as file:
        file.write(b'{"kind":"torn')
    (home / "global/project_selection.json").write_text("{broken", "utf-8")
    (home / "indexes/memory.sqlite").write_bytes(b"not a database" * 100)
    (home / f"global/evidence.jsonl.tmp.{_dead_pid()}").write_text("x", "utf-8")
    (home / f"config.json.tmp.{os.getpid()}").write_text("x", "utf-8")  # its writer lives
    os.chmod(log, 0o644)
    os.chmod(home, 0o755)
    return home


def _dead_pid() -> int:
    import subprocess

    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def found(mi, *args: str) -> set[str]:
    return {one["kind"] for one in json.loads(mi("repair", *args, "--json").stdout)["damage"]}


ALL = {"open-home", "open-file", "torn-end", "broken-state", "broken-index", "left-temporary"}


@pytest.mark.req("mi.cli.repair-dry-run")
def test_a_dry_run_changes_nothing(mi, damaged):
    before = {path: path.read_bytes() for path in damaged.rglob("*") if path.is_file()}
    assert found(mi) == ALL
    assert "mi repair --apply" in mi("repair").stdout
    assert {path: path.read_bytes() for path in damaged.rglob("*") if path.is_file()} == before


@pytest.mark.req("mi.cli.repair")
def test_it_mends_what_doctor_reports_and_keeps_everything(mi, damaged):
    reported = mi("doctor").stdout
    assert reported.count("→ mi doctor --fix") >= 5
    lines = (damaged / "global/evidence.jsonl").read_bytes().splitlines()
    assert found(mi, "--apply") == ALL
    assert found(mi) == set()
    assert mi("repair").stdout == "Nothing to mend.\n"
    assert "→ mi doctor --fix" not in mi("doctor").stdout
    assert (damaged / "global/evidence.jsonl").read_bytes().splitlines() == lines[:-1]
    (torn,) = damaged.glob("global/evidence.jsonl.torn.*")
    assert torn.read_bytes() == b'{"kind":"torn'
    (aside,) = damaged.glob("global/project_selection.json.corrupt.*")
    assert aside.read_text("utf-8") == "{broken"
    assert (damaged / f"config.json.tmp.{os.getpid()}").exists()
    assert "Be kind." in mi("search", "kind").stdout


def test_no_home_no_damage(mi, tmp_path):
    assert mi("repair").stdout == "Nothing to mend.\n"
    assert not (tmp_path / "home").exists()


def test_the_persons_own_configuration_is_not_set_aside(mi, tmp_path):
    """A missing comma is mended by hand; defaults in place of all settings would be a loss."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.json").write_text('{"language": "zh" "notify": ""}', "utf-8")
    os.chmod(home / "config.json", 0o600)
    assert found(mi, "--apply") == set()
    assert "notify" in (home / "config.json").read_text("utf-8")
    assert mi("doctor").returncode == 1


def test_what_a_link_points_to_is_not_touched(mi, tmp_path):
    home, mine = tmp_path / "home", tmp_path / "mine.json"
    home.mkdir(mode=0o700)
    mine.write_text("{broken", "utf-8")
    os.chmod(mine, 0o644)
    (home / "link.json").symlink_to(mine)
    (home / "gone.json").symlink_to(tmp_path / "nowhere")
    assert found(mi, "--apply") == set()
    assert (mine.stat().st_mode & 0o777, mine.read_text("utf-8")) == (0o644, "{broken")


def test_what_is_no_file_is_no_damage_and_keeps_nobody_waiting(mi, home):
    mi("init", "--values", "Be kind.")
    place = Path(home.root, "global")
    (place / "loop.json").symlink_to("loop.json")
    (place / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(place / "pipe.json")
    assert mi("repair").stdout == "Nothing to mend.\n"
    doctor = mi("doctor")
    assert "damage" not in doctor.stdout


def test_log_whose_place_a_pipe_has_taken(mi, stage: Stage):
    stage.log.parent.mkdir(parents=True, mode=0o700)
    os.mkfifo(stage.log)
    for command in ("status", "tail", "show last", "doctor"):
        done = mi(*command.split())
        assert done.returncode in (0, 1), command
        assert str(stage.log) in done.stdout + done.stderr, command


def test_snapshots_that_git_keeps_are_left_alone(mi, stage: Stage):
    first = Path(stage.place.root, "trees", "run_1", "first.json")
    first.parent.mkdir(parents=True)
    first.write_text('"4b825dc642cb6eb9a060e54bf8d69288fbee4904"', "utf-8")
    mi("repair", "--apply")
    assert first.exists()


def test_home_with_signs_of_an_address_in_its_name(mi, tmp_path: Path):
    home = tmp_path / "a?b#c%41 d"
    mi("--home", str(home), "init", "--values", "Be kind.")
    assert "Be kind." in mi("--home", str(home), "search", "kind").stdout
    before = sorted(tmp_path.rglob("*"))
    assert mi("--home", str(home), "repair").stdout == "Nothing to mend.\n"
    mi("--home", str(home), "doctor")
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_not_the_homes_own_is_left_alone(damaged: Path, mi) -> None:
    """A home may lie in a folder with other things, such as `mi --home ~`."""
    mine = {"notes.json": "{not json", "projects/app/data.jsonl": '{"no": "newline"}', "work.sqlite": "no database"}
    for name, text in mine.items():
        path = damaged / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(0o644)
    assert json.loads(mi("repair", "--apply", "--json").stdout)["damage"]
    for name, text in mine.items():
        assert (damaged / name).read_text("utf-8") == text
        assert (damaged / name).stat().st_mode & 0o777 == 0o644
