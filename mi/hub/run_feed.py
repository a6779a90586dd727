"""Sending what a run records to the hub while it works; where the way is cut, the run goes on and this catches up."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mi.evidence.reader import parse
from mi.hub.outgoing import ChosenLine, make_outgoing
from mi.hub.run_records import RunRecord, find_last, push_records
from mi.kernel import jsonl
from mi.kernel.errors import MiError
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from mi.hub.connection import Connection

_LOOK_S = 0.25
_PAUSE_S = 1.0  # before a cut way is tried again
_LAST_S = 600.0  # how long the end of a run may wait for the hub
_TOGETHER = 200


class FedRun(NamedTuple):
    """Which run is sent, and by which claim."""

    member: str
    run_id: str
    token: str


class RunFeed:
    """Sends the records of one run as they are written, in a thread of its own, until it is left."""

    def __init__(
        self,
        connect: "Callable[[], AbstractContextManager[Connection]]",
        log: str,
        of: FedRun,
        before: Callable[[list[dict[str, Any]]], None],
        lost: Callable[[], None],
    ) -> None:
        """`before` hears of records before they are sent; `lost`, once, that the claim is another's now."""
        self._connect = connect
        self._log = log
        self._of = of
        self._before = before
        self._lost = lost
        self._tail = jsonl.Tail(log, 0)
        self._waiting: list[RunRecord] = []
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.refused: list[RunRecord] = []  # what was recorded after the claim was lost

    def __enter__(self) -> "RunFeed":
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._is_over.set()
        self._thread.join()

    def _work(self) -> None:
        """Send until it is over and nothing is left; the end of a run waits a while for a hub that is away."""
        ended = 0.0
        while True:
            try:
                with self._connect() as connection:
                    last = find_last(connection, self._of.member, self._of.run_id)
                    self._waiting = [one for one in self._waiting if one.seq > last]
                    if self._send_all(connection, last):
                        return
            except MiError:
                pass  # the run goes on without it
            self._waiting += self._read(0)
            ended = ended or (time.monotonic() if self._is_over.is_set() else 0.0)
            if ended and time.monotonic() - ended > _LAST_S:
                return
            time.sleep(_PAUSE_S) if ended else self._is_over.wait(_PAUSE_S)

    def _send_all(self, connection: "Connection", last: int) -> bool:
        """Send what comes; True once all is sent and it is over, or the claim is lost."""
        while True:
            is_last = self._is_over.is_set()
            self._waiting += self._read(last)
            while self._waiting:
                batch = self._waiting[:_TOGETHER]
                if not push_records(connection, self._of.token, batch):
                    self._give_up()
                    return True
                self._waiting = self._waiting[len(batch) :]
            if is_last:
                return True
            self._is_over.wait(_LOOK_S)

    def _give_up(self) -> None:
        """Keep what is not sent, up to the end: another worker has the run."""
        self._lost()
        self._is_over.wait()
        self.refused = [*self._waiting, *self._read(0)]

    def _read(self, last: int) -> list[RunRecord]:
        """Return what is new in the log and the hub does not have, free of secrets."""
        found = [raw for line in self._tail.read() if (raw := self._parse(line)) and int(raw.get("seq") or 0) > last]
        if not found:
            return []
        self._before(found)
        sent = make_outgoing([ChosenLine("run", raw) for raw in found])
        return [RunRecord(int(raw["seq"]), one.body) for raw, one in zip(found, sent, strict=True)]

    def _parse(self, line: jsonl.Line) -> dict[str, Any] | None:
        event = parse(line)
        if event is None or event.head.run_id != self._of.run_id:
            return None
        try:
            whole = jsonl.read_line(self._log, line.offset) if line.cut else line.data
            return decode_stored(whole or b"", dict[str, Any])
        except BadJson:
            return None
