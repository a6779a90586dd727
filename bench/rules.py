"""Figures of the team's rules: commands and hooks beside the venv's own `python -c pass`, the pure functions in µs.

Run with `make bench`; prints ratios, asserts nothing.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

MI = str(Path(sys.executable).parent / "mi")
ROUNDS = 15
PUSH = "cd repo && npm test && sh -c 'git push --force-with-lease origin main'"
TASK = "encrypt the backups with a third-party service, ASAP, and deploy it"


def event(tool: str, given: dict[str, str], folder: str) -> bytes:
    said = {"session_id": "s", "cwd": folder, "tool_name": tool, "tool_input": given, "tool_use_id": "t"}
    return json.dumps(said).encode()


def timed(argv: list[str], folder: str, data: bytes = b"") -> float:
    began = time.perf_counter()
    subprocess.run(argv, input=data, capture_output=True, check=False, cwd=folder)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MI_HOME"] = os.path.join(folder, "home")
        subprocess.run(["git", "init", "-q", folder], check=True)
        hook = [MI, "hook", "pre-tool", "--host", "codex"]
        subjects = {
            "python -c pass": ([sys.executable, "-c", "pass"], b""),
            "mi gate assess --task": ([MI, "gate", "assess", "--task", TASK], b""),
            "mi gate signals": ([MI, "gate", "signals", TASK], b""),
            "mi gate permission": ([MI, "gate", "permission", "bash", "run", PUSH], b""),
            "hook, harmless edit": (hook, event("Edit", {"file_path": "a.py"}, folder)),
            "hook, harmless command": (hook, event("Bash", {"command": "pytest -q"}, folder)),
        }
        taken: dict[str, list[float]] = {name: [] for name in subjects}
        for _ in range(ROUNDS):
            for name, (argv, data) in subjects.items():
                taken[name].append(timed(argv, folder, data))
        floor = statistics.median(taken["python -c pass"])
        for name, seconds in taken.items():
            print(f"{name:<24} {statistics.median(seconds) / floor:5.1f} ×")
    pure()


def pure() -> None:
    from mi.governance.assess import assess_task
    from mi.governance.change_units import count
    from mi.governance.diff_flags import find_diff_flags
    from mi.governance.permissions import permit
    from mi.governance.signals import find_signals

    hunk = "@@ -{0} +{0} @@\n-old = 1\n+new = 1\n"
    head = "diff --git a/f{0}.py b/f{0}.py\nindex 1..2 100644\n--- a/f{0}.py\n+++ b/f{0}.py\n"
    diff = "".join(head.format(n) + "".join(hunk.format(10 * m + 1) for m in range(20)) for n in range(50))
    subjects: dict[str, Callable[[], object]] = {
        "permit, a command line": lambda: permit("Bash", "run", PUSH),
        "permit, an edit": lambda: permit("Edit", "", "src/a.py"),
        "signals of a task": lambda: find_signals(TASK),
        "assess a task": lambda: assess_task(TASK),
        "count and flag 1,000 units": lambda: find_diff_flags(count(diff)),
    }
    for name, function in subjects.items():
        function()
        began = time.perf_counter()
        for _ in range(100):
            function()
        print(f"{name:<28} {(time.perf_counter() - began) / 100 * 1e6:8.0f} µs")


if __name__ == "__main__":
    main()
