"""The queue in one SQLite file of the home: any number of processes on one machine."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from mi.fleet.queue import (
    OPEN_STATES,
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
from mi.kernel import files, ids
from mi.kernel.errors import MiError, StorageError
from mi.kernel.home import FILE_MODE, make_place
from mi.kernel.jsontext import encode

VERSION = 1
_PATIENCE_S = 30.0  # for other processes that write
_OPEN = ", ".join(f"'{state}'" for state in OPEN_STATES)
_UNDONE = "'blocked', 'failed', 'stopped', 'cancelled'"  # it has ended, and what comes after it does not begin
_TABLES = (
    "CREATE TABLE job (seq INTEGER PRIMARY KEY, run_id TEXT UNIQUE NOT NULL, task TEXT NOT NULL DEFAULT '',"
    " project_id TEXT NOT NULL DEFAULT '', root TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '',"
    " priority INTEGER NOT NULL DEFAULT 0, asked_for REAL NOT NULL DEFAULT 0, lock TEXT NOT NULL DEFAULT '',"
    " same TEXT NOT NULL DEFAULT '', list_task TEXT NOT NULL DEFAULT '', options TEXT NOT NULL DEFAULT '',"
    " state TEXT NOT NULL, stretch INTEGER NOT NULL DEFAULT 1, pending INTEGER NOT NULL DEFAULT 0,"
    " not_before REAL NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '', cuts INTEGER NOT NULL DEFAULT 0,"
    " noted TEXT NOT NULL DEFAULT '', woken INTEGER NOT NULL DEFAULT 0, cancelled INTEGER NOT NULL DEFAULT 0,"
    " token TEXT UNIQUE, worker TEXT NOT NULL DEFAULT '', heartbeat REAL NOT NULL DEFAULT 0,"
    " spent_usd REAL NOT NULL DEFAULT 0, spent_tokens INTEGER NOT NULL DEFAULT 0,"
    " added REAL NOT NULL, changed REAL NOT NULL)",
    "CREATE TABLE dependency (after_id TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (after_id, run_id))"
    " WITHOUT ROWID",
    "CREATE INDEX dependency_of ON dependency (run_id)",
    "CREATE TABLE pause (agent TEXT PRIMARY KEY, until REAL NOT NULL, reason TEXT NOT NULL)",
    "CREATE TABLE spending (day TEXT NOT NULL, agent TEXT NOT NULL, usd REAL NOT NULL, tokens INTEGER NOT NULL,"
    " PRIMARY KEY (day, agent)) WITHOUT ROWID",
    "CREATE INDEX ready ON job (priority DESC, seq) WHERE state = 'queued' AND pending = 0",
    "CREATE INDEX by_state ON job (state, seq)",
    "CREATE INDEX running ON job (lock) WHERE state = 'running'",
    f"CREATE UNIQUE INDEX same ON job (same) WHERE same != '' AND state IN ({_OPEN})",
)
_COLUMNS = (
    "run_id, task, project_id, root, agent, priority, asked_for, lock, same, list_task, options,"
    " state, stretch, pending, not_before, reason, cuts, noted, worker, added, changed"
)
_AGENT = "CASE {}.agent WHEN '' THEN :default ELSE {}.agent END"
_CLAIM = f"""
UPDATE job SET state = 'running', token = :token, worker = :worker, heartbeat = :now, changed = :now, reason = ''
WHERE seq = (
  SELECT seq FROM job AS one INDEXED BY ready WHERE state = 'queued' AND pending = 0
  AND (not_before <= :now OR (changed > :now AND not_before < changed + 600 AND not_before != asked_for))
  AND :only IN ('', run_id)
  AND {_AGENT.format("one", "one")} NOT IN (SELECT agent FROM pause WHERE until > :now)
  AND {_AGENT.format("one", "one")} NOT IN (SELECT value FROM json_each(:held))
  AND NOT EXISTS (SELECT 1 FROM job AS other WHERE other.state = 'running' AND other.lock = one.lock AND one.lock != '')
  AND (SELECT count(*) FROM job WHERE state = 'running') < :most
  AND (:most_of = '{{}}' OR (SELECT count(*) FROM job AS other
    WHERE other.state = 'running' AND {_AGENT.format("other", "other")} = {_AGENT.format("one", "one")})
    < coalesce((SELECT value FROM json_each(:most_of) WHERE key = {_AGENT.format("one", "one")}), :most))
  ORDER BY priority DESC, seq LIMIT 1)
RETURNING {_COLUMNS}
"""
_ENDLESS = 1 << 31


class SqliteQueue:
    """A queue in a file; made at the first task that is put into it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._opened: sqlite3.Connection | None = None
        self._beats: dict[str, tuple[float, float]] = {}  # by claim: the latest heartbeat, and when it was first seen

    def exists(self) -> bool:
        """Return whether anything was ever put into it."""
        return os.path.exists(self.path)

    @property
    def _db(self) -> sqlite3.Connection:
        if self._opened is None:
            with self._naming():
                self._opened = self._open()
        return self._opened

    def _open(self) -> sqlite3.Connection:
        make_place(self.path)
        if not os.path.exists(self.path):
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE))
        db = sqlite3.connect(self.path, timeout=_PATIENCE_S, isolation_level=None)
        version = int(db.execute("PRAGMA user_version").fetchone()[0])
        if version > VERSION:
            db.close()
            raise StorageError("queue-newer", path=self.path, version=version, known=VERSION)
        if version == 0:
            _make_tables(db)
        db.execute("PRAGMA synchronous = NORMAL")
        return db

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def set_aside(self) -> None:
        """Move a file away that cannot be used, so that a new one is made."""
        self.close()
        for ending in ("-wal", "-shm"):
            files.remove_if_there(self.path + ending)
        os.replace(self.path, files.make_stamped_path(f"{self.path}.corrupt."))

    @contextmanager
    def _naming(self) -> Iterator[None]:
        """Raise StorageError, which names the file, for what SQLite raises."""
        try:
            yield
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
                raise StorageError("disk-full", path=self.path) from None
            if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_READONLY:
                raise StorageError("queue-read-only", path=self.path) from None
            raise StorageError("queue-unusable", path=self.path, reason=str(error)) from None

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._naming():
            db = self._db
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def put(self, tasks: Iterable[QueuedTask]) -> list[SameTask]:
        with self._naming():
            self._db.execute("PRAGMA synchronous = FULL")  # a task that was accepted survives a power cut
        now, same = time.time(), []
        with self._changing() as db:
            for task in tasks:
                other = _find_same(db, task)
                if other:
                    same.append(SameTask(task, other))
                else:
                    _insert(db, task, now)
        with self._naming():
            self._db.execute("PRAGMA synchronous = NORMAL")
        return same

    def claim(self, worker: str, rules: ClaimRules) -> JobClaim | None:
        token = ids.make_id("claim")
        values = {
            "token": token,
            "worker": worker,
            "now": time.time(),
            "default": rules.default_agent,
            "held": encode(list(rules.held)).decode(),
            "most": _ENDLESS if rules.most is None else rules.most,
            "only": rules.only,
            "most_of": encode(dict(rules.most_of)).decode(),
        }
        with self._naming():
            row = self._db.execute(_CLAIM, values).fetchone()
        return JobClaim(token, _read_job(row)) if row else None

    def heartbeat(self, token: str) -> Literal["held", "cancelled", "lost"]:
        with self._naming():
            beat = "UPDATE job SET heartbeat = ? WHERE token = ? RETURNING cancelled"
            row = self._db.execute(beat, (time.time(), token)).fetchone()
        return "lost" if row is None else "cancelled" if row[0] else "held"

    def finish(self, token: str, end: StretchEnd) -> bool:
        with self._changing() as db:
            row = db.execute("SELECT run_id, woken, cancelled FROM job WHERE token = ?", (token,)).fetchone()
            if row is None:
                return False
            run_id, woken, cancelled = row
            state = "cancelled" if cancelled and end.state != "done" else end.state
            goes_on = state == "queued" or (state in ("waiting", "blocked") and bool(woken))
            _add_spending(db, run_id, end)
            db.execute(
                "UPDATE job SET state = ?, reason = ?, not_before = ?, noted = ?, stretch = stretch + ?, cuts = 0,"
                " woken = 0, cancelled = 0, token = NULL, worker = '', changed = ? WHERE run_id = ?",
                (
                    *("queued" if goes_on else state, end.reason, end.not_before, end.event_id, goes_on),
                    *(time.time(), run_id),
                ),
            )
            if state == "done":
                _settle_dependants(db, run_id)
        return True

    def release(self, token: str, reason: str = "", not_before: float = 0.0, is_cut: bool = False) -> bool:
        with self._naming():
            done = self._db.execute(
                "UPDATE job SET state = CASE WHEN cancelled THEN 'cancelled' ELSE 'queued' END, reason = ?,"
                " not_before = ?, cuts = cuts + ?, cancelled = 0, token = NULL, worker = '', changed = ?"
                " WHERE token = ?",
                (reason, not_before, is_cut, time.time(), token),
            )
        return done.rowcount == 1

    def wake(self, run_id: str, states: tuple[State, ...] = ("waiting",)) -> bool:
        if not self.exists():
            return False
        with self._changing() as db:
            other = db.execute(
                "SELECT other.run_id FROM job JOIN job AS other ON other.same = job.same AND other.run_id != job.run_id"
                f" WHERE job.run_id = ? AND job.same != '' AND other.state IN ({_OPEN})",
                (run_id,),
            ).fetchone()
            if other:
                raise MiError("same-task-open", run_id=other[0])
            woken = db.execute(
                "UPDATE job SET state = 'queued', stretch = stretch + 1, not_before = 0, reason = '', cuts = 0,"
                " changed = ? WHERE run_id = ? AND state IN (SELECT value FROM json_each(?))",
                (time.time(), run_id, encode(list(states)).decode()),
            ).rowcount
            if not woken:
                # one that was cut off may have asked before: that end is noted by the next worker
                unnoted = "(state = 'running' OR (state = 'queued' AND cuts > 0))"
                woken = db.execute(f"UPDATE job SET woken = 1 WHERE run_id = ? AND {unnoted}", (run_id,)).rowcount
        return woken == 1

    def set_priority(self, run_id: str, priority: int) -> bool:
        with self._changing() as db:
            change = "UPDATE job SET priority = ? WHERE run_id = ? AND state = 'queued'"
            return bool(db.execute(change, (priority, run_id)).rowcount)

    def cancel(self, run_id: str) -> State | None:
        with self._changing() as db:
            row = db.execute("SELECT state FROM job WHERE run_id = ? AND state != 'outside'", (run_id,)).fetchone()
            if row is None:
                return None
            db.execute("UPDATE job SET cancelled = 1 WHERE run_id = ? AND state = 'running'", (run_id,))
            db.execute(
                "UPDATE job SET state = 'cancelled', reason = '', changed = ? WHERE run_id = ?"
                " AND state IN ('queued', 'waiting', 'blocked', 'failed', 'stopped')",
                (time.time(), run_id),
            )
        state: State = row[0]
        return state

    def sweep(self, silent_s: float, is_gone: Callable[[str], bool]) -> list[str]:
        with self._naming():
            running = self._db.execute(
                "SELECT token, run_id, worker, heartbeat FROM job WHERE state = 'running'"
            ).fetchall()
        gone = {worker: is_gone(worker) for worker in {row[2] for row in running}}
        silent = self._find_silent({row[0]: row[3] for row in running}, silent_s)
        left = [(token, run_id) for token, run_id, worker, _ in running if gone[worker] or token in silent]
        return [run_id for token, run_id in left if self.release(token, is_cut=True)]

    def _find_silent(self, beats: dict[str, float], silent_s: float) -> set[str]:
        """Return the claims without a new heartbeat for so long since we look: clocks jump, and machines sleep."""
        now = time.monotonic()
        first = {token: (beat, now) for token, beat in beats.items()}
        self._beats = {token: self._beats.get(token, one) for token, one in first.items()}
        self._beats |= {token: one for token, one in first.items() if self._beats[token][0] != one[0]}
        return {token for token, (_, seen) in self._beats.items() if now - seen > silent_s}

    def pause(self, pause: AgentPause) -> None:
        with self._naming():
            self._db.execute("INSERT OR REPLACE INTO pause VALUES (?, ?, ?)", pause)

    def pauses(self) -> list[AgentPause]:
        if not self.exists():
            return []
        with self._naming():
            rows = self._db.execute("SELECT agent, until, reason FROM pause WHERE until > ?", (time.time(),))
            return [AgentPause(*row) for row in rows]

    def find(self, run_id: str) -> QueuedJob | None:
        if not self.exists():
            return None
        with self._naming():
            row = self._db.execute(f"SELECT {_COLUMNS} FROM job WHERE run_id = ?", (run_id,)).fetchone()
            return self._with_after([row])[0] if row else None

    def jobs(self, states: Iterable[State] = (), project_id: str = "", limit: int = -1) -> list[QueuedJob]:
        if not self.exists():
            return []
        asked = encode([*states]).decode()
        with self._naming():
            rows = self._db.execute(
                f"SELECT {_COLUMNS} FROM job WHERE CASE ? WHEN '[]' THEN state != 'outside' ELSE state IN"
                " (SELECT value FROM json_each(?)) END AND (? = '' OR project_id = ?)"
                " ORDER BY CASE state WHEN 'running' THEN 0 WHEN 'waiting' THEN 1 WHEN 'queued' THEN 2 ELSE 3 END,"
                " CASE WHEN state = 'queued' THEN priority ELSE 0 END DESC, CASE WHEN state IN"
                f" ({_OPEN}) THEN seq ELSE -changed END LIMIT ?",
                (asked, asked, project_id, project_id, limit),
            )
            return self._with_after(rows.fetchall())

    def _with_after(self, rows: list[Any]) -> list[QueuedJob]:
        """Return jobs with the runs that they come after."""
        jobs = []
        for job in map(_read_job, rows):
            found = self._db.execute("SELECT after_id FROM dependency WHERE run_id = ?", (job.run_id,)).fetchall()
            jobs.append(job._replace(task=job.task._replace(after=tuple(row[0] for row in found))) if found else job)
        return jobs

    def blockers(self, limit: int = -1) -> list[QueueBlocker]:
        if not self.exists():
            return []
        with self._naming():
            held = "SELECT after_id FROM dependency JOIN job AS held USING (run_id) WHERE held.state = 'queued'"
            rows = self._db.execute(
                f"SELECT {_COLUMNS} FROM job WHERE run_id IN ({held}) AND (state IN ({_UNDONE})"
                f" OR (state = 'outside' AND reason IN ({_UNDONE}))) ORDER BY changed DESC LIMIT ?",
                (limit,),
            )
            return [QueueBlocker(job, self._list_waiting(job.run_id)) for job in map(_read_job, rows.fetchall())]

    def _list_waiting(self, run_id: str) -> list[QueuedTask]:
        after = "(SELECT run_id FROM dependency WHERE after_id = ?)"
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM job WHERE state = 'queued' AND run_id IN {after}", (run_id,))
        return [_read_job(row).task for row in rows]

    def has_ready(self) -> bool:
        if not self.exists():
            return False
        with self._naming():
            ready = "SELECT 1 FROM job INDEXED BY ready WHERE state = 'queued' AND pending = 0 LIMIT 1"
            return self._db.execute(ready).fetchone() is not None

    def counts(self) -> dict[State, int]:
        if not self.exists():
            return {}
        with self._naming():
            return dict(self._db.execute("SELECT state, count(*) FROM job WHERE state != 'outside' GROUP BY state"))

    def settle(self, run_id: str, state: EndState) -> None:
        if not self.exists():
            return
        with self._changing() as db:
            now = time.time()
            outside = (
                "UPDATE job SET reason = ?, changed = ? WHERE run_id = ? AND state = 'outside' AND reason != 'done'"
            )
            waited = (
                "UPDATE job SET state = ?, changed = ?, reason = '' WHERE run_id = ?"
                " AND state NOT IN ('outside', 'running', 'done')"
            )
            noted = sum(db.execute(change, (state, now, run_id)).rowcount for change in (outside, waited))
            if noted and state == "done":
                _settle_dependants(db, run_id)

    def spend(self, token: str, agent: str, more: Spending) -> None:
        with self._changing() as db:
            row = db.execute("SELECT run_id FROM job WHERE token = ?", (token,)).fetchone()
            if row:
                _count_spending(db, row[0], agent, more.cost_usd or 0.0, more.tokens or 0)

    def spent_on(self, day: str) -> dict[str, Spending]:
        if not self.exists():
            return {}
        with self._naming():
            rows = self._db.execute("SELECT agent, usd, tokens FROM spending WHERE day = ?", (day,))
            return {agent: Spending(usd, tokens) for agent, usd, tokens in rows}


def _add_spending(db: sqlite3.Connection, run_id: str, end: StretchEnd) -> None:
    """Count what a stretch spent: what its run has spent by now, less what was counted before."""
    usd, tokens = db.execute("SELECT spent_usd, spent_tokens FROM job WHERE run_id = ?", (run_id,)).fetchone()
    more_usd, more_tokens = max(0.0, (end.spent.cost_usd or 0.0) - usd), max(0, (end.spent.tokens or 0) - tokens)
    _count_spending(db, run_id, end.agent, more_usd, more_tokens)


def _count_spending(db: sqlite3.Connection, run_id: str, agent: str, usd: float, tokens: int) -> None:
    more = "UPDATE job SET spent_usd = spent_usd + ?, spent_tokens = spent_tokens + ? WHERE run_id = ?"
    db.execute(more, (usd, tokens, run_id))
    db.execute(
        "INSERT INTO spending VALUES (?, ?, ?, ?) ON CONFLICT (day, agent)"
        " DO UPDATE SET usd = usd + excluded.usd, tokens = tokens + excluded.tokens",
        (time.strftime("%Y-%m-%d"), agent, usd, tokens),
    )


def _make_tables(db: sqlite3.Connection) -> None:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:  # nobody was faster
        for statement in _TABLES:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")


def _find_same(db: sqlite3.Connection, task: QueuedTask) -> str:
    """Return the open run with the same task; '' when there is none, or it is this very run."""
    if not task.same:
        return ""
    # SQLite takes a partial index only where the query repeats its condition.
    known = f"SELECT run_id FROM job INDEXED BY same WHERE same = ? AND same != '' AND state IN ({_OPEN})"
    row = db.execute(known, (task.same,)).fetchone()
    return "" if row is None or row[0] == task.run_id else row[0]


def _insert(db: sqlite3.Connection, task: QueuedTask, now: float) -> None:
    done = db.execute(
        "INSERT INTO job (run_id, task, project_id, root, agent, priority, asked_for, lock, same, list_task, options,"
        " not_before, added, changed, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued')"
        " ON CONFLICT (run_id) DO UPDATE SET (task, project_id, root, agent, priority, asked_for, lock, same,"
        " list_task, options, not_before, state, reason) = (excluded.task, excluded.project_id, excluded.root,"
        " excluded.agent, excluded.priority, excluded.asked_for, excluded.lock, excluded.same, excluded.list_task,"
        " excluded.options, excluded.not_before, 'queued', '') WHERE job.state = 'outside'",
        (*task[:7], *task[8:], task.not_before, now, now),
    )
    if not done.rowcount or not task.after:
        return
    pending = 0
    for after in dict.fromkeys(task.after):
        known = db.execute("SELECT 'done' IN (state, reason) FROM job WHERE run_id = ?", (after,)).fetchone()
        if known is None:
            outside = "INSERT INTO job (run_id, project_id, state, added, changed) VALUES (?, ?, 'outside', ?, ?)"
            db.execute(outside, (after, task.project_id, now, now))
        db.execute("INSERT OR IGNORE INTO dependency VALUES (?, ?)", (after, task.run_id))
        pending += known is None or not known[0]
    db.execute("UPDATE job SET pending = ? WHERE run_id = ?", (pending, task.run_id))


def _settle_dependants(db: sqlite3.Connection, run_id: str) -> None:
    """Have the jobs that come after a run wait for it no more."""
    after = "(SELECT run_id FROM dependency WHERE after_id = ?)"
    db.execute(f"UPDATE job SET pending = max(0, pending - 1) WHERE run_id IN {after}", (run_id,))


def _read_job(row: Any) -> QueuedJob:
    run_id, task, project_id, root, agent, priority, asked_for, lock, same, list_task, options, *rest = row
    asked = QueuedTask(run_id, task, project_id, root, agent, priority, asked_for, (), lock, same, list_task, options)
    return QueuedJob(asked, *rest)
