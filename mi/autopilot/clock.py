"""When each command of a batch ran, by the wall clock."""

import time

from mi.agents.events import AgentUsage, Command, Event, FileChange
from mi.agents.protocol import Observer
from mi.agents.signals import StopFlag
from mi.kernel.named_tuple import NamedTuple


class CommandMoment(NamedTuple):
    """When a command ran, by the wall clock, and what came after it by the agent's own events."""

    started: float
    ended: float
    change_followed: bool = False
    command_followed: bool = False

    @property
    def latest_harmless_change(self) -> float:
        """Return until when a file may have changed for this command to have seen it.

        What a check writes itself is harmless. When another command followed, the two cannot be told apart.
        """
        return self.started if self.command_followed else self.ended


class BatchClock(Observer):
    """Notes when each command of a batch ran, and passes everything on to whoever watches."""

    def __init__(self, watcher: Observer, stop: StopFlag, token_limit: int | None) -> None:
        self.started = time.time()
        self.thread_id = ""
        self._watcher = watcher
        self._stop = stop
        self._token_limit = token_limit
        self._begun: dict[str, float] = {}
        self._moments: dict[str, CommandMoment] = {}

    def line(self, stream: str, text: str) -> None:
        self._watcher.line(stream, text)

    def event(self, event: Event) -> None:
        now = time.time()
        if isinstance(event, Command) and event.state == "started":
            self._begun[event.id] = now
            self._mark(command_followed=True)
        elif isinstance(event, Command):
            self._moments[event.id] = CommandMoment(self._begun.get(event.id, now), now)
        elif isinstance(event, FileChange):
            self._mark(change_followed=True)
        elif isinstance(event, AgentUsage) and not event.is_total and self._is_over(event):
            self._stop.request("limit: tokens")
        self._watcher.event(event)

    def _mark(self, **followed: bool) -> None:
        self._moments = {name: moment._replace(**followed) for name, moment in self._moments.items()}

    def _is_over(self, usage: AgentUsage) -> bool:
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        return self._token_limit is not None and tokens > self._token_limit

    def moment(self, command: Command) -> CommandMoment:
        """Return when a command of this batch ran."""
        return self._moments.get(command.id, CommandMoment(self.started, self.started, change_followed=True))
