"""Figures of the Thought DB: reads of a large store beside the venv's own `python -c pass`, catching up, building.

Run with `python bench/thoughts.py [claims …]` (default 100000); prints ratios, asserts nothing.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from floor import install, load_average, medians, peak_memory, repository, worked

ROUNDS = 21
NEW = 1000
SUBJECTS = {
    "mi claim show <id>": ["claim", "show", "{middle}"],
    "mi claim list --limit 20": ["claim", "list", "--limit", "20"],
    "mi claim list --type": ["claim", "list", "--type", "goal", "--limit", "20"],
    "mi edge list --from <id>": ["edge", "list", "--from", "{middle}"],
    "mi memory search <words>": ["memory", "search", "number {number} of topic 33"],
    "mi status": ["status"],
}
TYPES = ["fact", "preference", "assumption", "goal"]
EDGES = ["depends_on", "supports", "contradicts", "derived_from", "mentions", "supersedes", "same_as"]


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]] or [100_000]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        venv = install(work)
        project = repository(work / "project")
        for size in sizes:
            report(venv, project, work / f"home{size}", size)


def report(venv: Path, project: Path, home: Path, size: int) -> None:
    env = os.environ | {"MI_HOME": str(home)}
    mi = str(venv / "bin/mi")
    init = [mi, "init", "--values", "Keep changes small. Run the tests."]
    for command in (init, [mi, "project", "use", "--cd", str(project)]):
        subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    answer = subprocess.run([mi, "project", "show", "--json"], cwd=project, env=env, check=True, capture_output=True)
    thoughts = Path(json.loads(answer.stdout)["paths"]["evidence"]).parent / "thoughtdb"
    roots = [thoughts] if size > 500_000 else [thoughts, home / "thoughtdb/global"]
    for root in roots:
        fill(root, 0, size)
    print(f"\n{size:,} claims + {size:,} edges in each of {len(roots)} stores; {load_average()}")
    build(venv, mi, project, env, thoughts)
    middle = name("cl", size // 2)
    commands = {
        what: [mi, *[word.format(middle=middle, number=size // 2) for word in words]]
        for what, words in SUBJECTS.items()
    }
    ratios(venv, project, env, commands)
    catching_up(project, env, roots, size, commands)


def build(venv: Path, mi: str, project: Path, env: dict[str, str], root: Path) -> None:
    """Of one store: the other is built by the next command."""
    command = [mi, "claim", "show", name("cl", 7), "--scope", "project"]
    start, spent = time.perf_counter(), os.times()
    subprocess.run(command, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    seconds, used = time.perf_counter() - start, os.times()
    work = used.children_user + used.children_system - spent.children_user - spent.children_system
    (root / "view.sqlite").unlink()
    memory = peak_memory(command, project, env)
    megabytes = (root / "view.sqlite").stat().st_size / 1e6
    print(f"  built from nothing   {seconds:6.1f} s (goal 10 s; {work:.1f} s of work)", end="")
    print(f"  {memory:5.0f} MB (goal 150 MB)  view {megabytes:.0f} MB")


def ratios(venv: Path, project: Path, env: dict[str, str], commands: dict[str, list[str]]) -> None:
    baseline = [str(venv / "bin/python"), "-c", "pass"]
    for command in commands.values():
        subprocess.run(command, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
    times: dict[str, list[tuple[float, float]]] = {what: [] for what in ("base", *commands)}
    for _ in range(ROUNDS):  # interleaved, so that a busy moment touches all alike
        times["base"].append(worked(baseline, project, env))
        for what, command in commands.items():
            times[what].append(worked(command, project, env))
    base, base_work = medians(times.pop("base"))
    print(f"  {'python -c pass':<26} {base * 1000:6.1f} ms  {base_work * 1000:6.1f} ms of work")
    found = {what: medians(one) for what, one in times.items()}
    for what, (seconds, work) in found.items():
        memory = peak_memory(commands[what], project, env)
        print(
            f"  {what:<26} {seconds * 1000:6.1f} ms  {seconds / base:4.2f}x (goal 6x)"
            f"  work {work / base_work:4.2f}x  {memory:5.1f} MB"
        )


def catching_up(project: Path, env: dict[str, str], roots: list[Path], size: int, commands: dict) -> None:
    """The first read after new records in every store, and the one after it: a busy moment touches both alike."""
    start = size
    for what in ("mi claim show <id>", "mi claim list --limit 20", "mi memory search <words>"):
        worked(commands[what], project, env)
        first, warm = [], []
        for _ in range(ROUNDS):
            each = NEW // 2 // len(roots)  # as many claims as edges
            for root in roots:
                fill(root, start, each)
            start += each
            first.append(worked(commands[what], project, env))
            warm.append(worked(commands[what], project, env))
        (found, work), (usual, usual_work) = medians(first), medians(warm)
        print(
            f"  {what:<26} {found * 1000:6.1f} ms  after {NEW} new records: {found / usual:4.2f}x warm (goal 1.5x)"
            f"  work {work / usual_work:4.2f}x"
        )


def fill(root: Path, start: int, count: int) -> None:
    """Claims and edges; edges lead from any claim to any other, a seventh of each type."""
    root.mkdir(parents=True, exist_ok=True)
    choose = random.Random(start)
    with (root / "claims.jsonl").open("a") as claims, (root / "edges.jsonl").open("a") as edges:
        for number in range(start, start + count):
            claims.write(json.dumps(claim(number), separators=(",", ":")) + "\n")
            ends = choose.randrange(start + count), choose.randrange(start + count)
            edges.write(json.dumps(edge(number, *ends), separators=(",", ":")) + "\n")


def claim(number: int) -> dict:
    return {
        "kind": "claim",
        "version": "v1",
        "claim_id": name("cl", number),
        "claim_type": TYPES[number % 4],
        "text": f"claim number {number} about topic {number % 977}: " + "words " * 20,
        "visibility": "project",
        "scope": "project",
        "project_id": "",
        "asserted_ts": "2026-01-01T00:00:00.000Z",
        "valid_from": None,
        "valid_to": None,
        "status": "active",
        "tags": [f"topic:{number % 50}", *(["values:base"] if number % 5000 == 0 else [])],
        "source_refs": [{"kind": "evidence_event", "event_id": f"ev_run_20260101T000000Z_bench000_{number}"}],
        "confidence": 0.9,
        "notes": "",
        "origin": "mind",
    }


def edge(number: int, start: int, end: int) -> dict:
    return {
        "kind": "edge",
        "version": "v1",
        "edge_id": name("ed", number),
        "edge_type": EDGES[number % 7],
        "from_id": name("cl", start),
        "to_id": name("cl", end),
        "visibility": "project",
        "scope": "project",
        "project_id": "",
        "asserted_ts": "2026-01-01T00:00:00.000Z",
        "source_refs": [{"kind": "evidence_event", "event_id": f"ev_run_20260101T000000Z_bench000_{number}"}],
        "notes": "",
        "origin": "mind",
    }


def name(prefix: str, number: int) -> str:
    return f"{prefix}_{number:023d}"


if __name__ == "__main__":
    main()
