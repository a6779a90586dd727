"""Whole runs on the real agents: the model behind the agent is a script, everything else is what a person has."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from mi.testing import (
    Repository,
    claude_environment,
    codex_environment,
    messages_server,
    responses_server,
    temporary_repository,
)
from mi.testing.replies import Script
from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import Json, Ran, Workbench

RULES: Json = {"provider": "rules"}
Open = Callable[..., tuple["RealBench", ScriptedServer]]
DRIVER = str(Path(__file__).parent.parent / "autopilot" / "killed_run.py")


class RealBench(Workbench):
    """A workbench whose agent is real; `env` leads it to the scripted model."""

    def __init__(self, repository: Repository, folder: Path, hands: Json, mind: Json) -> None:
        super().__init__(Path(repository.path), folder)
        self.repository = repository
        self.config = {"version": "v1", "hands": hands, "mind": mind}
        self.configure()

    def killed(self, count: int, *args: str) -> list[Json]:
        """Run until the count-th record is stored, then die; the log at that moment."""
        done = subprocess.run(
            [sys.executable, DRIVER, str(count), *args],
            cwd=self.project,
            env=os.environ | self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        assert done.returncode == -signal.SIGKILL, f"{done.returncode} {done.stdout} {done.stderr}"
        return self.records()


def codex_bench(codex: str, folder: Path, opened: ExitStack) -> Open:
    """Opens a repository with a failing test, the real Codex, and the script behind it."""

    def make(script: Script, mind: Json = RULES, tools: tuple[str, ...] = ()) -> tuple[RealBench, ScriptedServer]:
        # Codex may write to the system's own folder for temporary files, and the traces are kept there, too.
        repository = opened.enter_context(temporary_repository(passing=False, parent=str(folder)))
        server = opened.enter_context(responses_server(script))
        one = RealBench(repository, folder, {"provider": "codex", "codex": {"path": codex}}, mind)
        agent = codex_environment(server, str(folder / "agent"))
        one.env = agent | {"MI_HOME": os.environ["MI_HOME"], "HOME": agent["HOME"]}
        return one, server

    return make


def claude_bench(claude: str, folder: Path, opened: ExitStack) -> Open:
    """Opens a repository with a failing test, the real Claude Code, and the script behind it; `tools` it may use."""

    def make(script: Script, mind: Json = RULES, tools: tuple[str, ...] = ()) -> tuple[RealBench, ScriptedServer]:
        repository = opened.enter_context(temporary_repository(passing=False, parent=str(folder)))
        server = opened.enter_context(messages_server(script))
        settings = {"path": claude, "allowed_tools": tools}
        one = RealBench(repository, folder, {"provider": "claude", "claude": settings}, mind)
        one.env = claude_environment(server, str(folder / "agent")) | {"MI_HOME": os.environ["MI_HOME"]}
        return one, server

    return make


def went_on(before: list[Json], ran: Ran, traces: str) -> None:
    """Assert that a resumed run lost nothing, repeated nothing, and ended well."""
    ran.ended("done")
    assert ran.records[: len(before)] == before
    ended = [one["batch_id"] for one in ran.of("batch_end") if one["outcome"] == "ended"]
    assert len(ended) == len(set(ended))
    assert traces.split() == sorted(set(traces.split()))


def dumped(ran: Ran) -> str:
    """The log as text, for a failure message."""
    return "\n".join(json.dumps(record, ensure_ascii=False)[:400] for record in ran.records)
