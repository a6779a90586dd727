"""A member's own words: session logs, entries with anchored sections that are read back, and private notes."""

import os
import re
from collections.abc import Iterable

import msgspec

from mi.kernel import clock
from mi.kernel.errors import UsageError
from mi.kernel.files import read_bytes, write_atomic
from mi.kernel.jsontext import encode
from mi.kernel.language import patterns
from mi.kernel.locks import lock_folder
from mi.kernel.text import decode
from mi.knowledge.thoughts.store import refuse_secret
from mi.persona import private_files
from mi.persona.place import PersonaView, require_persona
from mi.persona.windows import LogFile

# Section → its heading in a log; the first three are required.
HEADINGS = {
    "completed_items": "Completed items",
    "decisions": "Decisions",
    "next_steps": "Next steps",
    "candidate_insights": "Candidate insights",
    "external_ai_calls": "External AI calls",
    "incidents": "Incidents",
}
REQUIRED = ("completed_items", "decisions", "next_steps")
FIRST_NOTE = "首次session log,系统初始化完成"
_SHORT = 50  # lines below which a log is read whole
_ANCHOR = (
    r"(?s)<!-- mixia:section:start name=(?P<name>\w+) ts=\S+ -->\n(?P<text>.*?)\n?"
    r"<!-- mixia:section:end name=(?P=name) -->"
)
# Also as people write one by hand: in bold, or a name with a colon.
_HEADING = r"(?m)^(?:#{1,6}[ \t]*+|\*\*(?=.*\*\*:?[ \t]*$)|(?=\w[\w ]{2,30}:[ \t]*$))(?P<title>.*[^ \t\n])"
_STAMP = r"<!-- mixia:section:start name=\w+ ts=(\S+) -->"


class LoggedDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided, and why."""

    text: str
    reason: str = ""


class ExternalCall(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table of external calls."""

    agent: str
    mode: str
    verdict: str = ""
    adopted: str = ""


class LoggedVerification(msgspec.Struct, frozen=True, kw_only=True):
    """What a gate said and what became of it; kept as data in the log, too."""

    gate: str
    verdict: str
    confidence: float | None = None
    user_action: str = ""
    post_result: str = "pending"
    ts: str = ""


class SessionEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What one session leaves; None is "not given", an empty list is "nothing, on purpose"."""

    completed_items: list[str] | None = None
    decisions: list[LoggedDecision] | None = None
    next_steps: list[str] | None = None
    candidate_insights: list[str] = []
    external_ai_calls: list[ExternalCall] = []
    incidents: list[str] = []
    verifications: list[LoggedVerification] = []
    note: str = ""


def check(entry: SessionEntry) -> None:
    """Refuse an entry without a required part, or with a secret in any."""
    for name in REQUIRED:
        if getattr(entry, name) is None:
            raise UsageError("session-part-missing", part=name)
    refuse_secret("note", entry.note)
    for name in (*HEADINGS, "verifications"):
        for one in getattr(entry, name) or []:
            text = one if isinstance(one, str) else " ".join(str(value) for value in msgspec.structs.astuple(one))
            refuse_secret(name, text)


def append_entry(log: LogFile, entry: SessionEntry, first: bool = False) -> int:
    """Add an entry to a window's own log; returns its number."""
    check(entry)
    with lock_folder(os.path.dirname(log.path)):
        former = decode(read_bytes(log.path) or b"")
        number = len(re.findall(r"(?m)^## Session \d+", former)) + 1
        text = render(entry, number, clock.now(), first)
        write_atomic(log.path, f"{former.rstrip()}\n\n{text}".encode(), 0o644)
    return number


def is_empty(text: str) -> bool:
    """Return whether a log holds nothing but the line that its window was made with."""
    return not re.sub(r"(?s)<!--(?:(?!-->|<!--).)*+-->", "", text).strip()


def find_last_stamp(text: str) -> str:
    """Return when a log's latest entry was written, as it says itself; '' where it does not."""
    return max(re.findall(_STAMP, text), default="")


def is_first(logs: Iterable[LogFile]) -> bool:
    """Return whether no session has left anything yet."""
    return all(is_empty(decode(read_bytes(log.path) or b"")) for log in logs)


def render(entry: SessionEntry, number: int, ts: str, first: bool = False) -> str:
    """Return an entry as it stands in a log."""
    parts = [f"## Session {number}\n"]
    notes = [note for note in (FIRST_NOTE if first else "", entry.note) if note]
    parts += [f"{note}\n" for note in notes]
    for name, heading in HEADINGS.items():
        given = getattr(entry, name)
        if not given and name not in REQUIRED:
            continue
        body = _table(given) if name == "external_ai_calls" else _items(given or [])
        start = f"<!-- mixia:section:start name={name} ts={ts} -->"
        parts.append(f"{start}\n### {heading}\n\n{body}\n<!-- mixia:section:end name={name} -->\n")
    parts += [f"<!-- mixia:verification {encode(one).decode()} -->\n" for one in entry.verifications]
    return "\n".join(parts)


def _items(given: Iterable[str | LoggedDecision]) -> str:
    lines = [_item(one) for one in given]
    return "\n".join(f"- {line}" for line in lines) or "- (none)"


def _item(one: str | LoggedDecision) -> str:
    if isinstance(one, str):
        return _flat(one)
    return f"{_flat(one.text)} — {_flat(one.reason)}" if one.reason else _flat(one.text)


def _table(calls: list[ExternalCall]) -> str:
    rows = ["| agent | mode | verdict | adopted |", "| --- | --- | --- | --- |"]
    rows += [
        f"| {_cell(one.agent)} | {_cell(one.mode)} | {_cell(one.verdict)} | {_cell(one.adopted)} |" for one in calls
    ]
    return "\n".join(rows)


def _flat(text: str) -> str:
    """Return a text on one line, unable to open or close an anchor."""
    return " ".join(text.split()).replace("<!--", "‹!--").replace("-->", "--›")


def _cell(text: str) -> str:
    return _flat(text).replace("|", "\\|")


def read_sections(text: str, names: Iterable[str]) -> dict[str, list[str]]:
    """Return the items of the wanted sections: by anchor, else by heading.

    A short log without anchors also as a `whole`.
    """
    wanted = set(names)
    anchored = [(found["name"], found["text"]) for found in re.finditer(_ANCHOR, text)]
    result: dict[str, list[str]] = {}
    for name, part in anchored or _by_heading(text):
        if name in wanted:
            result.setdefault(name, []).extend(_lines(part))
    if not anchored and not is_empty(text) and len(text.splitlines()) < _SHORT:
        result["whole"] = [text.strip()]
    return result


def _by_heading(text: str) -> list[tuple[str, str]]:
    marks = list(re.finditer(_HEADING, text))
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    found = [(_section_of(mark["title"]), text[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)]
    return [(name, part) for name, part in found if name]


def _section_of(title: str) -> str:
    """Return the section of a heading, also as people write it by hand; "" for any other."""
    plain = title.strip().strip("".join((*patterns().colons, "*"))).lower().replace("_", " ")
    return next((name for name, known in patterns().log_headings.items() if plain in known), "")


def _lines(part: str) -> list[str]:
    lines = [line.strip() for line in part.splitlines()]
    return [line.lstrip("-*• ").strip() for line in lines if line and line[0] not in "#<" and line != "- (none)"]


def add_note(persona: PersonaView, text: str) -> str:
    """Keep a note; returns the file's path."""
    require_persona(persona)
    if not text.strip():
        raise UsageError("empty-text", field="note")
    refuse_secret("note", text)
    flat = " ".join(text.split())
    return private_files.add_line(persona, private_files.NOTES, f"- {clock.now()} {flat}")


def read_notes(persona: PersonaView) -> list[str]:
    """Return all notes of the member, the oldest first."""
    lines = private_files.read_file(persona, private_files.NOTES).splitlines()
    return [line.removeprefix("- ") for line in lines if line.strip()]
