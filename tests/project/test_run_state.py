"""What is kept of each run, beside what the project has of its latest."""

import os

import pytest

from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state
from mi.project.overlay import HandsState, Overlay, WorkflowRun
from mi.project.run_state import (
    find_thread_state,
    forget_threads,
    hold_run,
    list_runs,
    read_cursor,
    store_cursor,
    store_thread_state,
)

MAIN, BESIDE = "/main", "/beside"


def keep(home: Home, run_id: str, root: str, thread: str) -> None:
    state = HandsState(provider="codex", thread_id=thread, updated_ts="2026-01-01T00:00:00.000Z")
    store_thread_state(home.project("p"), run_id, root, state, Notices())


def find(home: Home, root: str) -> str:
    return find_thread_state(home.project("p"), root, Notices()).thread_id


@pytest.mark.req("fleet.parallel.state")
def test_a_run_goes_on_with_the_latest_thread_of_its_own_tree(home: Home, notices: Notices) -> None:
    assert find(home, MAIN) == ""
    keep(home, "run_1", MAIN, "t-main")
    keep(home, "run_2", BESIDE, "t-beside")
    assert (find(home, MAIN), find(home, BESIDE), find(home, "/third")) == ("t-main", "t-beside", "")
    latest = read_state(home.project("p").overlay, Overlay, notices).hands_state
    assert latest.thread_id == "t-beside"
    forget_threads(home.project("p"), BESIDE, notices)
    assert (find(home, MAIN), find(home, BESIDE)) == ("t-main", "")
    keep(home, "run_3", BESIDE, "t-new")
    assert (find(home, MAIN), find(home, BESIDE)) == ("t-main", "t-new")


@pytest.mark.req("fleet.parallel.state")
def test_a_thread_of_the_last_version_is_gone_on_with(home: Home, notices: Notices) -> None:
    place = home.project("p")
    os.makedirs(place.root)
    with open(place.overlay, "w", encoding="utf-8") as file:
        file.write('{"hands_state": {"provider": "codex", "thread_id": "old", "updated_ts": ""}}')
    assert find(home, MAIN) == "old"


@pytest.mark.req("fleet.parallel.state")
def test_each_run_has_its_own_place_in_its_workflow(home: Home, notices: Notices) -> None:
    place = home.project("p")
    for run_id, step in (("run_1", "s1"), ("run_2", "s2")):
        cursor = WorkflowRun(active=True, workflow_id="wf_1", run_id=run_id, next_step_id=step)
        store_cursor(place, run_id, cursor, notices)
    assert [read_cursor(place, run_id, notices).next_step_id for run_id in ("run_1", "run_2")] == ["s1", "s2"]
    assert read_state(place.overlay, Overlay, notices).workflow_run.run_id == "run_2"
    assert read_cursor(place, "run_3", notices).run_id == "run_2"  # that has none yet


@pytest.mark.req("fleet.parallel.state")
def test_the_states_of_the_latest_fifty_runs_are_kept(home: Home) -> None:
    for number in range(55):
        keep(home, f"run_{number:03}", MAIN, f"t{number}")
    assert list_runs(home.project("p")) == [f"run_{number:03}" for number in range(54, 4, -1)]


@pytest.mark.req("fleet.parallel.learning")
def test_one_of_several_learns_from_a_run_that_was_stopped(home: Home) -> None:
    place = home.project("p")
    with hold_run(place, "run_1") as first, hold_run(place, "run_1") as second, hold_run(place, "run_2") as other:
        assert (first, second, other) == (True, False, True)
    with hold_run(place, "run_1") as later:
        assert later
