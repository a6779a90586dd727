"""The queue of a hub: homes of one member, and members who help each other, work on it; procrastinate says who is next.

Each call is one function in the database (`migrations/0002_queue.sql`), which knows who asks. A cut connection is made
anew once within a call: claims are named by this side, so that an answer that was lost is not a job that was lost.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Literal

from mi.fleet.queue import (
    AgentPause,
    ClaimRules,
    EndState,
    JobClaim,
    QueueBlocker,
    QueuedJob,
    QueuedTask,
    SameTask,
    Spending,
    State,
    StretchEnd,
)
from mi.hub.connection import connect_home, explain_failures
from mi.hub.state import HubState
from mi.kernel import ids
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.jsontext import encode
from mi.kernel.secrets import find_hints, find_secrets, redact

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_MEND_S = 600.0  # between two looks whether procrastinate's tables still say the same
CHANNEL = "mi_hub_queue"  # on which the hub tells the member whose jobs may begin
_UNDONE = ["blocked", "failed", "stopped", "cancelled"]  # it has ended, and what comes after it does not begin
_COLUMNS = """job.run, job.task, job.project, job.root, job.agent, job.priority, job.asked_for, job.lock, job.same,
    job.list_task, job.options, job.state, job.stretch, job.pending, job.not_before, job.reason, job.cuts, job.noted,
    job.worker, extract(epoch FROM job.added)::float8, extract(epoch FROM job.changed)::float8"""
_AFTER = """ARRAY(SELECT after_run FROM mi_hub.dependency
    WHERE dependency.member = job.member AND dependency.run = job.run ORDER BY after_run)"""
_CLAIM = f"SELECT {_COLUMNS}, '{{}}'::text[] FROM mi_hub.claim(%s, %s, %s, %s, %s, %s, %s, %s) AS job"
_FIND = f"""SELECT {_COLUMNS}, {_AFTER} FROM mi_hub.job
    WHERE job.run = %s AND (job.member = %s OR job.home = %s) ORDER BY job.member <> %s LIMIT 1"""
_JOBS = f"""SELECT {_COLUMNS}, {_AFTER} FROM mi_hub.job
    WHERE CASE WHEN %s = '{{}}'::text[] THEN state <> 'outside' ELSE state = ANY (%s) END AND %s IN ('', project)
    ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1 WHEN 'queued' THEN 2 ELSE 3 END,
    CASE WHEN state = 'queued' THEN priority ELSE 0 END DESC,
    CASE WHEN state IN ('queued', 'running', 'waiting') THEN seq ELSE -extract(epoch FROM changed) END LIMIT %s"""
_HELD = "FROM mi_hub.dependency JOIN mi_hub.job AS held USING (member, run) WHERE held.state = 'queued'"
_BLOCKERS = f"""SELECT {_COLUMNS}, '{{}}'::text[] FROM mi_hub.job
    WHERE (member, run) IN (SELECT dependency.member, after_run {_HELD})
    AND (state = ANY (%s) OR (state = 'outside' AND reason = ANY (%s))) ORDER BY changed DESC LIMIT %s"""
_WAITING = f"""SELECT dependency.after_run, {_COLUMNS}, '{{}}'::text[] FROM mi_hub.dependency
    JOIN mi_hub.job USING (member, run) WHERE after_run = ANY (%s) AND job.state = 'queued' ORDER BY job.seq"""


class ProcrastinateQueue:
    """The queue as one home has it; a connection is opened by the first call."""

    def __init__(self, home: Home, state: HubState, for_others: bool = False) -> None:
        """Ask `for_others` for tasks that workers of members who offer it may take, too."""
        self._home = home
        self._state = state
        self._for_others = for_others
        self._opened: Connection | None = None
        self._open = ExitStack()
        self._mends_at = 0.0
        self._asked = ""  # the token of a claim whose answer was not heard; the next claim takes it up

    def close(self) -> None:
        self._opened = None
        with suppress(MiError):  # of a connection that was cut already
            self._open.close()

    def _connect(self) -> "Connection":
        if self._opened is None:
            self._opened = self._open.enter_context(connect_home(self._home, self._state))
            self._opened.execute(f"LISTEN {CHANNEL}".encode())
        return self._opened

    def _ask(self, query: str, *values: object, tells_again: bool = False) -> list[Any]:
        """Return rows; a call whose connection is cut is made once more, and says so where that makes a difference."""
        for is_again in (False, True):
            try:
                with explain_failures(self._state.dsn, "hub-cut"):
                    return self._connect().execute(query, (*values, is_again) if tells_again else values).fetchall()
            except MiError as error:
                if is_again or error.code != "hub-cut":
                    raise
                self.close()
        raise AssertionError

    def wait(self, seconds: float) -> bool:
        """Wait until a job may begin that could not before; return whether that was told within so long."""
        with explain_failures(self._state.dsn, "hub-cut"):
            return any(True for _ in self._connect().notifies(timeout=seconds, stop_after=1))

    def put(self, tasks: Iterable[QueuedTask]) -> list[SameTask]:
        given = [*tasks]
        text = encode([task._asdict() for task in _hide_secrets(given)]).decode().replace("\\u0000", "")
        rows = self._ask("SELECT number, other FROM mi_hub.put(%s, %s)", text, self._for_others)
        return [SameTask(given[number - 1], other) for number, other in rows]

    def claim(self, worker: str, rules: ClaimRules) -> JobClaim | None:
        token = self._asked = self._asked or ids.make_id("claim")
        most_of = encode(dict(rules.most_of)).decode()
        limits = (rules.most, most_of, [*rules.held], rules.default_agent, rules.only)
        rows = self._ask(_CLAIM, token, self._state.home_id, worker, *limits)
        self._asked = ""
        return JobClaim(token, _read_job(rows[0])) if rows else None

    def heartbeat(self, token: str) -> Literal["held", "cancelled", "lost"]:
        found: Literal["held", "cancelled", "lost"] = self._ask("SELECT mi_hub.heartbeat(%s)", token)[0][0]
        return found

    def finish(self, token: str, end: StretchEnd) -> bool:
        values = (
            token,
            end.state,
            _plain(end.reason),
            _find_delay(end.not_before),
            end.event_id,
            end.agent,
            *end.spent,
        )
        finish = "SELECT mi_hub.finish(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
        return bool(self._ask(finish, *values, _find_day(), tells_again=True)[0][0])

    def release(self, token: str, reason: str = "", not_before: float = 0.0, is_cut: bool = False) -> bool:
        values = (token, _plain(reason), _find_delay(not_before), is_cut)
        return bool(self._ask("SELECT mi_hub.release(%s, %s, %s, %s, %s)", *values, tells_again=True)[0][0])

    def wake(self, run_id: str, states: tuple[State, ...] = ("waiting",)) -> bool:
        wake = "SELECT is_woken, other FROM mi_hub.wake(%s, %s, %s)"
        is_woken, other = self._ask(wake, run_id, [*states], tells_again=True)[0]
        if other:
            raise MiError("same-task-open", run_id=other)
        return bool(is_woken)

    def set_priority(self, run_id: str, priority: int) -> bool:
        return bool(self._ask("SELECT mi_hub.set_priority(%s, %s)", run_id, priority)[0][0])

    def cancel(self, run_id: str) -> State | None:
        state: State | None = self._ask("SELECT mi_hub.cancel(%s)", run_id)[0][0]
        return state

    def sweep(self, silent_s: float, is_gone: Callable[[str], bool]) -> list[str]:
        ours = "SELECT DISTINCT worker FROM mi_hub.job WHERE state = 'running' AND home = %s"
        gone = [worker for (worker,) in self._ask(ours, self._state.home_id) if is_gone(worker)]
        mends = time.monotonic() >= self._mends_at
        rows = self._ask("SELECT * FROM mi_hub.sweep(%s, %s, %s, %s)", self._state.home_id, gone, silent_s, mends)
        self._mends_at = time.monotonic() + _MEND_S if mends else self._mends_at
        return [run_id for (run_id,) in rows]

    def pause(self, pause: AgentPause) -> None:
        self._ask("SELECT mi_hub.set_pause(%s, %s, %s)", pause.agent, pause.until, _plain(pause.reason))

    def pauses(self) -> list[AgentPause]:
        query = "SELECT agent, until, reason FROM mi_hub.pause WHERE until > extract(epoch FROM now())"
        return [AgentPause(*row) for row in self._ask(query)]

    def find(self, run_id: str) -> QueuedJob | None:
        rows = self._ask(_FIND, run_id, self._state.member, self._state.home_id, self._state.member)
        return _read_job(rows[0]) if rows else None

    def jobs(self, states: Iterable[State] = (), project_id: str = "", limit: int = -1) -> list[QueuedJob]:
        asked = [*states]
        return [_read_job(row) for row in self._ask(_JOBS, asked, asked, project_id, _find_limit(limit))]

    def blockers(self, limit: int = -1) -> list[QueueBlocker]:
        jobs = [_read_job(row) for row in self._ask(_BLOCKERS, _UNDONE, _UNDONE, _find_limit(limit))]
        waiting: dict[str, list[QueuedTask]] = {job.run_id: [] for job in jobs}
        for after_id, *row in self._ask(_WAITING, [*waiting]) if jobs else ():
            waiting[after_id].append(_read_job(row).task)
        return [QueueBlocker(job, waiting[job.run_id]) for job in jobs]

    def has_ready(self) -> bool:
        ready = "SELECT EXISTS (SELECT FROM mi_hub.job WHERE state = 'queued' AND pending = 0)"
        return bool(self._ask(ready)[0][0])

    def counts(self) -> dict[State, int]:
        return dict(self._ask("SELECT state, count(*) FROM mi_hub.job WHERE state <> 'outside' GROUP BY state"))

    def settle(self, run_id: str, state: EndState) -> None:
        self._ask("SELECT mi_hub.settle(%s, %s)", run_id, state)

    def spend(self, token: str, agent: str, more: Spending) -> None:
        values = (token, agent, *more, _find_day(), ids.make_id("count"))
        self._ask("SELECT mi_hub.spend(%s, %s, %s, %s, %s, %s)", *values)

    def spent_on(self, day: str) -> dict[str, Spending]:
        rows = self._ask("SELECT agent, usd, tokens FROM mi_hub.spending WHERE day = %s", day)
        return {agent: Spending(usd, tokens) for agent, usd, tokens in rows}


def _read_job(row: Any) -> QueuedJob:
    run_id, task, project_id, root, agent, priority, asked_for, lock, same, list_task, options, *rest, after = row
    asked = (run_id, task, project_id, root, agent, priority, asked_for, tuple(after), lock, same, list_task, options)
    return QueuedJob(QueuedTask(*asked), *rest)


def _hide_secrets(tasks: list[QueuedTask]) -> Iterable[QueuedTask]:
    """Yield tasks as they leave: without secrets that somebody put into them past the command."""
    texts = [f"{task.task}\n{task.options}" for task in tasks]
    hints = find_hints(texts)
    for task, text in zip(tasks, texts, strict=True):
        hides = bool(find_secrets(text, hints))
        yield task._replace(task=redact(task.task), options=redact(task.options)) if hides else task


def _find_delay(not_before: float) -> float:
    """Return how long to wait until a moment of this clock: the hub measures it by its own."""
    return max(0.0, not_before - time.time()) if not_before else 0.0


def _find_day() -> str:
    return time.strftime("%Y-%m-%d")


def _find_limit(limit: int) -> int | None:
    return None if limit < 0 else limit


def _plain(text: str) -> str:
    """Return a text without what PostgreSQL keeps in none."""
    return text.replace("\0", "")
