"""Small JSON state files: replaced atomically, read leniently, quarantined when broken, unknown keys kept."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from mi.kernel import files
from mi.kernel.home import make_dirs
from mi.kernel.jsontext import BadJson, decode, encode
from mi.kernel.locks import lock_folder
from mi.kernel.notices import Notices

T = TypeVar("T", bound=msgspec.Struct)


def read_state(path: str, shape: type[T], notices: Notices) -> T:
    """Return the state in a file.

    A missing or broken one gives the defaults, a broken one is noticed and left in place.
    """
    return _read(path, shape, notices)[0]


def update_state(path: str, shape: type[T], change: Callable[[T], T], notices: Notices, *, sync: bool = True) -> T:
    """Change a state file under its lock; a broken one is first set aside as `*.corrupt.<ts>`."""
    make_dirs(os.path.dirname(path))
    with lock_folder(os.path.dirname(path)):
        state, raw, broken = _read(path, shape, notices, writing=True)
        if broken:
            _quarantine(path, broken, notices)
        new = change(state)
        written = _over(raw, new)
        if written != raw:
            files.write_atomic(path, encode_pretty(written), sync=sync)
        return new


def encode_pretty(value: object) -> bytes:
    """JSON for people: indented, with a final newline."""
    return msgspec.json.format(encode(value), indent=2) + b"\n"


def _over(raw: Any, new: Any) -> Any:
    """Return the new state as it is written: at every depth with the keys of `raw` that this version does not know."""
    if isinstance(new, msgspec.Struct):
        known = {name: getattr(new, name) for name in new.__struct_fields__}
        old = raw if isinstance(raw, dict) else {}
        return old | {name: _over(old.get(name), value) for name, value in known.items()}
    if isinstance(new, dict):
        old = raw if isinstance(raw, dict) else {}
        return {name: _over(old.get(name), value) for name, value in new.items()}
    return msgspec.to_builtins(new)


def _read(path: str, shape: type[T], notices: Notices, writing: bool = False) -> tuple[T, dict[str, Any], str]:
    try:
        data = files.read_bytes(path)
    except OSError as error:  # a writer must stop here; a reader goes on with less
        if writing:
            raise
        notices.add("state-broken", path, reason=error.strerror or str(error))
        return shape(), {}, ""
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
    kept_in = files.make_stamped_path(f"{path}.corrupt.")
    os.replace(path, kept_in)
    notices.add("state-quarantined", path, reason=reason, kept_in=kept_in)
