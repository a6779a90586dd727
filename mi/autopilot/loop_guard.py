"""Noticing that an exchange with the agent repeats itself."""

from hashlib import sha256
from typing import Literal

from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

_KEPT = 12
_COMPARED = 2000  # characters of a message that make its signature


class Repetition(NamedTuple):
    """A pattern that was noticed."""

    pattern: Literal["aaa", "abab"]
    reason: str


def signature(hands_last_message: str, next_input: str) -> str:
    """Return a bounded, stable mark of one exchange; white space and case do not count."""

    def normal(text: str) -> str:
        return " ".join(text.lower().split())[:_COMPARED]

    return sha256(f"{normal(hands_last_message)}\0{normal(next_input)}".encode("utf-8", "replace")).hexdigest()[:16]


class RepetitionGuard:
    """Remembers the latest exchanges of a run."""

    def __init__(self, signatures: list[str] | None = None) -> None:
        self._signatures = (signatures or [])[-_KEPT:]

    def add(self, hands_last_message: str, sent: str) -> None:
        """Remember an exchange that happens now."""
        self._signatures = [*self._signatures, signature(hands_last_message, sent)][-_KEPT:]

    def notice(self, hands_last_message: str, next_input: str, language: str = "en") -> Repetition | None:
        """Return the pattern that an exchange would complete, if any; what is not sent after all leaves no trace."""
        last = [*self._signatures, signature(hands_last_message, next_input)]
        if len(last) >= 3 and last[-1] == last[-2] == last[-3]:
            return Repetition("aaa", text("loop.aaa", language))
        if len(last) >= 4 and last[-1] == last[-3] and last[-2] == last[-4]:
            return Repetition("abab", text("loop.abab", language))
        return None
