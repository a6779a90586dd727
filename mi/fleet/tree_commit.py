"""Committing a whole work tree in the person's identity: no hook, no signature, and nothing that must not be kept."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from mi.kernel import git
from mi.kernel.errors import MiError
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.project.left_out import FileSieve, KeepRules, LeftOut

_GIT_S = 300.0
_NOBODY = {"NAME": "Mind Incarnation", "EMAIL": "mi@localhost"}
_SETTINGS = {"i18n.commitEncoding": "UTF-8"}


class WholeTree(NamedTuple):
    """A work tree as git would commit it, and what is not in it."""

    tree: str
    left_out: list[LeftOut] = []


def write_whole(
    top: str,
    keep: KeepRules,
    but: Iterable[str] = (),
    settings: dict[str, str] | None = None,
    also: Iterable[str] = (),
    even_hidden: bool = False,
) -> WholeTree:
    """Write down everything that is not ignored, and the paths of `also`; MiError when git cannot.

    The index stays as it is. New files that are too large or hold a secret are left out, and whatever lies at or below
    the paths of `but`, also where the agent has committed it. `even_hidden`: changes of files, too, that git was told
    not to look at.
    """
    with _open_index(top) as index:

        def ask(*args: str, stdin: bytes = b"") -> bytes:
            env = {"GIT_INDEX_FILE": index}
            answer = git.run_bytes(
                top, *args, stdin=stdin, timeout_s=_GIT_S, settings=_SETTINGS | (settings or {}), env=env, umask=-1
            )
            if answer.code != 0:
                raise MiError("tree-not-written", path=top, reason=answer.error or args[0])
            return answer.output

        shown = _find_hidden(top, ask("ls-files", "-v", "-z")) if even_hidden else b""
        for flag in ("--no-assume-unchanged", "--no-skip-worktree") if shown else ():
            ask("update-index", flag, "-z", "--stdin", stdin=shown)
        ask("add", "-u", "--", ".")
        skipped = tuple(but)
        if skipped:
            ask("--literal-pathspecs", "rm", "-r", "-q", "-f", "--cached", "--ignore-unmatch", "--", *skipped)
        listed = [os.fsdecode(name) for name in ask("ls-files", "-o", "--exclude-standard", "-z").split(b"\0") if name]
        sieve = FileSieve(top, keep)
        found = [path for path in listed if not _is_below(path, skipped)]
        left_out = [left for path in found if (left := _judge(sieve, path))]
        names = {left.path for left in left_out}
        taken = b"\0".join(os.fsencode(path) for path in (*found, *also) if path not in names)
        if taken:
            ask("update-index", "--add", "-z", "--stdin", stdin=taken)
        return WholeTree(ask("write-tree").decode().strip(), left_out)


def _find_hidden(top: str, listed: bytes) -> bytes:
    """Return the files that are there and that git does not look at; a sparse checkout's are not there."""
    names = [line[2:] for line in listed.split(b"\0") if line[:1] in (b"h", b"s", b"S")]
    return b"\0".join(name for name in names if os.path.lexists(os.path.join(os.fsencode(top), name)))


def _judge(sieve: FileSieve, path: str) -> LeftOut | None:
    return LeftOut(path, "repository") if path.endswith("/") else sieve.judge(path)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.rstrip("/") == folder or path.startswith(f"{folder}/") for folder in folders)


@contextmanager
def _open_index(top: str) -> Iterator[str]:
    """Yield a copy of the work tree's index."""
    theirs = os.path.join(git.find_git_folder(top), "index")
    with tempfile.TemporaryDirectory(prefix="mi-index-") as folder:
        own = os.path.join(folder, "index")
        if os.path.exists(theirs):
            shutil.copy2(theirs, own)
        yield own


def make_commit(top: str, tree: str, parent: str, message: str, notices: Notices) -> str:
    """Return a new commit that no branch has yet, in the person's identity; MiError when git cannot make it."""
    asked = ("commit-tree", tree, "-p", parent)
    made = git.run_bytes(top, *asked, stdin=message.encode(), settings=_SETTINGS, umask=-1)
    if made.code != 0:  # nobody told git who they are
        env = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _NOBODY.items()}
        made = git.run_bytes(top, *asked, stdin=message.encode(), settings=_SETTINGS, env=env, umask=-1)
        notices.add("commit-nobody", top)
    if made.code != 0:
        raise MiError("tree-not-written", path=top, reason=made.error)
    return made.output.decode().strip()


def refuse_unfiltered(top: str, head: str, tree: str, settings: dict[str, str]) -> None:
    """Raise MiError where a file changed whose filter is switched off: it would be committed unencrypted, or whole."""
    off = {key.split(".")[1] for key in settings if key.startswith("filter.")}
    changed = git.run_bytes(top, "diff-tree", "-r", "--name-only", "-z", head, tree).output if off else b""
    asked = git.run_bytes(top, "check-attr", "-z", "--stdin", "filter", stdin=changed).output if changed else b""
    words = [os.fsdecode(word) for word in asked.split(b"\0")]
    for path, _, driver in zip(words[::3], words[1::3], words[2::3], strict=False):
        if driver in off:
            raise MiError("tree-unfiltered", path=os.path.join(top, path), filter=driver)


def commit_changes(top: str, head: str, message: str, keep: KeepRules, notices: Notices) -> str:
    """Return a commit of what is not committed in a work tree, which itself stays as it is; `head` when nothing is."""
    settings = git.disable_filters(top)
    whole = write_whole(top, keep, settings=settings)
    refuse_unfiltered(top, head, whole.tree, settings)
    if whole.tree == git.run(top, "rev-parse", f"{head}^{{tree}}").output.strip():
        return head
    for left in whole.left_out:
        notices.add("not-committed", os.path.join(top, left.path), why=NestedText(f"run.unkept-{left.why}"))
    return make_commit(top, whole.tree, head, message, notices)


def list_branches(top: str, commit: str) -> list[str]:
    """Return the branches and tags that have a commit."""
    places = ("refs/heads", "refs/remotes", "refs/tags")
    found = git.run(top, "for-each-ref", f"--contains={commit}", "--format=%(refname)", *places)
    return found.output.split() if found.code == 0 else []
