"""A host's session and its calls of tools: while one is under way, no prompt is taken for the person's.

A command of an agent can hand a prompt to the hook as the host does. Then a call is under way, or the process that the
host started is older than the end of the call it was started for.
"""

import fcntl
import io
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from mi.hooks.event import HookEvent
from mi.hooks.rules_state import find_path
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext
    from mi.app.speaker import ChatHost

_CLOCK_S = 0.03  # the system counts the beginnings of processes in hundredths
_TAIL = 4 << 20  # bytes of a transcript in which the results of the latest calls stand
_UNSEEN_S = 2 * 60 * 60  # how long a session may go on unheard of whose host does not end with it
_COMPACT_BYTES = 32 * 1024
_DRIFT_S = 2.0  # the clock is set now and then, so a beginning is not told twice to the very moment


class KnownCalls(NamedTuple):
    """What was noted of a session: its host's process, calls without an end, the latest moment of any."""

    pid: int
    started: float
    begun: dict[str, tuple[float, str]]  # when, and in which transcript
    latest: float

    def is_of(self, found: "ChatHost") -> bool:
        """Return whether this process has the session."""
        return self.pid == found.host.pid and abs(self.started - found.host.started) < _DRIFT_S

    def lives(self) -> bool:
        """Return whether the process that has the session still lives."""
        from mi.kernel.ancestry import read_start

        return abs(self.started - read_start(self.pid)) < _DRIFT_S


def note_call(event: HookEvent, context: "HomeContext") -> None:
    """Note that a call of a tool begins, or has ended; where nothing can be written, nothing can be opened either."""
    begins = event.event == "pre-tool"
    words = [f"{time.time():.3f}", event.tool_use_id.replace(" ", "_") or "?"]
    try:
        _note(event, context, "+" if begins else "-", *words, *([event.transcript_path] if begins else []))
    except OSError:
        pass


def is_persons_prompt(event: HookEvent, context: "HomeContext") -> bool:
    """Return whether the person typed this prompt: their host hands it over, and no tool of the session is at work."""
    from mi.app.speaker import find_chat_host

    found = find_chat_host(context, event.host)
    return found is not None and bool(event.session_id) and not _is_tools(_read(event, context), found)


def is_hosts_word(event: HookEvent, context: "HomeContext") -> bool:
    """Return whether the host itself says what became of a call, and no command that was there before it."""
    from mi.app.speaker import find_host

    found = find_host(event.host)
    at, _ = _read(event, context).begun.get(event.tool_use_id, (0.0, ""))
    return found is not None and found.started.started + _CLOCK_S >= at


def note_host(event: HookEvent, context: "HomeContext") -> None:
    """Note which process has this session: nobody else's prompts count in it, nor what is cut loose while it lives."""
    from mi.app.speaker import find_host
    from mi.autopilot.run_times import note_session

    found, known = find_host(event.host), _read(event, context)
    if not found or not event.session_id or not context.home.exists():
        return
    name, pid, began = f"{event.host} {event.session_id}", found.host.pid, found.host.started
    if found.listens:
        note_session(context.home, name, pid, began, time.time() + _UNSEEN_S)
        return
    if known.is_of(found) or _is_tools(known, found):
        return
    note_session(context.home, name, pid, began)
    _note(event, context, "host", repr(found.host.started), str(found.host.pid))


def note_end(event: HookEvent, context: "HomeContext") -> None:
    """Note that the session ended, unless a tool of it says so."""
    from mi.app.speaker import find_host
    from mi.autopilot.run_times import note_session_end

    found, known = find_host(event.host), _read(event, context)
    if not found or not known.is_of(found) or _is_tools(known, found):
        return
    note_session_end(context.home, f"{event.host} {event.session_id}", known.pid, known.started)
    os.remove(_path(event, context))


def _is_tools(known: KnownCalls, found: "ChatHost") -> bool:
    """Return whether an event may come from a call of a tool, or from another session's."""
    if known.pid and not known.is_of(found) and known.lives():
        return True
    if known.latest > found.started.started + _CLOCK_S:
        return True
    begun = {
        name: path for name, (at, path) in known.begun.items() if at > found.host.started
    }  # others ended with theirs
    return not all(_has_ended(path, name) for name, path in begun.items())


def _has_ended(path: str, call: str) -> bool:
    """Return whether the host wrote down what came of a call, as it does for one that the person stopped or refused."""
    import msgspec

    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.stat(path).st_size - _TAIL))
            lines = [line for line in file if call.encode() in line]
    except OSError:
        return False
    for line in lines:
        try:
            if _holds_result(msgspec.json.decode(line), call):
                return True
        except msgspec.DecodeError:
            continue
    return False


def _holds_result(value: object, call: str) -> bool:
    if isinstance(value, list):
        return any(_holds_result(one, call) for one in value)
    if not isinstance(value, dict):
        return False
    if call in (value.get("tool_use_id"), value.get("call_id")):
        return str(value.get("type")).endswith(("_result", "_output"))
    return any(_holds_result(one, call) for one in value.values())


def _read(event: HookEvent, context: "HomeContext") -> KnownCalls:
    return _parse(read_bytes(_path(event, context)) or b"")


def _parse(noted: bytes) -> KnownCalls:
    begun: dict[str, tuple[float, str]] = {}
    pid, started, latest = 0, 0.0, 0.0
    for line in noted.decode("utf-8", "surrogateescape").splitlines():
        try:
            sign, at, name, *path = line.split(" ", 3)
            moment = float(at)
            number = int(name) if sign == "host" else 0
        except ValueError:  # cut off by a full disk
            continue
        if sign == "host":
            pid, started = number, moment
            continue
        latest = max(latest, moment)
        begun.pop(name, None)
        if sign == "+":
            begun[name] = (moment, "".join(path))
    return KnownCalls(pid, started, begun, latest)


def _note(event: HookEvent, context: "HomeContext", *words: str) -> None:
    if not context.home.exists():  # nothing can have been asked yet
        return
    path = _path(event, context)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    line = (" ".join(words).replace("\n", " ") + "\n").encode("utf-8", "surrogateescape")
    with _open_whole(path) as file:
        size = file.write(line) and os.fstat(file.fileno()).st_size
    if size // _COMPACT_BYTES > (size - len(line)) // _COMPACT_BYTES:  # now and then, however much stays
        _compact(path)


@contextmanager
def _open_whole(path: str, lock: int = fcntl.LOCK_SH) -> Iterator["io.FileIO"]:
    """Yield the file for appending, which nobody replaces meanwhile by a shorter one."""
    while True:
        with io.FileIO(path, "a+", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            fcntl.flock(file, lock)
            try:
                is_same = os.path.samestat(os.fstat(file.fileno()), os.stat(path))
            except FileNotFoundError:
                is_same = False
            if is_same:
                yield file
                return


def _compact(path: str) -> None:
    """Leave out calls that have ended: a long session's file stays short."""
    with _open_whole(path, fcntl.LOCK_EX) as file:
        file.seek(0)
        known = _parse(file.readall())
        lines = [
            f"- {known.latest:.3f} ?",
            *(f"+ {at:.3f} {name} {where}" for name, (at, where) in known.begun.items()),
        ]
        if known.pid:
            lines.append(f"host {known.started!r} {known.pid}")
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
        write_atomic(path, content, sync=False)


def _path(event: HookEvent, context: "HomeContext") -> str:
    return find_path(event, context).removesuffix(".json") + ".calls"
