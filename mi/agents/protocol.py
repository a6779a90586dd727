"""What every provider of Hands promises: one batch in, everything seen of it out."""

from typing import Literal, Protocol

from msgspec import Struct, field

from mi.agents.events import AgentQuestion, AgentUsage, Event, VendorLimit
from mi.agents.leftovers import LeftProcess
from mi.agents.signals import StopFlag

Outcome = Literal["ended", "cut", "interrupted", "failed"]


class BatchInput(Struct, frozen=True, kw_only=True):
    """One input to the agent."""

    prompt: str  # the exact text that the agent gets
    cwd: str
    transcript: str  # path of the transcript to write
    thread_id: str = ""
    wall_s: float | None = None
    idle_s: float | None = None


class Observed(Struct, frozen=True, kw_only=True):
    """Counts of what the vendor's own stream held, and the paths and errors seen in it."""

    event_type_counts: dict[str, int] = {}
    item_type_counts: dict[str, int] = {}
    file_paths: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


class BatchResult(Struct, frozen=True, kw_only=True):
    """All of a batch that MI acts on. The transcript has the rest.

    ended: the agent's own last word said so. failed: it said it failed, or left with an error.
    cut: it vanished before its last word. interrupted: MI stopped it; `reason` says why.
    """

    outcome: Outcome
    reason: str = ""
    last_message: str = ""
    error: str = ""
    thread_id: str = ""
    resume_failed: bool = False
    exit_code: int | None = None
    usage: AgentUsage = field(default_factory=AgentUsage)  # of this batch alone
    events: tuple[Event, ...] = ()
    events_left_out: int = 0
    observed: Observed = field(default_factory=Observed)
    questions: tuple[AgentQuestion, ...] = ()
    limit: VendorLimit | None = None
    transient: bool = False  # it failed by the vendor or the network, and may not when it is tried again
    seconds: float = 0.0
    lines: int = 0
    shown: tuple[str, ...] = ()  # risky commands that plain output shows; where there are events, only these count
    left: tuple[LeftProcess, ...] = ()  # processes that the agent left running
    risk: str = ""  # the command an interrupt or a warning is about


class Observer:
    """Sees a batch as it happens; override what is of interest. It must return quickly."""

    def line(self, stream: str, text: str) -> None:
        """Take one line the agent printed."""

    def event(self, event: Event) -> None:
        """Take one event; to stop the agent, call `request` of the StopFlag given to `run`."""


class AgentAdapter(Protocol):
    """A provider. `run` never raises for what an agent does; it raises MiError when none can be started."""

    name: str

    def can_resume(self, thread_id: str) -> bool:
        """Return whether a batch with this thread would be resumed rather than started afresh."""

    def run(self, batch: BatchInput, observer: Observer | None = None, stop: StopFlag | None = None) -> BatchResult:
        """Run the agent for one batch and return when it has ended."""
