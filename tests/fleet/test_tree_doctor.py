"""`mi doctor` knows the work trees of runs and the project's rules for them."""

import json
import os
import shutil

import pytest

from tests.autopilot.workbench import Workbench
from tests.fleet.test_tree_setup import rules
from tests.fleet.tree_bench import DONE, tree_of


def found(bench: Workbench) -> list[tuple[str, str, str]]:
    findings = json.loads(bench.mi("doctor", "--json").stdout)["findings"]
    return [(one["level"], one["text"], one["fix"]) for one in findings if one["area"] == "trees"]


@pytest.mark.req("fleet.trees.doctor")
def test_doctor_tells_of_trees_that_are_gone_or_moved(bench: Workbench) -> None:
    bench.agent(DONE)
    ran = bench.run("--worktree", "fix the failing test")
    assert [one[:2] for one in found(bench)] == [
        ("ok", "1 work tree of runs (mi runs clean removes those that are not needed)")
    ]
    moved = bench.project.parent / "moved"
    os.rename(bench.project, moved)
    bench.project = moved
    assert found(bench)[0][::2] == ("warn", f"git -C {moved} worktree repair {tree_of(ran)}")
    shutil.rmtree(tree_of(ran))
    assert found(bench)[0][::2] == ("warn", f"mi run --resume {ran.end['run_id']}")


@pytest.mark.req("fleet.trees.doctor")
def test_doctor_tells_of_rules_that_cannot_be_read_or_are_not_trusted(bench: Workbench) -> None:
    bench.agent(DONE)
    rules(bench, "setup = 'true'\n", trusted=False)
    ((level, text, fix),) = found(bench)
    assert (level, "true; you have not trusted that" in text, fix) == ("warn", True, "mi trust")
    rules(bench, "nothing = 1\n", trusted=False)
    assert "nothing is no key of it" in found(bench)[0][1]
    rules(bench, "setup = 'true'\n")
    assert found(bench)[0][0] == "ok"
