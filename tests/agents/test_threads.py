"""Threads across batches and runs."""

import json
from pathlib import Path

import pytest

from mi.agents.events import AgentUsage
from mi.agents.threads import ThreadLedger, choose_thread, reset_thread, store_thread, subtract_usage
from mi.kernel.config.types import Config
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.project.identity import Project
from mi.project.overlay import HandsState, ensure_overlay, read_overlay

PROJECT = Project(root="/repo", project_id="p1", key="path:/repo")


@pytest.mark.req("v1.overlay.hands-state")
def test_the_latest_thread_of_a_project_is_kept_in_its_overlay(home: Home, notices: Notices) -> None:
    ensure_overlay(home, PROJECT, notices)
    store_thread(home, PROJECT, "run_1", "codex", "t1", notices)
    raw = json.loads(Path(home.project("p1").overlay).read_text("utf-8"))
    assert set(raw["hands_state"]) == {"provider", "thread_id", "updated_ts"}
    assert raw["identity_key"] == "path:/repo"
    state = read_overlay(home, PROJECT, notices).hands_state
    assert (state.provider, state.thread_id) == ("codex", "t1")
    assert state.updated_ts


def test_a_reset_forgets_the_thread_and_nothing_else(home: Home, notices: Notices) -> None:
    ensure_overlay(home, PROJECT, notices)
    store_thread(home, PROJECT, "run_1", "codex", "t1", notices)
    reset_thread(home, PROJECT, notices)
    overlay = read_overlay(home, PROJECT, notices)
    assert overlay.hands_state.thread_id == ""
    assert overlay.project_id == "p1"


STATE = HandsState(provider="codex", thread_id="t1", updated_ts="2026-01-01T00:00:00.000Z")


@pytest.mark.req("mi.config.hands-continue")
@pytest.mark.parametrize(
    ("provider", "flag", "setting", "expected"),
    [
        ("codex", False, False, ""),
        ("codex", True, False, "t1"),
        ("codex", False, True, "t1"),
        ("claude", True, True, ""),
    ],
)
def test_a_run_goes_on_with_the_stored_thread_only_if_wished_and_of_the_same_provider(
    provider: str, flag: bool, setting: bool, expected: str
) -> None:
    assert not Config().hands.continue_across_runs
    assert choose_thread(STATE, provider, flag, setting) == expected


def total(tokens: int) -> AgentUsage:
    return AgentUsage(input_tokens=tokens, cached_input_tokens=0, output_tokens=tokens, is_total=True)


def test_totals_become_differences_also_in_a_later_process(home: Home, notices: Notices) -> None:
    ledger = ThreadLedger(home, notices)
    assert ledger.settle("t1", False, total(100)).input_tokens == 100
    assert ledger.settle("t1", True, total(150)).input_tokens == 50
    assert ThreadLedger(home, notices).settle("t1", True, total(160)).output_tokens == 10
    assert ledger.settle("t2", False, total(7)).input_tokens == 7


def test_what_is_unknown_stays_unknown(home: Home, notices: Notices) -> None:
    ledger = ThreadLedger(home, notices)
    assert ledger.settle("t9", True, total(500)) == AgentUsage()
    assert subtract_usage(total(5), total(9)).input_tokens is None
    assert subtract_usage(AgentUsage(is_total=True), total(9)).input_tokens is None


def test_usage_that_is_of_the_batch_already_is_left_alone(home: Home, notices: Notices) -> None:
    assert ThreadLedger(home, notices).settle("t1", True, AgentUsage(input_tokens=5)).input_tokens == 5


def test_a_batch_without_usage_does_not_spoil_the_next_one(home: Home, notices: Notices) -> None:
    """An interrupted turn reports nothing; what it spent shows in the next total, and is counted there."""
    ledger = ThreadLedger(home, notices)
    ledger.settle("t1", False, total(100))
    assert ledger.settle("t1", True, AgentUsage()).input_tokens is None
    assert ledger.settle("t1", True, total(180)).input_tokens == 80
