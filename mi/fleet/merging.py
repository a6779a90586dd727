"""Bringing a run's branch over: tried beside the person's tree first, so that nothing is ever half done."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from mi.fleet.tree_lock import hold_tree_list
from mi.fleet.work_trees import find_missing_filters
from mi.kernel import git
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.named_tuple import NamedTuple

MergeWay = Literal["", "ff-only", "merge", "rebase"]  # '' is a fast-forward where it can be one, else a merge
_GIT_S = 600.0
_UNSIGNED = {
    "commit.gpgSign": "false",
    "merge.autoStash": "false",
    "rerere.enabled": "false",
    "merge.renormalize": "false",
}
_NAMED = 10  # files that are named in a line


class MergePlan(NamedTuple):
    """What is brought where."""

    main: str  # the top of the person's own tree
    branch: str  # whose commits are brought over, for people
    tip: str
    into: str  # a branch
    target: str  # where it is now
    message: str  # of a merge commit
    settings: dict[str, str]  # git's, for the filters of the repository


class MergeResult(NamedTuple):
    """How it was brought over; `commit` is where the branch is now."""

    commit: str
    way: Literal["already", "fast-forward", "merge", "rebase"]
    files: list[str] = []


def find_target(main: str, into: str) -> tuple[str, str]:
    """Return the branch to bring work to, the one that is checked out unless another is named, and its commit."""
    named = into or git.find_branch(main)
    if named in ("HEAD", "unknown"):
        raise UsageError("merge-where", root=main)
    found = git.run(main, "rev-parse", "--verify", "-q", f"refs/heads/{named}^{{commit}}")
    if found.code != 0:
        raise NotFound("merge-no-branch", branch=named, root=main)
    return named, found.output.strip()


def merge_branch(plan: MergePlan, way: MergeWay) -> MergeResult:
    """Bring a branch over; MiError where it does not go together or files are in the way: then nothing has changed."""
    if _is_ancestor(plan.main, plan.tip, plan.target):
        return MergeResult(plan.target, "already")
    is_straight = _is_ancestor(plan.main, plan.target, plan.tip)
    if way == "ff-only" and not is_straight:
        raise MiError("merge-not-straight", branch=plan.branch, into=plan.into)
    if is_straight and way != "merge":
        commit, done = plan.tip, "fast-forward"
    else:
        commit, done = _try_out(plan, rebase=way == "rebase"), "rebase" if way == "rebase" else "merge"
    files = _ask(plan.main, "diff", "--name-only", "-z", plan.target, commit).split("\0")
    _move(plan, commit, [name for name in files if name])
    return MergeResult(commit, done, [name for name in files if name])  # type: ignore[arg-type]  # one of the words above


def _try_out(plan: MergePlan, rebase: bool) -> str:
    """Return the commit that brings both together, made in a scratch tree; MiError naming the files that conflict."""
    if rebase and _ask(plan.main, "rev-list", "--merges", "-1", f"{plan.target}..{plan.tip}"):
        raise MiError("merge-with-merges", branch=plan.branch, into=plan.into)
    with _open_scratch(plan) as scratch:
        if rebase:
            words = ["rebase", "--quiet", "--no-verify", "--no-autostash", plan.target, plan.tip]
        else:
            words = ["merge", "--quiet", "--no-ff", "--no-verify", "--no-edit", "-m", plan.message, plan.tip]
        done = _git(scratch, *words, settings=plan.settings)
        if done.code == 0:
            return _ask(scratch, "rev-parse", "HEAD").strip()
        files = sorted(
            {name for name in _ask(scratch, "diff", "--name-only", "--diff-filter=U", "-z").split("\0") if name}
        )
    if files:
        raise MiError("merge-conflicts", branch=plan.branch, into=plan.into, files=name_files(files))
    raise MiError("merge-failed", branch=plan.branch, into=plan.into, reason=done.error)


@contextmanager
def _open_scratch(plan: MergePlan) -> Iterator[str]:
    """Yield a work tree of its own at the target, which goes afterwards."""
    folder = tempfile.mkdtemp(prefix="mi-merge-")
    place = os.path.join(folder, "tree")
    try:
        words = ("worktree", "add", "--quiet", "--detach", place, plan.target)
        with hold_tree_list(plan.main):
            made = _git(plan.main, *words, settings=plan.settings)
        if made.code != 0:
            raise MiError("merge-failed", branch=plan.branch, into=plan.into, reason=made.error)
        yield place
    finally:
        with hold_tree_list(plan.main):
            _git(plan.main, "worktree", "remove", "--force", place)
            shutil.rmtree(folder, ignore_errors=True)
            _git(plan.main, "worktree", "prune")


def _move(plan: MergePlan, commit: str, files: list[str]) -> None:
    """Move the branch on to a commit, with the files of the work tree that has it checked out."""
    tree = find_checked_out(plan.main, plan.into)
    if not tree:
        done = _git(
            plan.main, "update-ref", "-m", f"mi merge {plan.branch}", f"refs/heads/{plan.into}", commit, plan.target
        )
        reason = done.error
    else:
        in_the_way = find_in_the_way(tree, files)
        if in_the_way:
            raise MiError("merge-in-the-way", root=tree, files=name_files(in_the_way), branch=plan.branch)
        # In their own tree the person's filters run, as with their own git: files must not come out encrypted.
        done = _git(
            tree,
            "merge",
            "--quiet",
            "--ff-only",
            "--no-overwrite-ignore",
            "--no-verify",
            commit,
            settings=find_missing_filters(),
        )
        reason = done.error
    if done.code != 0:
        raise MiError("merge-failed", branch=plan.branch, into=plan.into, reason=reason)


def find_checked_out(main: str, branch: str) -> str:
    """Return the work tree in which a branch is checked out; '' where it is in none."""
    place = ""
    for line in _ask(main, "worktree", "list", "--porcelain").splitlines():
        word, _, value = line.partition(" ")
        if word == "worktree":
            place = value
        elif word == "branch" and value == f"refs/heads/{branch}" and os.path.isdir(place):
            return place
    return ""


def find_in_the_way(tree: str, files: list[str]) -> list[str]:
    """Return which of some files the person has changed, or made themselves, in a work tree."""
    asked = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all")
    changed = {line[3:] for line in _ask(tree, *asked, settings=git.disable_filters(tree)).split("\0") if line}
    wanted, known = set(files), set(_ask(tree, "ls-files", "-z").split("\0"))
    changed |= {name for name in wanted - known if os.path.lexists(os.path.join(tree, name))}  # also what is ignored
    folders = {parent for name in files for parent in _parents(name)}
    return sorted(name for name in changed if name in wanted or name in folders or wanted & set(_parents(name)))


def _parents(path: str) -> Iterator[str]:
    while path := os.path.dirname(path):
        yield path


def name_files(files: list[str]) -> str:
    """Return some files as one line names them."""
    more = len(files) - _NAMED
    return ", ".join(files[:_NAMED]) + (f" (+{more})" if more > 0 else "")


def _is_ancestor(top: str, commit: str, of: str) -> bool:
    return git.run(top, "merge-base", "--is-ancestor", commit, of).code == 0


def _ask(top: str, *args: str, settings: dict[str, str] | None = None) -> str:
    answer = _git(top, *args, settings=settings)
    if answer.code != 0:
        raise MiError("tree-not-written", path=top, reason=answer.error or args[0])
    return os.fsdecode(answer.output)


def _git(top: str, *args: str, settings: dict[str, str] | None = None) -> git.GitBytes:
    lazy = {"GIT_NO_LAZY_FETCH": None}
    return git.run_bytes(top, *args, timeout_s=_GIT_S, settings=_UNSIGNED | (settings or {}), env=lazy, umask=-1)
