"""Records of work trees: how they were kept, what became of them, what was put back."""

from typing import Literal

from msgspec import Struct

from mi.evidence.records.base import Record, Say


class LeftOutFile(Struct, frozen=True, kw_only=True):
    """A file or folder that is not in a snapshot, and why."""

    path: str
    why: str = ""
    size: int = 0


class TreeSnapshot(Record, frozen=True, kw_only=True, tag="tree_snapshot"):
    """The work tree as it was kept before a batch, or after the latest one (`of` is `end`); or why it was not."""

    of: str = ""  # the batch before which it was taken
    commit: str = ""
    tree: str = ""
    place: str = ""  # the repository that keeps it
    left_out: list[LeftOutFile] = []
    is_first: bool = False  # of this repository
    reason: str = ""
    attributes: str = ""  # git's rules that it was taken by, where they are not those of the run's start

    def headline(self, say: Say = str) -> str:
        return self.reason or f"{self.of} {self.commit}"


class TreeWork(Record, frozen=True, kw_only=True, tag="tree_work"):
    """What became of the work in a run's own work tree: committed, brought over, or the tree removed."""

    follows_end = True
    shown_in = ("run",)

    act: Literal["committed", "merged", "removed"] = "committed"
    path: str = ""
    branch: str = ""
    commit: str = ""
    into: str = ""  # the branch that it was brought to
    result: str = ""  # where that branch was then
    left_out: list[LeftOutFile] = []  # what stays in the tree alone

    def headline(self, say: Say = str) -> str:
        return f"{say(self.act)} {self.branch} {self.commit[:12]}".strip()


class TreeRestore(Record, frozen=True, kw_only=True, tag="tree_restore"):
    """The work tree is put back as a snapshot kept it: what is about to be done, then what was."""

    said_by = "person"

    ref: str = ""  # the snapshot
    commit: str = ""
    kept: str = ""  # the snapshot of the state before
    state: Literal["begun", "done"] = "begun"
    put_back: list[str] = []
    removed: list[str] = []
    left: list[LeftOutFile] = []

    def headline(self, say: Say = str) -> str:
        return f"{say(self.state)} {self.ref}"
