"""What is indexed, and who hands it over: memory knows Documents, and nobody who makes them."""

from typing import Protocol

from mi.kernel.log_source import Batch, LogSource
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.status import Correction

MAX_TEXT = 20_000  # characters of one document that are kept and searched


class Document(NamedTuple):
    """One thing that can be found by its words."""

    id: str
    kind: str  # claim, node, snapshot, workflow, evidence …
    text: str
    project_id: str = ""  # "" is global
    title: str = ""  # what it is called, or who speaks
    ts: str = ""
    tags: tuple[str, ...] = ()
    event_ids: tuple[str, ...] = ()  # the evidence it rests on
    valid_from: float | None = None  # seconds since the epoch
    valid_to: float | None = None
    weight: float = 1.0  # multiplies the score: how far its producer trusts it
    group: str = ""  # documents of one conversation or run are neighbours
    position: int = 0  # their order in the group


class Unmark(NamedTuple):
    """A correction that was itself taken back."""

    id: str


class Gone(NamedTuple):
    """A document that no longer exists, or must not be found any more."""

    id: str


Change = Document | Correction | Unmark | Gone


DocumentChanges = Batch[Change]


class Producer(LogSource[Change], Protocol):
    """A source of documents and corrections."""

    project_id: str
    kinds: frozenset[str]

    def end(self) -> str:
        """Return the cursor at which nothing is new."""
        ...
