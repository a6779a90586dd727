"""Running a real agent once: own process group, no stdin, a time limit."""

import json
import os
import signal
import subprocess
from typing import Any, NamedTuple

TIME_LIMIT_S = 60.0


class Done(NamedTuple):
    """How a run ended, and what it printed."""

    code: int
    stdout: str
    stderr: str

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.splitlines()]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        """The events of one type."""
        return [event for event in self.events if event["type"] == kind]


def run_agent(argv: list[str], env: dict[str, str], cwd: str) -> Done:
    """Run to the end; a run that takes too long is killed with everything it started, and fails the test."""
    process = subprocess.Popen(
        argv,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        stdout, stderr = process.communicate(timeout=TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        raise AssertionError(f"the agent did not end:\n{stdout[-2000:]}\n{stderr[-2000:]}") from None
    return Done(process.returncode, stdout, stderr)
