"""What can judge: one test, fixture, set-up or setting, with what of it is compared."""

import re
from collections.abc import Iterable

from mi.kernel.named_tuple import NamedTuple


class JudgeItem(NamedTuple):
    """One thing that judges the work: a test, a fixture, a set-up, a setting."""

    name: str
    text: str  # what is compared
    shown: str  # as it is written
    adds: bool = False  # its coming changes nothing that was there: a test, a helper
    binds: str = ""  # a name that it brings: not harmless where what was there uses that name
    is_test: bool = False
    acts: bool = False  # it does something as the file is loaded, wherever in it it stands


def whole(text: str, name: str = "") -> JudgeItem:
    """Return a file as one item."""
    return JudgeItem(name, text, text)


_QUOTED = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')")


def names_in(texts: Iterable[str]) -> frozenset[str]:
    """Return the names that texts of programs use, outside of their strings."""
    return frozenset(name for text in texts for name in re.findall(r"[A-Za-z_]\w*", _QUOTED.sub("", text)))


def shorten(text: str) -> str:
    """Return the first line of a text, cut for people."""
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 60 else line[:59] + "…"
