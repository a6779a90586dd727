"""Who a project is: the same id for every clone, and after the folder was moved."""

import os
import re
from typing import Literal

from msgspec import Struct

from mi.kernel import git
from mi.kernel.errors import StorageError
from mi.kernel.named_tuple import NamedTuple

# Compiled at their first use: a project that is known is not looked at again.
_SCP_FORM = r"^(?:[^@/\s]+@)?([^:/\s]+):(?!//)(.+)$"  # git@host:owner/name.git
_URL_FORM = r"^[A-Za-z][A-Za-z0-9+.-]*://(?:[^/]*@)?([^/@]*)/(.*)$"
_DEFAULT_PORT = r":(?:22|80|443|9418)$"
_HISTORY_TIMEOUT_S = 30.0  # the first commit of a very large repository takes a while, once


class Identity(NamedTuple):
    """What a project is recognised by."""

    kind: Literal["git", "path"]
    key: str


class Project(Struct, frozen=True, kw_only=True):
    """A project a command works on: where, and which it is; a linked work tree is the project of its main one."""

    root: str
    project_id: str
    key: str
    linked_to: str = ""  # the project's root in the main work tree, where this one is a linked tree of it

    @property
    def main_root(self) -> str:
        """Return the person's own tree: what is remembered of the project goes by it."""
        return self.linked_to or self.root

    @property
    def identity(self) -> Identity:
        return Identity("path" if self.key.startswith("path:") else "git", self.key)


def identify(root: str) -> Identity:
    """Return the identity of a project root: its remote, else its first commit, else its path."""
    top = git.find_toplevel(root)
    if top is not None:
        relative = os.path.relpath(os.path.realpath(root), top)
        suffix = "" if relative == "." else f":{relative}"
        if origin := _origin(top):
            return Identity("git", f"git:origin:{origin}{suffix}")
        if first := _first_commit(top):
            return Identity("git", f"git:root:{first}{suffix}")
    return Identity("path", f"path:{os.path.realpath(root)}")


def find_main_root(root: str) -> str:
    """Return the same folder in the main work tree; '' where a root lies in no linked one."""
    top = git.find_toplevel(root)
    main = git.find_main_tree(top) if top else ""
    if not main or not top:
        return ""
    place = os.path.normpath(os.path.join(main, os.path.relpath(os.path.realpath(root), top)))
    return place if os.path.isdir(place) else ""


def make_project_id(key: str) -> str:
    """Return the id that an identity key gives."""
    from mi.kernel.digest import hash_sha256

    return hash_sha256(key.encode("utf-8", "surrogateescape"))[:16]


def normalise_remote(url: str, top: str = "/") -> str:
    """`host/path` of a remote, the same for its ssh, https and scp-like forms, without credentials.

    A remote that is a folder is told apart from others by where it is, seen from the repository at `top`.
    """
    url = url.strip()
    if url.lower().startswith("file://"):
        url = url[7:]
    if match := re.match(_URL_FORM, url) or re.match(_SCP_FORM, url):
        host, path = re.sub(_DEFAULT_PORT, "", match[1].lower()), match[2]
        return f"{host}/{_clean_path(path)}"
    return os.path.normpath(os.path.join(top, url)).removesuffix(".git").rstrip("/")


def _clean_path(path: str) -> str:
    return path.strip("/").removesuffix(".git").rstrip("/")


def _origin(top: str) -> str:
    answer = git.run(top, "config", "--get", "remote.origin.url")
    url = answer.output.strip() if answer.code == 0 else ""
    return normalise_remote(url, top) if url else ""


def _first_commit(top: str) -> str:
    """Return the oldest commit without a parent; a history with several roots has one of them last."""
    own = {"GIT_NO_REPLACE_OBJECTS": None}  # a history that the person joined by `git replace` stays what it was
    answer = git.run(top, "rev-list", "--max-parents=0", "HEAD", timeout_s=_HISTORY_TIMEOUT_S, env=own)
    commits = answer.output.split() if answer.code == 0 else []
    return commits[-1] if commits else ""


def make_storable(root: str) -> str:
    """Return a root that may be written down; one whose name is not UTF-8 would be another folder's when read back."""
    try:
        root.encode()
    except UnicodeEncodeError:
        raise StorageError("folder-not-utf8", path=root) from None
    return root
