"""Two runs at once in two work trees of one repository."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.autopilot.side_by_side import Gate, add_tree
from tests.autopilot.workbench import Json, Workbench, open_bench, say
from tests.waiting import wait_until

TASK = ("fix", "the", "failing", "test")


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def starts(bench: Workbench) -> dict[str, Json]:
    """The run of each tree, by the tree's name."""
    return {Path(one["project_root"]).name: one for one in bench.records() if one["kind"] == "run_start"}


@pytest.mark.req("fleet.parallel.lock", "fleet.parallel.status")
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
        status = json.loads(one.mi("status", "--json").stdout)
        assert status["run"]["status"] == "running"
        told = {run["id"]: (run["status"], run["root"], run["branch"]) for run in status["runs"]}
        assert told == {
            begun["project"]["run_id"]: ("running", str(bench.project), "main"),
            begun["beside"]["run_id"]: ("running", str(tree.project), "beside"),
        }
    assert begun["beside"]["run_id"] in bench.mi("status").stdout
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
    (bench.folder / "other").mkdir()
    elsewhere = Workbench(bench.folder / "other", bench.folder)  # in no project of the run
    assert begun["second"]["run_id"] in elsewhere.mi("stop", begun["second"]["run_id"]).stdout
    assert first.mi("stop").stdout.startswith(begun["first"]["run_id"])
    for one, process in processes.items():
        assert one.finish(process).code == 130


@pytest.fixture
def ended(bench: Workbench) -> Iterator[tuple[Workbench, dict[str, Json]]]:
    """Two runs that ended, their records between each other's: the tree's, and the run of each tree."""
    gate, tree = Gate(bench), add_tree(bench, "beside")
    processes = [bench.start("fix", "it", "in", "main"), tree.start("fix", "it", "beside")]
    assert wait_until(lambda: gate.has(bench, tree), 20)
    gate.open()
    for process in processes:
        assert bench.finish(process).code == 0
    yield tree, starts(bench)
    for process in processes:
        process.kill()


@pytest.mark.req("fleet.parallel.last")
def test_last_means_the_run_of_the_work_tree_or_the_one_that_is_named(
    bench: Workbench, ended: tuple[Workbench, dict[str, Json]]
) -> None:
    tree, begun = ended
    main, beside = begun["project"]["run_id"], begun["beside"]["run_id"]

    def show(where: Workbench, *args: str) -> Json:
        found: Json = json.loads(where.mi(*args, "--json").stdout)
        return found

    assert show(tree, "show", "last")["run_id"] == beside
    for run_id, task in ((main, "fix it in main"), (beside, "fix it beside")):
        last = show(bench, "show", "last", run_id)
        assert (last["run_id"], last["run"]["task"], last["run"]["status"]) == (run_id, task, "done")
        assert {run_id in event for event in last["event_ids"]} == {True}
        assert show(bench, "show", run_id)["task"] == task
        own = json.loads(bench.mi("tail", "--run", run_id, "-n", "5", "--json").stdout)
        assert [one["run_id"] for one in own] == [run_id] * 5
        assert show(bench, "why", "last", run_id)["run"]["run_id"] == run_id
        changes = show(bench, "diff", run_id)["changes"]  # from whichever tree
        assert [one["path"] for one in changes] == ["calc.py"]
    for where, run_id in ((bench, main), (tree, beside)):
        assert run_id in show(where, "diff", "last")["ref"]
        assert show(where, "status")["run"]["status"] == "done"
    assert show(tree, "status")["run"]["id"] == beside
    bad = bench.mi("show", "last", "run_none")
    assert (bad.code, "run_none" in bad.stderr) == (1, True)
    assert bench.mi("show", main, beside).code == 2


@pytest.mark.req("fleet.parallel.restore")
def test_each_tree_is_put_back_by_its_own_run(bench: Workbench, ended: tuple[Workbench, dict[str, Json]]) -> None:
    tree, begun = ended
    elsewhere = bench.mi("restore", begun["beside"]["run_id"], "--yes")
    assert (elsewhere.code, str(tree.project) in elsewhere.stderr) == (1, True)
    assert bench.mi("restore", "last", "--yes").code == 0
    assert "a + b" not in bench.read("calc.py")
    assert "a + b" in tree.read("calc.py")


@pytest.mark.req("fleet.parallel.resume")
def test_a_run_that_goes_on_in_one_tree_is_not_resumed_in_another(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    process = tree.start(*TASK)
    request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(tree), 20)
    run_id = starts(bench)["beside"]["run_id"]
    refused = bench.mi("run", "--resume", run_id)
    assert (refused.code, run_id in refused.stderr) == (3, True)
    assert bench.mi("run", "--resume").code == 1  # there is no other
    gate.open()
    assert tree.finish(process).code == 0


def answer_beside(tree: Workbench) -> None:
    """Let an agent ask something in a tree, and answer it, while another run goes on."""
    asks = {"version": "v1", "batches": [{"steps": [say("Which colour should it be, red or blue?")]}]}
    tree.script.write_text(json.dumps(asks), "utf-8")  # the run that goes on has read its own
    asked = tree.mi("run", "paint", "it")
    assert asked.code == 3, asked.stdout + asked.stderr
    answered = tree.mi("answer", asked.of("question")[-1]["id"], "blue")
    assert answered.code == 0, answered.stderr


@pytest.mark.req("fleet.parallel.home")
def test_what_a_run_beside_writes_is_no_alarm(bench: Workbench, request: pytest.FixtureRequest) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    process = bench.start(*TASK)
    request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(bench), 20)
    answer_beside(tree)
    assert tree.mi("run", "--resume").code in (0, 3)
    gate.open()
    ran = bench.finish(process)
    assert ran.code == 0, ran.stdout + ran.stderr
    assert not ran.of("violation")
    assert not [one for one in ran.of("question") if one["about"] == "home"]
    assert not list(bench.home.rglob("*.unconfirmed.*"))


@pytest.mark.req("fleet.parallel.learning")
def test_nothing_is_learned_from_another_runs_records_or_answers(bench: Workbench, tmp_path: Path) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    process = bench.start(*TASK)
    assert wait_until(lambda: gate.has(bench), 20)
    answer_beside(tree)
    gate.open()
    bench.finish(process)
    begun = starts(bench)
    for tree_name, other in (("project", "beside"), ("beside", "project")):
        run_id = begun[tree_name]["run_id"]
        (state,) = bench.home.glob(f"projects/*/runs/{run_id}/segment_state.json")
        told = json.loads(state.read_text("utf-8"))
        assert told["run_id"] == run_id
        assert told["task"] == begun[tree_name]["task"]
        assert not any(begun[other]["run_id"] in one["event_id"] for one in told["events"])
        assert tree_name == "beside" or not any("blue" in one["text"] for one in told["events"])


@pytest.mark.req("fleet.parallel.lock")
def test_what_a_run_began_with_is_kept_while_it_goes_on(bench: Workbench, request: pytest.FixtureRequest) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    process = tree.start(*TASK)
    request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(tree), 20)
    run_id = starts(bench)["beside"]["run_id"]
    (kept,) = bench.home.glob(f"projects/*/trees/{run_id}")
    for number in range(51):  # of so many runs that may be resumed it is kept
        (kept.parent / f"run_2999_{number:02}").mkdir()
    bench.script.write_text(json.dumps({"version": "v1", "batches": [{"steps": [say("Done.")]}]}), "utf-8")
    bench.mi("run", "look", "at", "it")
    assert kept.exists()
    assert not (kept.parent / "run_2999_00").exists()
    gate.open()
    assert tree.finish(process).code == 0


@pytest.mark.req("fleet.parallel.resume", "fleet.parallel.gc")
def test_a_killed_run_goes_on_in_its_tree_and_tidying_leaves_runs_alone(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    processes = {one: one.start(*TASK) for one in (bench, tree)}
    for process in processes.values():
        request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(bench, tree), 20)
    begun = starts(bench)
    for what in (("transcripts", "--keep", "0"), ("snapshots", "--days", "0"), ("thoughtdb",)):
        tidied = bench.mi("gc", *what, "--apply")
        assert tidied.code == 0, tidied.stderr
        spared = [one["run_id"] in tidied.stdout for one in begun.values()]
        assert what[0] == "thoughtdb" or all(spared), tidied.stdout
    processes[tree].kill()
    processes[tree].communicate()
    refused = tree.mi("run", "--resume", begun["project"]["run_id"])  # it goes on in the other tree
    assert refused.code == 3
    gate.open()
    resumed = tree.mi("run", "--resume")
    assert resumed.code == 0, resumed.stdout + resumed.stderr
    assert bench.finish(processes[bench]).code == 0
    records = bench.records()
    own = {name: [one for one in records if one["run_id"] == start["run_id"]] for name, start in begun.items()}
    for name, ends in (("project", ["ended"]), ("beside", ["cut", "ended"])):
        assert [one["outcome"] for one in own[name] if one["kind"] == "batch_end"] == ends
        assert [one["status"] for one in own[name] if one["kind"] == "run_end"] == ["done"]
        assert sorted(one["seq"] for one in own[name]) == list(range(1, len(own[name]) + 1))
    assert not [one for one in records if one["kind"] in ("violation", "question")]
