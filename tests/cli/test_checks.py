"""`mi checks`: shown before any run, set by the person alone, run for them."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import git
from tests.starting import run_mi


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "web").mkdir(parents=True)
    (folder / "test_a.py").write_text("import unittest\n", "utf-8")
    (folder / "web" / "Makefile").write_text("test:\n\tpython3 -m unittest -q\n", "utf-8")
    git(folder, "init", "-q", "-b", "main")
    return folder


def mi(project: Path, *args: str, **env: str) -> "subprocess.CompletedProcess[str]":
    home = {"MI_HOME": str(project.parent / "home")}
    return run_mi(list(args), "", os.environ | home | env, project, 60)


def shown(project: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(mi(project, "checks", "--json").stdout)["packages"]
    return found


@pytest.mark.req("judge.checks.show")
def test_packages_commands_strength_and_source_are_shown_before_any_run(project: Path) -> None:
    root, web = shown(project)
    assert (root["folder"], root["language"], root["strength"]) == ("", "python", "test")
    assert root["checks"][0] == {
        "command": "python -m unittest",
        "kind": "test",
        "origin": "runner",
        "source": "test_a.py",
    }
    assert (web["folder"], web["checks"][0]["command"]) == ("web", "cd web && make test")
    told = mi(project, "checks").stdout
    assert "→ cd web && make test  (recipe of web/Makefile)" in told
    assert ". (python)  its tests verify" in told
    assert not (project.parent / "home" / "projects").exists()  # looking leaves nothing behind


@pytest.mark.req("judge.checks.set")
def test_what_the_person_sets_holds_and_can_be_taken_back(project: Path) -> None:
    assert mi(project, "checks", "set", "python3 -m unittest -q").returncode == 0
    assert {part["checks"][0]["origin"] for part in shown(project)} == {"person"}
    assert mi(project, "checks", "set", "make test", "--folder", "web").returncode == 0
    root, web = shown(project)
    assert (root["checks"][0]["command"], web["checks"][0]["command"]) == (
        "python3 -m unittest -q",
        "cd web && make test",
    )
    assert mi(project, "checks", "clear", "--folder", "web").returncode == 0
    assert mi(project, "checks", "clear").returncode == 0
    assert {part["checks"][0]["origin"] for part in shown(project)} == {"runner", "recipe"}
    assert not (project / ".mi").exists()


@pytest.mark.req("judge.checks.share")
def test_shared_it_stands_in_the_repository_and_keeps_what_else_is_there(project: Path) -> None:
    (project / ".mi").mkdir()
    (project / ".mi" / "checks.toml").write_text('prepare = ["make deps"]\n', "utf-8")
    assert mi(project, "checks", "set", "make -C web test", "--share").returncode == 0
    text = (project / ".mi" / "checks.toml").read_text("utf-8")
    assert 'prepare = ["make deps"]' in text
    assert 'command = "make -C web test"' in text
    assert shown(project)[0]["checks"][0] == {
        "command": "make -C web test",
        "kind": "test",
        "origin": "person",
        "source": ".mi/checks.toml",
    }


@pytest.mark.req("judge.checks.set")
def test_an_agent_sets_and_runs_nothing(project: Path) -> None:
    for words in (("set", "true"), ("clear",), ("run",)):
        refused = mi(project, "checks", *words, CLAUDECODE="1")
        assert (refused.returncode, "for a person" in refused.stderr) == (3, True)


@pytest.mark.req("judge.checks.run")
def test_they_are_run_for_the_person(project: Path) -> None:
    (project / "test_a.py").write_text(
        "import unittest\nclass T(unittest.TestCase):\n    def test(self): ...\n", "utf-8"
    )
    (project / "web" / "test_b.py").write_text((project / "test_a.py").read_text("utf-8"), "utf-8")
    mi(project, "checks", "set", "python3 -m unittest -q test_a")
    ran = mi(project, "checks", "run")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (project / "test_a.py").write_text("import unittest\nraise SystemExit(7)\n", "utf-8")
    ran = mi(project, "checks", "run")
    assert ran.returncode == 1
    assert "exit code 7: python3 -m unittest -q test_a" in ran.stdout
    told = json.loads(mi(project, "checks", "run", "--json").stdout)
    assert told == [{"command": "python3 -m unittest -q test_a", "exit_code": 7}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["make test || true"], "what would have to succeed"),
        (["make test", "--folder", "../x"], "outside of the project"),
        (["make test", "--folder", "gone"], "no folder 'gone'"),
    ],
)
def test_a_wrong_word_is_refused_in_one_line(project: Path, words: list[str], said: str) -> None:
    refused = mi(project, "checks", "set", *words)
    assert refused.returncode in (1, 2)
    assert said in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
