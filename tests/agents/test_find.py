"""Finding and probing agents."""

import json
import os
from pathlib import Path

import pytest

from mi.agents.find import find, find_native, probe
from mi.kernel.errors import NotFound
from mi.kernel.home import Home
from mi.kernel.notices import Notices


def program(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n", "utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    count = tmp_path / "asked"
    answers = 'case "$1" in --version) echo "codex-cli 0.42.1";; *) echo "  --json  --full-auto  -C, --cd";; esac'
    return program(tmp_path / "bin" / "codex", f"echo x >> {count}\n{answers}")


def test_an_agent_is_found_on_the_path_or_where_the_configuration_says(
    agent: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find("codex", str(agent)) == str(agent)
    monkeypatch.setenv("PATH", str(agent.parent), prepend=os.pathsep)
    assert find("codex") == str(agent)


def test_a_missing_agent_is_named_with_the_ways_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotFound, match="npm install -g @openai/codex"):
        find("codex")
    with pytest.raises(NotFound, match=r"hands\.codex\.path = /no/codex"):
        find("codex", "/no/codex")


def test_a_program_is_asked_once_and_again_when_it_changes(
    agent: Path, tmp_path: Path, home: Home, notices: Notices
) -> None:
    first = probe("codex", str(agent), home, notices)
    assert (first.version, "--full-auto" in first.flags, "--sandbox" in first.flags) == ("0.42.1", True, False)
    asked = (tmp_path / "asked").read_text().count("x")
    assert probe("codex", str(agent), home, notices) == first
    assert (tmp_path / "asked").read_text().count("x") == asked
    program(agent, "echo 9.9.9 --sandbox")
    assert probe("codex", str(agent), home, notices).version == "9.9.9"
    assert len(json.loads(Path(home.path("indexes", "agents.json")).read_text())["probes"]) == 1


def test_a_program_may_speak_in_many_small_pieces(tmp_path: Path, home: Home, notices: Notices) -> None:
    slow = program(tmp_path / "slow", "for n in $(seq 3000); do echo line $n; done; echo 1.2.3 --sandbox")
    assert probe("codex", str(slow), home, notices).flags == ("--sandbox",)


def test_a_program_that_says_nothing_is_asked_again_next_time(tmp_path: Path, home: Home, notices: Notices) -> None:
    silent = program(tmp_path / "silent", "exit 3")
    assert probe("codex", str(silent), home, notices).flags == ()
    assert not os.path.exists(home.path("indexes", "agents.json"))


def test_the_native_program_is_found_behind_its_wrapper(tmp_path: Path) -> None:
    modules = tmp_path / "node_modules" / "@openai"
    wrapper = program(modules / "codex" / "bin" / "codex.js", "")
    link = tmp_path / "codex"
    link.symlink_to(wrapper)
    assert find_native("codex", str(link)) == str(link)
    native = program(modules / "codex-linux-x64" / "vendor" / "x86_64" / "bin" / "codex", "")
    assert find_native("codex", str(link)) == str(native)
    assert find_native("codex", str(native)) == str(native)
