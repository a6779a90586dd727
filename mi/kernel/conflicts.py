"""Texts in which git left conflict markers, read as what both sides wrote; and two versions of a text made one."""

import os

from mi.kernel import git
from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode

_OURS, _BASE, _MIDDLE, _THEIRS = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


class Sides(NamedTuple):
    """A text as each of two people has it."""

    ours: str
    theirs: str


def read_sides(text: str) -> Sides | None:
    """Return both sides of a text with conflict markers; None where it has none, or they do not fit together."""
    if _OURS not in text:
        return None
    ours: list[str] = []
    theirs: list[str] = []
    part, found = "", False
    for line in text.splitlines(keepends=True):
        mark = _read_mark(line)
        expected = {"": (_OURS,), _OURS: (_BASE, _MIDDLE), _BASE: (_MIDDLE,), _MIDDLE: (_THEIRS,)}[part]
        if mark in expected:
            part, found = "" if mark == _THEIRS else mark, True
            continue
        if part in ("", _OURS):
            ours.append(line)
        if part in ("", _MIDDLE):
            theirs.append(line)
    return Sides("".join(ours), "".join(theirs)) if found and not part else None


def _read_mark(line: str) -> str:
    mark, rest = line[:7], line[7:8]
    return mark if mark in (_OURS, _BASE, _MIDDLE, _THEIRS) and (not rest or rest.isspace()) else ""


def unite_lines(base: str, ours: str, theirs: str) -> str:
    """Return a text with the changes of both sides; where they changed the same lines it holds those of both."""
    if ours == theirs or theirs == base:
        return ours
    if ours == base:
        return theirs
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="mi-merge-") as folder:
        for name, text in (("ours", ours), ("base", base), ("theirs", theirs)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text.encode())
        done = git.run_bytes(folder, "merge-file", "-p", "--union", "ours", "base", "theirs")
    if done.code != 0:
        raise MiError("git-failed", reason=done.error)
    return decode(done.output)
