"""Changing `config.json`: made, one setting changed, merged with a template, rolled back; each leaves a backup."""

import os
from collections.abc import Callable
from typing import Any

import msgspec

from mi.kernel import files, text
from mi.kernel.config import load, profiles
from mi.kernel.config.templates import TEMPLATES
from mi.kernel.config.types import Config
from mi.kernel.errors import MiError, NotFound, StorageError, UsageError
from mi.kernel.home import Home, make_dirs
from mi.kernel.locks import lock_folder
from mi.kernel.state import encode_pretty


def init(home: Home, force: bool) -> str:
    """Write a configuration with every default but what the profile sets; returns the copy of an old one or ''.

    An old one is replaced only with `force`.
    """
    make_dirs(home.root)
    with lock_folder(home.root):
        old = files.read_bytes(home.config)
        if old is not None and not force:
            raise MiError("config-exists", path=home.config)
        kept_in = _back_up(home, old) if old is not None else ""
        files.write_atomic(home.config, encode_pretty(profiles.take_out(msgspec.to_builtins(Config()))))
        return kept_in


def template(name: str) -> dict[str, Any]:
    """Return the part of a configuration that a template sets."""
    if name not in TEMPLATES:
        raise NotFound("unknown-template", name=name, known=", ".join(TEMPLATES))
    return TEMPLATES[name]


def apply_template(home: Home, name: str) -> str:
    """Merge a template into the configuration; returns the backup's path, which `rollback` restores."""
    return apply_part(home, template(name))


def apply_part(home: Home, part: dict[str, Any]) -> str:
    """Merge a part into the configuration; returns the backup's path, which `rollback` restores."""
    return _change(home, lambda raw: merge(raw, part))


def set_value(home: Home, path: str, value: object) -> str:
    """Set one setting by its name; returns the backup's path, which `rollback` restores."""
    return _change(home, lambda raw: _with(raw, path.split("."), value, path))


def unset_value(home: Home, path: str) -> str:
    """Take one setting out of the file, so that its default holds; returns the backup's path, '' if it was not set."""
    if find_value(load.read_raw(home.config), path) is msgspec.UNSET:
        return ""
    return _change(home, lambda raw: _without(raw, path.split(".")))


def find_value(raw: dict[str, Any], path: str) -> Any:
    """Return what stands in a configuration under a name; UNSET when nothing does."""
    found: Any = raw
    for name in path.split("."):
        found = found.get(name, msgspec.UNSET) if isinstance(found, dict) else msgspec.UNSET
    return found


def _change(home: Home, change: Callable[[dict[str, Any]], dict[str, Any]]) -> str:
    make_dirs(home.root)
    with lock_folder(home.root):
        changed = change(load.read_raw(home.config))
        kept_in = _back_up(home, files.read_bytes(home.config) or b"{}\n")
        files.write_atomic(home.last_backup, os.path.basename(kept_in).encode() + b"\n")
        files.write_atomic(home.config, encode_pretty(changed))
        return kept_in


def _with(raw: dict[str, Any], names: list[str], value: object, path: str) -> dict[str, Any]:
    if len(names) == 1:
        return raw | {names[0]: value}
    inner = raw.get(names[0], {})
    if not isinstance(inner, dict):
        above = path.removesuffix("." + ".".join(names[1:]))
        raise UsageError("setting-value", path=above, value=load.show_value(above, inner), kind="object")
    return raw | {names[0]: _with(inner, names[1:], value, path)}


def _without(raw: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Return a configuration without a setting, and without the objects that are empty then."""
    left = _without(raw[names[0]], names[1:]) if len(names) > 1 else {}
    others = {name: value for name, value in raw.items() if name != names[0]}
    return {name: left if name == names[0] else value for name, value in raw.items()} if left else others


def roll_back(home: Home) -> str:
    """Put back what the last change replaced; what stood there until now is backed up as well."""
    make_dirs(home.root)
    with lock_folder(home.root):
        marker = files.read_bytes(home.last_backup)
        if marker is None:
            raise MiError("nothing-to-roll-back", path=home.last_backup)
        backup = os.path.join(home.backups, os.path.basename(text.decode(marker).strip()))
        content = files.read_bytes(backup)
        if content is None:
            raise StorageError("backup-missing", path=backup)
        if (replaced := files.read_bytes(home.config)) is not None:
            _back_up(home, replaced)
        files.write_atomic(home.config, content)
        os.unlink(home.last_backup)
        return backup


def merge(base: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """Return `base` with the keys of `part` over it, object by object."""
    merged = dict(base)
    for key, value in part.items():
        old = merged.get(key)
        merged[key] = merge(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return merged


def _back_up(home: Home, content: bytes) -> str:
    path = files.make_stamped_path(os.path.join(home.backups, "config.json."), ".bak")
    files.write_atomic(path, content)
    return path
