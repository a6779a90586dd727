"""Removing work trees of runs: only what is merged or kept in a reference goes, and nothing that no reference holds."""

import filecmp
import os
import re
import shutil
from collections.abc import Iterable, Iterator

from mi.evidence.records.trees import TreeWork
from mi.fleet.tree_commit import WholeTree, list_branches, make_commit, write_whole
from mi.fleet.tree_lock import hold_tree_list
from mi.fleet.tree_registry import TreeRegistry, WorkTree
from mi.fleet.tree_setup import find_time, hide, list_submodules
from mi.fleet.work_trees import choose_filters
from mi.kernel import git
from mi.kernel.errors import MiError
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.project.left_out import FileSieve, KeepRules, is_tool_folder
from mi.project.proof.dependencies import BUILD_FOLDERS, DEPENDENCY_FOLDERS
from mi.project.snapshots import CLEANED, name_ref

_CACHES = frozenset("__pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis .cache .turbo .next".split())
_DERIVED = DEPENDENCY_FOLDERS | BUILD_FOLDERS | _CACHES
_UNDERWAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
_OWN_BRANCH = re.compile(r"refs/(heads|remotes/[^/]+)/mi/")  # pushed, too: whoever owns the remote may remove it
_MOST = 2000  # ignored files that are kept one by one


class TreeContents(NamedTuple):
    """What of a work tree a reference must hold before it goes; `stuck`: why it cannot go, and what is in the way."""

    tree: str = ""  # '' where a commit of a branch holds everything
    head: str = ""
    loose: bool = False  # no branch has the commit that the tree is at
    stuck: tuple[str, str] | None = None


def look_into(home: Home, tree: WorkTree, keep: KeepRules) -> TreeContents:
    """Return what would be lost with a work tree, and whether it can be kept."""
    folder = git.find_git_folder(tree.path)
    underway = next((name for name in _UNDERWAY if os.path.lexists(os.path.join(folder, name))), "")
    if underway:
        return TreeContents(stuck=("underway", underway))
    if os.path.lexists(os.path.join(folder, "locked")):
        return TreeContents(stuck=("locked", tree.path))
    submodule = next(_find_dirty_submodules(tree.path), "")
    if submodule:
        return TreeContents(stuck=("submodule", submodule))
    ignored = list(_find_ignored(tree))
    if len(ignored) > _MOST:
        return TreeContents(stuck=("many", str(len(ignored))))
    sieve = FileSieve(tree.path, keep)
    unkept = next((path for path in ignored if path.endswith("/") or sieve.judge(path)), "")  # a repository: a folder
    given = [*tree.links, *_list_unchanged(tree)]
    if unkept:
        return TreeContents(stuck=("unkept", unkept))
    whole = write_whole(tree.path, keep, given, choose_filters(home, tree), ignored, even_hidden=True)
    if whole.left_out:
        return TreeContents(stuck=("unkept", whole.left_out[0].path))
    return _compare(tree, whole)


def _compare(tree: WorkTree, whole: WholeTree) -> TreeContents:
    head = git.run(tree.path, "rev-parse", "HEAD").output.strip()
    is_same = git.run(tree.path, "rev-parse", "HEAD^{tree}").output.strip() == whole.tree
    return TreeContents("" if is_same else whole.tree, head, not list_branches(tree.main, head))


def _list_unchanged(tree: WorkTree) -> list[str]:
    """Return what the tree was given and is as it was."""
    made = [path for path, time in tree.made.items() if find_time(tree.path, path) == time]
    return made + [
        path for path in tree.copies if _is_same(os.path.join(tree.main, path), os.path.join(tree.path, path))
    ]


def _is_same(source: str, copy: str) -> bool:
    if os.path.isdir(source) and os.path.isdir(copy):
        seen = filecmp.dircmp(source, copy, ignore=[])
        return not (
            seen.left_only or seen.right_only or seen.diff_files or seen.funny_files or seen.common_funny
        ) and all(_is_same(os.path.join(source, name), os.path.join(copy, name)) for name in seen.common_dirs)
    try:
        return filecmp.cmp(source, copy, shallow=False)
    except OSError:
        return not os.path.lexists(copy)


def _find_ignored(tree: WorkTree) -> Iterator[str]:
    """Yield the ignored files of a work tree that nothing can make again: no cache, no build, no dependency."""
    asked = ("ls-files", "-o", "-i", "--exclude-standard", "-z")
    skipped = [f":(exclude,glob)**/{name}/**" for name in sorted(_DERIVED)]
    listed = git.run_bytes(tree.path, *asked, "--", ".", *skipped, timeout_s=120.0).output
    given = {*tree.links, *_list_unchanged(tree)}
    known: dict[str, bool] = {}
    for name in listed.split(b"\0"):
        path = os.fsdecode(name)
        is_derived = not path or path.endswith((".pyc", ".DS_Store")) or path in given
        if not is_derived and not _is_inside(path, given) and not _is_tools(tree.path, os.path.dirname(path), known):
            yield path


def _is_inside(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(f"{folder}/") for folder in folders)


def _is_tools(top: str, folder: str, known: dict[str, bool]) -> bool:
    if folder and folder not in known:
        known[folder] = _is_tools(top, os.path.dirname(folder), known) or is_tool_folder(os.path.join(top, folder))
    return known.get(folder, False)


def _find_dirty_submodules(top: str) -> Iterator[str]:
    """Yield the submodules that hold what no branch of theirs has: changes, or commits."""
    for path in list_submodules(top):
        place = os.path.join(top, path)
        if git.find_toplevel(place) == os.path.realpath(place):
            head = git.run(place, "rev-parse", "HEAD").output.strip()
            if git.list_uncommitted(place) or not list_branches(place, head):
                yield path
            yield from (os.path.join(path, inner) for inner in _find_dirty_submodules(place))


def is_merged(tree: WorkTree, tip: str, works: Iterable[TreeWork]) -> bool:
    """Return whether a branch that is not MI's has the work of a run, by its commits or by what the log says."""
    brought = [work.result for work in works if work.act == "merged" and work.commit == tip and work.result]
    found = (name for commit in (tip, *brought) for name in list_branches(tree.main, commit))
    return any(not _OWN_BRANCH.match(name) for name in found)


def keep_contents(tree: WorkTree, contents: TreeContents, notices: Notices) -> str:
    """Keep what a work tree holds and no branch has under a reference; return it, '' where there is nothing to keep."""
    if not contents.tree and not contents.loose:
        return ""
    ref, commit = name_ref(tree.run_id, CLEANED), contents.head
    if contents.tree:
        commit = make_commit(
            tree.path, contents.tree, contents.head, f"left in the work tree of {tree.run_id}\n", notices
        )
    kept = git.run_bytes(tree.main, "update-ref", "--no-deref", ref, commit, umask=-1)
    if kept.code != 0:
        raise MiError("tree-not-written", path=tree.path, reason=kept.error)
    return ref


def remove_tree(home: Home, tree: WorkTree, notices: Notices) -> None:
    """Remove a work tree, and what the home and git know of it; links in it are not followed."""
    inside = list_submodules(tree.path) if os.path.isdir(tree.path) else {}
    with hold_tree_list(tree.main):
        git.run(tree.main, "worktree", "remove", "--force", "--force", tree.path, timeout_s=300.0)
        shutil.rmtree(tree.path, ignore_errors=True)
        for path in ("", *inside):
            git.run(os.path.join(tree.main, path), "worktree", "prune")
    registry = TreeRegistry(home, notices)
    registry.remove(tree.run_id)
    if tree.shown:
        hide(tree.main, registry.list_shown(tree.main))
    try:
        os.rmdir(os.path.dirname(tree.path))
    except OSError:
        pass  # others are there


def remove_branch(tree: WorkTree, tip: str) -> None:
    """Remove the branch of a run whose work another branch has; one that moved meanwhile stays."""
    git.run_bytes(tree.main, "update-ref", "-d", f"refs/heads/{tree.branch}", tip, umask=-1)
