"""Figures of Hands: lines captured per second, memory under floods, interrupt latency, overhead of a batch.

Runs the `cli` and `codex`-shaped paths with scripted agents, no model. Prints, asserts nothing.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
LINES = 300_000
LONG = 50_000_000
PYTHON = [sys.executable, "-I", "-S", "-c"]

EVENTS = """
import json, sys
line = json.dumps({"type": "item.completed", "item": {"id": "item_7", "type": "command_execution",
    "command": "/bin/bash -lc 'pytest -q'", "aggregated_output": "12 passed in 0.31s", "exit_code": 0,
    "status": "completed"}}) + "\\n"
print('{"type":"thread.started","thread_id":"t"}')
block = line * 1000
for _ in range(%d // 1000): sys.stdout.write(block)
print('{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}')
"""
TEXT = """
import sys
block = 'a line of plain output, as tools print it\\n' * 1000
for _ in range(%d // 1000): sys.stdout.write(block)
"""
LONG_LINE = "import sys\nfor _ in range(%d // 1000000): sys.stdout.write('x' * 1000000)\nprint()"
RISKY = """
import json, signal, sys, time
def stop(number, frame):
    open(sys.argv[1], "w").write(repr(time.time()))
    raise SystemExit(1)
signal.signal(signal.SIGINT, stop)
print('{"type":"thread.started","thread_id":"t"}', flush=True)
for _ in range(%d): print("noise")
open(sys.argv[1] + ".sent", "w").write(repr(time.time()))
item = {"id": "i", "type": "command_execution", "command": "git push"}
print(json.dumps({"type": "item.started", "item": item}), flush=True)
time.sleep(30)
"""
SUBJECT = """
import json, os, sys, time
from mi.agents.protocol import BatchInput, Observer
from mi.agents.drive import AgentCommand, build_environment, drive
from mi.kernel.config.types import Interrupt
from mi.agents.any_events import AnyEvents
folder, mode, argv = sys.argv[1], sys.argv[2], sys.argv[3:]
rows = []
for number in range(int(os.environ.get("ROUNDS", "1"))):
    path = os.path.join(folder, f"{time.time_ns()}.jsonl")
    call = AgentCommand(tuple(argv), build_environment(), b"prompt", AnyEvents(), True, False)
    before, spent = time.perf_counter(), time.process_time()
    result = drive(call, BatchInput(prompt="", cwd=folder, transcript=path), Interrupt(mode=mode))
    seconds, cpu = time.perf_counter() - before, time.process_time() - spent
    rows.append((seconds, result.lines, cpu, result.outcome))
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) / 1024
print(json.dumps({"rows": rows, "peak_mb": peak}))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        baseline = measure(folder, "off", [*PYTHON, "pass"])["peak_mb"]
        print(f"memory of a batch with no output: {baseline:.0f} MB")
        for name, program in (("JSON events", EVENTS % LINES), ("plain text", TEXT % LINES)):
            got = measure(folder, "off", [*PYTHON, program])
            seconds, lines, cpu = got["rows"][0][:3]
            alone = timed([*PYTHON, program])
            print(f"{lines:,} lines of {name}: {lines / seconds:,.0f} lines/s, memory {got['peak_mb']:.0f} MB")
            print(f"  {lines / cpu:,.0f} per second of MI's own time; the agent alone: {alone:.2f} of {seconds:.2f} s")
        got = measure(folder, "off", [*PYTHON, LONG_LINE % LONG])
        print(f"one line of {LONG // 1_000_000} MB: {got['rows'][0][0]:.2f} s, memory {got['peak_mb']:.0f} MB")
        for name, noise in (("quiet", 0), ("after 100,000 lines", 100_000)):
            print(f"interrupt latency, {name}: {latency(folder, noise):.0f} ms from the command's event to its signal")
        overhead(folder)


def measure(folder: str, mode: str, argv: list[str], rounds: int = 1) -> dict:
    done = subprocess.run(
        [sys.executable, "-c", SUBJECT, folder, mode, *argv],
        check=True,
        stdout=subprocess.PIPE,
        env=os.environ | {"ROUNDS": str(rounds)},
    )
    return json.loads(done.stdout)


def timed(argv: list[str]) -> float:
    before = time.perf_counter()
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.perf_counter() - before


def latency(folder: str, noise: int) -> float:
    found = []
    for _ in range(5):
        mark = Path(folder, "mark")
        mark.unlink(missing_ok=True)
        measure(folder, "on_high_risk", [*PYTHON, RISKY % noise, str(mark)])
        found.append(float(mark.read_text()) - float(Path(f"{mark}.sent").read_text()))
    return statistics.median(found) * 1000


def overhead(folder: str) -> None:
    argv = [*PYTHON, "import sys; sys.stdin.read(); print('done')"]
    rows = measure(folder, "off", argv, ROUNDS)["rows"]
    bare = []
    for _ in range(ROUNDS):
        before = time.perf_counter()
        subprocess.run(argv, check=True, input=b"prompt", stdout=subprocess.PIPE)
        bare.append(time.perf_counter() - before)
    with_mi, alone = statistics.median(row[0] for row in rows), statistics.median(bare)
    more = (with_mi - alone) * 1000
    print(f"overhead of a batch: {more:.1f} ms ({with_mi * 1000:.1f} ms; the agent alone {alone * 1000:.1f} ms)")


if __name__ == "__main__":
    main()
