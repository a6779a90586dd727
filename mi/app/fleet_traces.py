"""What runs in work trees of their own left in repositories, for whoever takes MI out again."""

import os

from mi.app.cleaning import CleanedTree, clean_trees
from mi.app.home_context import HomeContext
from mi.app.merge_driver import is_driver_installed
from mi.app.queue import build_queue
from mi.fleet.tree_commit import list_branches
from mi.fleet.tree_registry import TreeRegistry
from mi.fleet.tree_setup import hide
from mi.hosts.setups import read_setups
from mi.kernel import git
from mi.kernel.named_tuple import NamedTuple

_OWN = "refs/heads/mi/"


class LeftBranch(NamedTuple):
    """A branch that MI made; `merged`: another one has its work."""

    main: str
    name: str
    tip: str
    merged: bool


class FleetTraces(NamedTuple):
    """The work trees of runs, as cleaning sees them, the branches that MI made, and what else is in repositories."""

    trees: list[CleanedTree]
    branches: list[LeftBranch]
    configs: list[str] = []  # entries of git's settings
    queued: int = 0  # tasks that are not done

    @property
    def unmerged(self) -> list[str]:
        """Return what holds work that the person's own branches do not have."""
        found = [f"{one.main} {one.name}" for one in self.branches if not one.merged]
        return found + [one.tree.path for one in self.trees if one.stays or one.would_keep]


def find_traces(context: HomeContext) -> FleetTraces:
    """Return what is there; nothing is changed."""
    registry = TreeRegistry(context.home, context.notices).read()
    trees = list(clean_trees(context, list(registry), apply=False))
    known = {one.tree.branch for one in trees if one.branch_goes}
    tops = (git.find_toplevel(root) for root in context.known_projects.roots if os.path.isdir(root))
    mains = dict.fromkeys([*(tree.main for tree in registry.values()), *filter(None, tops)])
    branches = [one for main in mains if os.path.isdir(main) for one in _find_branches(main, known)]
    set_up = [root for root in read_setups(context.home, context.notices) if os.path.isdir(root)]
    configs = [f"{root} git config merge.mi" for root in set_up if is_driver_installed(root)]
    counts = build_queue(context).counts()
    return FleetTraces(trees, branches, configs, sum(counts.get(one, 0) for one in ("queued", "running", "waiting")))


def _find_branches(main: str, known: set[str]) -> list[LeftBranch]:
    found = []
    for line in git.run(main, "for-each-ref", "--format=%(refname) %(objectname)", _OWN).output.splitlines():
        ref, _, tip = line.partition(" ")
        name = ref.removeprefix("refs/heads/")
        merged = name in known or any(not one.startswith(_OWN) for one in list_branches(main, tip))
        found.append(LeftBranch(main, name, tip, merged))
    return found


def remove_traces(context: HomeContext, traces: FleetTraces) -> list[CleanedTree]:
    """Remove the work trees, as cleaning does, and the branches; return the trees that stay, and why."""
    done = list(clean_trees(context, [one.tree.run_id for one in traces.trees], apply=True))
    stay = [one for one in done if one.stays]
    kept = {one.tree.branch for one in stay}
    for branch in traces.branches:
        if branch.name not in kept:
            git.run_bytes(branch.main, "update-ref", "-d", f"refs/heads/{branch.name}", branch.tip, umask=-1)
    registry = TreeRegistry(context.home, context.notices)
    for main in {branch.main for branch in traces.branches}:
        hide(main, registry.list_shown(main))
    return stay
