"""What a command is given to read: a file, or standard input."""

import sys
from typing import BinaryIO

from mi.kernel.errors import UsageError
from mi.kernel.text import decode

_MOST = 64 * 1024 * 1024  # nobody wrote more by hand; a device would never end


def read_given(path: str) -> bytes:
    """Return the bytes of a file; `-` is standard input."""
    if path == "-":
        return _bounded(sys.stdin.buffer, "stdin")
    with open(path, "rb") as file:
        return _bounded(file, path)


def read_given_text(path: str) -> str:
    """Return the same as text; what is not UTF-8 in it becomes a replacement mark."""
    return decode(read_given(path)).replace("\r\n", "\n")


def _bounded(file: BinaryIO, path: str) -> bytes:
    data = file.read(_MOST + 1)
    if len(data) > _MOST:
        raise UsageError("given-too-much", path=path, megabytes=_MOST // 1024 // 1024)
    return data
