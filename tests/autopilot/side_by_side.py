"""Runs side by side: work trees of one repository, and an agent that stays in its first batch until it is let go."""

from pathlib import Path

from tests.autopilot.workbench import MEND, TEST, Json, Workbench, run, say
from tests.conftest import git


class Gate:
    """Holds every agent in its first batch, each in its own tree, until it is opened."""

    def __init__(self, bench: Workbench, *after: Json) -> None:
        self._folder = bench.folder
        (bench.folder / "there").mkdir()
        come = f"echo $$ > {bench.folder}/there/$(basename $PWD)"
        stays = f"{come}; n=0; until [ -e {bench.folder}/gate -o $n = 1200 ]; do sleep 0.05; n=$((n+1)); done"
        bench.agent([run(stays), *(after or (MEND, TEST, say("Done."))), run("true")])

    def has(self, *trees: Workbench) -> bool:
        """Return whether the agents of these trees have come to the gate."""
        return all((self._folder / "there" / tree.project.name).exists() for tree in trees)

    def open(self) -> None:
        """Let the agents go on."""
        (self._folder / "gate").touch()


def add_tree(bench: Workbench, name: str) -> Workbench:
    """Return a bench in a linked work tree of the same repository, with the same home and agent."""
    tree = bench.folder / name
    git(bench.project, "worktree", "add", "-q", "-b", name, str(tree))
    beside = Workbench(Path(tree), bench.folder)
    beside.config = bench.config
    return beside
