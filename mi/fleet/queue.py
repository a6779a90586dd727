"""The queue of tasks: what an adapter offers, and the types it is asked with.

A job is one stretch of a run: from its start, or from where it goes on, to where it ends or waits. The queue only says
who works next; how a run stands is told by its log.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, Protocol

from mi.kernel.named_tuple import NamedTuple

State = Literal["queued", "running", "waiting", "done", "failed", "blocked", "stopped", "cancelled", "outside"]
EndState = Literal["queued", "waiting", "done", "failed", "blocked", "stopped", "cancelled"]
OPEN_STATES: tuple[State, ...] = ("queued", "running", "waiting")


class QueuedTask(NamedTuple):
    """A task to be put into the queue; its run id is known before anything runs."""

    run_id: str
    task: str
    project_id: str
    root: str  # of the person's own tree
    agent: str = ""  # '': as configured
    priority: int = 0  # the higher goes first
    not_before: float = 0.0  # seconds since the epoch
    after: tuple[str, ...] = ()  # runs that must be done first
    lock: str = ""  # of two jobs with the same one, one runs; '': none
    same: str = ""  # tasks with the same one are one task while the first is open; '': never
    list_task: str = ""  # the task of the project's list that it is
    options: str = ""  # what else the run was asked for, as JSON


class QueuedJob(NamedTuple):
    """A task in the queue, and how it stands there."""

    task: QueuedTask
    state: State = "queued"
    stretch: int = 1
    pending: int = 0  # runs that must be done first and are not
    not_before: float = 0.0
    reason: str = ""  # why it waits, or how it ended
    cuts: int = 0  # how often the stretch was cut off since it began
    noted: str = ""  # the event of the run's end that the queue knows of
    worker: str = ""
    added: float = 0.0
    changed: float = 0.0

    @property
    def run_id(self) -> str:
        return self.task.run_id


class JobClaim(NamedTuple):
    """A job that one worker has; whoever holds an older claim on it has none."""

    token: str
    job: QueuedJob


class ClaimRules(NamedTuple):
    """What may run at present."""

    most: int | None = None  # runs at a time, of all workers; None: no limit
    most_of: Mapping[str, int] = {}  # by agent
    held: Mapping[str, str] = {}  # agents that may begin nothing, and why
    default_agent: str = ""  # which one a job means that names none
    only: str = ""  # the one run that is taken; '': any


class Spending(NamedTuple):
    """What was spent; None is unknown."""

    cost_usd: float | None = None
    tokens: int | None = None


class StretchEnd(NamedTuple):
    """How a stretch ended: for good, or waiting."""

    state: EndState
    reason: str = ""
    not_before: float = 0.0
    event_id: str = ""  # of the run's end
    agent: str = ""  # that worked
    spent: Spending = Spending()  # by the run up to here, former stretches included


class AgentPause(NamedTuple):
    """An agent whose vendor lets nobody work until a moment."""

    agent: str
    until: float
    reason: str = ""


class SameTask(NamedTuple):
    """A task that was not put into the queue: the same one is open."""

    task: QueuedTask
    run_id: str  # of the one that is open


class QueueBlocker(NamedTuple):
    """A run that ended without being done, and the jobs that wait for it to be."""

    job: QueuedJob  # of state `outside` where no worker had it; then its reason says how it ended
    waiting: list[QueuedTask]


class Queue(Protocol):
    """A queue of tasks, shared by any number of processes; each call is done wholly or not at all."""

    def put(self, tasks: Iterable[QueuedTask]) -> list[SameTask]:
        """Put tasks into the queue, except those that are open already, which are returned.

        A run id that is there is left as it is: putting the same task twice is one task.
        """

    def claim(self, worker: str, rules: ClaimRules) -> JobClaim | None:
        """Take the next job that may run, for a worker; None when there is none."""

    def heartbeat(self, token: str) -> Literal["held", "cancelled", "lost"]:
        """Say that a claim is still worked on; return whether it still stands, was cancelled or is another's now."""

    def finish(self, token: str, end: StretchEnd) -> bool:
        """Note how a stretch ended; False when the claim is another's now, and nothing was noted."""

    def release(self, token: str, reason: str = "", not_before: float = 0.0, is_cut: bool = False) -> bool:
        """Give a job back before its stretch has ended; `is_cut`: it was cut off, which is counted."""

    def wake(self, run_id: str, states: tuple[State, ...] = ("waiting",)) -> bool:
        """Queue the next stretch of a run that is in one of the states; one that runs goes on after it, if it waits."""

    def set_priority(self, run_id: str, priority: int) -> bool:
        """Have a queued job go before those of a lower priority; False when it is not queued any more."""

    def cancel(self, run_id: str) -> State | None:
        """Take a run out of the queue, or have its worker stop it; return how it stood. None when there is none."""

    def sweep(self, silent_s: float, is_gone: Callable[[str], bool]) -> list[str]:
        """Release the claims of workers that are gone or were silent for so long; return the runs."""

    def pause(self, pause: AgentPause) -> None:
        """Let no job of an agent begin until a moment; in the past: from now on they may."""

    def pauses(self) -> list[AgentPause]:
        """Return the agents that may begin nothing at present."""

    def find(self, run_id: str) -> QueuedJob | None:
        """Return the job of a run."""

    def jobs(self, states: Iterable[State] = (), project_id: str = "", limit: int = -1) -> list[QueuedJob]:
        """Return jobs in the order in which they would run, those that run first; of all states without `states`."""

    def blockers(self, limit: int = -1) -> list[QueueBlocker]:
        """Return the runs that ended without being done and that queued jobs wait for."""

    def has_ready(self) -> bool:
        """Return whether a job is queued that waits for no other run: it would begin by itself, now or later."""

    def counts(self) -> dict[State, int]:
        """Return how many jobs are in each state."""

    def settle(self, run_id: str, state: EndState) -> None:
        """Note how a run ended that no worker has: one of elsewhere that others wait for, or one that waited."""

    def spend(self, token: str, agent: str, more: Spending) -> None:
        """Count what a stretch that goes on spent since it was last counted; its end counts the rest."""

    def spent_on(self, day: str) -> dict[str, Spending]:
        """Return what stretches spent on a day, by agent, as far as it was counted; what is unknown is left out."""

    def close(self) -> None:
        """Let go of what is open."""
