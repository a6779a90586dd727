"""Figures of many runs: `mi runs` in a home with 100,000 of them, and what a batch costs with several at once.

Run with `make bench`; prints figures beside the venv's own `python -c pass`, asserts nothing.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from mi.evidence.records.hands import HandsInput  # noqa: E402
from mi.evidence.records.questions import Question, UserInput  # noqa: E402
from mi.evidence.records.run import RunEnd, RunStart  # noqa: E402
from mi.kernel import jsonl  # noqa: E402
from mi.kernel.clock import format_ms  # noqa: E402
from mi.kernel.home import Home  # noqa: E402
from mi.kernel.jsontext import encode  # noqa: E402
from mi.kernel.seal import seal_anew  # noqa: E402
from tests.autopilot.side_by_side import add_tree  # noqa: E402
from tests.autopilot.workbench import MEND, TEST, open_bench, run, say  # noqa: E402
from tests.conftest import MI  # noqa: E402

PROJECTS, RUNS, ROUNDS, SIDE_BY_SIDE, BATCHES = 20, 100_000, 15, 8, 4
BEGIN_MS = 1_767_225_600_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measure_runs(Path(folder))
    alone, beside = (measure_batches(count) for count in (1, SIDE_BY_SIDE))
    print(f"CPU per batch, one run: {alone:.2f} s; {SIDE_BY_SIDE} side by side: {beside:.2f} s, {beside / alone:.2f}×")


def fill(home: Path) -> None:
    """Write the logs of projects with their runs."""
    for number in range(PROJECTS):
        log = Path(Home(str(home)).project(f"{number:016x}").evidence)
        log.parent.mkdir(parents=True)
        with log.open("wb") as file:
            for run in range(number, RUNS, PROJECTS):
                file.writelines(encode(record) + b"\n" for record in list_records(run))
        with jsonl.keep_writers_out(str(log)):
            seal_anew(str(log))


def list_records(run: int) -> list[RunStart | HandsInput | Question | UserInput | RunEnd]:
    """Return the records of one run: every tenth asked something, one in a thousand waits for its answer."""
    run_id = f"run_20260101T000000Z_{run:08d}"
    head = {"run_id": run_id, "ts": format_ms(BEGIN_MS + run * 1000)}
    found: list[RunStart | HandsInput | Question | UserInput | RunEnd] = [
        RunStart(task=f"task {run}", project_root="/p", hands="codex", event_id=f"ev_{run_id}_1", seq=1, **head),
        HandsInput(input=f"task {run}", batch_id="b0", event_id=f"ev_{run_id}_2", seq=2, **head),
    ]
    if run % 10 == 0:
        found.append(Question(id=f"qu_{run}", text="Which?", event_id=f"ev_{run_id}_3", seq=3, **head))
        if run % 1000:
            found.append(UserInput(question_id=f"qu_{run}", answer="A", event_id=f"ev_{run_id}_4", seq=4, **head))
    return [*found, RunEnd(status="done" if run % 10 else "blocked", event_id=f"ev_{run_id}_5", seq=5, **head)]


def measure_runs(folder: Path) -> None:
    """Print what the list takes, in turn with Python alone, so that both meet the same load."""
    fill(folder / "home")
    env = {"MI_HOME": str(folder / "home"), "PATH": "/usr/bin:/bin"}
    subjects = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "mi runs": [str(MI), "runs"],
        "mi runs --json": [str(MI), "runs", "--json"],
        "mi runs --state waiting": [str(MI), "runs", "--state", "waiting"],
        "mi runs --since 1h": [str(MI), "runs", "--since", "1h"],
    }
    began = time.monotonic()
    subprocess.run(subjects["mi runs"], check=True, env=env, cwd=folder, stdout=subprocess.DEVNULL)
    print(f"mi runs, {RUNS:,} runs taken in for the first time: {time.monotonic() - began:.1f} s")
    taken: dict[str, list[float]] = {name: [] for name in subjects}
    log = Home(str(folder / "home")).project(f"{0:016x}").evidence
    for round_ in range(ROUNDS):
        for record in list_records(RUNS + round_):  # something is new each time
            jsonl.append(log, encode(record), sealed=True)
        for name, words in subjects.items():
            began = time.perf_counter()
            subprocess.run(words, check=True, env=env, cwd=folder, stdout=subprocess.DEVNULL)
            taken[name].append(time.perf_counter() - began)
    alone = statistics.median(taken.pop("python -c pass"))
    for name, times in taken.items():
        print(f"{name}: {statistics.median(times) * 1000:.0f} ms, {statistics.median(times) / alone:.1f}× (≤ 6×)")


def measure_batches(count: int) -> float:
    """Return the CPU seconds of a batch, start and end of its run included, with so many runs at once."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MI_HOME"] = str(Path(folder) / "home")
        bench = open_bench(Path(folder))
        steps = [run("true"), say("Not yet. I go on with the next step.")]
        bench.agent(*[steps] * (BATCHES - 1), [MEND, TEST, say("Done.")])
        trees = [add_tree(bench, f"tree{number}") for number in range(count)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        processes = [tree.start("--max-batches", str(BATCHES), "fix", "it") for tree in trees]
        for process in processes:
            process.communicate()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        sent = sum(record["kind"] == "hands_input" for record in bench.records())
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / sent


if __name__ == "__main__":
    main()
