"""Codex CLI: `codex exec --json`, the sandbox said on every call, the prompt on standard input."""

import msgspec

from mi.agents.codex_events import CodexEvents
from mi.agents.drive import AgentCommand, build_environment, drive
from mi.agents.find import find_native, probe
from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.agents.threads import ThreadLedger
from mi.kernel.config.types import CodexConfig, Interrupt
from mi.kernel.home import Home
from mi.kernel.notices import Notices


class CodexHands:
    """Drives Codex."""

    name = "codex"

    def __init__(self, config: CodexConfig, interrupt: Interrupt, home: Home, notices: Notices) -> None:
        self._config = config
        self._interrupt = interrupt
        self._ledger = ThreadLedger(home, notices)
        self.path = find_native(self.name, config.path)
        self.probe = probe(self.name, self.path, home, notices)

    def can_resume(self, thread_id: str) -> bool:
        return bool(thread_id)

    def argv(self, thread_id: str) -> tuple[str, ...]:
        """Return the call; the options stand before `resume`, which forgets the thread's sandbox otherwise."""
        resume = ("resume", thread_id) if thread_id else ()
        return (self.path, "exec", "--json", *self._sandbox(), *self._anywhere(), *self._config.args, *resume, "-")

    def _anywhere(self) -> tuple[str, ...]:
        """Return what lets Codex work in a folder without git: the person chose the folder."""
        flag, flags = "--skip-git-repo-check", self.probe.flags
        return () if flag in self._config.args or (flags and flag not in flags) else (flag,)

    def _sandbox(self) -> tuple[str, ...]:
        """Older versions know `--full-auto`, newer ones only `--sandbox`."""
        flags = self.probe.flags
        if flags and "--sandbox" not in flags and "--full-auto" in flags and self._config.sandbox == "workspace-write":
            return ("--full-auto",)
        return ("--sandbox", self._config.sandbox)

    def run(self, batch: BatchInput, observer: Observer | None = None, stop: StopFlag | None = None) -> BatchResult:
        call = AgentCommand(self.argv(batch.thread_id), build_environment(), batch.prompt.encode(), CodexEvents())
        result = drive(call, batch, self._interrupt, observer, stop)
        usage = self._ledger.settle(result.thread_id, bool(batch.thread_id), result.usage)
        return msgspec.structs.replace(result, usage=usage)
