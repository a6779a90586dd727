"""What every memory backend can do; whoever implements it passes tests/knowledge/search/test_backends.py."""

import os
from typing import Protocol

from mi.kernel.errors import UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.documents import Document, DocumentChanges
from mi.knowledge.search.team import TEAM

BACKENDS = ("sqlite_fts", "in_memory")
THOUGHTS = ("claim", "node", "snapshot", "workflow", *TEAM)
EVIDENCE = ("evidence",)


class Query(NamedTuple):
    """What to look for, and where."""

    tokens: tuple[str, ...]
    kinds: tuple[str, ...] = THOUGHTS
    project_id: str | None = None  # the project that asks; its own corrections hold for it
    only_project: bool = True  # look in that project and the global part; else everywhere
    without_project: bool = False  # leave that project out
    limit: int = 10
    now: float | None = None  # what is not valid at this moment is left out; None: whatever its dates
    sources: tuple[str, ...] | None = None  # only what these handed over; None: whoever did
    tags: tuple[str, ...] = ()  # at least one of them; () for any
    corrected: bool = False  # also what was taken back or replaced, after what stands
    text: str = ""  # the question in its own words, for what finds by nearness; "": the tokens


class Hit(NamedTuple):
    """A document that was found; `corrected_by` is "" while it stands, else what replaced it or `retracted`."""

    document: Document
    score: float
    corrected_by: str = ""


class Status(NamedTuple):
    """How much a backend holds."""

    documents: dict[str, int]  # by kind
    corrected: int
    sources: int
    bytes: int


class Backend(Protocol):
    """Keeps documents and finds them by words."""

    name: str

    def cursors(self) -> dict[str, str]:
        """Return how far each source was taken in."""
        ...

    def apply(self, source: str, project_id: str, since: str, batch: DocumentChanges) -> bool:
        """Take in a batch read from `since`, wholly or not at all; False when another process was faster."""
        ...

    def forget(self, source: str) -> None:
        """Remove a source with everything that came from it."""
        ...

    def search(self, query: Query) -> list[Hit]:
        """Return the best matches, best first; any tokens whatever, and never an error for what they hold."""
        ...

    def newest(self, query: Query) -> list[Hit]:
        """Return the documents of the query's kinds, the newest first; its words do not count."""
        ...

    def count(self, query: Query) -> int:
        """Return how many of them there are."""
        ...

    def status(self) -> Status:
        """Return what is there."""
        ...

    def wasted(self) -> bool:
        """Return whether so much of it is rubbish that building it again pays."""
        ...

    def clear(self) -> None:
        """Empty it."""
        ...

    def close(self) -> None:
        """Give back what is held open; afterwards nothing else may be asked."""
        ...


def chosen_name() -> str:
    """Return the backend that $MI_MEMORY_BACKEND names, else sqlite_fts."""
    name = os.environ.get("MI_MEMORY_BACKEND") or BACKENDS[0]
    if name not in BACKENDS:
        raise UsageError("unknown-memory-backend", name=name, known=", ".join(BACKENDS))
    return name
