"""Finding an event by its id, or the open questions of a log, without reading the log: `indexes/evidence.sqlite`."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import Any, TypeVar

from msgspec import Raw, Struct, defstruct

from mi.evidence.former import find_end
from mi.evidence.reader import Event, parse, read_at, read_whole
from mi.evidence.records.table import LANDMARKS
from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.log_source import Cursor, Log, is_at
from mi.kernel.log_view import LogView, Progress, Tables, cursor_of
from mi.kernel.named_tuple import NamedTuple

T = TypeVar("T")
_TABLES = Tables(
    9,
    (
        "CREATE TABLE event (log INTEGER, event_id TEXT, offset INTEGER, PRIMARY KEY (log, event_id)) WITHOUT ROWID",
        """CREATE TABLE landmark (log INTEGER, kind TEXT, offset INTEGER, ref TEXT, run TEXT,
            PRIMARY KEY (log, kind, offset)) WITHOUT ROWID""",
        "CREATE INDEX pair ON landmark (log, kind, ref)",
        "CREATE INDEX of_run ON landmark (log, run, kind, offset)",
        """CREATE TABLE run
            (log INTEGER, run TEXT, ts TEXT, status TEXT, root TEXT, PRIMARY KEY (log, run)) WITHOUT ROWID""",
        "CREATE INDEX latest_run ON run (ts)",
        "CREATE INDEX run_status ON run (status, ts)",
        "CREATE TABLE asked (log INTEGER, ref TEXT, run TEXT, PRIMARY KEY (log, ref, run)) WITHOUT ROWID",  # unanswered
    ),
)
_LOG = "log = (SELECT no FROM source WHERE name = ?1)"
_UNSETTLED = f"""SELECT offset FROM landmark AS a WHERE {_LOG} AND kind = ?2 AND NOT EXISTS
    (SELECT 1 FROM landmark AS b WHERE b.log = a.log AND b.kind = ?3 AND b.ref = a.ref)"""
_BATCH = 1000  # events between two commits: what is held in memory at most
_MAX_LINE = 1 << 18
_TAKE_IN = """INSERT OR IGNORE INTO landmark SELECT ?1, ?2, ?3, ?4, ?6
    WHERE ?5 = '' OR EXISTS (SELECT 1 FROM landmark WHERE log = ?1 AND kind = ?5 AND ref = ?4)"""
_ANSWER = "SELECT 1 FROM landmark WHERE log = ?1 AND kind = 'user_input' AND ref = ?2"
_TAKE_ASKED = f"INSERT OR IGNORE INTO asked SELECT ?1, ?2, ?3 WHERE NOT EXISTS ({_ANSWER})"
_TAKE_ANSWER = f"DELETE FROM asked WHERE log = ?1 AND ref = ?2 AND EXISTS ({_ANSWER})"
_TAKE_RUN = """INSERT INTO run VALUES (?1, ?2, ?3, coalesce(?4, ''), ?5) ON CONFLICT DO UPDATE SET
    ts = max(ts, excluded.ts), status = coalesce(?4, status), root = coalesce(nullif(?5, ''), root)"""
_BY_HOOKS = "question by a hook"
_FORMER_ID = "suggestion_id"  # of a suggestion, as the earlier tool named it
_Ref = defstruct("_Ref", [(name, str, "") for name in sorted({*LANDMARKS.values()} - {""})])


class _Entry(NamedTuple):
    """What the index keeps of an event; a record itself may be large."""

    event_id: str
    offset: int
    kind: str = ""  # of a landmark
    ref: str = ""
    after: str = ""  # the landmark with the same reference without which this one is none
    run_id: str = ""
    ts: str = ""
    status: str | None = None  # how the run stands after it: '' goes on; None: as before
    root: str = ""  # where the run works from here on


class RunPlaces(NamedTuple):
    """Where a run's landmarks are: all of each kind, in order."""

    by_kind: dict[str, list[int]]

    def list_all(self, kinds: Iterable[str]) -> list[int]:
        """Return those of some kinds, in order."""
        return sorted(offset for kind in kinds for offset in self.by_kind.get(kind, []))

    def find_last(self, kind: str) -> int | None:
        """Return the latest of a kind."""
        return self.by_kind[kind][-1] if kind in self.by_kind else None

    def find_first(self, kind: str) -> int | None:
        """Return the first of a kind."""
        return self.by_kind[kind][0] if kind in self.by_kind else None


class _Events:
    """Takes in the events of a log."""

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[_Entry]) -> None:
        ids = [(source, entry.event_id, entry.offset) for entry in changes if entry.event_id]
        db.executemany("INSERT OR IGNORE INTO event VALUES (?, ?, ?)", ids)
        marks = [entry for entry in changes if entry.kind]
        landmarks = [(source, one.kind, one.offset, one.ref, one.after, one.run_id) for one in marks]
        db.executemany(_TAKE_IN, landmarks)
        runs = [(source, one.run_id, one.ts, one.status, one.root) for one in marks if one.run_id.startswith("run_")]
        db.executemany(_TAKE_RUN, runs)
        db.executemany(_TAKE_ASKED, [(source, one.ref, one.run_id) for one in marks if one.kind == "question"])
        db.executemany(_TAKE_ANSWER, [(source, one.ref) for one in marks if one.kind == "user_input"])

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        for table in ("event", "landmark", "run", "asked"):
            db.execute(f"DELETE FROM {table} WHERE log = ?", (source,))


class EvidenceIndex:
    """A derived view of every log: deletable, caught up from where it stopped."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def find(self, log: str, event_id: str, progress: Progress) -> Event | None:
        """Return the event of that id in a log; catches up only when the id is not known yet."""
        source = self._source(log)

        def work(view: LogView) -> Event | None:
            event = _lookup(view, source, event_id)
            if event is None and source.has_news(view.cursor(source.source)):
                view.catch_up(source, _Events(), progress)
                event = _lookup(view, source, event_id)
            return event

        return self.with_view(work)

    def latest(self, log: str, kind: str, progress: Progress) -> int | None:
        """Return the offset of the latest event of a landmark kind."""
        query = f"SELECT max(offset) FROM landmark WHERE {_LOG} AND kind = ?"
        offset: int | None = self._query(log, query, (kind,), progress)[0][0]
        return offset

    def all_of(self, log: str, kinds: Iterable[str], progress: Progress) -> list[int]:
        """Return the offsets of all events of some landmark kinds, in order."""
        wanted = tuple(kinds)
        marks = ", ".join("?" * len(wanted))
        query = f"SELECT offset FROM landmark WHERE {_LOG} AND kind IN ({marks}) ORDER BY offset"
        return [row[0] for row in self._query(log, query, wanted, progress)]

    def find_run(self, log: str, run_id: str, progress: Progress) -> RunPlaces:
        """Return where a run's landmarks are, and what was said to it and to its questions, whoever wrote that."""
        own = f"SELECT kind, offset FROM landmark WHERE {_LOG} AND run = ?2"
        asked = f"SELECT ref FROM landmark WHERE {_LOG} AND run = ?2 AND kind = 'question'"
        answers = (
            f"SELECT kind, offset FROM landmark WHERE {_LOG} AND kind = 'user_input' AND (ref = ?2 OR ref IN ({asked}))"
        )
        by_kind: dict[str, list[int]] = {}
        for kind, offset in self._query(log, f"{own} UNION {answers} ORDER BY 2", (run_id,), progress):
            by_kind.setdefault(kind, []).append(offset)
        return RunPlaces(by_kind)

    def list_events(self, log: str, run_id: str, progress: Progress) -> list[int]:
        """Return where all events of a run are, in order: the ids of a run's events begin alike."""
        query = f"SELECT offset FROM event WHERE {_LOG} AND event_id > ?2 AND event_id < ?3 ORDER BY 1"
        own = f"ev_{run_id}_"
        return [row[0] for row in self._query(log, query, (own, own + chr(0x10FFFF)), progress)]

    def catch_up_all(self, logs: Iterable[str], progress: Progress) -> None:
        """Take in what was appended to some logs since the last time; the index is opened once."""

        def work(view: LogView) -> None:
            known = view.cursors()
            for source in map(self._source, logs):
                if not is_at(known.get(source.source, ""), source.end()):
                    view.catch_up(source, _Events(), progress)

        self.with_view(work)

    def referring(self, log: str, kind: str, ref: str, progress: Progress) -> int | None:
        """Return the offset of the latest event of a landmark kind that carries a reference, e.g. `qu_…`."""
        query = f"SELECT max(offset) FROM landmark WHERE {_LOG} AND kind = ? AND ref = ?"
        offset: int | None = self._query(log, query, (kind, ref), progress)[0][0]
        return offset

    def catch_up(self, log: str, progress: Progress) -> None:
        """Take in what was appended since the last time."""
        self.with_view(lambda view: view.catch_up(self._source(log), _Events(), progress))

    def unsettled(self, log: str, pairs: dict[str, str]) -> tuple[list[int], int]:
        """Return the offsets of asked events without an answer, and how far the index knows the log."""
        return self.unsettled_of([log], pairs)[log]

    def unsettled_of(self, logs: Sequence[str], pairs: dict[str, str]) -> dict[str, tuple[list[int], int]]:
        """Return the same for several logs, for which the index is opened once."""

        def look(db: sqlite3.Connection) -> dict[str, tuple[list[int], int]]:
            return {log: self._look_for_unsettled(db, log, pairs) for log in logs}

        return self._look(look) or {log: ([], 0) for log in logs}

    def _look_for_unsettled(self, db: sqlite3.Connection, log: str, pairs: dict[str, str]) -> tuple[list[int], int]:
        source = self._source(log)
        cursor = cursor_of(db, source.source)
        if not cursor or not source.is_known(cursor):
            return [], 0
        found = [row[0] for pair in pairs.items() for row in db.execute(_UNSETTLED, (source.source, *pair))]
        return sorted(found), Cursor.parse(cursor).upto

    def seen_last(self, log: str, kinds: Iterable[str], run_id: str = "") -> list[int]:
        """Return, without catching up, where the latest event of each of some landmark kinds is, the latest first."""
        query = f"SELECT max(offset) FROM landmark WHERE {_LOG} AND kind = ?" + (" AND run = ?" if run_id else "")
        of = (run_id,) if run_id else ()
        asked = [(self._home.relative(log), kind, *of) for kind in kinds]
        found = self._look(lambda db: [db.execute(query, values).fetchone()[0] for values in asked])
        return sorted((offset for offset in found or () if offset is not None), reverse=True)

    def _query(self, log: str, query: str, values: tuple[str, ...], progress: Progress) -> list[Any]:
        """Return the rows of a query about a log that was caught up with."""
        source = self._source(log)

        def work(view: LogView) -> list[Any]:
            view.catch_up(source, _Events(), progress)
            return view.db.execute(query, (source.source, *values)).fetchall()

        return self.with_view(work)

    def with_view(self, work: Callable[[LogView], T]) -> T:
        """Do some work on the open view."""
        with closing(LogView(self._home.evidence_index, _TABLES)) as view:
            return view.run(lambda db: work(view))

    def _look(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        try:
            return LogView(self._home.evidence_index, _TABLES).look(work)
        except sqlite3.Error:
            return None

    def _source(self, log: str) -> Log[_Entry]:
        def read(line: jsonl.Line) -> list[_Entry]:
            event = parse(line)
            if event is None:
                return []
            event_id, kind = event.head.event_id, event.head.kind
            if kind not in LANDMARKS:
                return [_Entry(event_id, event.offset)]
            whole = read_whole(log, event)
            by_hook, ref = is_by_hook(whole), ref_of(whole)
            after = _BY_HOOKS if by_hook and kind == "user_input" else ""
            asked = [_Entry("", event.offset, _BY_HOOKS, ref)] if by_hook and kind == "question" else []
            run = (event.head.run_id, event.head.ts, *_read_run(whole))
            return [*asked, _Entry(event_id, event.offset, kind, ref, after, *run)]

        return Log(log, self._home.relative(log), lambda: read, _MAX_LINE, _BATCH)


def _lookup(view: LogView, source: Log[_Entry], event_id: str) -> Event | None:
    query = f"SELECT offset FROM event WHERE {_LOG} AND event_id = ?"
    row = view.db.execute(query, (source.source, event_id)).fetchone()
    event = read_at(source.path, row[0]) if row else None
    if event is not None and event.head.event_id == event_id:
        return event
    if row:
        view.forget(source.source, _Events())  # the log was replaced under the same name
    return None


class _RunFields(Struct):
    status: str = ""
    project_root: str = ""


def _read_run(event: Event) -> tuple[str | None, str]:
    """Return how a run stands after an event, and where it works; None and '': that stays as it was."""
    if event.head.kind not in ("run_start", "run_end"):
        end = find_end(event)  # of the earlier tool, whose runs end with a decision
        return (end.status if end else None), ""
    try:
        fields = decode_stored(event.raw, _RunFields)
    except BadJson:
        return None, ""
    return fields.status, fields.project_root


class _HookFields(Struct):
    about: str = ""
    call: Raw | None = None
    by: str = ""
    dismissed: bool = False


def is_by_hook(event: Event) -> bool:
    """Return whether a hook asked a question, or stored an answer: a program of the agent can call hooks.

    What a hook stores settles its own questions alone, never those of a run.
    """
    try:
        fields = decode_stored(event.raw, _HookFields)
    except BadJson:
        return True
    match event.head.kind:
        case "question":
            return fields.call is not None or fields.about == "proposal"
        case "user_input":
            return fields.by == "chat" or (fields.dismissed and not fields.by)
    return False


def ref_of(event: Event) -> str:
    """Return what joins a landmark to its counterpart: a question's id in the question and in its answer."""
    name = LANDMARKS[event.head.kind]
    try:
        if not name:
            return ""
        refs = decode_stored(event.raw, _Ref)
        former = getattr(refs, _FORMER_ID) if event.head.kind == "learn_suggested" else ""
        return getattr(refs, name) or former or event.head.event_id
    except BadJson:
        return ""
