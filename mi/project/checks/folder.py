"""A folder of a project as detection sees it: its names, and the files among them, read once and bounded."""

import os
import tomllib
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

from mi.kernel.files import read_bytes
from mi.kernel.jsontext import BadJson, decode

_MAX_FILE = 1 << 20


class ProjectFolder:
    """One folder; `inside` has the names of the folders below it by their path from the project's root."""

    def __init__(
        self,
        root: str,
        path: str,
        inside: dict[str, set[str]],
        is_project: bool,
        above: Mapping[str, set[str]] = MappingProxyType({}),
    ) -> None:
        self.path = path
        self._above = above
        self.inside = inside
        self.names = inside[path]
        self.is_project = is_project  # at the root, or a project of its own
        self._place = os.path.join(root, path)

    def text(self, name: str) -> str:
        """Return what a file holds; '' when it is not there or cannot be read."""
        return text_of(self._place, name) if "/" in name or name in self.names else ""

    def has(self, path: str) -> bool:
        """Return whether a file is there, also where detection does not look."""
        return os.path.exists(os.path.join(self._place, path))

    def is_within(self, file: str) -> bool:
        """Return whether the folder directly above has a file, too: then this one is a part of it."""
        return bool(self.path) and file in self._above.get(os.path.dirname(self.path), set())

    def nearest(self, files: Mapping[str, str]) -> str:
        """Return what the first of some files stands for that is here, or else in the nearest folder above."""
        path = self.path
        while True:
            names = self.names if path == self.path else self._above.get(path, set())
            found = next((meaning for file, meaning in files.items() if file in names), "")
            if found or not path:
                return found
            path = os.path.dirname(path)

    def list(self, name: str) -> list[str]:
        """Return the names in a folder below."""
        try:
            return sorted(os.listdir(os.path.join(self._place, name)))
        except OSError:
            return []

    def json(self, name: str) -> dict[str, Any]:
        """Return the object in a file; nothing when there is none."""
        return read_json(self.text(name))

    @cached_property
    def package(self) -> dict[str, Any]:
        """The folder's package.json."""
        return self.json("package.json")

    @cached_property
    def pyproject(self) -> dict[str, Any]:
        """The folder's pyproject.toml."""
        return read_toml(self.text("pyproject.toml"))


def text_of(root: str, name: str) -> str:
    """Return what a file of a project holds, bounded; '' when it cannot be read."""
    path = os.path.join(root, name)
    try:
        data = read_bytes(path) if os.path.isfile(path) and os.path.getsize(path) <= _MAX_FILE else None
    except OSError:
        return ""
    return (data or b"").decode("utf-8", "replace")


def read_json(text: str) -> dict[str, Any]:
    """Return a JSON text as an object; nothing when it is none."""
    try:
        return decode(text.encode(), dict[str, Any])
    except BadJson:
        return {}


def read_toml(text: str) -> dict[str, Any]:
    """Return a TOML text as an object; nothing when it is none."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def mapping(value: object) -> dict[str, Any]:
    """Return an object of a foreign file as such; anything else as an empty one."""
    return value if isinstance(value, dict) else {}
