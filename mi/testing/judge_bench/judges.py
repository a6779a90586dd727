"""The judges that can be measured: `mi run` with any agent and any Mind, or any other program."""

import os
import shlex
import signal
import subprocess
import sys
from typing import Protocol

import msgspec

from mi.testing.agents import scripted_batches
from mi.testing.judge_bench.players import AgentPlayer, Json
from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.workspace import BenchPlace

_RUN_S = 300.0
_NAMES = {0: "done", 1: "failed", 3: "blocked"}


class JudgedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge made of a run."""

    status: str
    questions: list[str] = []  # that wait for the person
    answers: list[str] = []  # that the agent was given in the person's name
    reason: str = ""
    proved: bool | None = None  # by the judge's own run of the checks; None: it had none
    batches: int = 0
    seconds: float = 0.0


class MeasuredJudge(Protocol):
    """Whoever lets a scripted agent work in a workspace and says how it ended."""

    def judge(self, scenario: Scenario, place: BenchPlace) -> JudgedRun: ...


class MiJudge:
    """The whole `mi run` in a home of its own."""

    def __init__(self, mind: Json, proves: bool | None, player: AgentPlayer) -> None:
        self._mind = mind
        self._proves = proves  # None: this MI knows no proof
        self._player = player

    def judge(self, scenario: Scenario, place: BenchPlace) -> JudgedRun:
        with self._player.open(scenario, place) as agent:
            self._configure(place, agent.hands)
            before = [["init", "--json", "--values", scenario.values]] if scenario.values else []
            before += [["trust", "--json"]] if self._proves else []
            for words in before:
                code, told = self._mi(place, agent.env, *words)
                if code:
                    return JudgedRun(status="broken", reason=f"mi {words[0]}: {told.strip()}")
            prove = [] if self._proves is None else ["--prove" if self._proves else "--no-prove"]
            code, told = self._mi(place, agent.env, "run", "--quiet", *prove, scenario.task)
        return _read_end(place, code, told)

    def _configure(self, place: BenchPlace, hands: Json) -> None:
        os.makedirs(place.home, exist_ok=True)
        with open(os.path.join(place.home, "config.json"), "wb") as file:
            file.write(msgspec.json.encode({"version": "v1", "mind": self._mind, "hands": hands}))

    def _mi(self, place: BenchPlace, env: dict[str, str], *words: str) -> tuple[int, str]:
        return run_limited([sys.executable, "-P", "-m", "mi", *words], place, env)


class CommandJudge:
    """Any other program: it lets the agent work in the project where it is started, and says how that ended.

    Its exit code is 0 for done and 3 for blocked; a last line of JSON may say more: status, questions, answers, reason.
    """

    def __init__(self, command: list[str], player: AgentPlayer) -> None:
        self._command = command
        self._player = player

    def judge(self, scenario: Scenario, place: BenchPlace) -> JudgedRun:
        command = [word.replace("{task}", scenario.task) for word in self._command]
        with self._player.open(scenario, place) as agent:
            told = {
                "MI_BENCH_TASK": scenario.task,
                "MI_BENCH_VALUES": scenario.values,
                "MI_BENCH_AGENT": shlex.join(scripted_batches(scenario.batches, place.counter)),
            }
            code, output = run_limited(command, place, agent.env | told)
        return _read_answer(code, output)


def _read_answer(code: int, output: str) -> JudgedRun:
    last = (output.strip().splitlines() or [""])[-1]
    try:
        return msgspec.json.decode(last.encode(), type=JudgedRun)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return JudgedRun(status=_NAMES.get(code, "broken"), reason=last)


def run_limited(command: list[str], place: BenchPlace, env: dict[str, str] | None = None) -> tuple[int, str]:
    """Run a command in the project and return its exit code and what it told; after the time it is killed, -1."""
    process = subprocess.Popen(
        command,
        cwd=place.project,
        env=place.environment() | (env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=_RUN_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return -1, f"not over after {_RUN_S:.0f} s"
    return process.returncode, stderr + stdout


def _read_end(place: BenchPlace, code: int, told: str) -> JudgedRun:
    records = _read_records(place.home)
    ends = [record for record in records if record["kind"] == "run_end"]
    if not ends or code not in _NAMES:
        return JudgedRun(status="broken", reason=(told.strip().splitlines() or [f"exit code {code}"])[-1])
    asked = [record for record in records if record["kind"] == "question" and record.get("blocks", True)]
    answers = [record["auto_answer"] for record in records if record["kind"] == "auto_answer"]
    return JudgedRun(
        status=ends[-1]["status"],
        questions=[record["text"] for record in asked],
        answers=[answer["hands_answer_input"] for answer in answers if answer.get("should_answer")],
        reason=ends[-1]["reason"],
        proved=ends[-1].get("marks", {}).get("proved"),
        batches=sum(record["kind"] == "hands_input" for record in records),
        seconds=ends[-1].get("spent", {}).get("seconds") or 0.0,
    )


def _read_records(home: str) -> list[Json]:
    root = os.path.join(home, "projects")
    records: list[Json] = []
    for name in sorted(os.listdir(root)) if os.path.isdir(root) else []:
        path = os.path.join(root, name, "evidence.jsonl")
        if os.path.exists(path):
            with open(path, "rb") as file:
                records += [msgspec.json.decode(line) for line in file]
    return records
