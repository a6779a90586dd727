"""Booting a window: the core files, a slot of its own, what was last, what others do, what must be known."""

import os
import re
import time
from collections.abc import Callable

import msgspec

from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.kernel.text import shorten
from mi.persona.cards import EVERY_BOOT, CardFile, keep_active, read_cards, write_index
from mi.persona.encryption import PrivateLocked
from mi.persona.front_matter import load
from mi.persona.handoffs import HandoffFile, list_open
from mi.persona.members import Role, read_roles
from mi.persona.place import PersonaView, read_text, require_persona
from mi.persona.private_files import read_private
from mi.persona.session_log import find_last_stamp, is_empty, read_sections
from mi.persona.windows import LogFile, list_other_windows, log_files, take_slot

CORE = ("core/boot.md", "core/principles.md", "core/challenge-core.md")


class ReviewerHealth(msgspec.Struct, frozen=True, kw_only=True):
    """Whether an external reviewer can be asked."""

    name: str
    ok: bool
    reason: str = ""


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """What another window left for its readers."""

    slot: str
    path: str
    day: str
    completed: list[str] = []
    decisions: list[str] = []
    whole: str = ""


class LeftWork(NamedTuple):
    """What the last session left, and what others do now."""

    last_session: str = ""
    last_summary: list[str] = []
    pending: list[str] = []
    handoffs: list[HandoffFile] = []
    windows: list[Window] = []

    def list_parts(self) -> list[tuple[str, str]]:
        """Return it in parts, each with its title."""
        parts = [("Pending from the last session", "\n".join(f"- {one}" for one in self.pending))]
        parts.append(("Handed over to you", "\n".join(f"- {one.id} {one.task}" for one in self.handoffs)))
        for window in self.windows:
            done = [f"- {one}" for one in [*window.completed, *window.decisions] or [window.whole] if one]
            parts.append((f"Another window today (slot {window.slot})", "\n".join(done)))
        return parts


class Booted(msgspec.Struct, frozen=True, kw_only=True):
    """What a member knows after booting, in the order in which it was read."""

    member: str
    core: dict[str, str]
    slot: str
    sid: str
    log_path: str
    first_boot: bool
    last_session: str = ""
    last_summary: list[str] = []
    pending: list[str] = []
    handoffs: list[HandoffFile] = []
    private: dict[str, str] = {}
    private_locked: bool = False  # encrypted, and cannot be opened here
    windows: list[Window] = []
    index: dict[str, object] = {}
    cards: dict[str, str] = {}
    reviewers: list[ReviewerHealth] = []
    members: list[Role] = []


def boot(persona: PersonaView, reviewers: Callable[[], list[ReviewerHealth]] = list) -> Booted:
    """Run the whole sequence; a missing core file stops it and is named, and then no window was made."""
    core = read_core(persona)
    members = read_roles(core[CORE[0]])
    own = take_slot(persona)
    left = find_left_work(persona, own.sid)
    private = _private(persona)
    cards, _ = read_cards(persona)
    return Booted(
        member=persona.member,
        core=core,
        slot=own.slot,
        sid=own.sid,
        log_path=os.path.relpath(own.path, persona.root),
        first_boot=not left.last_session,
        last_session=left.last_session,
        last_summary=left.last_summary,
        pending=left.pending,
        handoffs=left.handoffs,
        private=private or {},
        private_locked=private is None,
        windows=left.windows,
        index=_index(persona, cards),
        cards={one.card.id: one.body for one in keep_active(cards) if one.card.salience >= EVERY_BOOT},
        reviewers=reviewers(),
        members=members,
    )


def find_left_work(persona: PersonaView, own_sid: str = "") -> LeftWork:
    """Return what there is to go on from, seen from a window of one's own or from none."""
    files = [file for file in log_files(persona) if not own_sid or file.sid != own_sid]
    last = _latest(persona, files)
    sections = _sections(persona, last) if last else {}
    others = list_other_windows(files, own_sid, time.strftime("%Y-%m-%d"))
    return LeftWork(
        last_session=os.path.relpath(last.path, persona.root) if last else "",
        last_summary=_summary(sections),
        pending=sections.get("next_steps", []),
        handoffs=list_open(persona, [persona.member]),
        windows=[_window(persona, window) for window in others],
    )


def read_core(persona: PersonaView) -> dict[str, str]:
    """Return the three core files; MiError names those that are missing."""
    require_persona(persona)
    found = {name: read_text(persona, persona.path(name)) for name in CORE}
    missing = [name for name, text in found.items() if text is None]
    if missing:
        raise MiError("core-missing", names=", ".join(missing), path=persona.root)
    return {name: text or "" for name, text in found.items()}


def _latest(persona: PersonaView, files: list[LogFile]) -> LogFile | None:
    """Return the latest log that says something: a window that was only opened left nothing to go on from."""
    day, stamped = "", list[tuple[str, LogFile]]()
    for file in reversed(files):
        text = read_text(persona, file.path) or ""
        if is_empty(text) or (day and file.day != day):
            continue
        day = file.day
        stamped.append((find_last_stamp(text) or _utc(file.changed), file))
    # Of one day the stamps say which is the latest: in a clone all files have the time of the clone.
    return max(stamped, key=lambda one: one[0])[1] if stamped else files[-1] if files else None


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _sections(persona: PersonaView, log: LogFile) -> dict[str, list[str]]:
    """Return the last entry of a log; an entry that names no next steps, as one saved by itself, takes none away."""
    entries = re.split(r"(?m)^(?=## Session )", read_text(persona, log.path) or "")
    found = read_sections(entries[-1], ("completed_items", "decisions", "next_steps"))
    steps = (read_sections(entry, ["next_steps"]).get("next_steps") for entry in reversed(entries))
    return found | {"next_steps": next(filter(None, steps), [])}


def _summary(sections: dict[str, list[str]]) -> list[str]:
    named = [*sections.get("completed_items", []), *sections.get("decisions", [])]
    return named or sections.get("whole", [])


def _private(persona: PersonaView) -> dict[str, str] | None:
    try:
        return read_private(persona)
    except PrivateLocked:
        return None


def _window(persona: PersonaView, log: LogFile) -> Window:
    sections = read_sections(read_text(persona, log.path) or "", ("completed_items", "decisions"))
    return Window(
        slot=log.slot,
        path=os.path.relpath(log.path, persona.root),
        day=log.day,
        completed=sections.get("completed_items", []),
        decisions=sections.get("decisions", []),
        whole="".join(sections.get("whole", [])),
    )


def _index(persona: PersonaView, cards: list[CardFile]) -> dict[str, object]:
    """Return the index of the cards; it is derived, so a clone that has none yet gets one."""
    write_index(persona, cards)
    path = persona.path("indexes", "card-index.yaml")
    return load(read_text(persona, path) or "", os.path.relpath(path, persona.root))


def render_context(booted: Booted, budget: int) -> str:
    """Return what a run tells the agent of it, the most binding first, in at most `budget` characters."""
    parts = [("Team principles", booted.core[CORE[1]])]
    parts += [(f"Card {card_id}", body) for card_id, body in booted.cards.items()]
    parts += LeftWork(pending=booted.pending, handoffs=booted.handoffs, windows=booted.windows).list_parts()
    return fill_parts(parts, budget)


def fill_parts(parts: list[tuple[str, str]], budget: int) -> str:
    """Return the parts under their titles, as far as there is room."""
    text = ""
    for title, body in parts:
        room = budget - len(text) - len(title) - 8
        if body.strip() and room > 40:
            text += f"## {title}\n{_cut(body.strip(), room)}\n\n"
    return text.strip()


def _cut(body: str, room: int) -> str:
    return body if len(body) <= room else shorten(redact_start(body, room), room - 1)
