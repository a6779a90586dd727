"""Hosts act in a work tree as in the person's own tree: files that git does not keep, and what they keep by path."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import Workbench
from tests.fleet.tree_bench import DONE, open_tree_bench, out, tree_of
from tests.speaking import INSTALLED


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_tree_bench(tmp_path)
    bench.env |= {"HOME": str(tmp_path / "person"), "PATH": f"{INSTALLED.parent}:/usr/bin:/bin"}
    (tmp_path / "person").mkdir()
    return bench


@pytest.mark.req("fleet.trees.hosts")
def test_personal_entries_of_claude_code_hold_in_a_work_tree_and_go_with_it(bench: Workbench, tmp_path: Path) -> None:
    bench.agent(DONE)
    assert bench.mi("setup", "claude-code", "--yes").code == 0
    before = out(bench.project, "status", "--porcelain")
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    tree, own = tree_of(ran), tmp_path / "person/.claude.json"
    placed = ".claude/settings.local.json"
    assert (tree / placed).read_bytes() == (bench.project / placed).read_bytes()
    assert out(tree, "status", "--porcelain") == ""
    assert out(tree, "diff", "--name-only", "HEAD^", "HEAD") == "calc.py"
    assert set(json.loads(own.read_text("utf-8"))["projects"]) == {str(bench.project), str(tree)}
    assert bench.mi("runs", "clean").code == 0
    assert set(json.loads(own.read_text("utf-8"))["projects"]) == {str(bench.project)}
    assert (bench.project / placed).exists()
    assert out(bench.project, "status", "--porcelain") == before
