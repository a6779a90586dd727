"""What can be placed into a workspace: five plain forms, and what rooms ask for in a host's own terms."""

import re
from typing import Any, Literal

from msgspec import Struct

from mi.kernel.errors import UsageError

_FOLDER_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


class File(Struct, frozen=True):
    """A file that is MI's as a whole."""

    path: str
    content: str


class Link(Struct, frozen=True):
    """A symlink at `path` to `target`, both in the workspace; a marked copy where links are impossible."""

    path: str
    target: str


class MarkedBlock(Struct, frozen=True):
    """Marked lines in a text file, made when absent; a line `taken` outside of them is the user's own: refused."""

    path: str
    name: str
    text: str
    comment: Literal["<!-- -->", "#"] = "<!-- -->"
    taken: str = ""


class JsonEntry(Struct, frozen=True):
    """A value at a key path of a JSON object."""

    path: str
    keys: tuple[str, ...]
    value: Any


class JsonItem(Struct, frozen=True):
    """An item in the list at a key path of a JSON object, e.g. a hook."""

    path: str
    keys: tuple[str, ...]
    value: Any


Artefact = File | Link | MarkedBlock | JsonEntry | JsonItem


def render_toml_block(path: str, name: str, text: str, taken: str = "") -> MarkedBlock:
    """Return marked lines for a TOML file."""
    return MarkedBlock(path, name, text, "#", taken)


class Skill(Struct, frozen=True, kw_only=True):
    """Something an agent can be told to do, as a folder with a SKILL.md; `files` are further files of the folder.

    `manual` keeps an agent from taking it up by itself: a person has to name it.
    """

    name: str
    description: str
    body: str
    files: dict[str, str] = {}
    manual: bool = False


class Agent(Struct, frozen=True, kw_only=True):
    """A role that a host can hand work to; where a host has no roles it becomes a skill."""

    name: str
    description: str
    body: str
    tools: list[str] = []


class HookEntry(Struct, frozen=True, kw_only=True):
    """A command that a host runs at an event."""

    event: str
    command: str
    matcher: str = ""
    timeout_s: int = 30


class McpEntry(Struct, frozen=True, kw_only=True):
    """An MCP server that a host starts."""

    name: str
    command: str
    args: list[str] = []
    env: dict[str, str] = {}


Wish = Skill | Agent | HookEntry | McpEntry


def name_folder(name: str) -> str:
    """Return the name when it can be a skill's or agent's folder; UsageError otherwise."""
    if not _FOLDER_NAME.fullmatch(name):
        raise UsageError("bad-folder-name", name=name)
    return name
