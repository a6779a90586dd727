"""Which toolsets there are, and their generated definitions: no toolset is imported to answer `tools/list`."""

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType

from msgspec import Raw, Struct

from mi.kernel.errors import NotFound
from mi.kernel.jsontext import decode

DEFAULT = ("memory", "tasks")
FOLDER = os.path.join(os.path.dirname(__file__), "definitions")


class Definitions(Struct, frozen=True, kw_only=True):
    """What a toolset's file in `definitions/` holds; a tool is kept as the bytes that are sent."""

    instructions: str
    resources: bool
    tools: dict[str, Raw]


class Offer:
    """What one server offers: the definitions of its toolsets, and their modules once they are called."""

    def __init__(self, toolsets: dict[str, Definitions], load: Callable[[str], ModuleType] | None = None) -> None:
        self.toolsets = toolsets
        self._load = load or load_toolset
        self._home = {tool: name for name, one in toolsets.items() for tool in one.tools}

    @property
    def instructions(self) -> str:
        return "\n\n".join(one.instructions for one in self.toolsets.values() if one.instructions)

    @property
    def tools(self) -> list[bytes]:
        """The definition of every tool, as it is sent."""
        return [bytes(raw) for one in self.toolsets.values() for raw in one.tools.values()]

    @property
    def names(self) -> list[str]:
        return list(self._home)

    def module_of(self, tool: str) -> ModuleType | None:
        """Return the toolset that a tool belongs to; None for a tool that is not offered."""
        return self._load(self._home[tool]) if tool in self._home else None

    @property
    def with_resources(self) -> list[ModuleType]:
        """The toolsets that offer something to read."""
        return [self._load(name) for name, one in self.toolsets.items() if one.resources]

    @property
    def has_resources(self) -> bool:
        return any(one.resources for one in self.toolsets.values())


def offer(wish: tuple[str, ...]) -> Offer:
    """Return the toolsets asked for, else the default; NotFound for a name there is not."""
    for name in wish:
        if name not in list_known():
            raise NotFound("no-such-toolset", name=name, known=", ".join(list_known()))
    names = dict.fromkeys(wish) or [name for name in DEFAULT if name in list_known()]
    return Offer({name: load_definitions(name) for name in names})


@cache
def list_known() -> tuple[str, ...]:
    """Return every toolset, those of the default first."""
    found = sorted(name.removesuffix(".json") for name in os.listdir(FOLDER) if name.endswith(".json"))
    return (*(name for name in DEFAULT if name in found), *(name for name in found if name not in DEFAULT))


def load_definitions(name: str) -> Definitions:
    """Return a toolset's definitions as generated."""
    with open(os.path.join(FOLDER, f"{name}.json"), "rb") as file:
        return decode(file.read(), Definitions)


def load_toolset(name: str) -> ModuleType:
    """Return the module of a toolset, imported at its first call."""
    return import_module(f"mi.mcp.toolsets.{name}")
