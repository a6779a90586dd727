"""Windows: every conversation has a slot letter and a session log of its own, made at boot so that others see it."""

import os
import re
import time
from datetime import date

from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.named_tuple import NamedTuple
from mi.persona.place import PersonaView, list_markdown, may_read

_NAME = r"(?P<day>\d{4}-\d{2}-\d{2})(?:-slot-(?P<slot>[A-Z]+)-(?P<sid>[a-z0-9]{6}))?\.md"
_SID = r"[a-z0-9]{6}"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SID_CHARS = "abcdefghijklmnopqrstuvwxyz0123456789"


class LogFile(NamedTuple):
    """A session log by its name; a file of a whole day has neither slot nor sid."""

    path: str
    day: str
    slot: str
    sid: str
    changed: float


def log_files(persona: PersonaView) -> list[LogFile]:
    """Return all session logs, the latest last."""
    found: list[LogFile] = []
    for path in list_markdown(persona.path("sessions")):
        name = re.fullmatch(_NAME, os.path.basename(path))
        if name and may_read(persona, path):
            changed = os.stat(path).st_mtime
            found.append(LogFile(path, name["day"], name["slot"] or "", name["sid"] or "", changed))
    return sorted(found, key=lambda one: (one.day, one.changed, one.path))


def take_slot(persona: PersonaView) -> LogFile:
    """Return a log file for a new window, under the next slot letter that is free today."""
    now = time.localtime()
    day = time.strftime("%Y-%m-%d", now)
    folder = persona.path("sessions", day[:7])
    make_dirs(folder)
    with lock_folder(folder):
        taken = {file.slot for file in log_files(persona) if file.day == day}
        number = 0
        while name_slot(number) in taken:
            number += 1
        slot, sid = name_slot(number), _new_sid()
        path = os.path.join(folder, f"{day}-slot-{slot}-{sid}.md")
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            file.write(f"<!-- sid:{sid} slot:{slot} booted:{time.strftime('%H:%M', now)} -->\n")
    return LogFile(path, day, slot, sid, os.stat(path).st_mtime)


def find_window(persona: PersonaView, sid: str) -> LogFile:
    """Return the log file of a window."""
    if not re.fullmatch(_SID, sid):
        raise MiError("bad-sid", sid=sid)
    found = [file for file in log_files(persona) if file.sid == sid]
    if not found:
        raise NotFound("no-window", sid=sid, path=persona.path("sessions"))
    return found[-1]


def name_slot(number: int) -> str:
    """Return the name of a slot by its number: A to Z, then AA, AB and so on."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = _LETTERS[rest] + letters
    return letters


def list_other_windows(files: list[LogFile], own_sid: str, today: str, most: int = 8, days: int = 7) -> list[LogFile]:
    """Whom else to read: today's newest file of each slot; nobody today: the latest of the last days; else none."""
    others = [file for file in files if not own_sid or file.sid != own_sid]
    newest: dict[str, LogFile] = {}
    for one in others:
        if one.day == today and (one.slot not in newest or one.changed >= newest[one.slot].changed):
            newest[one.slot] = one
    if newest:
        return sorted(newest.values(), key=lambda one: -one.changed)[:most]
    recent = [one for one in others if 0 < _days_between(one.day, today) <= days]
    return recent[-1:]


def _days_between(earlier: str, later: str) -> int:
    try:
        return (date.fromisoformat(later) - date.fromisoformat(earlier)).days
    except ValueError:  # a name with an impossible date
        return -1


def _new_sid() -> str:
    return "".join(_SID_CHARS[byte % len(_SID_CHARS)] for byte in os.urandom(6))
