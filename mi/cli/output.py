"""Printing: texts of the catalogue, JSON, and stored text made safe to look at."""

import sys
import time
from typing import Any

from mi.kernel import messages
from mi.kernel.secrets import redact
from mi.kernel.text import printable


class Output:
    """Standard output in the person's language; what is printed is free of secrets and control characters."""

    def __init__(self, language: str) -> None:
        self.language = language

    def text(self, key: str, /, **details: object) -> str:
        """A text of the catalogue."""
        return messages.text(key, self.language, **details)

    def say(self, key: str, /, **details: object) -> None:
        """Print a text of the catalogue."""
        self.line(self.text(key, **details))

    def line(self, line: str = "") -> None:
        """Print a line for people."""
        sys.stdout.write(printable(redact(line)) + "\n")

    def json(self, value: Any) -> None:
        """Print a value as JSON, its texts free of secrets."""
        from mi.kernel.state import encode_pretty

        self._bytes(redact(encode_pretty(value).decode()).encode())

    def raw(self, data: bytes, hide_secrets: bool) -> None:
        """Print a stored line as it is, or with its secrets hidden."""
        if hide_secrets:
            data = redact(data.decode("utf-8", "replace")).encode()
        self._bytes(data + b"\n")

    def flush(self) -> None:
        """Show what was printed so far."""
        sys.stdout.flush()

    def _bytes(self, data: bytes) -> None:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


class Progress:
    """Says on standard error how far a long step is, once it has taken two seconds."""

    def __init__(self, output: Output, key: str) -> None:
        self._output = output
        self._key = key
        self._next = time.monotonic() + 2.0

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + 2.0
            percent = 100 * done // max(total, 1)
            sys.stderr.write(f"mi: {self._output.text(self._key, percent=percent)}\n")
