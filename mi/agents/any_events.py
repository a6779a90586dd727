"""The output of any agent CLI as events: known streams by their vendor's rules, other JSON and text by plain ones."""

import re
from collections import Counter, deque
from typing import Any

from mi.agents import events
from mi.agents.events import Event, cut_excerpt
from mi.agents.registry import VENDORS, load
from mi.agents.stream import VendorEvents, as_mapping, find_text, join_whole, parse_json_object
from mi.agents.transcript import Captured

_TEXT_KEPT = 400  # lines of plain text of which the last message is made
_THREAD_KEYS = ("session_id", "sessionId", "sessionID", "thread_id", "threadId", "conversation_id")


class AnyEvents:
    """Interprets one run of an agent CLI that nobody told us about; exit codes decide about success."""

    def __init__(self, thread_id_regex: str = "") -> None:
        self._own_events: Counter[str] = Counter()
        self._own_items: Counter[str] = Counter()
        self._pattern = re.compile(thread_id_regex) if thread_id_regex else None
        self._vendor: VendorEvents | None = None
        self._thread = ""
        self._guess = ""
        self._text: deque[str] = deque(maxlen=_TEXT_KEPT)

    @property
    def event_counts(self) -> Counter[str]:
        return self._vendor.event_counts if self._vendor else self._own_events

    @property
    def item_counts(self) -> Counter[str]:
        return self._vendor.item_counts if self._vendor else self._own_items

    def feed(self, line: Captured) -> list[Event]:
        if self._pattern and not self._thread and not self._guess:
            found = self._pattern.search(line.text)
            self._guess = (found[1] if found.groups() else found[0]) or "" if found else ""
        if line.stream != "stdout":
            return []
        raw = parse_json_object(line)
        if raw is None:
            self._text.append(line.text)
            return []
        if self._vendor is None:
            self._vendor = _vendor_of(raw)
        if self._vendor is not None:
            found_events = self._vendor.read(raw)
            self._thread = next(
                (e.thread_id for e in found_events if isinstance(e, events.ThreadStarted)), self._thread
            )
            # A client that nobody knows may print its commands' output as lines of its own: no word of a denial counts.
            return [e for e in found_events if not isinstance(e, events.Denied)]
        return self._plain(raw)

    def end(self) -> list[Event]:
        found: list[Event] = []
        if not self._thread and self._guess:
            found.append(events.ThreadStarted(thread_id=self._guess))
        said = "\n".join(self._text).strip()
        if said and self._vendor is None:
            found.append(events.AgentMessage(text=cut_excerpt(said)))
        return found

    def _plain(self, raw: dict[str, Any]) -> list[Event]:
        """JSON of an unknown shape: an id, a text, a command, an error, wherever they usually stand."""
        kind = str(raw.get("type") or raw.get("event") or "")
        self._own_events[kind] += 1
        found: list[Event] = []
        inner = as_mapping(raw.get("part")) or as_mapping(raw.get("item")) or raw
        thread = next((raw[key] for key in _THREAD_KEYS if isinstance(raw.get(key), str) and raw[key]), "")
        if thread and not self._thread:
            self._thread = thread
            found.append(events.ThreadStarted(thread_id=thread))
        if "error" in kind or raw.get("is_error"):
            found.append(
                events.Error(message=cut_excerpt(find_text(raw.get("error")) or find_text(raw)), transient=True)
            )
        elif command := _command_of(inner):
            found.append(command)
        elif said := find_text(inner) or find_text(raw.get("response")):
            found.append(events.AgentMessage(text=cut_excerpt(said)))
        return found


def _vendor_of(raw: dict[str, Any]) -> VendorEvents | None:
    known: list[type[VendorEvents]] = [load(agent.events) for agent in VENDORS]
    return next((interpreter() for interpreter in known if interpreter.recognises(raw)), None)


def _command_of(inner: dict[str, Any]) -> Event | None:
    state = as_mapping(inner.get("state"))
    command = inner.get("command") or as_mapping(state.get("input") or inner.get("input")).get("command")
    if not isinstance(command, str) or not command:
        return None
    places = (inner, state, as_mapping(state.get("metadata")))
    code = next((join_whole(place[key]) for place in places for key in ("exit_code", "exit") if key in place), None)
    ended = code is not None or str(state.get("status") or inner.get("status") or "") in (
        "completed",
        "failed",
        "error",
    )
    output = find_text(state.get("output") or inner.get("output") or "")
    call = str(inner.get("callID") or inner.get("id") or command)
    return events.Command(
        id=call, state="ended" if ended else "started", text=command, exit_code=code, output=cut_excerpt(output)
    )
