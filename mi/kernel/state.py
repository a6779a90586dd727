"""Small JSON state files: replaced atomically, read leniently, quarantined when broken, unknown keys kept."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from mi.kernel import clock, files
from mi.kernel.home import make_dirs
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.locks import folder_lock
from mi.kernel.notices import Notices

T = TypeVar("T", bound=msgspec.Struct)


def read_state(path: str, shape: type[T], notices: Notices) -> T:
    """The state in a file; a missing or broken one gives the defaults, a broken one is noticed and left in place."""
    return _read(path, shape, notices)[0]


def update_state(path: str, shape: type[T], change: Callable[[T], T], notices: Notices) -> T:
    """Change a state file under its lock; a broken one is first set aside as `*.corrupt.<ts>`."""
    make_dirs(os.path.dirname(path))
    with folder_lock(os.path.dirname(path)):
        state, raw, broken = _read(path, shape, notices, writing=True)
        if broken:
            _quarantine(path, broken, notices)
        new = change(state)
        written = raw | msgspec.to_builtins(new)
        if written != raw:
            files.write_atomic(path, encode_pretty(written))
        return new


def encode_pretty(value: object) -> bytes:
    """JSON for people: indented, with a final newline."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _read(path: str, shape: type[T], notices: Notices, writing: bool = False) -> tuple[T, dict[str, Any], str]:
    data = files.read_bytes(path)
    if data is None:
        return shape(), {}, ""
    try:
        raw = decode(data, dict[str, Any])
        return msgspec.convert(raw, shape), raw, ""
    except (BadJson, msgspec.ValidationError) as error:
        if not writing:
            notices.add("state-broken", path, reason=str(error))
        return shape(), {}, str(error)


def _quarantine(path: str, reason: str, notices: Notices) -> None:
    kept_in = f"{path}.corrupt.{clock.filename_stamp()}"
    os.replace(path, kept_in)
    notices.add("state-quarantined", path, reason=reason, kept_in=kept_in)
