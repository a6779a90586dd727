"""Repositories that keep contents and references of trees: the person's own, or one that MI makes."""

import os
from typing import NamedTuple

from mi.kernel import files, git
from mi.kernel.home import make_dirs


class TreeStore(NamedTuple):
    """A repository that keeps contents and references: the person's, or one that MI made."""

    git_dir: str
    objects: str
    is_own: bool = False


def make_repository(folder: str, settings: dict[str, str]) -> None:
    """Make the folders and files that git takes for a repository."""
    for name in ("objects", "refs", "info"):
        make_dirs(os.path.join(folder, name))
    version = 1 if "extensions.objectformat" in settings else 0
    lines = ["[core]", f"\trepositoryformatversion = {version}", "\tbare = false"]
    for key, value in settings.items():
        section, _, name = key.partition(".")
        lines += [f"[{section}]", f"\t{name} = {value}"]
    files.write_atomic(os.path.join(folder, "config"), ("\n".join(lines) + "\n").encode())
    files.write_atomic(os.path.join(folder, "HEAD"), b"ref: refs/heads/none\n")


def find_store(top: str) -> TreeStore | None:
    """Return where a work tree's repository keeps its contents; None when git cannot say, or it is another tree's."""
    if git.find_stranger(top):
        return None
    asked = ("--git-common-dir", "--git-path", "objects")
    answer = git.run(top, "rev-parse", "--path-format=absolute", *asked)
    paths = answer.output.splitlines()
    return TreeStore(paths[0], paths[1]) if answer.code == 0 and len(paths) == 2 else None


def explain_no_store(root: str) -> str:
    """Return why a project's repository has no place for contents, in a few words."""
    other = git.find_stranger(git.find_toplevel(root) or root)
    why = f".git leads to {other}, the repository of another work tree"
    return why if other else "git cannot say where the repository keeps its contents"
