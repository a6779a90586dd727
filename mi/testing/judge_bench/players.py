"""Who plays a scenario's agent: our scripted one, a command of yours, or the real Codex or Claude Code."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal, Protocol

from mi.kernel.named_tuple import NamedTuple
from mi.testing.agents import scripted_batches
from mi.testing.environments import claude_environment, codex_environment
from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.workspace import BenchPlace
from mi.testing.replays import write_replay
from mi.testing.replies import Edit, Part, Read, Reply, Say, Script, Write
from mi.testing.requests import Request
from mi.testing.servers import messages_server, responses_server

Json = dict[str, Any]


class PlayedAgent(NamedTuple):
    """The agent as `mi run` is told of it: the section `hands`, and what it needs in its environment."""

    hands: Json
    env: dict[str, str] = {}


class AgentPlayer(Protocol):
    """Whoever can play a scenario's agent while the block lasts."""

    def open(self, scenario: Scenario, place: BenchPlace) -> AbstractContextManager[PlayedAgent]: ...


class ScriptedPlayer:
    """Our own agent, with typed events; or a command that plays the script which $MI_BENCH_SCRIPT names."""

    def __init__(self, hands: Json | None = None) -> None:
        self._hands = hands

    @contextmanager
    def open(self, scenario: Scenario, place: BenchPlace) -> Iterator[PlayedAgent]:
        if scenario.is_program:
            command = scripted_batches(scenario.batches, place.counter)
            yield PlayedAgent({"provider": "cli", "cli": {"exec": [*command, "{prompt}"], "resume": []}})
            return
        write_replay(place.script, scenario.batches)  # type: ignore[arg-type]  # a Step is refused there by its name
        yield PlayedAgent(self._hands or {"provider": "replay", "replay": {"file": place.script}})


class RealPlayer:
    """The real Codex or Claude Code, whose model is a server on loopback that follows the script."""

    def __init__(self, name: Literal["codex", "claude"], path: str) -> None:
        self._name = name
        self._path = path

    @contextmanager
    def open(self, scenario: Scenario, place: BenchPlace) -> Iterator[PlayedAgent]:
        if scenario.is_program:
            with ScriptedPlayer().open(scenario, place) as played:
                yield played
            return
        folder = place.agent
        is_codex = self._name == "codex"
        with (responses_server if is_codex else messages_server)(self._script(scenario)) as server:
            env = (codex_environment if is_codex else claude_environment)(server, folder)
            settings = {"path": self._path} if is_codex else {"path": self._path, "allowed_tools": ["Bash"]}
            own = {name: value for name, value in env.items() if name not in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
            yield PlayedAgent({"provider": self._name, self._name: settings}, own)

    def _script(self, scenario: Scenario) -> Script:
        """Return what the model answers, request by request; beyond the script it repeats that all is done."""
        parts = (part for batch in scenario.batches for deed in batch for part in self._parts(scenario, deed))

        def answer(request: Request) -> Reply:
            return next(parts, Say("As I said: it is done."))

        return answer

    def _parts(self, scenario: Scenario, deed: Any) -> Iterator[Part]:
        is_known = isinstance(deed, Edit) or (isinstance(deed, Write) and deed.path in scenario.files)
        if self._name == "claude" and is_known:
            yield Read(deed.path)  # Claude Code edits only what it has read
        yield deed
