"""Sending what a run records to the hub while it works; where the way is cut, the run goes on and this catches up."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mi.evidence.reader import parse
from mi.hub.outgoing import ChosenLine, make_outgoing
from mi.hub.run_records import RunRecord, find_last, is_held, push_records
from mi.kernel import jsonl
from mi.kernel.errors import Blocked, MiError
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
        """`before` hears of records before they are sent, while the claim stands; `lost` that it is another's now."""
        self._connect = connect
        self._log = log
        self._of = of
        self._before = before
        self._lost = lost
        self._tail = jsonl.Tail(log, 0)
        self._waiting: list[dict[str, Any]] = []
        self._sent = 0  # the number of the latest record that the hub has
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.refused: list[int] = []  # the numbers of what was recorded after the claim was lost

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
                    if not is_held(
                        connection, self._of.token
                    ):  # else what the hub has is what this claim sent, or found
                        self._give_up()
                        return
                    self._sent = find_last(connection, self._of.member, self._of.run_id)
                    if self._send_all(connection):
                        return
            except Blocked:  # locked out: to ask again helps nobody
                if self._is_over.is_set():
                    return
            except MiError:
                pass  # the run goes on without it
            self._waiting += self._read()
            ended = ended or (time.monotonic() if self._is_over.is_set() else 0.0)
            if ended and time.monotonic() - ended > _LAST_S:
                return
            time.sleep(_PAUSE_S) if ended else self._is_over.wait(_PAUSE_S)

    def _send_all(self, connection: "Connection") -> bool:
        """Send what comes; True once all is sent and it is over, or the claim is lost."""
        while True:
            is_last = self._is_over.is_set()
            self._waiting = [raw for raw in (*self._waiting, *self._read()) if raw["seq"] > self._sent]
            while self._waiting:
                batch = self._waiting[:_TOGETHER]
                if not is_held(connection, self._of.token):
                    return self._give_up()
                self._before(batch)
                if not push_records(connection, self._of.token, _make_records(batch)):
                    return self._give_up()
                self._waiting, self._sent = self._waiting[len(batch) :], batch[-1]["seq"]
            if is_last:
                return True
            self._is_over.wait(_LOOK_S)

    def _give_up(self) -> bool:
        """Note what is not sent, up to the end: another worker has the run."""
        if not self._is_over.is_set():
            self._lost()
        self._is_over.wait()
        self.refused = [raw["seq"] for raw in (*self._waiting, *self._read()) if raw["seq"] > self._sent]
        return True

    def _read(self) -> list[dict[str, Any]]:
        """Return what is new in the log."""
        return [raw for line in self._tail.read() if (raw := self._parse(line))]

    def _parse(self, line: jsonl.Line) -> dict[str, Any] | None:
        event = parse(line)
        if event is None or event.head.run_id != self._of.run_id:
            return None
        try:
            whole = jsonl.read_line(self._log, line.offset) if line.cut else line.data
            return decode_stored(whole or b"", dict[str, Any]) | {"seq": event.head.seq}
        except BadJson:
            return None


def _make_records(found: list[dict[str, Any]]) -> list[RunRecord]:
    """Return records as they leave, free of secrets."""
    sent = make_outgoing([ChosenLine("run", raw) for raw in found])
    return [RunRecord(raw["seq"], one.body) for raw, one in zip(found, sent, strict=True)]
