"""What is indexed, and who hands it over: memory knows Documents, and nobody who makes them."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

PROOF = "\x1f"  # what follows it in a cursor is for its producer alone
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


class Correction(NamedTuple):
    """A correction: `target` no longer stands; `by` replaces it, "" when it was taken back."""

    id: str
    target: str
    by: str = ""


class Unmark(NamedTuple):
    """A correction that was itself taken back."""

    id: str


class Gone(NamedTuple):
    """A document that no longer exists, or must not be found any more."""

    id: str


Change = Document | Correction | Unmark | Gone


class DocumentChanges(NamedTuple):
    """Changes in their order, and the cursor from which to go on after them."""

    changes: list[Change]
    cursor: str
    done: int = 0  # how far the producer is, of `total`, in its own measure
    total: int = 0
    anew: bool = False  # what this producer handed over before is void: its source was replaced


def is_at(cursor: str, end: str) -> bool:
    """Whether nothing is new after a cursor."""
    return cursor.partition(PROOF)[0] == end


class Producer(Protocol):
    """Hands over what is new since a cursor that it gave earlier; "" is the beginning."""

    source: str  # names what is read, the same in every process
    project_id: str
    kinds: frozenset[str]

    def end(self) -> str:
        """The cursor at which nothing is new."""
        ...

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        """Everything since a cursor, in batches; bounded memory however much it is."""
        ...
