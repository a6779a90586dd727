"""What a run leaves in the state of its project: what was set aside, what the project is made with."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say

DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


@pytest.mark.req("alive.home.state-corrupt")
@pytest.mark.parametrize("name", ["overlay.json", "global/project_selection.json"])
def test_broken_state_is_told_with_the_latest_run(bench: Workbench, name: str) -> None:
    bench.agent(DONE)
    bench.run("fix it")
    (overlay,) = bench.home.glob("projects/*/overlay.json")
    path = overlay if name == "overlay.json" else bench.home / name
    path.write_text('{"version": "v1", ', "utf-8")
    bench.agent(DONE)
    bench.run("fix it")
    own = [one["path"] for one in bench.records() if one["kind"] == "state_corrupt"]
    assert own == ([str(overlay.relative_to(bench.home))] if name == "overlay.json" else [])
    told = json.loads(bench.mi("show", "last", "--json").stdout)["state_corrupt_recent"]
    assert told["path"] == str(path.relative_to(bench.home))
    assert (bench.home / told["kept_in"]).read_text("utf-8") == '{"version": "v1", '
    assert told["path"] in bench.mi("show", "last").stdout


@pytest.mark.req("alive.home.stack")
def test_a_run_notes_what_the_project_is_made_with(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("fix it")
    (overlay,) = bench.home.glob("projects/*/overlay.json")
    assert json.loads(overlay.read_text("utf-8"))["stack_hints"] == ["python"]
    (seen,) = ran.of("evidence")
    observed = seen["repo_observation"]
    assert (observed["stack_hints"], observed["has_tests"], observed["git_is_repo"]) == (["python"], True, True)
    assert observed["git_head"]
    assert "calc.py" in observed["git_status_porcelain"] + observed["git_diff_stat"]
