"""Any agent CLI by its argv: `{prompt}` and `{thread_id}` filled in, JSON read where there is some, text otherwise."""

import re
from typing import Literal

from mi.agents.any_events import AnyEvents, Protocol, find_protocol
from mi.agents.drive import AgentCommand, build_environment, drive
from mi.agents.find import find
from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.kernel.config.types import Cli, Interrupt
from mi.kernel.errors import BadConfig


class CliHands:
    """Drives a command the user configured."""

    name = "cli"

    def __init__(self, config: Cli, interrupt: Interrupt, *_unused: object) -> None:
        if not config.exec:
            raise BadConfig("cli-not-configured")
        try:
            re.compile(config.thread_id_regex)
        except re.error as error:
            raise BadConfig("cli-bad-regex", value=config.thread_id_regex, reason=str(error)) from None
        self._config = config
        self._interrupt = interrupt

    def can_resume(self, thread_id: str) -> bool:
        return bool(thread_id and self._config.resume)

    def run(self, batch: BatchInput, observer: Observer | None = None, stop: StopFlag | None = None) -> BatchResult:
        words = self._config.resume if self.can_resume(batch.thread_id) else self._config.exec
        argv = fill(words, self._config.prompt_mode, batch.prompt, batch.thread_id)
        # Configured names are looked up by the user's own $PATH, so that a missing one is named before anything starts.
        argv = (argv[0] if "/" in argv[0] else find(argv[0]), *argv[1:])
        call = AgentCommand(
            argv,
            build_environment(self._config.env),
            batch.prompt.encode() if self._config.prompt_mode == "stdin" else None,
            AnyEvents(self._config.thread_id_regex, self._protocol(words)),
            reads_text=True,
            needs_end=False,
        )
        return drive(call, batch, self._interrupt, observer, stop)

    def _protocol(self, words: tuple[str, ...]) -> Protocol:
        """Return whose stream it is: the one that was named, else the one that the call asks for."""
        return find_protocol(words) if self._config.events == "auto" else self._config.events


def fill(words: tuple[str, ...], mode: Literal["arg", "stdin"], prompt: str, thread_id: str) -> tuple[str, ...]:
    """Return the argv with its placeholders filled; in mode `arg` a prompt nobody placed stands at the end."""
    placed = any("{prompt}" in word for word in words)
    values = {"{prompt}": prompt, "{thread_id}": thread_id}
    filled = [re.sub(r"\{prompt\}|\{thread_id\}", lambda found: values[found[0]], word) for word in words]
    return (*filled, prompt) if mode == "arg" and not placed else tuple(filled)
