"""Changing `.nexus/`: one lock for all writers of a tree, whole files or none, only what the types declare."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from mi.kernel import clock, files, git, inside
from mi.kernel.locks import lock_folder
from mi.kernel.state import encode_pretty
from mi.nexus import reading
from mi.nexus.layout import NexusLayout
from mi.nexus.state import SCHEMA_VERSION, Cycle, Plan, Task, Tasks

T = TypeVar("T")
_MODE = 0o644  # these files belong to the repository, for everyone who may read it
_IGNORED = {b"state", b"state/", b"/state", b"/state/"}


class Store:
    """The state of one repository. Reading never waits; every change happens inside `lock`."""

    def __init__(self, place: NexusLayout) -> None:
        self.place = place

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep every other writer of this tree out; the folder and its .gitignore are made when missing."""
        make_folder(self.place.folder)
        with lock_folder(self.place.folder):
            self._ignore_state()
            yield

    def _ignore_state(self) -> None:
        former = files.read_bytes(self.place.gitignore) or b""
        if not _IGNORED & {line.strip() for line in former.splitlines()}:
            end = b"" if former.endswith(b"\n") or not former else b"\n"
            self.write(self.place.gitignore, former + end + b"state/\n")

    def plan(self) -> Plan | None:
        return reading.read_plan(self.place.plan)

    def tasks(self) -> Tasks | None:
        return reading.read_tasks(self.place.tasks)

    def cycles(self) -> list[dict[str, Any]]:
        return reading.read_cycles(self.place.history)

    def save(self, path: str, value: Any, shape: Any = None) -> None:
        """Write a state file; a value that its schema would refuse is never written."""
        self.write(path, encode_pretty(encode_strict(value, shape or type(value))))

    def archive(self, plan: Plan | None, tasks: list[Task]) -> tuple[Cycle, int]:
        """Append a cycle to the history, once; the cycle and how many there are now."""
        raw = reading.read_history(self.place.history)
        former = reading.keep_objects(raw["cycles"])
        if former and (same := _same_cycle(former[-1], plan, tasks)):
            return same, len(raw["cycles"])
        cycle = Cycle(
            schema_version=SCHEMA_VERSION,
            completed_at=_later_than([one.get("completed_at") for one in former[-1:]]),
            branch=git.find_branch(self.place.root),
            plan=plan,
            tasks=tasks,
        )
        cycles = [*raw["cycles"], encode_strict(cycle, Cycle)]  # what others archived, whatever it is, stays
        self.write(self.place.history, encode_pretty(raw | {"cycles": cycles}))
        return cycle, len(cycles)

    def write(self, path: str, content: bytes) -> None:
        """Replace a file of `.nexus/` at once."""
        inside.checked(self.place.root, path)
        make_folder(os.path.dirname(path))
        files.write_atomic(path, content, _MODE)


def encode_strict(value: Any, shape: Any) -> Any:
    """Return a value as plain JSON, checked against its type."""
    plain = msgspec.to_builtins(value)
    msgspec.convert(plain, shape)
    return plain


def make_folder(path: str) -> None:
    """Make a folder of the repository, readable for whom the umask lets."""
    os.makedirs(path, exist_ok=True)


def _same_cycle(latest: dict[str, Any], plan: Plan | None, tasks: list[Task]) -> Cycle | None:
    """Return the latest cycle if it holds this plan and these tasks: a kill came before their removal.

    The plan is removed first. Only moments tell one cycle from another that reads the same.
    """
    try:
        cycle = msgspec.convert(latest, Cycle)
    except msgspec.ValidationError:
        return None  # of another writer, who removes its own
    moments = [*([plan.created_at] if plan else []), *(task.created_at for task in tasks)]
    known = bool(moments) and not {msgspec.UNSET, reading.BEGINNING}.intersection(moments)
    return cycle if known and cycle.tasks == tasks and plan in (cycle.plan, None) else None


def _later_than(former: list[Any]) -> str:
    """Return the present moment, one millisecond on when a cycle was closed in this very one.

    It is the cycle's name.
    """
    now = clock.now()
    if former and isinstance(former[0], str) and former[0] == now:
        return clock.format_ms(round(clock.parse(now) * 1000) + 1)
    return now
