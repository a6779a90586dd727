"""Which project root a command means: named, selected by @token, or inferred from where it runs."""

import os
import re
from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec import Struct

from mi.kernel import clock, git
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.kernel.state import read_state, update_state
from mi.project.identity import make_storable
from mi.project.known import KnownProjects

How = Literal["cd", "here", "MI_CD", "subproject", "git", "pinned", "last", "cwd"]
_ALIAS = re.compile(r"\w[\w.-]{0,63}")
RESERVED = ("last", "pinned")


class Selected(Struct, frozen=True, kw_only=True):
    """A remembered root."""

    root_path: str = ""
    ts: str = ""


class Selections(Struct, frozen=True, kw_only=True):
    """`global/project_selection.json`: a convenience, never a source of truth."""

    version: str = "v1"
    last: Selected | None = None
    pinned: Selected | None = None
    aliases: dict[str, Selected] = {}


class Choice(NamedTuple):
    """The root that was chosen and which rule chose it."""

    root: str
    how: How


class Wish(NamedTuple):
    """What the person said about the project on the command line."""

    cd: str | None = None
    here: bool = False
    remembered: bool = True  # whether what was selected earlier counts; for agents it does not


class SelectionFile:
    """Reads and changes the remembered selections of a home."""

    def __init__(self, home: Home, notices: Notices) -> None:
        self._home = home
        self._notices = notices

    def read(self) -> Selections:
        return read_state(self._home.selection, Selections, self._notices)

    def set_last(self, root: str) -> None:
        """Remember the project used last; nothing is written when it already is."""
        last = self.read().last
        if last is None or last.root_path != root:
            self._update(lambda old: msgspec.structs.replace(old, last=_selected(root)))

    def pin(self, root: str | None) -> None:
        """Pin a project, or none."""
        self._update(lambda old: msgspec.structs.replace(old, pinned=_selected(root) if root else None))

    def add_alias(self, name: str, root: str) -> None:
        """Name a project."""
        if not _ALIAS.fullmatch(name) or name in RESERVED:
            raise UsageError("bad-alias", name=name)
        self._update(lambda old: msgspec.structs.replace(old, aliases=old.aliases | {name: _selected(root)}))

    def remove_alias(self, name: str) -> None:
        """Forget a name."""
        known = self.read().aliases
        if name not in known:
            raise NotFound("unknown-alias", name=name, known=", ".join("@" + alias for alias in known) or "-")

        def without(old: Selections) -> Selections:
            return msgspec.structs.replace(old, aliases={k: v for k, v in old.aliases.items() if k != name})

        self._update(without)

    def _update(self, change: Callable[[Selections], Selections]) -> None:
        update_state(self._home.selection, Selections, change, self._notices)


def choose(wish: Wish, cwd: str, selections: SelectionFile, known: KnownProjects, notices: Notices) -> Choice:
    """Return the root a command works on: what was said, else $MI_CD, else what the current folder implies."""
    if wish.cd is not None:
        return Choice(resolve(wish.cd, cwd, selections), "cd")
    if wish.here:
        return Choice(os.path.realpath(cwd), "here")
    if named := os.environ.get("MI_CD"):
        return Choice(resolve(named, cwd, selections, "$MI_CD"), "MI_CD")
    place = os.path.realpath(cwd)
    if not wish.remembered:
        top = git.find_toplevel(place)
        return Choice(top, "git") if top else Choice(place, "cwd")
    return _infer(place, selections, known, notices)


def resolve(named: str, cwd: str, selections: SelectionFile, field: str = "--cd") -> str:
    """Return a path or @token as an existing folder."""
    if named.startswith("@"):
        path = _root_of_token(named[1:], selections.read())
    else:
        path = os.path.join(cwd, os.path.expanduser(named))
    if not os.path.isdir(path):
        raise NotFound("no-such-folder", field=field, value=named, path=path)
    return os.path.realpath(path)


def _root_of_token(token: str, selections: Selections) -> str:
    chosen = {"last": selections.last, "pinned": selections.pinned}.get(token) or selections.aliases.get(token)
    if chosen is not None:
        return chosen.root_path
    if token in RESERVED:
        raise NotFound("nothing-selected", token="@" + token, command="use" if token == "last" else "pin")
    raise NotFound("unknown-alias", name=token, known=", ".join("@" + alias for alias in selections.aliases) or "-")


def _infer(cwd: str, selections: SelectionFile, known: KnownProjects, notices: Notices) -> Choice:
    top = git.find_toplevel(cwd)
    if top is not None:
        return _nearest_known(cwd, top, known)
    remembered = selections.read()
    options: tuple[tuple[How, Selected | None], ...] = (("pinned", remembered.pinned), ("last", remembered.last))
    for how, selected in options:
        if selected is None:
            continue
        if os.path.isdir(selected.root_path):
            return Choice(selected.root_path, how)
        notices.add("selection-gone", selected.root_path, token="@" + how)
    return Choice(cwd, "cwd")


def _nearest_known(cwd: str, top: str, known: KnownProjects) -> Choice:
    """Return the nearest folder that was used as a project of its own inside a repository, also in its main tree."""
    folder, main = cwd, git.find_main_tree(top)
    while folder != top:
        if folder in known.roots or (main and os.path.join(main, os.path.relpath(folder, top)) in known.roots):
            return Choice(folder, "subproject")
        folder = os.path.dirname(folder)
    return Choice(top, "git")


def _selected(root: str) -> Selected:
    return Selected(root_path=make_storable(root), ts=clock.now())
