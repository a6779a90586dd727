"""What a newcomer meets: every command of the fleet in an empty home, without git or without a first commit."""

from pathlib import Path

import pytest

from tests.autopilot.workbench import Workbench
from tests.conftest import git

# what is said, by what was typed: one line, which names the way on
SAID = {
    "merge": (1, "mi run <task> begins one"),
    "merge last": (1, "mi run <task> begins one"),
    "report": (1, "mi run <task> begins one"),
    "diff last": (1, "mi run <task> begins one"),
    "prove": (1, "mi run <task> begins one"),
    "restore last": (1, "mi run <task> begins one"),
    "run --resume last": (1, "mi run <task> begins one"),
    "show hands last": (1, "mi run <task> begins one"),
    "runs": (0, "mi run"),
    "runs --state waiting": (0, "mi runs lists all"),
    "runs clean": (0, "no work tree"),
    "runs clean last": (1, "mi runs"),
    "queue": (0, "mi queue add"),
    "queue add": (2, "--file FILE or --tasks"),
    "queue add --tasks": (1, "mi task add"),
    "queue add --after last x": (1, "mi queue list --all"),
    "queue cancel --all": (0, "nothing was cancelled"),
    "queue retry last": (1, "mi queue list --all"),
    "race": (1, "mi race"),
    "race pick": (2, "mi race pick RUN"),
    "race pick last": (1, "mi race"),
    "race x": (1, "npm install -g @openai/codex"),
    "run --detach x": (1, "npm install -g @openai/codex"),
    "run --worktree x": (2, "without --worktree"),
    "attach last": (1, "mi run <task>"),
    "stop last": (1, "mi run <task>"),
    "inbox": (0, "Nothing waits"),
}


@pytest.mark.req("fleet.names.first-words")
@pytest.mark.parametrize("is_repository", [False, True])
def test_one_line_says_how_to_begin(tmp_path: Path, is_repository: bool) -> None:
    bench = Workbench(tmp_path / "project", tmp_path)
    bench.project.mkdir()
    bench.env["PATH"] = "/usr/bin:/bin"  # no agent is installed
    if is_repository:
        git(bench.project, "init", "-q")
    for words, (code, way) in SAID.items():
        done = bench.mi(*words.split())
        said = done.stdout + done.stderr
        assert (done.code, said.count("\n"), way in said) == (code, 1, True), (words, said)
    assert not (bench.home / "queue.sqlite").exists()


@pytest.mark.req("fleet.names.first-words")
def test_a_worker_with_nothing_to_do_says_so_and_ends(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, tmp_path)
    done = bench.mi("worker", "--drain")
    assert (done.code, done.stderr.splitlines()[-1]) == (0, "mi: nothing is left that would begin by itself")
