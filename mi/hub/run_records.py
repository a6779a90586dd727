"""What a run of the hub's queue has recorded: sent while it works, read by whoever takes it up next."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.hub.connection import Connection

_HELD = "SELECT member, epoch FROM mi_hub.job WHERE run = %s AND home = %s AND state = 'running'"
_BEAT = "SELECT mi_hub.heartbeat(%s)"
_PUSH = "SELECT mi_hub.push_run(%s, %s, %s)"
_READ = "SELECT seq, body FROM mi_hub.run_record WHERE member = %s AND run = %s AND seq > %s ORDER BY seq LIMIT %s"
_LAST = "SELECT coalesce(max(seq), 0) FROM mi_hub.run_record WHERE member = %s AND run = %s"
_ANSWERS = "SELECT question, said, by_member, once FROM mi_hub.read_answers(%s)"
_TOGETHER = 500


class RunRecord(NamedTuple):
    """A record of a run by its number there."""

    seq: int
    body: str


class HeldRun(NamedTuple):
    """A run that a home holds: whose it is, and how often it was claimed by now."""

    member: str
    epoch: int


def find_held(connection: "Connection", run_id: str, home_id: str) -> HeldRun | None:
    """Return what the hub says of a run that a home works on; None where it does not."""
    row = connection.execute(_HELD, (run_id, home_id)).fetchone()
    return HeldRun(str(row[0]), int(row[1])) if row else None


def is_held(connection: "Connection", token: str) -> bool:
    """Return whether a claim still stands, also that of a run which is to stop."""
    return connection.execute(_BEAT, (token,)).fetchone() != ("lost",)


def push_records(connection: "Connection", token: str, records: list[RunRecord]) -> bool:
    """Send records of the run that a claim is about; False where it is another's now, and nothing was taken."""
    row = connection.execute(_PUSH, (token, [one.seq for one in records], [one.body for one in records])).fetchone()
    return row is not None and row[0] is not None


def read_records(connection: "Connection", member: str, run_id: str) -> Iterator[RunRecord]:
    """Yield what the hub has of a member's run, in order."""
    last = 0
    while rows := connection.execute(_READ, (member, run_id, last, _TOGETHER)).fetchall():
        yield from (RunRecord(seq, body) for seq, body in rows)
        last = rows[-1][0]


def find_last(connection: "Connection", member: str, run_id: str) -> int:
    """Return the number of the latest record of a member's run that the hub has; 0 where it has none."""
    row = connection.execute(_LAST, (member, run_id)).fetchone()
    return int(row[0]) if row else 0


class RunAnswer(NamedTuple):
    """What somebody answered to a question of a run."""

    question_id: str
    text: str
    member: str
    once: bool


def read_answers(connection: "Connection", token: str) -> list[RunAnswer]:
    """Return what was answered to the run that a claim is about, oldest first."""
    return [RunAnswer(*row) for row in connection.execute(_ANSWERS, (token,)).fetchall()]
