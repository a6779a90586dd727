"""Repositories that keep contents and references of trees: the person's own, or one that MI makes."""

import os
import stat
from functools import lru_cache

from mi.kernel import files, git
from mi.kernel.home import make_dirs
from mi.kernel.named_tuple import NamedTuple


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
    places = find_places(top)
    return TreeStore(places.common, places.objects) if places else None


class GitPlaces(NamedTuple):
    """Where the repository of a work tree keeps what belongs to that work tree."""

    common: str
    objects: str
    index_file: str
    info: str


def find_places(top: str) -> GitPlaces | None:
    """Return the places of a work tree's repository, asked for once; None when git cannot say."""
    try:
        status = os.lstat(os.path.join(top, ".git"))
        return _ask_places(top, status.st_ino, 0 if stat.S_ISDIR(status.st_mode) else status.st_ctime_ns)
    except OSError:
        return None


@lru_cache(maxsize=16)
def _ask_places(top: str, node: int, moment: int) -> GitPlaces:
    """Return what git says; `node` and `moment` tell one repository from the next at the same path. Else OSError."""
    asked = [word for name in ("objects", "index", "info") for word in ("--git-path", name)]
    answer = git.run(top, "rev-parse", "--path-format=absolute", "--git-common-dir", *asked)
    paths = answer.output.splitlines()
    if answer.code != 0 or len(paths) != 4:
        raise OSError(0, "git rev-parse", top)  # not kept: it may be able to say later
    return GitPlaces(*paths)


def explain_no_store(root: str) -> str:
    """Return why a project's repository has no place for contents, in a few words."""
    other = git.find_stranger(git.find_toplevel(root) or root)
    why = f".git leads to {other}, the repository of another work tree"
    return why if other else "git cannot say where the repository keeps its contents"
