"""`mi runs`: all runs of all projects, and `mi runs watch`."""

import json
import signal
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.autopilot.side_by_side import Gate, add_tree
from tests.autopilot.workbench import MEND, TEST, Json, Workbench, open_bench, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.waiting import wait_until


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return open_bench(tmp_path)


def listed(bench: Workbench, *args: str) -> Json:
    found: Json = json.loads(bench.mi("runs", *args, "--json").stdout)
    return found


def tasks(bench: Workbench, *args: str) -> list[str]:
    return [one["task"] for one in listed(bench, *args)["runs"]]


@pytest.mark.req("fleet.parallel.runs")
def test_runs_of_all_projects_are_listed_by_state_time_and_project(bench: Workbench, tmp_path: Path) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    bench.run("first", "task").ended("done")
    (tmp_path / "other").mkdir()
    other = open_bench(tmp_path / "other", first="another project")  # the first commit says which project it is
    other.home = bench.home
    other.agent([say("Which colour should it be, red or blue?")])
    other.mi("run", "second", "task")
    found = listed(bench)
    assert found["total"] == 2
    second, first = found["runs"]
    assert (first["task"], first["status"], first["marks"]["verified"]) == ("first task", "done", True)
    assert (first["batches"], first["agent"], first["project"], first["root"]) == (
        1,
        "replay",
        "project",
        str(bench.project),
    )
    assert (second["task"], second["status"], second["question_id"][:3]) == ("second task", "blocked", "qu_")
    assert tasks(bench, "--state", "done") == ["first task"]
    assert tasks(bench, "--state", "waiting") == ["second task"]
    assert tasks(bench, "--state", "done", "--state", "blocked") == ["second task", "first task"]
    assert tasks(bench, "--state", "running") == []
    assert tasks(bench, "--project", str(other.project)) == ["second task"]
    assert tasks(bench, "--project", first["project_id"]) == ["first task"]
    assert tasks(bench, "-n", "1") == ["second task"]
    assert tasks(bench, "--since", "1h") == ["second task", "first task"]
    assert tasks(bench, "--since", "2999-01-01") == []
    shown = bench.mi("runs").stdout
    assert "Which colour" in shown
    assert first["run_id"] in shown
    more = bench.mi("runs", "-n", "1").stdout
    assert "1 more" in more
    for bad in (("--since", "soon"), ("--state", "odd")):
        refused = bench.mi("runs", *bad)
        assert (refused.code, bad[1] in refused.stderr) == (2, True)
    unknown = bench.mi("runs", "--project", "nowhere")
    assert (unknown.code, "nowhere" in unknown.stderr) == (1, True)


@pytest.mark.req("fleet.parallel.runs")
def test_a_home_without_runs_stays_as_it_is(mi, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = mi("--home", str(tmp_path / "none"), "runs")
    assert (done.returncode, "no runs" in done.stdout) == (0, True)
    assert not (tmp_path / "none").exists()


def watch(bench: Workbench, request: pytest.FixtureRequest, *args: str) -> "subprocess.Popen[str]":
    watcher = subprocess.Popen(
        [str(MI), "runs", "watch", *args], cwd=bench.project, stdout=subprocess.PIPE, encoding="utf-8"
    )
    request.addfinalizer(watcher.kill)
    return watcher


@pytest.mark.req("fleet.parallel.watch")
def test_watching_shows_each_run_until_it_ends(bench: Workbench, request: pytest.FixtureRequest) -> None:
    gate, tree = Gate(bench), add_tree(bench, "beside")
    processes = [bench.start("fix", "it"), tree.start("mend", "it")]
    for process in processes:
        request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(bench, tree), 20)
    assert {one["status"] for one in listed(bench)["runs"]} == {"running"}
    assert sorted(tasks(bench, "--state", "running")) == ["fix it", "mend it"]
    watcher = watch(bench, request, "--json")
    assert watcher.stdout is not None
    rows = [json.loads(watcher.stdout.readline()) for _ in range(2)]
    assert {(row["task"], row["status"], row["batch"]) for row in rows} == {
        ("fix it", "running", "b0"),
        ("mend it", "running", "b0"),
    }
    assert {row["branch"] for row in rows} == {"main", "beside"}
    gate.open()
    ended = set()
    while len(ended) < 2:
        row = json.loads(watcher.stdout.readline())
        if row["status"] == "done":
            ended.add(row["task"])
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=20)
    for process in processes:
        assert bench.finish(process).code == 0
    assert watcher.returncode == 130


@pytest.mark.req("fleet.parallel.watch")
def test_a_terminal_has_a_table_of_the_runs_that_go_on(bench: Workbench, request: pytest.FixtureRequest) -> None:
    gate = Gate(bench)
    process = bench.start("fix", "it")
    request.addfinalizer(process.kill)
    assert wait_until(lambda: gate.has(bench), 20)
    with closing(Terminal([str(MI), "runs", "watch"], bench.project, 160, TERM="xterm")) as terminal:
        terminal.read_until("1 running")
        terminal.read_until("b0")
        terminal.type("\x03")
        shown = terminal.finish(130)
    assert "Traceback" not in shown
    gate.open()
    assert bench.finish(process).code == 0


@pytest.mark.req("fleet.parallel.asked")
def test_a_question_of_a_work_tree_names_project_run_and_branch(bench: Workbench) -> None:
    bench.agent([say("Which colour should it be, red or blue?")])
    told = bench.folder / "told"
    tell = bench.folder / "tell"
    tell.write_text(f"#!/bin/sh\nprintenv MI_BRANCH MI_RUN > {told}.new && mv {told}.new {told}\n", "utf-8")
    tell.chmod(0o755)
    bench.configure(notify=str(tell))
    tree = add_tree(bench, "beside")
    run_id = tree.mi("run", "paint", "it").end["run_id"]
    (item,) = bench.inbox()
    asked = {"project": "project", "project_root": str(tree.project), "main_root": str(bench.project)}
    assert item | asked | {"branch": "beside", "run_id": run_id} == item
    shown = bench.mi("inbox").stdout
    assert f"project  {bench.project}\n" in shown
    assert f"beside  {tree.project}" in shown
    assert wait_until(lambda: told.exists() and told.read_text("utf-8").split() == ["beside", run_id], 20)
    (row,) = json.loads(bench.mi("cost", "--json").stdout)["rows"]
    assert (row["run_id"], row["branch"]) == (run_id, "beside")
    answered = bench.mi("answer", "1", "blue")
    assert str(tree.project) in answered.stdout  # how it goes on there


@pytest.mark.req("fleet.parallel.watch")
def test_watching_shows_what_waits_for_the_person_or_for_a_moment(
    bench: Workbench, request: pytest.FixtureRequest
) -> None:
    bench.agent([say("Which colour should it be, red or blue?")])
    bench.mi("run", "paint", "it")
    assert bench.mi("queue", "add", "fix it later", "--not-before", "2999-01-01").code == 0
    watcher = watch(bench, request)
    assert watcher.stdout is not None
    head, *rows = [watcher.stdout.readline() for _ in range(3)]
    assert "0 running, 1 waiting for you, 1 queued" in head
    assert any("Which colour" in row for row in rows)
    assert any("goes on in" in row for row in rows)
    watcher.send_signal(signal.SIGINT)
    watcher.communicate(timeout=20)
