"""What must not end a run: the vendor or the network fails for a while."""

import json
import signal

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, run, say
from tests.waiting import wait_until

OVERLOADED = {"fail": "the model is overloaded"}
FIXED = [MEND, TEST, say("Fixed; the tests pass.")]


@pytest.mark.req("judge.retry.same-thread", "judge.retry.shown")
def test_a_failure_that_passes_is_shown_and_retried_in_the_same_thread(bench: Workbench) -> None:
    bench.agent([OVERLOADED], [{"fail": "stream disconnected before completion"}], FIXED)
    ran = bench.run()
    ran.ended("done")
    retries = ran.of("hands_retry")
    assert [(one["attempt"], one["attempts"], one["error"]) for one in retries] == [
        (1, 4, "the model is overloaded"),
        (2, 4, "stream disconnected before completion"),
    ]
    assert "replay failed: the model is overloaded; it is begun again in 0 s (1 of 4)" in ran.stdout
    assert ran.stdout.index("overloaded") < ran.stdout.index("Fixed; the tests pass.")
    (ended,) = ran.of("batch_end")
    assert {one["thread_id"] for one in retries} == {ended["thread_id"]}
    assert len({one["transcript_path"] for one in ran.of("hands_input")}) == 3


@pytest.mark.req("judge.retry.same-thread")
def test_who_had_begun_is_told_to_go_on_and_keeps_what_was_seen(bench: Workbench) -> None:
    bench.agent([MEND, run("git --version"), OVERLOADED], [TEST, say("Done.")])
    ran = bench.run()
    ran.ended("done")
    assert ran.inputs[1].startswith("You were interrupted in the middle of your work.")
    (ended,) = ran.of("batch_end")
    assert [one["command"].split()[0] for one in ended["seen"]["commands"]] == ["git", "python3"]
    assert ended["seen"]["batch_input"].endswith("fix the failing test")


@pytest.mark.req("judge.retry.ends-failed")
def test_after_the_last_attempt_the_run_failed_and_can_go_on(bench: Workbench) -> None:
    bench.config["runtime"]["retry"] = {"attempts": 2, "wait_s": [0]}
    bench.agent([OVERLOADED], [OVERLOADED], [OVERLOADED], FIXED)
    ran = bench.run()
    ran.ended("failed")
    assert "the network failed again and again: the model is overloaded" in ran.end["reason"]
    assert "go on later: mi run --resume" in ran.stdout
    assert [one["attempt"] for one in ran.of("hands_retry")] == [1, 2]
    bench.run("--resume").ended("done")


@pytest.mark.req("judge.retry.transient")
def test_a_failure_that_stays_is_not_retried(bench: Workbench) -> None:
    bench.agent([{"fail": "401 Unauthorized: invalid api key"}], FIXED)
    ran = bench.run()
    ran.ended("failed")
    assert ran.of("hands_retry") == []
    assert len(ran.of("hands_input")) == 1


@pytest.mark.req("judge.retry.shown")
def test_the_wait_can_be_ended(bench: Workbench) -> None:
    bench.config["runtime"]["retry"] = {"wait_s": [600]}
    bench.agent([OVERLOADED], FIXED)
    started = bench.start("fix", "it")
    wait_until(lambda: any(json.loads(line)["kind"] == "hands_retry" for line in _lines(bench)))
    started.send_signal(signal.SIGINT)
    ran = bench.finish(started)
    ran.ended("interrupted")
    assert len(ran.of("hands_input")) == 1


def _lines(bench: Workbench) -> list[str]:
    logs = bench.home.glob("projects/*/evidence.jsonl")
    return [line for log in logs for line in log.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n")]
