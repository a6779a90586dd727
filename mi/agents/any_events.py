"""The output of any agent CLI as events: its stream by the protocol that was named, else its last message and thread.

What a command prints reaches the same pipe, so that a line proves a command only where the person named the protocol.
"""

import os
import re
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any, Literal

from mi.agents import events
from mi.agents.events import Event, cut_excerpt
from mi.agents.registry import AGENTS, VENDORS, load
from mi.agents.stream import VendorEvents, as_mapping, find_text, join_whole, parse_json_object
from mi.agents.transcript import Captured
from mi.kernel.secret_lines import LineRedactor

Protocol = Literal["none", "codex", "claude", "jsonl"]
_TEXT_KEPT = 400  # lines of plain text of which the last message is made
_THREAD_KEYS = ("session_id", "sessionId", "sessionID", "thread_id", "threadId", "conversation_id")
_ALWAYS_READ = (events.ThreadStarted, events.AgentMessage)


def find_protocol(argv: Sequence[str]) -> Protocol:
    """Return the protocol that a call asks its program for by its options; `none` when it asks for none."""
    program, words = os.path.basename(argv[0]) if argv else "", " ".join(argv[1:])
    if "exec" in argv and {"--json", "--experimental-json"} & set(argv):
        return "codex"
    if re.search(r"--output-format[ =](?:stream-)?json\b", words):
        return "claude" if program.startswith("claude") else "jsonl"
    return "none"


class AnyEvents:
    """Interprets one run of an agent CLI that MI has no adapter for; exit codes decide about success."""

    def __init__(self, thread_id_regex: str = "", protocol: Protocol = "none") -> None:
        self._own_events: Counter[str] = Counter()
        self._own_items: Counter[str] = Counter()
        self._pattern = re.compile(thread_id_regex) if thread_id_regex else None
        self._protocol = protocol
        self._vendor: VendorEvents | None = load(AGENTS[protocol].events)() if protocol in AGENTS else None
        self._thread = ""
        self._guess = ""
        self._speaks_json: bool | None = None  # by the first line that is not empty
        self._said = False  # in JSON
        self._text: deque[str] = deque(maxlen=_TEXT_KEPT)
        self._redactor = LineRedactor()  # of a key that is printed the first lines may be gone at the end

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
        if self._speaks_json is None and line.text.strip():
            self._speaks_json = raw is not None
        if raw is None:
            self._text.append(self._redactor.hide(line.text))
            return []
        return self._believed(self._read(raw))

    def end(self) -> list[Event]:
        found: list[Event] = []
        if not self._thread and self._guess:
            found.append(events.ThreadStarted(thread_id=self._guess))
        said = "\n".join(self._text).strip()
        if said and not (self._said and self._speaks_json):
            found.append(events.AgentMessage(text=cut_excerpt(said)))
        return found

    def _read(self, raw: dict[str, Any]) -> list[Event]:
        if self._vendor is None:
            self._vendor = _vendor_of(raw)
        found = self._vendor.read(raw) if self._vendor else self._plain(raw)
        self._thread = next((one.thread_id for one in found if isinstance(one, events.ThreadStarted)), self._thread)
        self._said = self._said or any(isinstance(one, events.AgentMessage) for one in found)
        return found

    def _believed(self, found: list[Event]) -> list[Event]:
        """Return the events that count: all of a named vendor's stream, no denial of a stream that is merely like one.

        Without a protocol there is a thread and a message, and no command, change or end.
        """
        match self._protocol:
            case "none":
                return [event for event in found if isinstance(event, _ALWAYS_READ)]
            case "jsonl":
                return [event for event in found if not isinstance(event, events.Denied)]
        return found

    def _plain(self, raw: dict[str, Any]) -> list[Event]:
        """JSON of an unknown shape: an id, a text, a command, an error, wherever they usually stand."""
        kind = str(raw.get("type") or raw.get("event") or "")
        self._own_events[kind] += 1
        found: list[Event] = []
        inner = as_mapping(raw.get("part")) or as_mapping(raw.get("item")) or raw
        thread = next((raw[key] for key in _THREAD_KEYS if isinstance(raw.get(key), str) and raw[key]), "")
        if thread and not self._thread:
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
