"""Figures of reaching the person: `mi inbox` of many projects, and from a question to its notification.

Run with `make bench`; prints figures beside the venv's own `python -c pass`, asserts nothing.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from mi.evidence.records.questions import Question, QuestionOption  # noqa: E402
from mi.evidence.records.run import BatchEnd  # noqa: E402
from mi.kernel import jsonl  # noqa: E402
from mi.kernel.clock import parse  # noqa: E402
from mi.kernel.home import Home  # noqa: E402
from mi.kernel.jsontext import encode  # noqa: E402
from tests.autopilot.workbench import open_bench, say  # noqa: E402
from tests.conftest import MI  # noqa: E402
from tests.waiting import wait_until  # noqa: E402

PROJECTS, EVENTS, ROUNDS = 50, 200, 15


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measure_lists(Path(folder))
    told = sorted(measure_notification() for _ in range(5))
    print(f"question stored → notification: median {told[2]:.2f} s, worst {told[-1]:.2f} s (≤ 1 s)")


def fill(home: Path) -> None:
    """Write the logs of projects, each with a question among its events."""
    options = [QuestionOption(key="A", text="red"), QuestionOption(key="B", text="green")]
    for number in range(PROJECTS):
        log = Path(Home(str(home)).project(f"p{number}").evidence)
        log.parent.mkdir(parents=True)
        when = {"run_id": f"run_20260101T000000Z_{number:08d}", "ts": "2026-01-01T00:00:00.000Z"}
        for batch in range(EVENTS):
            jsonl.append(str(log), encode(BatchEnd(batch_id=f"b{batch}", **when)), sealed=True)
        asked = Question(id=f"qu_{number}", text=f"Which colour {number}?", options=options, **when)
        jsonl.append(str(log), encode(asked), sealed=True)


def measure_lists(folder: Path) -> None:
    """Print what the commands that list what waits take, in turn with Python alone, so that both meet the same load."""
    fill(folder / "home")
    env = {"MI_HOME": str(folder / "home"), "PATH": "/usr/bin:/bin"}
    subjects = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "mi inbox": [str(MI), "inbox"],
        "mi inbox --json": [str(MI), "inbox", "--json"],
        "mi status": [str(MI), "status"],
    }
    subprocess.run(subjects["mi inbox"], check=True, env=env, cwd=folder, stdout=subprocess.DEVNULL)
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(ROUNDS):
        for name, words in subjects.items():
            began = time.perf_counter()
            subprocess.run(words, check=True, env=env, cwd=folder, stdout=subprocess.DEVNULL)
            taken[name].append(time.perf_counter() - began)
    alone = statistics.median(taken.pop("python -c pass"))
    for name, times in taken.items():
        print(f"{name}, {PROJECTS} projects of {EVENTS} events: {statistics.median(times) / alone:.1f}× (≤ 6×)")


def measure_notification() -> float:
    """Return the seconds between the question's record and the moment the person's command began."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told"
        script = Path(folder) / "tell.sh"
        script.write_text(f"#!/bin/sh\n: > {told}\n", "utf-8")
        script.chmod(0o755)
        bench = open_bench(Path(folder))
        bench.env = {"MI_HOME": str(bench.home)}
        bench.config["notify"] = str(script)
        bench.agent([say("Which colour should the report have, red or green?")])
        bench.run()
        assert wait_until(told.exists, 30)
        asked = next(one for one in bench.records() if one["kind"] == "question")
        return told.stat().st_mtime - parse(asked["ts"])


if __name__ == "__main__":
    main()
