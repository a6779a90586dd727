"""What the person wants in every work tree of a project: `.mi/worktree.toml`, read from their own tree."""

import json
import os
import tomllib
from typing import Any

from mi.kernel import files
from mi.kernel.errors import UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.project.checks.places import place_of

FILE = ".mi/worktree.toml"
_MOST_PORTS = 1000
_KEYS = ("setup", "teardown", "link", "copy", "ports", "seconds")


class TreeRules(NamedTuple):
    """How a work tree is made ready and taken down; `link` None: the dependency folders that are there."""

    setup: tuple[str, ...] = ()
    teardown: tuple[str, ...] = ()
    link: tuple[str, ...] | None = None
    copy: tuple[str, ...] = ()
    ports: int = 0
    seconds: float = 600.0  # that each command may take

    @property
    def commands(self) -> list[str]:
        """Return what is run, which needs the person's trust."""
        return [*self.setup, *self.teardown]


def read_rules(root: str) -> TreeRules:
    """Return the rules of a project; UsageError naming what in the file cannot be taken."""
    path = os.path.join(root, FILE)
    try:
        data = files.read_bytes(path)
        told = tomllib.loads(data.decode()) if data is not None else {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError("tree-rules-broken", path=path, reason=" ".join(str(error).split())) from None
    for key in told:
        if key not in _KEYS:
            raise UsageError("tree-rules-key", path=path, key=key, known=", ".join(_KEYS))
    return TreeRules(
        setup=_read_list(told, "setup", path),
        teardown=_read_list(told, "teardown", path),
        link=_read_places(told, "link", path) if "link" in told else None,
        copy=_read_places(told, "copy", path),
        ports=int(_read_number(told, "ports", path, 0, _MOST_PORTS)),
        seconds=_read_number(told, "seconds", path, 600.0, 86400),
    )


def _read_list(told: dict[str, Any], key: str, path: str) -> tuple[str, ...]:
    value = told.get(key, [])
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise _refuse(path, key, value)
    return tuple(found)


def _read_places(told: dict[str, Any], key: str, path: str) -> tuple[str, ...]:
    found = _read_list(told, key, path)
    places = [place_of(one, "") if not os.path.isabs(one) else None for one in found]
    for named, place in zip(found, places, strict=True):
        if not place or place.split("/")[0] == ".git":
            raise _refuse(path, key, named)
    return tuple(place for place in places if place)


def _read_number(told: dict[str, Any], key: str, path: str, default: float, most: float) -> float:
    value = told.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise _refuse(path, key, value)
    return value


def _refuse(path: str, key: str, value: object) -> UsageError:
    return UsageError(
        "tree-rules-value",
        path=path,
        key=key,
        value=redact_start(json.dumps(value, ensure_ascii=False, default=str), 200),
    )
