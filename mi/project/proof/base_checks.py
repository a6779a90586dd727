"""The checks of a project as its base has them, and what a copy needs before they can run in it."""

import os
from collections.abc import Container, Sequence

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.own import read_own
from mi.project.checks.runner import Check
from mi.project.proof.copies import Copy, CopyRules, Scratch, make_copy
from mi.project.trees import GitTree


class BaseChecks(NamedTuple):
    """What the files of the base say; read once, from a copy that stays until the scratch folder goes."""

    project: ProjectChecks
    prepare: tuple[str, ...]
    rules: CopyRules

    def needed(self, changed: Sequence[str], trusted: Container[str]) -> list[Check]:
        """Return the checks that cover a change, by commands that the person trusted where these are enough."""
        return self.project.needed(changed, trusted)


def read_base_checks(base: GitTree, scratch: Scratch, own_file: str) -> BaseChecks:
    """Return what a tree says about its checks; `own_file` is the person's word, in the home. OSError without room."""
    copy = make_copy(base, scratch)
    if copy.problem:
        raise OSError(0, copy.problem)
    _show_installed(copy)
    root = os.path.join(copy.folder, os.path.relpath(copy.root, copy.top))
    own = read_own(root, own_file, Notices())  # what is wrong with it was said when the run began
    rules = CopyRules(tuple(own.link), tuple(own.copy))
    return BaseChecks(ProjectChecks.read(root, own.checks), tuple(own.prepare), rules)


def _show_installed(copy: Copy) -> None:
    """Let the programs that are installed beside the sources be found: a check may be called by their path."""
    for path in copy.dependencies:
        place = os.path.join(copy.folder, path)
        os.rmdir(place)
        os.symlink(os.path.join(copy.top, path), place)
