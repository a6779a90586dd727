"""What the three model APIs have in common: server-sent events, and the shape a server asks of each."""

import json
from typing import Any, Protocol

from mi.kernel.named_tuple import NamedTuple
from mi.testing.replies import Failure, Part, Turn
from mi.testing.requests import RequestParts


class ScriptError(AssertionError):
    """The script of a test does not fit what the agent did; an assertion, so that the test fails with the reason."""


class ReplyPlace(NamedTuple):
    """Where a reply stands: its number makes ids unique, the request says the model and the options."""

    number: int
    body: dict[str, Any]

    @property
    def model(self) -> str:
        return str(self.body.get("model", "scripted"))

    def call_id(self, index: int) -> str:
        return f"call_{self.number}_{index}"


class Wire(Protocol):
    """One model API: how its requests are read and its replies are written."""

    name: str
    path: str
    base: str

    def seen(self, body: dict[str, Any]) -> RequestParts:
        """Return the interesting parts of a request."""

    def opening(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        """Return the events before the first part."""

    def part(self, part: Part, index: int, place: ReplyPlace) -> list[bytes]:
        """Return the events of one part; the last one closes it."""

    def closing(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        """Return the events that end a reply well."""

    def breaking(self, turn: Turn, place: ReplyPlace) -> list[bytes]:
        """Return the events that end a reply with an error."""

    def whole(self, turn: Turn, place: ReplyPlace) -> dict[str, Any]:
        """Return the same reply as one JSON body."""

    def error_body(self, failure: Failure) -> dict[str, Any]:
        """Return the vendor's body of an HTTP error."""


def sse(data: dict[str, Any], event: str = "") -> bytes:
    """Return one server-sent event."""
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def texts_of(content: Any) -> tuple[str, ...]:
    """Return the texts of a message content, which every API writes as a string or as a list of typed parts."""
    if isinstance(content, str):
        return (content,)
    return tuple(part["text"] for part in content or () if isinstance(part, dict) and isinstance(part.get("text"), str))


def refuse(part: Part, wire: str) -> ScriptError:
    """Return the error for a part an API has no form for."""
    return ScriptError(f"{type(part).__name__.lower()}(…) has no form in the {wire}; see the guide on testing")
