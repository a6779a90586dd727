"""Whether branches and commits are as a task says: they hold the work, were merged, or were left alone."""

import re
from collections.abc import Iterable, Iterator

from mi.kernel import git
from mi.kernel.language import compiled, each_language, patterns
from mi.project.trees import GitTree
from mi.project.worktree import WorktreeWatch


def find_branch_faults(text: str, work: Iterable[str], watch: WorktreeWatch) -> Iterator[str]:
    """Yield what is not as a part of a task says of branches, in words; `work` are the files that changed."""
    wanted = find_branches(text)
    if watch.first_tree is None or not wanted:
        return
    for name in wanted:
        if name == git.find_branch(watch.root):
            continue  # whether it is committed there is asked for by itself
        branch = _tree_of(name, watch)
        if branch is None:
            yield f"there is no branch `{name}`"
        elif lacking := [path for path in work if branch.entry(path) != watch.last_tree.entry(path)]:
            yield f"branch `{name}` does not hold `{lacking[0]}` as it is"
    for name in _named([known.leaves_branch for known in each_language()], text):
        branch = _tree_of(name, watch)
        if branch and any(branch.entry(path) == watch.last_tree.entry(path) for path in work):
            yield f"branch `{name}` was to be left alone, and holds the change"


def find_merge_faults(text: str, watch: WorktreeWatch) -> Iterator[str]:
    """Yield the files of a branch to be merged that are as if it had not been, in words.

    What both sides changed is for whoever merges to resolve, and what the task names is its own.
    """
    if re.search(r"\bours\b", text):
        return
    for name in _named([known.merges for known in each_language()], text):
        branch = _tree_of(name, watch)
        fork = GitTree(watch.root, _fork_of(name, watch.root)) if branch else None
        for path in branch.changed_since(fork) if branch and fork and fork.tree_id else ():
            if fork and watch.last_tree.entry(path) == fork.entry(path) and path not in text:
                yield f"`{path}` is as it was before branch `{name}`"
                break


def _fork_of(name: str, root: str) -> str:
    """Return the commit at which a branch left the one it was merged into; where it was not, the present one."""
    tip = git.run(root, "rev-parse", f"refs/heads/{name}").output.strip()
    merges = git.run(root, "rev-list", "--first-parent", "--merges", "--parents", "-5", "HEAD").output.splitlines()
    into = next((parents[1] for line in merges if tip in (parents := line.split())[2:]), "HEAD")
    return git.run(root, "merge-base", into, tip).output.strip()


def find_few_commits(text: str, watch: WorktreeWatch) -> Iterator[str]:
    """Yield that fewer commits were made than a part of a task says; nothing where it cannot be told how many."""
    said = next((found for one in each_language() if (found := compiled(one.commit_number).search(text))), None)
    first = watch.first_tree
    if said is None or said.lastgroup is None or first is None:
        return
    trees = git.run(watch.root, "log", "--format=%T", "-50").output.split()
    if first.tree_id in trees and trees.index(first.tree_id) < int(said.lastgroup[1:]):
        yield f"{trees.index(first.tree_id)} of {said.lastgroup[1:]} commits were made"


def find_held_work(text: str, watch: WorktreeWatch) -> list[str]:
    """Return the branches that a part of a task names and that hold something else than there was at first."""
    first = watch.first_tree
    trees = {name: _tree_of(name, watch) for name in find_branches(text)} if first else {}
    return [name for name, tree in trees.items() if first and tree and tree.changed_since(first)]


def find_branches(text: str) -> list[str]:
    """Return the branches on which a part of a task wants the work."""
    return list(_named([known.on_branch for known in each_language()], text))


def _named(ways: list[str], text: str) -> Iterator[str]:
    """Yield the names of the branches that a text names in one way, and does not refuse."""
    refusal = compiled(rf"(?:{patterns().negation})[^,.;]{{0,20}}\Z")
    for way in ways:
        for found in compiled(way).finditer(text):
            if not refusal.search(text[: found.start()]):
                yield next(filter(None, found.groups())).strip("`\"'“.")


def _tree_of(name: str, watch: WorktreeWatch) -> GitTree | None:
    ref = f"refs/heads/{name}"
    there = git.run(watch.root, "rev-parse", "--verify", "-q", f"{ref}^{{commit}}").code == 0
    return GitTree(watch.root, ref) if there else None
