"""The steps that other rooms fill: they stop a run, speak first, ask once, and find the answer when it goes on."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.run import build_run
from mi.autopilot.asking import NobodyThere
from mi.autopilot.start import drive_run
from mi.autopilot.steps.protocol import AllSteps, Outcome, RunRecorder, RunSteps, SendFirst, Stop
from mi.cli import run as door
from mi.cli.run_display import Quiet
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Preflight
from mi.evidence.records.run import RunEnd
from mi.kernel.home import Home
from mi.mind.views import Case
from tests.autopilot.workbench import MEND, TEST, Workbench, say

Act = Callable[[RunRecorder], Outcome]
DONE = [MEND, TEST, say("Fixed and tested. Done.")]
BETWEEN = [say("I have looked at calc.py and know what to do. May I install numpy for it?")]
AFTER = ("review", "closing")
MOMENTS = ("preflight", "before_batch", *AFTER)


class Room(RunSteps):
    """Does one thing at one moment, and notes every moment it is called at."""

    def __init__(self, moment: str = "", act: Act = lambda recorder: None, opening: str = "") -> None:
        self._moment = moment
        self._act = act
        self._opening = opening
        self.called: list[str] = []

    def _at(self, moment: str, recorder: RunRecorder) -> Outcome:
        self.called.append(moment)
        return self._act(recorder) if moment == self._moment else None

    def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
        return self._at("preflight", recorder)

    def opening(self, recorder: RunRecorder, task: str) -> str:
        return self._opening

    def before_batch(self, recorder: RunRecorder, next_input: str) -> Outcome:
        return self._at("before_batch", recorder)

    def review(self, recorder: RunRecorder, case: Case) -> Outcome:
        return self._at("review", recorder)

    def closing(self, recorder: RunRecorder, case: Case) -> Outcome:
        return self._at("closing", recorder)

    def workflow_progress(self, recorder: RunRecorder, case: Case) -> None:
        self._at("workflow_progress", recorder)

    def checkpoint(self, recorder: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        self.called.append(f"checkpoint {status_hint}".strip())

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        self.called.append("session_log")


@pytest.fixture
def go(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunEnd]:
    """Runs the bench's agent in this process, with these rooms' steps; `resuming` goes on with the latest run."""
    monkeypatch.chdir(bench.project)

    def run(*rooms: RunSteps, resuming: bool = False, task: str = "fix the failing test") -> RunEnd:
        args = door.build_parser("run").parse_args(["--resume"] if resuming else [task])
        context = HomeContext(Home(str(bench.home)))
        built = build_run(context, door._read_options(args), partial(door._Door, context, args))
        parts = built.parts._replace(steps=AllSteps(rooms), reporter=Quiet(), asker=NobodyThere())
        return drive_run(*built._replace(parts=parts))

    return run


Go = Callable[..., RunEnd]


def sent(bench: Workbench) -> list[str]:
    return [one["input"] for one in bench.records() if one["kind"] == "hands_input"]


def test_the_steps_come_in_their_order(bench: Workbench, go: Go) -> None:
    bench.agent(DONE)
    room = Room()
    assert go(room).status == "done"
    batch = ["before_batch", "workflow_progress", "review"]
    assert room.called == ["preflight", *batch, "closing", "session_log", "checkpoint done"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_step_may_stop_the_run(bench: Workbench, go: Go, moment: str) -> None:
    bench.agent(DONE)
    later = Room(moment, lambda recorder: Stop("never heard: the first room spoke"))
    end = go(Room(moment, lambda recorder: Stop("the team's rule forbids it")), later)
    assert (end.status, end.exit, end.reason) == ("blocked", 3, "the team's rule forbids it")
    assert len(sent(bench)) == (1 if moment in AFTER else 0)
    assert later.called.count(moment) == 0
    assert later.called[-2:] == ["session_log", "checkpoint blocked"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_step_may_speak_to_the_agent_first(bench: Workbench, go: Go, moment: str) -> None:
    bench.agent(BETWEEN, DONE)
    bench.values("Prefer the standard library.")
    spoken = []

    def once(recorder: RunRecorder) -> Outcome:
        spoken.append(recorder)
        return SendFirst("Read CONTRIBUTING.md.") if len(spoken) == 1 else None

    assert go(Room(moment, once)).status == "done"
    if moment in AFTER:
        assert "Read CONTRIBUTING.md." in sent(bench)[1 if moment == "review" else 2 :]
    else:
        assert sent(bench)[0] == "Read CONTRIBUTING.md.\n\nfix the failing test"


@pytest.mark.parametrize(
    ("moment", "batch"), [("preflight", 0), ("before_batch", 0), ("before_batch", 1), ("review", 0), ("review", 1)]
)
def test_a_step_asks_once_and_finds_the_answer_when_the_run_goes_on(
    bench: Workbench, go: Go, moment: str, batch: int
) -> None:
    bench.values("Prefer the standard library.")
    bench.agent(BETWEEN, DONE)
    answers: list[str] = []

    def ask(recorder: RunRecorder) -> Outcome:
        turn = sum(one["kind"] == ("batch_end" if moment == "review" else "hands_input") for one in bench.records())
        if turn - (moment == "review") != batch:
            return None
        answer = recorder.ask_once("May this touch the public API?")
        if answer is None:
            return Stop("a rule needs your word")
        answers.append(answer)
        return None

    room = Room(moment, ask)
    end = go(room)
    assert (end.status, end.reason) == ("blocked", "a rule needs your word")
    before = len(sent(bench))
    assert go(room, resuming=True).status == "blocked"  # nobody answered yet: nothing runs, nothing is asked twice
    assert len(sent(bench)) == before
    (item,) = bench.inbox()
    assert item["question"] == "May this touch the public API?"
    assert bench.mi("answer", item["id"], "Yes, it may.").code == 0
    assert go(room, resuming=True).status == "done"
    assert set(answers) == {"Yes, it may."}
    assert bench.inbox() == []
    assert len(sent(bench)) == 2
    assert len([one for one in bench.records() if one["kind"] == "question"]) == 1


def test_a_rules_question_leaves_an_unsettled_risk_unsettled(bench: Workbench, go: Go) -> None:
    """The person answered a rule's question; that says nothing about a push nobody was asked about."""
    bench.agent([*DONE[:2], {"run": "git push origin main"}, say("Done.")])
    asks = Room("before_batch", lambda recorder: None if recorder.ask_once("Go?") else Stop("asked"))
    assert go(asks).status == "blocked"
    (item,) = bench.inbox()
    bench.mi("answer", item["id"], "yes")
    end = go(asks, resuming=True)
    assert end.reason == "a risk needs your word"


def test_an_opening_reaches_the_first_batch_and_is_recorded(bench: Workbench, go: Go) -> None:
    bench.agent(BETWEEN, DONE)
    bench.values("Prefer the standard library.")
    assert go(Room(opening="Follow the workflow W."), Room(opening="And the rule R.")).status == "done"
    first, second = (one for one in bench.records() if one["kind"] == "hands_input")
    assert first["light_injection"].endswith("Follow the workflow W.\n\nAnd the rule R.")
    assert second["light_injection"] == ""
    (transcript, *_) = sorted(Path(bench.home).glob("projects/*/transcripts/hands/*_b0.jsonl"))
    assert transcript.exists()


def test_what_a_step_writes_stands_in_the_run_and_stays_in_view(bench: Workbench, go: Go) -> None:
    bench.agent(DONE)
    seen: list[list[str]] = []

    class Writer(Room):
        def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
            recorder.append(Preflight(verdict="clear"), note="preflight: the task is clear")
            return None

        def review(self, recorder: RunRecorder, case: Case) -> Outcome:
            seen.append([one.text for one in case.recent])
            return None

    end = go(Writer())
    (stored,) = (one for one in bench.records() if one["kind"] == "preflight")
    assert (stored["run_id"], stored["batch_id"], stored["verdict"]) == (end.run_id, "b0", "clear")
    assert "preflight: the task is clear" in seen[0]


@pytest.mark.req("mi.log.fsync-batch-end", "mi.log.fsync-run-end")
def test_the_log_is_on_the_disk_at_every_batch_and_at_the_end(
    bench: Workbench, go: Go, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.agent(BETWEEN, DONE)
    bench.values("Prefer the standard library.")
    synced: list[str] = []
    fsync = os.fsync

    def spy(fd: int) -> None:
        fsync(fd)
        if os.readlink(f"/proc/self/fd/{fd}").endswith("evidence.jsonl"):
            synced.append(bench.records()[-1]["kind"])

    monkeypatch.setattr(os, "fsync", spy)
    assert go(Room()).status == "done"
    assert [kind for kind in synced if kind in ("batch_end", "run_end")] == ["batch_end", "batch_end", "run_end"]
