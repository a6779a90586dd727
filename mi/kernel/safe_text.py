"""Stored text made safe to look at, wherever it is shown."""

from mi.kernel.secrets import LOOK_AHEAD, Redacted, redact
from mi.kernel.text import fit_one_line, make_printable


def make_safe(text: str) -> Redacted:
    """Return the text without what could drive the terminal, then without its secrets: escapes could tear one apart."""
    return redact(make_printable(text))


def shorten_gist(text: str, limit: int) -> Redacted:
    """Return the text on one line of at most `limit` columns, its secrets hidden before it is cut."""
    return fit_one_line(make_safe(text[: limit * 4 + LOOK_AHEAD]), limit)
