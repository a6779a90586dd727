"""What a decision may ask about the place where somebody works: branches, aliases, links."""

import os
from collections.abc import Callable

from mi.kernel.named_tuple import NamedTuple


def _unknown(*asked: str) -> str:
    return ""


def _nothing(path: str) -> list[str]:
    return []


class Surroundings(NamedTuple):
    """Questions to the place where somebody works; a folder is '' for the one they are in, an answer '' for unknown."""

    branch_of: Callable[[str], str] = _unknown  # folder → the branch that is checked out
    pushes_to: Callable[[str], str] = _unknown  # folder → the branch that a push without one reaches, if it is another
    alias_of: Callable[[str, str], str] = _unknown  # folder, name → what git has under that alias
    real: Callable[[str], str] = str  # a path as written → without links and detours
    private_below: Callable[[str], list[str]] = _nothing  # a path → the files of private spaces that lie below it
    member: str = ""  # who works there
    folder: str = ""  # where in it, as a command line says it

    def inside(self, folder: str) -> "Surroundings":
        """Return the same questions, asked from a folder below."""
        if not folder:
            return self
        return Surroundings(
            lambda inner: self.branch_of(joined(folder, inner)),
            lambda inner: self.pushes_to(joined(folder, inner)),
            lambda inner, name: self.alias_of(joined(folder, inner), name),
            lambda path: self.real(joined(folder, path)),
            lambda path: self.private_below(joined(folder, path)),
            self.member,
            joined(self.folder, folder),
        )

    def on(self, branch: str) -> "Surroundings":
        """Return the same place after another branch was checked out; '' when nobody can tell which."""
        return self._replace(branch_of=lambda folder: branch, pushes_to=_unknown)

    def knowing(self, alias: str, value: str) -> "Surroundings":
        """Return the same place after an alias was set."""
        return self._replace(alias_of=lambda folder, name: value if name == alias else self.alias_of(folder, name))


NOWHERE = Surroundings()


def joined(folder: str, path: str) -> str:
    """Return a path as seen from outside of the folder."""
    return path if path.startswith(("~", "$HOME", "${HOME")) or not folder else os.path.join(folder, path)
