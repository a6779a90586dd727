"""Two runs at once in two work trees of one repository."""

import json
from pathlib import Path

import pytest

from tests.autopilot.side_by_side import Gate, add_tree
from tests.autopilot.workbench import Json, Workbench, open_bench
from tests.waiting import wait_until

TASK = ("fix", "the", "failing", "test")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def starts(bench: Workbench) -> dict[str, Json]:
    """The run of each tree, by the tree's name."""
    return {Path(one["project_root"]).name: one for one in bench.records() if one["kind"] == "run_start"}


@pytest.mark.req("fleet.parallel.lock")
def test_two_work_trees_of_one_repository_have_a_run_each_at_once(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    processes = [one.start(*TASK) for one in (bench, tree)]
    for process in processes:
        request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(bench, tree), 20)
    begun = starts(bench)
    assert len({one["run_id"] for one in begun.values()}) == 2
    assert len(list(bench.home.glob("projects/*/evidence.jsonl"))) == 1  # one project
    refused = tree.mi("run", *TASK)  # of each tree one
    assert refused.code == 3
    assert begun["beside"]["run_id"] in refused.stderr
    for one in (bench, tree):
        status = json.loads(one.mi("status", "--json").stdout)["run"]
        assert status["status"] == "running"
    gate.open()
    for one, process in zip((bench, tree), processes, strict=True):
        ran = one.finish(process)
        end = next(r for r in ran.of("run_end") if r["run_id"] == begun[one.project.name]["run_id"])
        assert (ran.code, end["status"]) == (0, "done"), ran.stdout + ran.stderr
        assert "a + b" in one.read("calc.py")
    assert not [r for r in bench.records() if r["kind"] in ("violation", "question")]
    assert not list(bench.home.glob("projects/*/locks/*"))


@pytest.mark.req("fleet.parallel.named")
def test_stop_means_the_run_of_its_tree_or_the_one_that_is_named(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    gate, first, second = Gate(bench), add_tree(bench, "first"), add_tree(bench, "second")
    processes = {one: one.start(*TASK) for one in (first, second)}
    for process in processes.values():
        request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(first, second), 20)
    begun = starts(bench)
    for command in ("stop", "attach"):  # in the main tree no run goes on
        unclear = bench.mi(command)
        assert unclear.code == 1
        assert all(one["run_id"] in unclear.stderr for one in begun.values())
    assert begun["second"]["run_id"] in bench.mi("stop", begun["second"]["run_id"]).stdout
    assert first.mi("stop").stdout.startswith(begun["first"]["run_id"])
    for one, process in processes.items():
        assert one.finish(process).code == 130
