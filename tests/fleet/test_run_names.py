"""A run is named by its id, by the last part of that or by its branch, in every command that takes one."""

import json
from pathlib import Path

import pytest

from tests.autopilot.workbench import RIGHT, Ran, Workbench
from tests.fleet.tree_bench import DONE


@pytest.mark.req("fleet.names.short")
@pytest.mark.parametrize(
    "words",
    [
        ["report", "{}"],
        ["show", "{}"],
        ["show", "last", "{}"],
        ["show", "hands", "{}"],
        ["diff", "{}"],
        ["diff", "{}/b0"],
        ["why", "last", "{}"],
        ["tail", "--run", "{}"],
        ["undo", "{}"],
        ["proof", "export", "{}"],
        ["runs", "clean", "--dry-run", "{}"],
        ["merge", "{}"],
    ],
)
def test_the_end_of_its_id_names_a_run(bench: Workbench, ran: Ran, words: list[str]) -> None:
    whole = bench.mi(*(word.format(ran.end["run_id"]) for word in words))
    short = bench.mi(*(word.format(ran.end["run_id"][-8:]) for word in words))
    assert short.code == whole.code
    if words[0] == "merge":
        assert RIGHT in (bench.project / "calc.py").read_text("utf-8")
    elif words[0] != "why":  # which is recorded each time
        assert (short.stdout, short.stderr) == (whole.stdout, whole.stderr)


@pytest.mark.req("fleet.names.short")
def test_its_branch_names_a_run_too(bench: Workbench, ran: Ran) -> None:
    branch = ran.of("run_start")[-1]["branch"]
    assert json.loads(bench.mi("show", branch, "--json").stdout)["run_id"] == ran.end["run_id"]
    assert "calc.py" in bench.mi("diff", branch, "--stat").stdout


@pytest.mark.req("fleet.names.short")
@pytest.mark.parametrize(
    "words",
    [
        ["merge", "{}"],
        ["report", "{}"],
        ["show", "{}"],
        ["show", "last", "{}"],
        ["show", "mind", "{}"],
        ["diff", "{}"],
        ["restore", "{}", "--yes"],
        ["prove", "{}"],
        ["why", "last", "{}"],
        ["attach", "{}"],
        ["stop", "{}"],
        ["run", "--resume", "{}"],
        ["race", "pick", "{}"],
        ["runs", "clean", "{}"],
    ],
)
@pytest.mark.parametrize("name", ["xxxxxxxx", "run_20260101T000000Z_xxxxxxxx"])
def test_a_run_that_nobody_knows_points_to_the_list(bench: Workbench, words: list[str], name: str) -> None:
    bench.agent(DONE)
    bench.run().ended("done")
    done = bench.mi(*(word.format(name) for word in words))
    assert (done.code in (1, 2), done.stderr.count("\n")) == (True, 1), done.stderr
    assert name in done.stderr
    assert "mi runs" in done.stderr or "mi restore lists" in done.stderr or "mi race" in done.stderr


@pytest.mark.req("fleet.names.short")
def test_a_name_of_several_runs_asks_for_the_whole_id(bench: Workbench, tmp_path: Path) -> None:
    bench.agent(DONE)
    runs = [json.loads(bench.mi("queue", "add", f"task {n}", "--json").stdout)["queued"][0]["run_id"] for n in "ab"]
    import sqlite3

    twin = runs[0][:4] + "20260101T000000Z_" + runs[0][-8:]
    with sqlite3.connect(bench.home / "queue.sqlite") as db:
        db.execute("UPDATE job SET run_id = ? WHERE run_id = ?", (twin, runs[1]))
    done = bench.mi("queue", "cancel", runs[0][-8:])
    assert (done.code, twin in done.stderr, runs[0] in done.stderr, done.stderr.count("\n")) == (2, True, True, 1)


@pytest.mark.req("fleet.names.transcripts")
def test_what_the_agent_of_a_run_printed_is_shown_by_the_run(bench: Workbench, ran: Ran) -> None:
    first = bench.mi("show", "hands", "--json").stdout
    bench.agent([{"say": "I did something else."}])
    bench.run("--worktree", "--max-batches", "1", "do something else")
    assert bench.mi("show", "hands", "--json").stdout != first
    assert bench.mi("show", "hands", ran.end["run_id"], "--json").stdout == first
    none = bench.mi("show", "mind", ran.end["run_id"])  # rules decided, so that nothing was printed
    assert (none.code, none.stderr.count("\n"), ran.end["run_id"] in none.stderr) == (1, 1, True)


@pytest.mark.req("fleet.names.short")
def test_pick_without_a_run_begins_no_race(bench: Workbench) -> None:
    bench.agent(DONE)
    done = bench.mi("race", "pick")
    assert (done.code, "mi race pick RUN" in done.stderr) == (2, True)
    assert json.loads(bench.mi("queue", "list", "--json").stdout)["jobs"] == []
