"""Printing: texts of the catalogue, JSON, and stored text made safe to look at."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mi.kernel import messages
from mi.kernel.language import compiled
from mi.kernel.safe_text import make_safe
from mi.kernel.secrets import redact
from mi.kernel.text import width, wrap

_NARROWEST = 24  # columns below which a text is not folded beside its head
_HEAD = r" *(?:\S+(?: \S+)? {2,})?"  # what a line of a list begins with, below which it is not continued
_works_unread: list[bool] = []  # not empty: once nobody reads the output, it is dropped


class Output:
    """Standard output in the person's language; what is printed is free of secrets and control characters."""

    def __init__(self, language: str) -> None:
        self.language = language

    def text(self, key: str, /, **details: object) -> str:
        """Return a text of the catalogue."""
        return messages.text(key, self.language, **details)

    def word(self, word: str) -> str:
        """Return a word of ours that stands in records, such as a kind or a scope, as the person says it."""
        return messages.word(word, self.language)

    def say(self, key: str, /, **details: object) -> None:
        """Print a text of the catalogue."""
        self.line(self.text(key, **details))

    def line(self, line: str = "") -> None:
        """Print a line for people, folded between words where a terminal is too narrow for it."""
        with naming_stdout():
            sys.stdout.write(fold_lines(make_safe(line), measure_terminal()) + "\n")

    def beside(self, head: str, text: str) -> None:
        """Print a text beside its head; on a terminal too narrow for it, it goes on below itself."""
        text = make_safe(text)  # as a whole: a secret may go over several lines
        room = measure_terminal() - width(head)
        lines = text.splitlines() or [""]
        if room >= _NARROWEST:
            lines = [part for line in lines for part in wrap(line, room)]
        self.line((head + lines[0]).rstrip())
        for line in lines[1:]:
            self.line((" " * width(head) + line).rstrip())

    def json(self, value: Any) -> None:
        """Print a value as JSON, its texts free of secrets."""
        from mi.kernel.state import encode_pretty

        self.raw(encode_pretty(value).rstrip(b"\n"), True)

    def json_line(self, value: Any) -> None:
        """Print a value as JSON on one line, for programs that read a stream."""
        from mi.kernel.jsontext import encode

        self.raw(encode(value), True)

    def raw(self, data: bytes, hide_secrets: bool) -> None:
        """Print a stored line as it is, or with its secrets hidden."""
        if hide_secrets and data != b"{}":  # what most hooks answer: not worth the patterns of all languages
            data = _escaped(redact(data.decode("utf-8", "replace"))).encode()
        flush()
        with naming_stdout():
            sys.stdout.buffer.write(data + b"\n")


def fold_lines(text: str, columns: int) -> str:
    """Return a text whose lines break between words, below what they say; 0 columns is no terminal."""
    if not columns or len(text) <= columns // 2:  # a character takes two columns at most
        return text
    return "\n".join(_fold(line, columns) if width(line) > columns else line for line in text.split("\n"))


def _fold(line: str, columns: int) -> str:
    head = compiled(_HEAD, 0).match(line)[0]  # type: ignore[index]  # it matches nothing, too
    if width(head) > columns // 3:
        head, indent = "", 4
    else:
        indent = width(head)
    room = columns - indent
    return line if room < _NARROWEST else head + ("\n" + " " * indent).join(wrap(line[len(head) :], room))


def measure_terminal(fd: int = 1) -> int:
    """Return how wide the terminal is that standard output, or another one, goes to; 0 where it is none."""
    try:
        return os.get_terminal_size(fd).columns
    except OSError:
        return 0


def redact_value(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object whose secrets are hidden while their names still stand beside them."""
    from mi.kernel.jsontext import decode, encode

    return decode(redact(encode(value).decode()).encode(), dict[str, Any])


def flush() -> None:
    """Show what was printed so far."""
    with naming_stdout():
        sys.stdout.flush()


@contextmanager
def naming_stdout() -> Iterator[None]:
    """Name the output in its error, which has no file name of its own."""
    try:
        yield
    except BrokenPipeError:
        if not _works_unread:
            raise
        silence_stdout()
    except OSError as error:
        error.filename = "stdout"
        raise


def work_unread() -> None:
    """Have this command work on to its own end, and exit code, when nobody reads its output any more."""
    _works_unread.append(True)


def silence_stdout() -> None:
    """Drop whatever is still printed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _escaped(text: str) -> str:
    """JSON text with the control characters written as escapes that JSON would let pass as they are."""
    if text.isascii() and "\x7f" not in text:
        return text
    import re

    controls = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
    return controls.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def show_waiting(output: Output, who: str) -> Iterator[None]:
    """Says on standard error whose answer is waited for, once it has taken two seconds and then every ten."""
    from threading import Event, Thread

    answered = Event()

    def tell() -> None:
        seconds = 2
        while not answered.wait(2 if seconds == 2 else 10):
            sys.stderr.write(f"mi: {output.text('progress.asking', who=who, seconds=seconds)}\n")
            sys.stderr.flush()
            seconds += 10

    Thread(target=tell, daemon=True).start()
    try:
        yield
    finally:
        answered.set()


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
