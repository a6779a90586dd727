"""The trees beside a run's own: whether the agent worked in one of them."""

import re
from collections.abc import Iterable, Iterator

from mi.evidence.reader import read_back
from mi.evidence.records.run import BatchEnd
from mi.fleet.tree_registry import WorkTree
from mi.kernel import git
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.mind.views import read_batch
from mi.tasks import NEXUS_TASKS, TINY_TASKS

_STATUS_S = 10.0


class ForeignAct(NamedTuple):
    """What the agent did with a tree that is not its own."""

    path: str
    said: str  # the command or the file


class OtherTrees:
    """The person's tree as it was, and the trees of the runs beside.

    The person and other runs work in them, too: something counts as the agent's only where it named the folder, and,
    in the person's own tree, which an agent may well read, where that changed since.
    """

    def __init__(self, tree: WorkTree, others: Iterable[WorkTree]) -> None:
        self._main = tree.main
        self._others = [one.path for one in others if one.path != tree.path and one.main == tree.main]
        self._own = tree.path
        self._before = _look(self._main)

    def find_acts(self, log: str, run_id: str, notices: Notices) -> list[ForeignAct]:
        """Return what the agent of a run did with these trees, the latest first."""
        trees = self._others if _look(self._main) == self._before else [self._main, *self._others]
        said = list(_list_said(log, run_id, notices)) if trees else []
        found = (ForeignAct(path, one) for path in trees for one in said if _names(one, path, self._own))
        return list(found)


def _list_said(log: str, run_id: str, notices: Notices) -> Iterator[str]:
    """Yield the commands that the agent ran and the files that it named, from the run's batches."""
    for event in read_back(log, notices):
        if event.head.run_id != run_id:
            continue
        record = event.record()
        if isinstance(record, BatchEnd) and record.seen:
            batch = read_batch(record.seen)
            yield from (command.command for command in batch.commands if not command.refused)
            yield from batch.transcript_observation.file_paths
        if event.head.kind == "run_start" and event.head.seq == 1:
            return


def _names(text: str, path: str, own: str) -> bool:
    """Return whether a text names a folder or something in it; the run's own tree may lie below it."""
    return re.search(re.escape(path) + r"(?![\w.-])", text.replace(own, "")) is not None


def _look(top: str) -> tuple[str, str]:
    """Return what tells whether a tree changed: its commit, and what is not committed beside the task list.

    What an agent ticks there is taken back.
    """
    lists = [f":(exclude,glob)**/{name}" for name in (TINY_TASKS, NEXUS_TASKS)]
    head = git.run(top, "rev-parse", "HEAD").output
    return head, git.run(top, "status", "--porcelain", "-z", "--", ".", *lists, timeout_s=_STATUS_S).output
