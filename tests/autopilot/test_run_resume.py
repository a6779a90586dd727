"""A run that was killed goes on: nothing stored is lost, nothing finished is done twice, and it ends as it should."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.autopilot.workbench import BROKEN, MEND, RIGHT, TEST, WRONG, Json, Ran, Workbench, delete, edit, run, say
from tests.waiting import wait_until

DRIVER = str(Path(__file__).with_name("killed_run.py"))
TASK = ("fix", "the", "failing", "test")
# run_start, three batches of hands_input, batch_end, verification, evidence, check_plan; two decisions; run_end
WHOLE = 26


def three_batches(bench: Workbench) -> Path:
    """A failing check, a claim without a check, a check; each batch leaves a line outside of the project."""
    traces = bench.folder / "traces"
    bench.agent(
        [run(f"echo b0 >> {traces}"), edit("calc.py", BROKEN, WRONG), TEST, say("Looking at it.")],
        [run(f"echo b1 >> {traces}"), edit("calc.py", WRONG, RIGHT), say("Done.")],
        [run(f"echo b2 >> {traces}"), TEST, say("It passes now. Done.")],
    )
    return traces


def killed(bench: Workbench, when: int | str, *args: str) -> list[Json]:
    """Run until a record is stored, by number or kind; the log as it stood when the process died."""
    done = subprocess.run(
        [sys.executable, DRIVER, str(when), *args],
        cwd=bench.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL, f"{done.returncode} {done.stderr}"
    return bench.records()


def is_whole(before: list[Json], ran: Ran) -> None:
    """Assert that the resumed run kept every record and ran no finished batch again."""
    assert ran.records[: len(before)] == before
    assert [record["seq"] for record in ran.records] == list(range(1, len(ran.records) + 1))
    ended = Counter(one["batch_id"] for one in ran.of("batch_end") if one["outcome"] == "ended")
    assert set(ended.values()) == {1}, ended
    assert Counter(one["batch_id"] for one in ran.of("hands_input")) == Counter(
        one["batch_id"] for one in ran.of("batch_end")
    )


def test_the_run_that_is_killed_below_has_so_many_records(bench: Workbench) -> None:
    traces = three_batches(bench)
    ran = bench.run(*TASK)
    ran.ended("done")
    assert len(ran.records) == WHOLE, ran.kinds
    assert traces.read_text("utf-8").split() == ["b0", "b1", "b2"]


def test_a_run_that_ended_for_want_of_a_proof_asks_for_it_once_more(bench: Workbench) -> None:
    bench.agent([MEND, say("Done.")], [say("It passes, believe me.")], [TEST, say("It passes.")])
    bench.run().ended("blocked")
    ran = bench.run("--resume")
    ran.ended("done")
    assert len(ran.inputs) == 3
    assert "Run `" in ran.inputs[2]


def test_a_proof_from_before_the_stop_is_asked_for_anew(bench: Workbench) -> None:
    asked = say("It passes. Should I publish it to the package index?")
    bench.agent([MEND, say("Done.")], [TEST, asked], [say("Then it is done.")], [TEST, say("It passes. Done.")])
    bench.run().ended("blocked")
    assert bench.mi("answer", bench.inbox()[0]["id"], "no").code == 0
    ran = bench.run("--resume")
    ran.ended("done")
    assert "Run `" in ran.inputs[3]


@pytest.mark.parametrize("count", range(1, WHOLE))
@pytest.mark.req(
    "mi.resume.killed-anywhere", "mi.resume.step-events", "mi.resume.no-batch-twice", "mi.resume.dead-owner"
)
def test_a_run_killed_after_any_record_goes_on(bench: Workbench, count: int) -> None:
    traces = three_batches(bench)
    before = killed(bench, count, *TASK)
    assert len(before) == count
    ran = bench.run("--resume")
    ran.ended("done")
    is_whole(before, ran)
    assert traces.read_text("utf-8").split() == ["b0", "b1", "b2"]
    assert before[0]["run_id"] in ran.stderr  # whose lock was taken over
    assert ran.end["marks"] == {"ran": True, "claimed": True, "verified": True, "proved": None}


@pytest.mark.req("mi.resume.cut-recorded")
def test_a_batch_that_never_ended_is_recorded_as_cut(bench: Workbench) -> None:
    three_batches(bench)
    killed(bench, 3, *TASK)
    ran = bench.run("--resume")
    assert [one["outcome"] for one in ran.of("batch_end")] == ["cut", "ended", "ended", "ended"]
    assert "interrupted" in ran.inputs[1]


@pytest.mark.req("mi.fail.input-before-spawn")
def test_what_the_agent_is_told_is_stored_before_it_starts(bench: Workbench) -> None:
    traces = three_batches(bench)
    before = killed(bench, 3, *TASK)
    assert (before[-1]["kind"], before[-1]["input"]) == ("hands_input", " ".join(TASK))
    assert not traces.exists()


def test_a_run_killed_again_and_again_still_ends(bench: Workbench) -> None:
    traces = three_batches(bench)
    before = killed(bench, 6, *TASK)
    for _ in range(2):
        before = killed(bench, 7, "--resume")
    ran = bench.run("--resume")
    ran.ended("done")
    is_whole(before, ran)
    assert traces.read_text("utf-8").split() == ["b0", "b1", "b2"]


def test_a_run_that_is_done_does_not_go_on(bench: Workbench) -> None:
    three_batches(bench)
    killed(bench, WHOLE, *TASK)
    again = bench.run("--resume")
    assert again.code == 1
    assert "is done" in again.stderr
    assert len(again.records) == WHOLE


def test_a_torn_last_line_costs_that_line_only(bench: Workbench) -> None:
    traces = three_batches(bench)
    before = killed(bench, 9, *TASK)
    (log,) = bench.home.glob("projects/*/evidence.jsonl")
    log.write_bytes(log.read_bytes()[:-40])
    ran = bench.run("--resume")
    ran.ended("done")
    assert ran.records[:8] == before[:8]
    assert ran.of("state_corrupt")
    assert traces.read_text("utf-8").split() == ["b0", "b1", "b2"]


def test_without_a_run_there_is_nothing_to_resume(bench: Workbench) -> None:
    three_batches(bench)
    assert bench.run("--resume").code == 1
    bench.run(*TASK)
    unknown = bench.run("--resume", "run_of_nobody")
    assert unknown.code == 1
    assert "run_of_nobody" in unknown.stderr


def test_a_test_deleted_before_the_kill_is_not_forgotten(bench: Workbench) -> None:
    """The resumed process must still know what the whole run changed."""
    bench.agent([delete("test_calc.py"), TEST, say("Done.")], [TEST, say("All tests pass. Done.")], [say("Done.")])
    killed(bench, 4, *TASK)
    bench.run("--resume").ended("blocked")


def test_a_test_deleted_in_a_batch_that_was_cut_is_not_forgotten(bench: Workbench) -> None:
    bench.agent([TEST, say("Done.")], [TEST, say("All tests pass. Done.")], [say("Done.")])
    killed(bench, 3, *TASK)
    (bench.project / "test_calc.py").unlink()
    ran = bench.run("--resume")
    ran.ended("blocked")
    assert "judges the work" in ran.end["reason"]


def test_a_proof_from_before_the_kill_does_not_cover_what_came_after_it(bench: Workbench) -> None:
    """Batch 1 was cut in the middle of an edit; the check of batch 0 says nothing about it."""
    bench.values("Prefer the standard library.")
    asks = [MEND, TEST, say("add is right. May I install numpy for it?")]
    bench.agent(asks, [say("Tidied up. Done.")], [say("It is done.")])
    assert killed(bench, 11, *TASK)[-1]["kind"] == "hands_input"
    (bench.project / "calc.py").write_text("def add(a, b):\n    return 0\n", "utf-8")
    bench.run("--resume").ended("blocked")


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def staying(bench: Workbench, *before: Json) -> Path:
    """An agent that stays in its first batch the first time; the file that then holds its process id."""
    there = bench.folder / "there"
    stays = f"if [ -e {there} ]; then true; else echo $$ > {there}.new; mv {there}.new {there}; sleep 300; fi"
    bench.agent([*before, run(stays), MEND, TEST, say("Done.")], [MEND, TEST, say("Done.")])
    return there


@pytest.mark.req("mi.resume.cut-recorded")
def test_an_agent_left_behind_by_a_killed_run_is_ended_before_the_run_goes_on(bench: Workbench) -> None:
    there = staying(bench)
    process = bench.start(*TASK)
    assert wait_until(there.exists, 20)
    process.kill()
    process.communicate()
    agent = int(there.read_text("utf-8"))
    assert is_alive(agent)
    ran = bench.run("--resume")
    ran.ended("done")
    assert not is_alive(agent)
    assert [one["outcome"] for one in ran.of("batch_end")] == ["cut", "ended"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.req("mi.fail.signal-stops-agent", "mi.fail.signal-marked", "mi.fail.signal-resumable")
def test_a_signal_stops_the_agent_and_the_run_can_be_resumed(bench: Workbench, number: signal.Signals) -> None:
    there = staying(bench)
    process = bench.start(*TASK)
    assert wait_until(there.exists, 20)
    process.send_signal(number)
    ran = bench.finish(process)
    ran.ended("interrupted")
    assert not is_alive(int(there.read_text("utf-8")))
    assert ran.of("batch_end")[0]["outcome"] == "interrupted"
    told = {"SIGINT": "stopped by Ctrl-C", "SIGTERM": "ended from outside (SIGTERM)"}
    assert ran.end["reason"] == told[number.name]
    assert "--resume" in ran.stdout
    bench.run("--resume").ended("done")


@pytest.mark.req(
    "mi.resume.one-run-per-project", "mi.resume.lock-owner-age", "mi.fail.two-runs-lock", "mi.log.run-lock"
)
def test_a_second_run_in_the_project_is_refused_with_the_owners_name(bench: Workbench) -> None:
    there = staying(bench)
    process = bench.start(*TASK)
    assert wait_until(there.exists, 20)
    second = bench.run("something", "else")
    assert second.code == 3
    owner = second.of("run_start")[0]["run_id"]
    assert owner in second.stderr
    assert str(process.pid) in second.stderr
    assert len(second.of("run_start")) == 1
    process.send_signal(signal.SIGTERM)
    bench.finish(process).ended("interrupted")
    assert os.path.exists(next(bench.home.glob("projects/*/run.lock")))


def test_runs_that_are_done_take_nothing_from_one_that_waits(bench: Workbench) -> None:
    bench.agent([MEND, say("Which colour should it be, red or blue?")])
    bench.run(*TASK).ended("blocked")
    (waiting,) = bench.home.glob("projects/*/trees/*")
    for number in range(60):
        (waiting.parent / f"run_29990101T000000Z_{number:08}").mkdir()
    bench.agent([say("Nothing to do. Done.")])
    bench.run("look at it")
    left = {path.name for path in waiting.parent.iterdir()}
    assert waiting.name in left
    assert len(left) < 60
