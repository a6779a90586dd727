"""A person's word at the terminal, before something that only a person may want."""

import sys

from mi.cli.speaker import at_terminal
from mi.kernel.consent import agrees
from mi.kernel.text import make_printable


def ask_person(question: str) -> str | None:
    """Return what somebody types in answer; None when nobody is there: no terminal, or an agent in front of it."""
    if not (at_terminal() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"{make_printable(question)} ")
    sys.stderr.flush()
    return sys.stdin.readline().strip()


def is_yes(word: str | None) -> bool:
    """Return whether it agrees; silence does not."""
    return word is not None and agrees(word)
