"""Whether the branches that a task names hold the work, or are left alone, as it says."""

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
