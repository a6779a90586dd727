"""Driving a real agent from a test: a scripted model, a failing repository, a home, and every process it left."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mi.agents.protocol import AgentAdapter, BatchInput, BatchResult, Observer
from mi.kernel.home import Home
from mi.testing import (
    Repository,
    ScriptedServer,
    claude_environment,
    messages_server,
    responses_server,
    temporary_repository,
)
from tests.agents.subjects import codex_home


class Driver:
    """One test's agent, model and repository."""

    def __init__(self, tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch, stack: ExitStack) -> None:
        self.home = home
        self.folder = tmp_path / "agent"
        self.folder.mkdir()
        self.repo: Repository = stack.enter_context(temporary_repository(passing=False, parent=str(tmp_path)))
        self._stack = stack
        self._monkeypatch = monkeypatch
        self._number = 0

    def codex_model(self, *replies: Any, token: str = "", **options: Any) -> ScriptedServer:
        server = self._stack.enter_context(responses_server(list(replies), token=token))
        self.use(codex_home(server, str(self.folder), **options))
        return server

    def claude_model(self, *replies: Any, token: str = "", **options: Any) -> ScriptedServer:
        server = self._stack.enter_context(messages_server(list(replies), token=token))
        self.use(claude_environment(server, str(self.folder), **options))
        return server

    def use(self, environment: dict[str, str]) -> None:
        for name, value in environment.items():
            self._monkeypatch.setenv(name, value)

    def batch(self, prompt: str = "go on", **fields: Any) -> BatchInput:
        self._number += 1
        path = self.home.path("transcripts", f"{self._number}.jsonl")
        return BatchInput(**({"prompt": prompt, "cwd": self.repo.path, "transcript": path, "wall_s": 60.0} | fields))

    def owns(self, pid: int) -> bool:
        """Whether a process belongs to this test and not to one that runs beside it."""
        try:
            return str(self.folder).encode() in Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            return False  # gone meanwhile

    def run(
        self, hands: AgentAdapter, prompt: str = "go on", observer: Observer | None = None, **fields: Any
    ) -> BatchResult:
        return hands.run(self.batch(prompt, **fields), observer)


def processes_with(text: str) -> list[int]:
    """The living processes with a text in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue  # gone meanwhile
    return found


def driver(tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    with ExitStack() as stack:
        yield Driver(tmp_path, home, monkeypatch, stack)
