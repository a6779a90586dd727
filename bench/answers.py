"""Figures of answers: from `mi answer` to the agent's next input in a run that waits at its own terminal.

Run with `make bench`; prints seconds beside the venv's own `python -c pass`, asserts nothing.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from mi.kernel.clock import parse  # noqa: E402
from tests.autopilot.workbench import MEND, TEST, Json, open_bench, say  # noqa: E402
from tests.conftest import MI  # noqa: E402
from tests.terminals import Terminal  # noqa: E402
from tests.waiting import wait_until  # noqa: E402

ROUNDS = 5


def main() -> None:
    heard = sorted(measure_answer() for _ in range(ROUNDS))
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    alone = time.perf_counter() - began
    print(f"answer stored → agent's next input: median {heard[ROUNDS // 2]:.2f} s, worst {heard[-1]:.2f} s (≤ 1 s)")
    print(f"beside python -c pass: {alone * 1000:.0f} ms")


def measure_answer() -> float:
    """Return the seconds between the answer's record and the next input to the agent."""
    with tempfile.TemporaryDirectory() as folder:
        bench = open_bench(Path(folder))
        bench.env = {"MI_HOME": str(bench.home)}
        bench.agent([say("Which colour should the report have, red or green?")], [MEND, TEST, say("Done.")])
        bench.mi("settings", "set", "--prove", "no")
        waiting = Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)
        waiting.read_until("\n> ")
        bench.mi("answer", "1", "B")
        assert wait_until(lambda: len(inputs_of(bench.records())) > 1, 30)
        records = bench.records()
        waiting.finish()
        waiting.close()
    said = next(one for one in records if one["kind"] == "user_input")
    return parse(inputs_of(records)[1]["ts"]) - parse(said["ts"])


def inputs_of(records: list[Json]) -> list[Json]:
    """Return what was sent to the agent."""
    return [one for one in records if one["kind"] == "hands_input"]


if __name__ == "__main__":
    main()
