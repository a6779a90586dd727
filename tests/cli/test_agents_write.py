"""Agents write what lasts by memory_write; their other ways pass the same gate where the contract is enforced."""

import json
import time
from pathlib import Path

import pytest

from mi.app import speaker
from mi.autopilot.run_times import note_session
from mi.cli.main import run
from mi.kernel.ancestry import ProcessInfo
from mi.kernel.home import Home
from mi.kernel.messages import text
from tests.conftest import Mi
from tests.speaking import SHELL

WAYS = (
    ("nexus", "memory", "add", "Walrus writes are slow here.", "--name", "walrus-writes"),
    ("proposal", "add", "--type", "pattern", "--title", "Walrus first", "--text", "Feed the walrus first."),
    ("card", "archive", "H-001"),
)


@pytest.fixture
def project(mi: Mi, tmp_path: Path) -> Path:
    root = tmp_path / "work"
    assert mi("persona", "init", "--project").returncode == 0
    card = root / "persona/cards/heuristics/h-001.md"
    card.parent.mkdir(parents=True, exist_ok=True)
    card.write_text(
        "---\nid: H-001\ntype: heuristic\nmerge_key: old-way\ntitle: The old way\nsalience: 5\n"
        "created: 2026-01-01\nsource: us\n---\n\nIt was so.\n",
        "utf-8",
    )
    return root


def enforce(mi: Mi) -> None:
    done = mi("hook", "install", "claude-code", "--enforce", "permissions,contract")
    assert done.returncode == 0, done.stderr


@pytest.mark.req("one.agents-write.gated")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way[:2]))
def test_what_lasts_passes_the_gate_where_the_contract_is_enforced(
    mi: Mi, project: Path, way: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
):
    enforce(mi)
    before = {path: path.read_bytes() for path in project.rglob("*.md")}
    monkeypatch.setenv("CLAUDECODE", "1")
    refused = mi(*way)
    assert (refused.returncode, "RECALL_REQUIRED" in refused.stderr) == (3, True)
    assert {path: path.read_bytes() for path in project.rglob("*.md")} == before
    error = json.loads(mi(*way, "--json").stdout)["error"]
    assert (error["code"], error["next"]["tool"]) == ("RECALL_REQUIRED", "memory_recent")
    mi("memory", "recent")
    mi("contract", "mode", "GUARDED")
    done = mi(*way)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.req("one.agents-write.gated")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way[:2]))
def test_nobody_else_is_asked(mi: Mi, project: Path, way: tuple[str, ...], monkeypatch: pytest.MonkeyPatch):
    enforce(mi)
    with monkeypatch.context() as other:
        other.setenv("CODEX_SANDBOX", "1")  # another host, in which nothing is enforced
        assert mi(*WAYS[0][:-1], "walrus-first").returncode == 0
    assert mi(*way).returncode == 0


@pytest.mark.req("one.agents-write.session")
def test_a_recall_in_the_shell_counts_in_the_session_of_the_host_above(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    claude = ProcessInfo(77, "claude", ("claude",), 1.0, 2)
    monkeypatch.setattr(speaker, "read_ancestry", lambda pid: [SHELL, SHELL, claude, SHELL])
    Path(home.root).mkdir()
    note_session(home, "claude-code s1", 77, time.time() - 60, until=time.time() + 600)
    at = ["--home", home.root, "--cd", str(tmp_path)]
    assert run([*at, "memory", "recent"]) == 0
    assert run([*at, "contract", "mode", "GUARDED"]) == 0
    assert run([*at, "memory", "write", "note", "walrus"]) == 0
    capsys.readouterr()
    run([*at, "contract", "status", "--json"])
    sessions = json.loads(capsys.readouterr().out)["sessions"]
    assert list(sessions) == ["host_claude-code-s1"]


@pytest.mark.req("one.agents-write.tag")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_tag_names_memory_write(language: str):
    assert "memory_write" in text("tag.m", language)
