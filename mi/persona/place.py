"""Where a persona lives, who reads it, and the private spaces that nobody but their owner may enter."""

import os
import re

from mi.kernel import inside
from mi.kernel.errors import MiError, NotFound, StorageError, UsageError
from mi.kernel.files import read_bytes
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import decode

_MEMBER = r"[^\W_][\w-]{0,63}"
SELF = "self"


class PrivateOfOther(MiError):
    """A file lies in another member's private space, or a link leads there."""


class PersonaView(NamedTuple):
    """A persona directory as one member sees it; `project` is the root of the project that brought it along."""

    root: str
    member: str
    project: str = ""
    key: str = ""  # the file with the key to encrypted private files, where it is not the usual one

    def path(self, *parts: str) -> str:
        """Return a path below the persona.

        StorageError when a link leads out of it, or the persona out of its project.
        """
        return self.checked(os.path.join(self.root, *parts))

    def checked(self, path: str) -> str:
        """Return a path that was found below the persona; StorageError when a link leads out."""
        if self.project:
            inside.checked(self.project, self.root)
        return inside.checked(self.root, path)

    @property
    def private(self) -> str:
        """The member's own private space."""
        return self.path(f".{self.member}", "private")


def find_view(configured: str, project_root: str, home_root: str, member: str) -> PersonaView:
    """Return the persona as a member sees it, wherever it lies."""
    root = find_root(configured, project_root, home_root)
    own = not configured and root == os.path.join(project_root, "persona")
    return PersonaView(root, member, project_root if own else "")


def find_root(configured: str, project_root: str, home_root: str) -> str:
    """Return the persona's folder: the setting, else the project's own when it has one, else the home's."""
    if configured:
        return os.path.abspath(os.path.expanduser(configured))
    own = os.path.join(project_root, "persona")
    return own if os.path.isdir(own) else os.path.join(home_root, "persona")


def check_member_name(name: str) -> str:
    """Return a member's name, safe as part of a path; UsageError otherwise."""
    if not re.fullmatch(_MEMBER, name) or name == SELF:
        raise UsageError("bad-member", name=name)
    return name


def find_owner(persona: PersonaView, path: str) -> str | None:
    """Return the member in whose private space a path lies, wherever its links lead; None for shared files."""
    root = os.path.realpath(persona.root)
    parts = os.path.relpath(os.path.realpath(path), root).split(os.sep)
    if len(parts) >= 2 and parts[0].startswith(".") and parts[0] != os.pardir and parts[1] == "private":
        return persona.member if parts[0][1:] == SELF else parts[0][1:]
    return None


def may_read(persona: PersonaView, path: str) -> bool:
    """Return whether the member may read a file: shared ones and what is private to themselves, none that leads out."""
    try:
        persona.checked(path)
    except StorageError:
        return False
    return find_owner(persona, path) in (None, persona.member)


def read_text(persona: PersonaView, path: str) -> str | None:
    """Return the text of a file of the persona, None when there is none; another member's is refused."""
    persona.checked(path)
    if not may_read(persona, path):
        raise PrivateOfOther(
            "private-of-other", path=os.path.relpath(path, persona.root), owner=find_owner(persona, path)
        )
    data = read_bytes(path)
    return None if data is None else decode(data)


def list_markdown(folder: str) -> list[str]:
    """Return the Markdown files below a folder, in order; hidden folders are not entered."""
    found: list[str] = []
    for base, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [os.path.join(base, name) for name in sorted(names) if name.endswith(".md") and name[0] != "."]
    return found


def require_persona(persona: PersonaView) -> PersonaView:
    """Return the persona, when it is there; NotFound with the way to make one."""
    if not os.path.isdir(persona.root):
        raise NotFound("no-persona", path=persona.root)
    persona.path()
    return persona
