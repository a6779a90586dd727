"""An agent's threads: what was spent in each so far, and the one a later run may go on with."""

import msgspec
from msgspec import Struct

from mi.agents.events import AgentUsage
from mi.kernel import clock
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import Project
from mi.project.overlay import HandsState
from mi.project.run_state import forget_threads, store_thread_state

_REMEMBERED = 200


class Thread(Struct, frozen=True, kw_only=True):
    """What the vendor had reported as the thread's total, and how many batches it had."""

    thread_id: str
    batches: int = 0
    total: AgentUsage = msgspec.field(default_factory=AgentUsage)


class _Threads(Struct, frozen=True, kw_only=True):
    version: str = "v1"
    threads: tuple[Thread, ...] = ()


class ThreadLedger:
    """The file `indexes/hands_threads.json`; without it the next usage of a resumed thread is unknown, not wrong."""

    def __init__(self, home: Home, notices: Notices) -> None:
        self._path = home.path("indexes", "hands_threads.json")
        self._notices = notices

    def find(self, thread_id: str) -> Thread | None:
        """Return what is known of a thread."""
        known = read_state(self._path, _Threads, self._notices).threads
        return next((thread for thread in known if thread.thread_id == thread_id), None)

    def settle(self, thread_id: str, resumed: bool, reported: AgentUsage) -> AgentUsage:
        """Return the usage of one batch, given what the vendor reported at its end; remembers the new total."""
        before = self.find(thread_id) if resumed else Thread(thread_id=thread_id)
        # An interrupted batch reports nothing: what it spent shows in the next total, so the former one stays.
        total = reported if reported.is_total else before.total if before else None
        if thread_id and total is not None:
            self._remember(Thread(thread_id=thread_id, batches=(before.batches if before else 0) + 1, total=total))
        return subtract_usage(reported, before.total if before else None) if reported.is_total else reported

    def _remember(self, thread: Thread) -> None:
        def change(old: _Threads) -> _Threads:
            others = tuple(known for known in old.threads if known.thread_id != thread.thread_id)
            return _Threads(threads=(*others, thread)[-_REMEMBERED:])

        update_state(self._path, _Threads, change, self._notices)


def subtract_usage(total: AgentUsage, before: AgentUsage | None) -> AgentUsage:
    """Return a batch's part of a thread's total; unknown where either is unknown or the total went back."""

    def part(name: str) -> int | None:
        now, then = getattr(total, name), 0 if before is None or not before.is_total else getattr(before, name)
        return None if now is None or then is None or now < then else now - then

    if before is None:
        return AgentUsage()
    return AgentUsage(
        input_tokens=part("input_tokens"),
        cached_input_tokens=part("cached_input_tokens"),
        output_tokens=part("output_tokens"),
        cost_usd=total.cost_usd,
        model=total.model,
    )


def choose_thread(state: HandsState, provider: str, continue_hands: bool, continue_across_runs: bool) -> str:
    """Return the thread a new run begins with.

    The stored one if that is wished and it is this provider's, else none.
    """
    wished = continue_hands or continue_across_runs
    return state.thread_id if wished and state.provider == provider else ""


def store_thread(home: Home, project: Project, run_id: str, provider: str, thread_id: str, notices: Notices) -> None:
    """Remember the thread of a run's latest batch, which is the project's latest, too."""
    state = HandsState(provider=provider, thread_id=thread_id, updated_ts=clock.now())
    store_thread_state(home.project(project.project_id), run_id, project.root, state, notices)


def reset_thread(home: Home, project: Project, notices: Notices) -> None:
    """Forget the stored thread (`--reset-hands`), so that the next run begins afresh."""
    forget_threads(home.project(project.project_id), project.root, notices)
