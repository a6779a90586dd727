"""A scripted run: it really edits and really executes, without any model. The base of the demo and of tests."""

import sys

import msgspec

from mi.agents.adapters import replay_agent
from mi.agents.adapters.replay_script import BatchScript, ReplaySpent, ReplayStep, read_script
from mi.agents.codex_events import CodexEvents
from mi.agents.drive import AgentCommand, build_environment, drive
from mi.agents.protocol import BatchInput, BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.agents.threads import ThreadLedger
from mi.kernel import ids
from mi.kernel.config.types import Interrupt, Replay
from mi.kernel.errors import BadConfig
from mi.kernel.home import Home
from mi.kernel.notices import Notices


class ReplayHands:
    """Drives the replay agent, a program of its own that speaks Codex' stream."""

    name = "replay"

    def __init__(self, config: Replay, interrupt: Interrupt, home: Home, notices: Notices) -> None:
        if not config.file:
            raise BadConfig("replay-not-configured")
        read_script(config.file)  # a script with a mistake is refused before anything runs
        self._file = config.file
        self._interrupt = interrupt
        self._ledger = ThreadLedger(home, notices)

    def can_resume(self, thread_id: str) -> bool:
        return bool(thread_id)

    def run(self, batch: BatchInput, observer: Observer | None = None, stop: StopFlag | None = None) -> BatchResult:
        known = self._ledger.find(batch.thread_id) if batch.thread_id else None
        position = known.batches if known else 0
        thread = batch.thread_id if known or not batch.thread_id else f"unknown:{batch.thread_id}"
        thread = thread or ids.make_id("replay")
        agent = (sys.executable, "-I", "-S", replay_agent.__file__, thread)
        given = msgspec.json.encode(_find_played(self._file, position)) + b"\n" + batch.prompt.encode()
        call = AgentCommand(agent, build_environment(), given, CodexEvents())
        result = drive(call, batch, self._interrupt, observer, stop)
        if not result.thread_id:
            return result
        usage = self._ledger.settle(result.thread_id, known is not None, result.usage)
        return msgspec.structs.replace(result, usage=usage)


def _find_played(file: str, position: int) -> BatchScript:
    """Return a batch of the script with what its thread spent so far: the stream, like Codex', tells the total."""
    batches = read_script(file).batches
    spent = [one.usage for one in batches[: position + 1]]
    total = ReplaySpent(
        input_tokens=sum(one.input_tokens for one in spent), output_tokens=sum(one.output_tokens for one in spent)
    )
    steps = batches[position].steps if position < len(batches) else (ReplayStep(say="(end of script)"),)
    return BatchScript(steps=steps, usage=total)
