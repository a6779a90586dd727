"""The contract's text in a project's AGENTS.md and CLAUDE.md: put in, renewed, taken out."""

import os

from mi.contract.guide import BLOCK, TEXT
from mi.contract.host_session import ProtectedFiles
from mi.hosts.apply import Placed, place
from mi.hosts.artefacts import MarkedBlock
from mi.hosts.workspaces import Workspace
from mi.kernel.errors import UsageError
from mi.kernel.home import Home

OWNER = "contract"
FILES = ("AGENTS.md", "CLAUDE.md")
_TEXTS = (".md", ".mdc", ".txt", "rules")  # what agents read as instructions: GEMINI.md, .cursorrules …


def find_files_with(root: str, home: Home) -> list[str]:
    """Return the files that hold the text now."""
    entries = Workspace.at(root, home).read().entries
    return [entry.path for entry in entries if entry.owner == OWNER]


def install(root: str, home: Home, files: list[str]) -> Placed:
    """Put the text into these files; into those of AGENTS.md and CLAUDE.md that are there when none is named."""
    for name in files:
        if not name.endswith(_TEXTS) or ProtectedFiles(root, home.root).hold(name):
            raise UsageError("contract-file", file=name)
    return place(Workspace.at(root, home), OWNER, list_texts(root, home, files))


def list_texts(root: str, home: Home, files: list[str]) -> list[MarkedBlock]:
    """Return the text in these files and where it stands already; without any named, in those that are there."""
    there = [name for name in FILES if os.path.exists(os.path.join(root, name))]
    wanted = dict.fromkeys([*find_files_with(root, home), *(files or there or FILES[:1])])
    return _build_blocks(_distinct(root, list(wanted)))


def update(root: str, home: Home) -> Placed:
    """Renew the text where it stands."""
    return _put(root, home, find_files_with(root, home))


def remove(root: str, home: Home) -> Placed:
    """Take the text out; what MI made alone is gone, and every file is as it was."""
    return _put(root, home, [])


def _put(root: str, home: Home, files: list[str]) -> Placed:
    return place(Workspace.at(root, home), OWNER, _build_blocks(files))


def _build_blocks(files: list[str]) -> list[MarkedBlock]:
    return [MarkedBlock(name, BLOCK, TEXT) for name in files]


def _distinct(root: str, files: list[str]) -> list[str]:
    """Return a CLAUDE.md that is a link to AGENTS.md is the same file: the text goes in once."""
    seen: dict[str, str] = {}
    for name in files:
        seen.setdefault(os.path.realpath(os.path.join(root, name)), name)
    return list(seen.values())
