"""`mi doctor`: what is there, what works, and how to mend what does not."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from tests.cli.conftest import Stage


def findings(mi, *args: str, **kwargs) -> dict[str, list[dict]]:
    done = mi("doctor", "--json", *args, **kwargs)
    shown = json.loads(done.stdout)
    assert shown["ok"] is (done.returncode == 0)
    assert shown["ok"] is not any(one["level"] == "fail" for one in shown["findings"])
    areas: dict[str, list[dict]] = {}
    for one in shown["findings"]:
        assert set(one) == {"area", "level", "text", "fix"}
        areas.setdefault(one["area"], []).append(one)
    return areas


@pytest.mark.req("mi.cli.doctor", "mi.cli.doctor-json")
def test_new_home(mi, home, stage: Stage):
    areas = findings(mi, env={"PATH": "/nowhere"})
    assert areas["home"] == [
        {"area": "home", "level": "ok", "text": f"{home.root} is made at the first write", "fix": ""}
    ]
    assert areas["git"][0]["level"] == "warn"
    assert areas["git"][0]["fix"]
    assert [one["fix"] for one in areas["hands"]] == [
        "npm install -g @openai/codex",
        "npm install -g @anthropic-ai/claude-code",
    ]
    assert areas["providers"][0]["level"] == "warn"
    assert "no agent to work with" in areas["providers"][0]["text"]
    assert sqlite3.sqlite_version in areas["sqlite"][0]["text"]
    assert stage.project_id in areas["project"][0]["text"]


@pytest.mark.req("mi.cli.doctor")
def test_for_people(mi, recorded: Stage):
    shown = mi("doctor")
    assert (shown.returncode, shown.stderr) == (0, "")
    lines = shown.stdout.splitlines()
    assert any(line.startswith("✓ home ") for line in lines)
    assert any(line.startswith("✓ evidence ") and str(recorded.log) in line for line in lines)
    fixes = [line for line in lines if "→" in line]
    assert all(lines[lines.index(fix) - 1].startswith(("!", "✗")) for fix in fixes)


@pytest.mark.req("mi.cli.doctor")
def test_what_is_installed(mi, tmp_path: Path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("codex", "git"):
        (folder / name).write_text("#!/bin/sh\n", "utf-8")
        (folder / name).chmod(0o755)
    areas = findings(mi, env={"PATH": str(folder)})
    assert areas["git"][0]["text"] == f"git at {folder}/git"
    assert [one["level"] for one in areas["hands"]] == ["ok", "warn"]
    assert areas["providers"][0]["text"] == "would use hands: codex, mind: codex_schema"


@pytest.mark.req("mi.cli.doctor")
@pytest.mark.parametrize(
    ("config", "lacks"),
    [
        ({"hands": {"provider": "codex"}, "mind": {"provider": "rules"}}, ["codex"]),
        ({"hands": {"provider": "claude"}, "mind": {"provider": "claude_schema"}}, ["claude", "claude"]),
        (
            {"hands": {"provider": "codex", "codex": {"path": "/nowhere/codex"}}, "mind": {"provider": "rules"}},
            ["path"],
        ),
        ({"hands": {"provider": "cli", "cli": {"exec": ["aider-not-here", "x"]}}}, ["aider-not-here"]),
        ({"hands": {"provider": "replay", "replay": {"file": "/nowhere.json"}}}, ["/nowhere.json"]),
        ({"mind": {"provider": "anthropic", "anthropic": {"api_key_env": "NO_SUCH_KEY"}}}, ["NO_SUCH_KEY"]),
    ],
)
def test_what_is_configured_and_not_there_is_no_tick(mi, home, tmp_path: Path, config: dict, lacks: list[str]):
    folder = tmp_path / "bin"
    folder.mkdir()
    if "hands" not in config:
        (folder / "codex").write_text("#!/bin/sh\n", "utf-8")
        (folder / "codex").chmod(0o755)
    os.makedirs(home.root, 0o700)
    Path(home.config).write_text(json.dumps(config), "utf-8")
    done = mi("doctor", "--json", env={"PATH": str(folder)})
    assert done.returncode == 1
    told = [one for one in json.loads(done.stdout)["findings"] if one["area"] == "providers"]
    assert [one["level"] for one in told] == ["fail"] * len(lacks)
    assert all(word in one["text"] for word, one in zip(lacks, told, strict=True))


@pytest.mark.req("mi.cli.doctor")
def test_home_that_others_can_read(mi, home):
    mi("config", "init")
    os.chmod(home.root, 0o755)
    (finding, *_) = findings(mi)["home"]
    assert (finding["level"], finding["fix"]) == ("warn", f"mi doctor --fix  |  chmod 700 {home.root}")
    shown = mi("doctor", "--fix").stdout
    assert shown.startswith("✓ ")
    assert f"✓ home      {home.root}, yours alone" in shown
    assert os.stat(home.root).st_mode & 0o777 == 0o700
    assert findings(mi)["home"][0]["level"] == "ok"


@pytest.mark.req("mi.cli.doctor")
def test_home_that_is_a_file(mi, tmp_path: Path):
    (tmp_path / "home").write_text("", "utf-8")
    areas = findings(mi)
    assert areas["home"][0]["level"] == "fail"
    assert areas["home"][0]["fix"]
    (tmp_path / "file").write_text("", "utf-8")
    assert findings(mi, "--home", str(tmp_path / "file/below"))["home"][0]["level"] == "fail"


@pytest.mark.req("mi.cli.doctor")
def test_configuration(mi, home):
    os.makedirs(home.root, 0o700)
    Path(home.config).write_text('{"mind": {"provder": "rules", "anthropic": {"api_key": "short"}}}', "utf-8")
    done = mi("doctor", "--json")
    assert done.returncode == 1
    config = [one for one in json.loads(done.stdout)["findings"] if one["area"] == "config"]
    assert [one["level"] for one in config] == ["fail", "warn"]
    assert "mind.provider" in config[0]["text"]
    assert "api_key_env" in config[1]["text"]
    assert "short" not in done.stdout + done.stderr
    Path(home.config).write_text('{\n"mind"', "utf-8")
    (broken,) = findings(mi)["config"]
    assert (broken["level"], broken["fix"]) == ("fail", "mi config init --force")
    assert "line 2, column 7" in broken["text"]


@pytest.mark.req("mi.cli.doctor")
def test_damaged_logs_and_what_was_set_aside(mi, recorded: Stage, home):
    with recorded.log.open("ab") as file:
        file.write(b'no record\n{"kind":"torn')
    kept = Path(home.root, "global", "project_selection.json.corrupt.2026-01-01T00-00-00.000Z")
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text("x", "utf-8")
    areas = findings(mi)
    texts = [one["text"] for one in areas["evidence"]]
    assert f"{recorded.log}: 1 unreadable line passed over" in texts
    assert f"{recorded.log} ends in a torn line of 13 bytes; the next write sets it aside" in texts
    assert [one["text"] for one in areas["state"]] == [
        f"{kept} was set aside; look at it, then delete it",
        f"{recorded.log} ends in a torn line: complete it or set it aside",
    ]
