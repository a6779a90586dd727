"""Pushing a home's logs to the hub: in order, each record once, from where the hub has them."""

import hmac
import os
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mi.hub.connection import load_psycopg, tell_first_line
from mi.hub.outgoing import ChosenLine, HomeLog, Outgoing, list_logs, make_outgoing, read_outgoing
from mi.hub.read_ahead import read_ahead
from mi.hub.state import HubState
from mi.kernel import clock, jsonl
from mi.kernel.errors import Blocked
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, encode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

if TYPE_CHECKING:
    from mi.hub.connection import Connection

Progress = Callable[[int, int], None]  # how far, of how much, in bytes of the logs
_BATCH_BYTES = 1 << 20  # of records that one push holds
_BATCH_ROWS = 2000
_TAIL = 1024  # bytes before a position by which it is recognised
_LOST = "another home has taken {} over"
_PUSH = f"SELECT taken, added, lost_runs FROM mi_hub.push({', '.join(['%s'] * 12)})"


class LogPosition(NamedTuple):
    """Up to which byte the hub has a log, and how the bytes before are recognised."""

    taken: int = 0
    mark: str = ""


class Pushed(NamedTuple):
    """What a push did."""

    records: int = 0
    hidden: int = 0  # secrets were taken out of so many
    aside: int = 0  # so many could not be sent, and are kept beside

    def plus(self, other: "Pushed") -> "Pushed":
        return Pushed(*(mine + yours for mine, yours in zip(self, other, strict=True)))


class _Batch(NamedTuple):
    upto: int
    rows: list[Outgoing]
    aside: list[tuple[jsonl.Line, str]]


class HubPush:
    """Pushes what is new in a home."""

    def __init__(self, connection: "Connection", home: Home, state: HubState, notices: Notices) -> None:
        self._connection = connection
        self._home = home
        self._state = state
        self._notices = notices

    def run(self, progress: Progress = lambda done, total: None) -> Pushed:
        """Push all that may leave and the hub does not have."""
        logs, known = [*self._list_logs()], self.read_positions()
        sizes = [jsonl.measure_size(log.place) - known.get(log.path, LogPosition()).taken for log in logs]
        pushed, done = Pushed(), 0
        for log, size in zip(logs, sizes, strict=True):
            pushed = pushed.plus(self._push_log(log, known.get(log.path, LogPosition())))
            done += max(size, 0)
            progress(done, sum(sizes))
        return pushed

    def preview(self) -> Iterator[tuple[HomeLog, Outgoing]]:
        """Yield what the next push would send."""
        known = self.read_positions()
        for log in self._list_logs():
            start = self._find_start(log, known.get(log.path, LogPosition()))
            for batch in self._read_batches(log, start):
                yield from ((log, one) for one in batch.rows)

    def _list_logs(self) -> Iterator[HomeLog]:
        return list_logs(self._home, self._notices, self._state.runs_since, bool(self._state.devices))

    def read_positions(self) -> dict[str, LogPosition]:
        """Return how far the hub has each log of this home."""
        query = "SELECT path, taken, mark FROM mi_hub.log WHERE home = %s"
        rows = self._connection.execute(query, (self._state.home_id,)).fetchall()
        return {path: LogPosition(taken, mark) for path, taken, mark in rows}

    def _find_start(self, log: HomeLog, known: LogPosition) -> int:
        """Return from which byte on a log is new; 0 for one that was made anew at home."""
        return known.taken if self._make_mark(log, known.taken) == known.mark else 0

    def _push_log(self, log: HomeLog, known: LogPosition) -> Pushed:
        start = self._find_start(log, known)
        if start != known.taken:
            self._begin_again(log, known)
        pushed = Pushed()
        for batch in read_ahead(self._read_batches(log, start)):
            added, refused = self._send(log, start, batch)
            aside = [*batch.aside, *self._find_lines(log, start, refused)]
            self._keep_aside(log, aside)
            hidden = sum(one.hidden for one in batch.rows)
            pushed, start = pushed.plus(Pushed(added, hidden, len(aside))), batch.upto
        return pushed

    def _begin_again(self, log: HomeLog, known: LogPosition) -> None:
        """Look through a log from its start where it is another than the hub knows; refused for a copy of a home."""
        archive = os.path.join(os.path.dirname(log.place), "archive")
        if not os.path.isdir(archive):  # only archiving makes a log anew
            raise Blocked("hub-copied-home", home_id=self._state.home_id, path=log.path)
        self._connection.execute("SELECT mi_hub.begin_again(%s, %s)", (self._state.home_id, log.path))

    def _read_batches(self, log: HomeLog, since: int) -> Iterator[_Batch]:
        chosen, aside, size, upto = list[ChosenLine](), list[tuple[jsonl.Line, str]](), 0, since
        for line, found in read_outgoing(log, since):
            if isinstance(found, BadJson):
                aside.append((line, str(found)))
            elif found is not None:
                chosen.append(found)
                size += line.length
            upto = line.offset + line.length + 1
            if size >= _BATCH_BYTES or len(chosen) >= _BATCH_ROWS:
                yield _Batch(upto, make_outgoing(chosen), aside)
                chosen, aside, size, since = [], [], 0, upto
        if upto > since:
            yield _Batch(upto, make_outgoing(chosen), aside)

    def _send(self, log: HomeLog, since: int, batch: _Batch) -> tuple[int, dict[str, str]]:
        """Push a batch; return how many records are new there, and why it refuses which, by their digests."""
        try:
            return self._push(log, since, batch.upto, batch.rows)
        except self._refusals:
            refused = self._find_refused(log, since, batch.upto, batch.rows)
            rest = [one for one in batch.rows if one.digest not in refused]
            added, lost = self._push(log, since, batch.upto, rest)
            return added, refused | lost

    @cached_property
    def _refusals(self) -> tuple[type[Exception], ...]:
        """What tells that records are not as the hub wants them: whatever else fails concerns all of them."""
        psycopg = load_psycopg()
        return (psycopg.DataError, psycopg.IntegrityError, UnicodeError)

    def _find_refused(self, log: HomeLog, since: int, upto: int, rows: list[Outgoing]) -> dict[str, str]:
        """Halve what the hub refuses until the records are alone that it does; nothing is pushed by that."""
        try:
            with self._connection.transaction(force_rollback=True):
                self._push(log, since, upto, rows)
        except self._refusals as error:
            if len(rows) == 1:
                return {rows[0].digest: f"the hub refuses it: {tell_first_line(error)}"}
            half = len(rows) // 2
            halves = (self._find_refused(log, since, upto, part) for part in (rows[:half], rows[half:]))
            return {digest: why for part in halves for digest, why in part.items()}
        return {}

    def _find_lines(self, log: HomeLog, since: int, refused: dict[str, str]) -> Iterator[tuple[jsonl.Line, str]]:
        """Yield the lines of refused records, each with why."""
        for line, found in read_outgoing(log, since) if refused else ():
            why = refused.pop(make_outgoing([found])[0].digest, "") if isinstance(found, ChosenLine) else ""
            if why:
                yield line, why
            if not refused:
                return

    def _push(self, log: HomeLog, since: int, upto: int, rows: list[Outgoing]) -> tuple[int, dict[str, str]]:
        columns = (
            *([one.reach for one in rows], [one.kind for one in rows], [one.run for one in rows]),
            *([_find_moment(one) for one in rows], [one.digest for one in rows], [one.body for one in rows]),
        )
        place = (self._state.home_id, log.path, log.project, since, upto, self._make_mark(log, upto))
        values = (*place, *("\n".join(column) for column in columns))
        taken, added, lost = self._connection.execute(_PUSH, values).fetchone() or (0, -1, [])
        if added < 0:  # another process of this home, or a copy of it, pushed meanwhile
            raise Blocked("hub-pushed-elsewhere", path=log.path, taken=taken)
        late = [one for one in rows if one.reach == "run" and one.run in lost] if lost else []
        return int(added), {one.digest: _LOST.format(one.run) for one in late}

    def _make_mark(self, log: HomeLog, upto: int) -> str:
        """Return what recognises the bytes before a position; it tells nothing about them to whoever lacks the key."""
        if upto == 0:
            return ""
        tail = jsonl.read_range(log.place, max(0, upto - _TAIL), upto)
        return hmac.new(bytes.fromhex(self._state.mark_key), tail, "sha256").hexdigest()[:32]

    def _keep_aside(self, log: HomeLog, lines: list[tuple[jsonl.Line, str]]) -> None:
        for line, reason in lines:
            kept: dict[str, Any] = {"ts": clock.now(), "log": log.path, "offset": line.offset, "reason": reason}
            jsonl.append(self._home.hub_aside, encode(kept))


def _find_moment(one: Outgoing) -> str:
    """Return when a record was written, by its own word; without one, it is among the oldest."""
    try:
        moment = datetime.fromisoformat(one.written)
    except ValueError:
        return clock.format_ms(0)
    return one.written if moment.tzinfo else f"{one.written}Z"
