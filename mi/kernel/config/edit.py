"""Changing `config.json`: made, merged with a template, rolled back; every change leaves a backup."""

import os
from typing import Any

import msgspec

from mi.kernel import files, text
from mi.kernel.config import load, profiles
from mi.kernel.config.templates import TEMPLATES
from mi.kernel.config.types import Config
from mi.kernel.errors import MiError, NotFound, StorageError
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
    make_dirs(home.root)
    with lock_folder(home.root):
        raw = load.read_raw(home.config)
        kept_in = _back_up(home, files.read_bytes(home.config) or b"{}\n")
        files.write_atomic(home.last_backup, os.path.basename(kept_in).encode() + b"\n")
        files.write_atomic(home.config, encode_pretty(merge(raw, part)))
        return kept_in


def roll_back(home: Home) -> str:
    """Put back what the last `apply_template` replaced; what stood there until now is backed up as well."""
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
