"""What tests of work trees begin with: a repository, and a run that ended in a tree of its own."""

from pathlib import Path

import pytest

from tests.autopilot.workbench import Ran, Workbench
from tests.fleet.tree_bench import DONE, open_tree_bench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_tree_bench(tmp_path)


@pytest.fixture
def ran(bench: Workbench) -> Ran:
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    ran.ended("done")
    return ran
