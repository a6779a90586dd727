"""Every command line that the seed shows: those of finished areas are understood, one after the other."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from mi.cli.commands import COMMANDS
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.home import Home
from mi.project.identity import make_project_id
from tests.cli.conftest import Stage, a_run
from tests.starting import run_mi

FINISHED = {"floor", "hands", "loop", "thoughtdb", "workflows"}
AREAS = {"floor", "hands", "loop", "thoughtdb", "workflows"}
TABLE = Path(__file__).with_name("seed_commands.txt").read_text("utf-8").splitlines()[1:]
LINES = [tuple(part.strip() for part in line.split("|", 1)) for line in TABLE]
WANTED = list(dict.fromkeys(command for area, command in LINES if area in FINISHED))


def test_table_is_whole():
    assert {area for area, _ in LINES} == AREAS
    assert len(LINES) == 169
    assert all(command.startswith("mi ") for _, command in LINES)


def prepare(home: Home, root: Path) -> dict[str, str]:
    """A home in which everything exists that the lines speak of."""
    own_id = make_project_id(f"path:{root}")
    stage = Stage(root, own_id, home.project(own_id))
    stage.append(*a_run(), LearnSuggested(id="ls_1", text="Run the linter"))
    for kind in ("hands", "mind"):
        path = stage.transcript(kind, "20260101T000000Z.jsonl", '{"ts":"2026","stream":"stdout","line":"x"}')
    node = {"kind": "node", "version": "v1", "node_id": "nd_1", "node_type": "decision", "title": "t", "text": "x"}
    edge = {
        "kind": "edge",
        "version": "v1",
        "edge_id": "ed_1",
        "edge_type": "supports",
        "from_id": "nd_1",
        "to_id": "cl_1",
    }
    os.makedirs(stage.place.thoughts)
    Path(stage.place.thoughts, "nodes.jsonl").write_text(json.dumps(node) + "\n", "utf-8")
    Path(stage.place.thoughts, "edges.jsonl").write_text(json.dumps(edge) + "\n", "utf-8")
    for folder in (stage.place.workflows, home.workflows):
        os.makedirs(folder)
        Path(folder, "wf_1.json").write_text('{"version": "v1", "id": "wf_1", "name": "release", "steps": []}', "utf-8")
    said = json.loads(run("init", "--values", "Keep changes small.", "--json").stdout)["event_id"]
    claim = json.loads(run("values", "show", "--json").stdout)["values"][0]["claim_id"]
    return {
        "<project_root>": str(root),
        "<host_workspace_root>": str(root),
        "<task words...>": "add a flag",
        "ev_<id>": said,
        "<event_id>": said,
        "cl_<id>": claim,
        "<claim_id>": claim,
        "<task>": "add a flag",
        "nd_<id>": "nd_1",
        "<node_id>": "nd_1",
        "ed_<id>": "ed_1",
        "<edge_id>": "ed_1",
        "wf_<id>": "wf_1",
        "<workflow_id>": "wf_1",
        "<suggestion_id>": "ls_1",
        "<dup_id>": claim,
        "<canonical_id>": claim,
        "<from_id>": "nd_1",
        "<to_id>": claim,
        "<name>": "rules",
        '"..."': '"Keep changes small."',
        "/path/to/transcript.jsonl": str(path),
        "<path>.jsonl": str(path),
    }


def run(*args: str) -> subprocess.CompletedProcess[str]:
    return run_mi(list(args), "", dict(os.environ), None, 60)


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, subprocess.CompletedProcess[str]]:
    """The lines of the finished areas, run one after the other in one home."""
    user, root = tmp_path_factory.mktemp("user"), tmp_path_factory.mktemp("project")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(user))
        patch.delenv("MI_HOME", raising=False)
        patch.chdir(root)
        filled_in = prepare(Home(str(user / ".mind-incarnation")), root)
        done: dict[str, subprocess.CompletedProcess[str]] = {}
        for command in WANTED:
            line = command
            for placeholder, value in filled_in.items():
                line = line.replace(placeholder, value)
            assert "<" not in line, command
            done[command] = run(*shlex.split(line)[1:])
    return done


@pytest.mark.parametrize("command", WANTED)
def test_line_is_understood(outcomes, command):
    done = outcomes[command]
    assert done.returncode != 2, done.stderr
    assert "Traceback" not in done.stderr


def test_every_command_of_a_finished_area_exists():
    words = {word for command in WANTED for word in command.split()[1:] if word in COMMANDS}
    assert words >= {"version", "config", "values", "init", "settings", "status", "show", "tail", "project"}
    assert words >= {"workflow", "host"}
    assert words >= {"claim", "edge", "node", "memory", "why"}
