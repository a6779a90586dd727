"""Figures of the loop: MI's own time per batch beside Hands and Mind, the time to the agent's start, Mind calls.

The agent is the replay agent with steps that take no time, the judge the rules, or a scripted model on loopback.
Prints, asserts nothing; ratios are to the venv's own `python -c pass`.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mi.testing import chat_server, temporary_repository  # noqa: E402
from tests.mind.answers import model  # noqa: E402

BATCHES = 6
ROUNDS = 7
CLAIMS = 10_000
MI = [str(Path(sys.executable).parent / "mi"), "run", "--quiet"]


def main() -> None:
    base = statistics.median(timed([sys.executable, "-c", "pass"], os.getcwd(), os.environ) for _ in range(ROUNDS))
    print(f"python -c pass                 {base * 1000:7.1f} ms")
    with tempfile.TemporaryDirectory() as folder, temporary_repository() as repository:
        for name, claims in (("no claims", 0), (f"{CLAIMS:,} claims", CLAIMS)):
            place = home(Path(folder) / name.replace(" ", "-"), claims)
            own, cut, start = rules_runs(place, repository.path)
            print(f"\n{name}")
            print(f"  MI's own time per batch      {own * 1000:7.1f} ms  {own / base:5.1f}x  (goal 50 ms)")
            print(f"    where a segment is cut     {cut * 1000:7.1f} ms  {cut / base:5.1f}x  (goal 100 ms)")
            print(f"  `mi run` to the agent's start{start * 1000:7.1f} ms  {start / base:5.1f}x  (goal 300 ms)")
        with_model(Path(folder) / "model", repository.path)
        call_chain(home(Path(folder) / "frames", 0), repository.path)


def home(path: Path, claims: int) -> Path:
    path.mkdir()
    # Each batch changes something and leaves something open, so that the run goes on to its limit.
    script = {
        "batches": [
            {"steps": [{"run": f"echo '# {n}' >> part{n}.py"}, {"say": f"Part {n} is written. Part {n + 1} is to do."}]}
            for n in range(BATCHES)
        ]
    }
    (path / "script.json").write_text(json.dumps(script))
    config = {
        "version": "v1",
        "hands": {"provider": "replay", "replay": {"file": str(path / "script.json")}},
        "mind": {"provider": "rules"},
        "runtime": {"limits": {"batches": BATCHES}},
    }
    (path / "config.json").write_text(json.dumps(config))
    env = os.environ | {"MI_HOME": str(path)}
    subprocess.run(
        [MI[0], "settings", "set", "--ask-when-uncertain", "proceed"], env=env, check=True, stdout=subprocess.DEVNULL
    )
    store = path / "thoughtdb" / "global" / "claims.jsonl"
    with store.open("a") as file:
        for number in range(claims):
            file.write(json.dumps(claim(number)) + "\n")
    return path


def claim(number: int) -> dict[str, Any]:
    return {
        "kind": "claim",
        "version": "v1",
        "claim_id": f"cl_bench{number:07d}",
        "claim_type": "preference" if number % 500 == 0 else "fact",
        "text": f"Fact number {number} about module {number % 97} and its parser.",
        "visibility": "global",
        "scope": "global",
        "project_id": "",
        "asserted_ts": "2026-01-01T00:00:00.000Z",
        "valid_from": None,
        "valid_to": None,
        "status": "active",
        "tags": ["values:base"] if number % 500 == 0 else [],
        "source_refs": [],
        "confidence": 1.0,
        "notes": "",
    }


def rules_runs(place: Path, project: str) -> tuple[float, float, float]:
    """The median own time of a batch, of one after which a segment is cut, and the median time to the agent's start."""
    own: list[float] = []
    cut: list[float] = []
    starts: list[float] = []
    for _ in range(ROUNDS):
        before = len(records(place))
        began = time.time()
        run(place, project)
        seen = records(place)[before:]
        for seconds, with_cut in own_times(seen):
            (cut if with_cut else own).append(seconds)
        starts.append(moment(next(one for one in seen if one["kind"] == "hands_input")) - began)
    return statistics.median(own), statistics.median(cut), statistics.median(starts)


def own_times(seen: list[dict[str, Any]]) -> list[tuple[float, bool]]:
    """From one input to the next, without the seconds that the agent's process took; and whether a segment was cut."""
    inputs = [place for place, one in enumerate(seen) if one["kind"] == "hands_input"]
    found: list[tuple[float, bool]] = []
    for earlier, later in pairwise(inputs):
        between = seen[earlier:later]
        end = next(one for one in between if one["kind"] == "batch_end")
        own = moment(seen[later]) - moment(seen[earlier]) - end["usage"]["seconds"]
        found.append((own, any(one["kind"] == "snapshot" for one in between)))
    return found


def with_model(place: Path, project: str) -> None:
    """How often a model is asked, and with how much, in a trivial task."""
    home(place, 0)
    script = {
        "batches": [{"steps": [{"write": {"path": "notes.txt", "content": "x\n"}}, {"run": "python3 -m unittest"}]}]
    }
    (place / "script.json").write_text(json.dumps(script))
    with chat_server(model()) as server:
        config = json.loads((place / "config.json").read_text())
        settings = {"base_url": server.base_url, "model": "m", "api_key_env": ""}
        config["mind"] = {"provider": "openai_compatible", "openai_compatible": settings}
        (place / "config.json").write_text(json.dumps(config))
        run(place, project)
        sizes = [len(json.dumps(request.body["messages"])) for request in server.requests]
    batches = sum(one["kind"] == "batch_end" for one in records(place))
    print("\na trivial task judged by a model")
    print(f"  Mind calls per batch         {len(sizes) / batches:7.1f}     (goal 2)")
    print(f"  prompt in all                {sum(sizes) / 1000:7.1f} KB  (goal 20 KB)")


COUNTED = """
import sys

from mi.agents import process

spawn = process.spawn

def counted(*args):
    names, frame = ["spawn"], sys._getframe(1)
    while frame is not None and names[-1] != "main":
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    sys.stderr.write(" > ".join(reversed(names)) + chr(10))
    return spawn(*args)

process.spawn = counted
from mi.__main__ import main
sys.exit(main())
"""


def call_chain(place: Path, project: str) -> None:
    """The functions between `main` and the start of the agent, both counted, in a scripted run."""
    told = subprocess.run(
        [sys.executable, "-c", COUNTED, *MI[1:], "--max-batches", "1", "fix the parser"],
        cwd=project,
        env=os.environ | {"MI_HOME": str(place)},
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    chain = next(line for line in told.stderr.splitlines() if line.startswith("main > "))
    print(f"\nfunctions from `main` to the agent's start  {chain.count(' > ') + 1}  (goal 10)\n  {chain}")


def run(place: Path, project: str) -> None:
    subprocess.run(
        [*MI, "fix the parser"],
        cwd=project,
        env=os.environ | {"MI_HOME": str(place)},
        check=False,
        stdin=subprocess.DEVNULL,
    )


def records(place: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for log in place.glob("projects/*/evidence.jsonl") for line in log.read_text().splitlines()
    ]


def moment(record: dict[str, Any]) -> float:
    from mi.kernel.clock import parse

    return parse(record["ts"])


def timed(command: list[str], cwd: str, env: Any) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=cwd, env=env, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
