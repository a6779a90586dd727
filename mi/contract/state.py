"""What a session has done so far, kept in a file: a restarted server takes up where its predecessor stopped."""

import os
import re
from collections.abc import Callable
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from mi.kernel import clock
from mi.kernel.home import FILE_MODE, make_dirs
from mi.kernel.locks import acquire, try_lock
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state

Mode = Literal["PASSIVE", "GUARDED", "STRICT"]
MODES: tuple[Mode, ...] = ("PASSIVE", "GUARDED", "STRICT")
_KEPT_RECEIPTS = 5
_KEPT_IDS = 30
_KEPT_VIOLATIONS = 20
_NAME = re.compile(r"[^a-z0-9._-]+")
HOST = "host_"  # begins the names of the states that hosts' hooks keep
_PATIENCE_S = 10.0


class Receipt(Struct, frozen=True, kw_only=True):
    """One recall: what was asked, when, what was found; `void` says why it no longer counts."""

    query: str = ""
    ts: str = ""
    ids: list[str] = []
    void: str = ""  # "pointer" | "mode"


class ViolationNote(Struct, frozen=True, kw_only=True):
    """A violation as the session remembers it; the log holds it whole."""

    id: str = ""
    code: str = ""
    ts: str = ""


class SessionState(Struct, frozen=True, kw_only=True):
    """`contract/<client>-<slot>.json`."""

    version: str = "v1"
    mode: Mode | None = None
    mode_ts: str = ""
    receipts: list[Receipt] = []
    pointer: str = ""  # the leaf that was worked on last
    steps: int = 0  # the most steps that were declared at once in this session
    counters: dict[str, int] = {}
    violations: list[ViolationNote] = []


def add_receipt(state: SessionState, query: str, ids: list[str]) -> SessionState:
    """Return the state after a recall."""
    receipt = Receipt(query=query, ts=clock.now(), ids=ids[:_KEPT_IDS])
    return count_call(replace(state, receipts=[*state.receipts, receipt][-_KEPT_RECEIPTS:]), "recalls")


def set_mode(state: SessionState, mode: Mode) -> SessionState:
    """Return the state after a mode was declared; receipts of another mode no longer count."""
    changed = state.mode is not None and state.mode != mode
    receipts = _voided(state.receipts, "mode") if changed else state.receipts
    return count_call(replace(state, mode=mode, mode_ts=clock.now(), receipts=receipts), "modes")


def set_pointer(state: SessionState, pointer: str, parent: str) -> SessionState:
    """Return the task file points to a leaf. To go on with another task needs another recall; to split one does not."""
    if not pointer or pointer == state.pointer:
        return state
    moved = bool(state.pointer) and parent != state.pointer
    return replace(state, pointer=pointer, receipts=_voided(state.receipts, "pointer") if moved else state.receipts)


def set_steps(state: SessionState, steps: int) -> SessionState:
    """Return the agent declared a plan."""
    return replace(state, steps=max(state.steps, steps))


def count_violation(state: SessionState, violation_id: str, code: str) -> SessionState:
    """Return the state after the agent tried what it may not."""
    note = ViolationNote(id=violation_id, code=code, ts=clock.now())
    return count_call(replace(state, violations=[*state.violations, note][-_KEPT_VIOLATIONS:]), "violations")


def count_call(state: SessionState, name: str) -> SessionState:
    """Return the state with one more of something."""
    return replace(state, counters=state.counters | {name: state.counters.get(name, 0) + 1})


def _voided(receipts: list[Receipt], why: str) -> list[Receipt]:
    return [one if one.void else replace(one, void=why) for one in receipts]


def find_valid_receipt(state: SessionState, now_s: float, max_age_s: int) -> Receipt | None:
    """Return the latest recall that still counts."""
    for one in reversed(state.receipts):
        if not one.void:
            try:
                age = now_s - clock.parse(one.ts)
            except ValueError:
                continue  # a receipt without its time is uncertain, and so is none
            return one if age <= max_age_s else None
    return None


class StateFile:
    """The state of one session in its file."""

    def __init__(self, path: str, notices: Notices, lock: int | None = None) -> None:
        self.path = path
        self._notices = notices
        self._lock = lock
        self._known: tuple[tuple[int, int, int], SessionState] | None = None

    @property
    def name(self) -> str:
        """The session as other records name it: client and slot."""
        return os.path.basename(self.path).removesuffix(".json")

    def read(self) -> SessionState:
        """Return the state as it is; a broken file counts as nothing done yet, so everything is asked for again."""
        stamp = self._stamp()
        if self._known is not None and stamp is not None and self._known[0] == stamp:
            return self._known[1]
        state = read_state(self.path, SessionState, self._notices)
        self._known = (stamp, state) if stamp is not None else None
        return state

    def update(self, change: Callable[[SessionState], SessionState]) -> SessionState:
        """Change the state durably; nothing is written when it stays the same."""
        before = self.read()
        if os.path.exists(self.path) and change(before) == before:
            return before
        # After a power cut an older state, or none, is safe: what it does not show must be done again.
        state = update_state(self.path, SessionState, change, self._notices, sync=False)
        stamp = self._stamp()
        self._known = (stamp, state) if stamp is not None else None
        return state

    def close(self) -> None:
        """Let the slot go."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def take_slot(folder: str, client: str, notices: Notices, *, wait: bool = False) -> StateFile:
    """Return the state of a client: the lowest slot nobody else holds, or (`wait`) the first one, once it is free."""
    make_dirs(folder)
    name, slot = clean_client_name(client), 0
    while True:
        path = os.path.join(folder, f"{name}-{slot}")
        lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
        if _takes(lock, path, wait):
            return StateFile(path + ".json", notices, lock)
        os.close(lock)
        slot += 1


def _takes(lock: int, path: str, wait: bool) -> bool:
    try:
        if not wait:
            return try_lock(lock, path)
        acquire(lock, path, _PATIENCE_S)
    except BaseException:
        os.close(lock)
        raise
    return True


def clean_client_name(client: str) -> str:
    """Return a client's name as part of a file name; two names never become one."""
    plain = _NAME.sub("_", client.lower()).strip("._-")[:40]
    if plain == client and not client.startswith(HOST):
        return plain
    from mi.kernel.digest import hash_sha256

    return f"{plain or 'client'}.{hash_sha256(client.encode('utf-8', 'replace'))[:6]}"
