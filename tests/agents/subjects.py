"""The four providers under one script: real Codex and Claude Code with a scripted model, a wrapped CLI, a replay."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

import pytest

from mi.agents.adapters.claude import ClaudeHands
from mi.agents.adapters.cli import CliHands
from mi.agents.adapters.codex import CodexHands
from mi.agents.adapters.replay import ReplayHands
from mi.agents.find import probe
from mi.agents.protocol import AgentAdapter
from mi.kernel.config.types import Claude, Cli, CodexConfig, Interrupt, Replay
from mi.kernel.files import write_atomic
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.testing import (
    ScriptedServer,
    Usage,
    claude_environment,
    codex_environment,
    exit_with,
    fail,
    hang,
    messages_server,
    print_line,
    read,
    responses_server,
    scripted_batches,
    stay,
    turn,
)
from mi.testing.replies import Edit, Run, Say

_PROBES: dict[str, bytes] = {}
HANG, FAIL = "hang", "fail"
Part = Say | Run | Edit | str  # "hang": nothing more comes; "fail": the agent says that it failed
Batches = Sequence[Sequence[Part]]


def codex_home(server: ScriptedServer | str, folder: str, **options: Any) -> dict[str, str]:
    """An environment for Codex whose sandbox leaves /tmp alone: killed, it would leave an empty `.git` there."""
    return codex_environment(server, folder, extra="[sandbox_workspace_write]\nexclude_slash_tmp = true\n", **options)


class Subject(Protocol):
    """A provider and what it can show."""

    name: str
    tells_commands: bool
    tells_usage: bool

    def hands(self, batches: Batches, interrupt: Interrupt = ...) -> AgentAdapter:
        """The provider, with a script of what its agent does in each batch."""

    def heard(self) -> list[str]:
        """The prompts that reached the agent or its model."""


class Place:
    """What a subject needs of the test."""

    def __init__(self, tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch, stack: ExitStack) -> None:
        self.folder = tmp_path / "agent"
        self.folder.mkdir()
        self.home = home
        self.monkeypatch = monkeypatch
        self.stack = stack

    def use(self, environment: dict[str, str]) -> None:
        for name, value in environment.items():
            self.monkeypatch.setenv(name, value)


class RealAgent:
    """Codex or Claude Code with a model that follows the script."""

    tells_commands = True
    tells_usage = True

    def __init__(self, name: str, path: str, place: Place) -> None:
        self.name = name
        self._path = path
        self._place = place
        self._probe_once(place.home.path("indexes", "agents.json"))

    def _probe_once(self, cache: str) -> None:
        """Each test has a home of its own; what the program says about itself is asked once for all of them."""
        if self._path not in _PROBES:
            probe(self.name, self._path, self._place.home, Notices())
            _PROBES[self._path] = Path(cache).read_bytes()
        write_atomic(cache, _PROBES[self._path])

    def hands(self, batches: Batches, interrupt: Interrupt = Interrupt()) -> AgentAdapter:  # noqa: B008
        script = [reply for batch in batches for reply in self._replies(batch)]
        codex = self.name == "codex"
        self.server = self._place.stack.enter_context(responses_server(script) if codex else messages_server(script))
        folder = str(self._place.folder)
        self._place.use(codex_home(self.server, folder) if codex else claude_environment(self.server, folder))
        if codex:
            return CodexHands(CodexConfig(path=self._path), interrupt, self._place.home, Notices())
        config = Claude(path=self._path, allowed_tools=("Bash",))
        return ClaudeHands(config, interrupt, self._place.home, Notices())

    def _replies(self, batch: Sequence[Part]) -> list[Any]:
        """A model that only speaks has ended its turn, so what it says before another part goes with that part."""
        replies: list[Any] = []
        spoken: list[Any] = []
        for number, part in enumerate(batch):
            if isinstance(part, Say) and number < len(batch) - 1:
                spoken.append(part)
                continue
            if isinstance(part, Edit) and self.name == "claude":
                replies.append(turn(*spoken, read(part.path)))
                spoken = []
            replies.append(self._reply(part, spoken))
            spoken = []
        return replies

    def _reply(self, part: Part, spoken: list[Any]) -> Any:
        if isinstance(part, str):
            return hang(*spoken) if part == HANG else fail(400, "scripted failure")
        return turn(*spoken, part, usage=Usage(input=100, output=10))

    def heard(self) -> list[str]:
        return [text for request in self.server.requests for text in request.user_texts[-1:]]


class WrappedCli:
    """Any CLI: prints text, names its session, knows no usage."""

    name = "cli"
    tells_commands = False
    tells_usage = False

    def __init__(self, place: Place) -> None:
        self._place = place

    def hands(self, batches: Batches, interrupt: Interrupt = Interrupt()) -> AgentAdapter:  # noqa: B008
        steps = [[print_line("session: s1"), *map(self._step, batch)] for batch in batches]
        agent = scripted_batches(steps, str(self._place.folder / "count"))
        config = Cli(
            exec=tuple(agent),
            resume=(
                "sh",
                "-c",
                'test "$0" = s1 && exec "$@" || { echo "no session $0" >&2; exit 1; }',
                "{thread_id}",
                *agent,
            ),
            prompt_mode="stdin",
            thread_id_regex=r"session: (\w+)",
        )
        return CliHands(config, interrupt)

    def _step(self, part: Part) -> Any:
        if isinstance(part, str):
            return stay() if part == HANG else exit_with(3)
        return part

    def heard(self) -> list[str]:
        return []


class Replayed:
    """A replay script."""

    name = "replay"
    tells_commands = True
    tells_usage = True

    def __init__(self, place: Place) -> None:
        self._place = place

    def hands(self, batches: Batches, interrupt: Interrupt = Interrupt()) -> AgentAdapter:  # noqa: B008
        written = [
            {"steps": [self._step(part) for part in batch], "usage": {"input_tokens": 100 * len(batch)}}
            for batch in batches
        ]
        file = self._place.folder / "script.json"
        file.write_text(json.dumps({"batches": written}), "utf-8")
        return ReplayHands(Replay(file=str(file)), interrupt, self._place.home, Notices())

    def _step(self, part: Part) -> dict[str, Any]:
        match part:
            case Say(text=text):
                return {"say": text}
            case Run(command=command):
                return {"run": command}
            case Edit(path=path, old=old, new=new):
                return {"edit": {"path": path, "old": old, "new": new}}
        return {"run": "sleep 60"} if part == HANG else {"fail": "scripted failure"}

    def heard(self) -> list[str]:
        return []
