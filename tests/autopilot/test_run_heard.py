"""What an agent really gets and where that is kept, seen from the agent's side: it writes down what it hears."""

import json
import sys
from pathlib import Path

import pytest

from mi.kernel import clock
from mi.kernel.home import Home
from mi.mind.transcript import MindTranscript
from tests.autopilot.workbench import Json, Ran, Workbench

TASK = "fix the failing test;\nkeep `add` a plain function"
LISTENER = """\
import pathlib, sys

folder, prompt, *says = sys.argv[1:]
number = len(list(pathlib.Path(folder).iterdir()))
pathlib.Path(folder, f"{number:02}").write_text(prompt)
if number:
    pathlib.Path("calc.py").write_text("def add(a, b):\\n    return a + b\\n")
print(says[min(number, len(says) - 1)])
"""


def listen(bench: Workbench, *says: str) -> Path:
    """Let an agent without threads write each prompt into a folder, and say these messages."""
    agent, folder = bench.folder / "agent.py", bench.folder / "heard"
    agent.write_text(LISTENER, "utf-8")
    folder.mkdir()
    call = [sys.executable, str(agent), str(folder), "{prompt}", *says]
    bench.configure(hands={"provider": "cli", "cli": {"exec": call}})
    return folder


def read_all(folder: Path) -> list[str]:
    return [path.read_text("utf-8") for path in sorted(folder.iterdir())]


def inputs(ran: Ran) -> list[Json]:
    return ran.of("hands_input")


@pytest.mark.req("v1.loop.build-input", "mi.fail.task-every-batch", "v1.goal.light-injection")
def test_every_prompt_without_a_thread_holds_the_values_the_whole_task_and_what_is_asked_now(bench: Workbench) -> None:
    """Three ways to a batch: the run's start, the person's answer in a resumed run, and a request of MI's own."""
    bench.values("Keep changes small.")
    folder = listen(bench, "Should the result be logged to a file or to the console?", "Done.")
    bench.run(TASK).ended("blocked")
    bench.mi("answer", "console")
    ran = bench.run("--resume")
    heard, sent = read_all(folder), inputs(ran)
    assert len(heard) == len(sent) >= 3
    assert heard[0] == f"{sent[0]['light_injection']}\n\n{TASK}"
    assert "console" in heard[1].rpartition(TASK)[2]
    for prompt, record in zip(heard, sent, strict=True):
        assert prompt.startswith(record["light_injection"])
        assert "Keep changes small." in record["light_injection"]
        assert TASK in prompt
        assert prompt.endswith(record["input"])


@pytest.mark.req("mi.fail.unique-names")
def test_no_batch_of_any_run_is_kept_over_another(bench: Workbench) -> None:
    listen(bench, *(f"This is message {number}; more is to do." for number in range(4)))
    for _ in range(2):
        ran = bench.run("--max-batches", "2", "fix the failing test")
    places = [bench.home / record["transcript_path"] for record in inputs(ran)]
    assert len(places) == len(set(places)) == 4
    kept = [[json.loads(line) for line in place.read_text("utf-8").splitlines()] for place in places]
    said = [[line["line"] for line in lines if line.get("stream") == "stdout"] for lines in kept]
    assert said == [[f"This is message {number}; more is to do."] for number in range(4)]


@pytest.mark.req("mi.fail.unique-names")
def test_questions_to_the_mind_in_one_moment_are_kept_apart(
    tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: "2026-01-01T00:00:00.000Z")
    folder = Path(home.mind_transcripts)
    for number in range(50):
        MindTranscript(home, str(folder), "decide_next", "m").add("prompt", f"question {number}.")
    kept = sorted(path.read_text("utf-8").count("question ") for path in folder.iterdir())
    assert kept == [1] * 50
