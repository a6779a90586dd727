"""What of a work tree a snapshot leaves out: files too large, unreadable or with a secret, folders of tools."""

import os
import stat
from typing import Literal

from msgspec import Struct

from mi.kernel import files
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.kernel.text import decode

_CACHE_TAG = b"Signature: 8a477f597d28d172789f06886806bc55"
_ENVIRONMENT = ("pyvenv.cfg", "bin/python")

Why = Literal["large", "secret", "unreadable", "repository", "submodule", "hidden"]


class LeftOut(Struct, frozen=True):
    """A file or folder that is not in a snapshot, and why."""

    path: str
    why: Why
    size: int = 0
    time_ns: int = 0


class KeepRules(NamedTuple):
    """What of the untracked files is kept."""

    max_file: int = 10_000_000
    secrets: Literal["skip", "keep"] = "skip"


class FileSieve:
    """Says which untracked files of a work tree are left out; what was scanned for secrets is not read again."""

    def __init__(self, top: str, keep: KeepRules) -> None:
        self._top = top
        self._keep = keep
        self._scanned: dict[tuple[str, int, int], bool] = {}

    def judge(self, path: str) -> LeftOut | None:
        """Return why an untracked file would be left out."""
        place = os.path.join(self._top, path)
        try:
            status = os.lstat(place)
        except OSError:
            return None  # gone: that is taken in, too
        why: Why | None = None
        if not stat.S_ISREG(status.st_mode):
            return None
        if not os.access(place, os.R_OK):
            why = "unreadable"
        elif status.st_size > self._keep.max_file:
            why = "large"
        elif self._keep.secrets == "skip" and self._holds_secret(place, status):
            why = "secret"
        return LeftOut(path, why, status.st_size, status.st_mtime_ns) if why else None

    def _holds_secret(self, place: str, status: os.stat_result) -> bool:
        key = (place, status.st_size, status.st_mtime_ns)
        if key not in self._scanned:
            data = files.read_bytes(place) or b""
            self._scanned[key] = b"\0" not in data[:8192] and bool(find_secrets(decode(data)))
        return self._scanned[key]


def is_tool_folder(place: str) -> bool:
    """Return whether a folder says that only a tool writes it: a marked cache, a part of a virtual environment."""
    tag = os.path.join(place, "CACHEDIR.TAG")
    is_cache = os.path.basename(place).startswith(".") and os.path.isfile(tag)
    return (is_cache and (files.read_bytes(tag) or b"").startswith(_CACHE_TAG)) or is_environment_part(place)


def is_environment_part(place: str) -> bool:
    """Return whether a folder belongs to the virtual environment it lies in; other things there are work."""
    above, name = os.path.split(place)
    is_part = name in ("bin", "include", "lib", "lib64", "share")
    return is_part and all(os.path.exists(os.path.join(above, one)) for one in _ENVIRONMENT)
