"""What one store says at a moment: now, or as of an earlier time."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.status import RedirectStep, head
from mi.knowledge.thoughts.intake import CONFIRMED, EDGES_AT, tagged
from mi.knowledge.thoughts.kinds import REDIRECTS, STATUSES, Kind, Scope, Status, kind_of
from mi.knowledge.thoughts.line_state import parse
from mi.knowledge.thoughts.view import View

Direction = Literal["out", "in", "both"]
_COLUMNS = "seq, id, type, offset, first_offset, first_ts, valid_from, valid_to, status, lines, from_id, to_id"
_HEARD = ("by_agent = 0", f"by_agent = 1 AND {CONFIRMED}")
_PAGES = (64, 1024)  # rows asked for at once: the first time, and then


class Row(NamedTuple):
    """A thought in the tables of a view."""

    seq: int
    id: str
    type: str
    offset: int
    first_offset: int
    first_ts: int
    valid_from: int | None
    valid_to: int | None
    status: int
    lines: int
    from_id: str
    to_id: str


class Filter(NamedTuple):
    """Which thoughts are wanted; a tag that ends in `*` is a prefix. `active` means standing and valid at the time.

    `heard` leaves out what an agent said and nothing supports; it costs what is left, however much that was.
    """

    status: Status | None = "active"
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    contains: str = ""
    heard: bool = False


class Thought(NamedTuple):
    """A claim, node or edge with its derived state; the stored line is read when it is asked for."""

    kind: Kind
    id: str
    scope: Scope
    type: str
    status: Status
    valid: bool
    seq: int
    offset: int
    from_id: str
    to_id: str
    view: View

    @property
    def stands(self) -> bool:
        """Active, and valid at the time that was asked about."""
        return self.status == "active" and self.valid

    @property
    def raw(self) -> dict[str, Any]:
        """The stored line, with every field that was written."""
        return self.view.raw(self.kind, self.offset)


class Reading:
    """One store at one moment; `as_of` (milliseconds) leaves out every line that was written later."""

    def __init__(self, view: View, scope: Scope, as_of: int | None = None) -> None:
        self.view = view
        self.scope: Scope = scope
        self._as_of = as_of
        self._at = time.time_ns() // 1_000_000 if as_of is None else as_of

    def get(self, thought_id: str) -> Thought | None:
        """Return a thought by its id."""
        kind = kind_of(thought_id)
        if kind is None:
            return None
        rows = self.view.query(f"SELECT {_COLUMNS} FROM {kind} WHERE id = ?", (thought_id,))
        return self._thought(kind, Row(*rows[0])) if rows else None

    def find(self, kind: Kind, wanted: Filter = Filter()) -> Iterator[Thought]:  # noqa: B008
        """Yield the wanted thoughts, newest first."""
        matches = self._matcher(wanted)
        for row in self._rows(kind, wanted):
            thought = self._thought(kind, row)
            if thought is not None and matches(thought):
                yield thought

    def count(self, kind: Kind, tag: str) -> int:
        """Return how many thoughts with a tag stand."""
        return sum(1 for _ in self.find(kind, Filter(tags=(tag,))))

    def how_many(self, kind: Kind, type_: str = "", tag: str = "") -> int:
        """Return how many thoughts stand, of a type and with a tag if they are given; whatever their dates."""
        conditions, values = _conditions(kind, Filter(tags=(tag,) if tag else ()))
        if type_:
            conditions, values = f"{conditions} AND type = ?", (*values, type_)
        return int(self.view.query(f"SELECT count(*) FROM {kind} WHERE {conditions}", values)[0][0])

    def edges(
        self, of: str, direction: Direction = "both", types: tuple[str, ...] = (), retracted: bool = False
    ) -> Iterator[Thought]:
        """Yield the standing edges at an id, oldest first, and with `retracted` those that were taken back."""
        ends = {"out": "from_id = ?1", "in": "to_id = ?1", "both": "from_id = ?1 OR to_id = ?1"}[direction]
        query = f"SELECT {_COLUMNS} FROM edge WHERE {EDGES_AT} AND ({ends}) ORDER BY seq"
        for row in self.view.query(query, (of,)):
            edge = self._thought("edge", Row(*row))
            if edge is None or (types and edge.type not in types):
                continue
            if retracted or edge.status == "active":
                yield edge

    def edges_at(self, from_id: str | None, to_id: str | None, wanted: Filter) -> Iterator[Thought]:
        """Yield the wanted edges that begin or end at given ids, newest first."""
        one, ends = (from_id, "from_id = ?1") if from_id is not None else (to_id, "to_id = ?1")
        if from_id is not None and to_id is not None:
            ends += " AND to_id = ?2"
        query = f"SELECT {_COLUMNS} FROM edge WHERE {EDGES_AT} AND ({ends}) ORDER BY seq DESC"
        values = (one, to_id) if "?2" in ends else (one,)
        for row in map(Row._make, self.view.query(query, values)):
            edge = self._thought("edge", row)
            if edge is None or (wanted.types and edge.type not in wanted.types):
                continue
            if wanted.status in (None, edge.status):
                yield edge

    def out(self, thought_id: str) -> RedirectStep | None:
        """Return the newest standing redirect of an id."""
        if self._as_of is None:
            return self.view.out(thought_id)
        edges = self.edges(thought_id, "out", REDIRECTS)
        found = [RedirectStep(edge.to_id, edge.offset) for edge in edges if edge.to_id != thought_id]
        return max(found, key=lambda step: step.at, default=None)

    def retraction(self, thought: Thought) -> dict[str, Any] | None:
        """Return the line that took a retracted thought back: the first after it was last asserted."""
        if thought.status != "retracted":
            return None
        query = "SELECT offset FROM history WHERE kind = ? AND id = ? AND offset > ? AND asserts = 0 AND ts <= ?"
        limit = self._at if self._as_of is not None else 1 << 62
        rows = self.view.query(query + " ORDER BY offset", (thought.kind, thought.id, thought.offset, limit))
        return self.view.raw(thought.kind, rows[0][0]) if rows else None

    def _rows(self, kind: Kind, wanted: Filter) -> Iterator[Row]:
        if self._as_of is not None:
            return self._pages(kind, *_conditions_then(kind, wanted, self._as_of))
        conditions, values = _conditions(kind, wanted)
        each = [(f"{conditions} AND type = ?", (*values, one)) for one in wanted.types] or [(conditions, values)]
        if wanted.heard:
            each = [(f"{asked} AND {by}", given) for asked, given in each for by in _HEARD]
        if len(each) == 1:
            return self._pages(kind, *each[0])
        from heapq import merge

        return merge(*(self._pages(kind, *one) for one in each), key=lambda row: -row.seq)

    def _pages(self, kind: Kind, conditions: str, values: tuple[object, ...]) -> Iterator[Row]:
        """Rows in pages, so that who stops early has not read them all."""
        query = f"SELECT {_COLUMNS} FROM {kind} WHERE {conditions} AND seq < ? ORDER BY seq DESC LIMIT ?"
        before, size = 1 << 62, _PAGES[0]
        while rows := self.view.query(query, (*values, before, size)):
            for row in rows:
                yield Row(*row)
            before = rows[-1][0]
            size = _PAGES[1]

    def _matcher(self, wanted: Filter) -> Callable[[Thought], bool]:
        needle = wanted.contains.casefold()
        now = self._as_of is None  # then the query has chosen by type and tag already

        def matches(thought: Thought) -> bool:
            if wanted.status and thought.status != wanted.status:
                return False
            if wanted.status == "active" and not thought.valid:
                return False
            if not now and wanted.types and thought.type not in wanted.types:
                return False
            if not now and wanted.tags and not _has_tags(thought.raw.get("tags"), wanted.tags):
                return False
            return not needle or needle in _text_of(thought.raw).casefold()

        return matches

    def _thought(self, kind: Kind, row: Row) -> Thought | None:
        if self._as_of is not None:
            return self._thought_then(kind, row)
        valid = self._is_valid(row.valid_from, row.valid_to)
        return self._made(kind, row, row.type, STATUSES[row.status], valid, row.offset)

    def _thought_then(self, kind: Kind, row: Row) -> Thought | None:
        """Return the thought as of an earlier time; None when it was not known then."""
        offset, retracted = self._last_said(kind, row)
        if offset is None:
            return None
        thought_type, valid_from, valid_to = row.type, row.valid_from, row.valid_to
        if row.lines > 1:
            entry = parse(self.view.line(kind, offset), kind)
            if entry is not None:
                thought_type, valid_from, valid_to = entry.type, entry.valid_from, entry.valid_to
        superseded = kind != "edge" and head(row.id, self.out) != row.id
        status: Status = "retracted" if retracted else "superseded" if superseded else "active"
        return self._made(kind, row, thought_type, status, self._is_valid(valid_from, valid_to), offset)

    def _last_said(self, kind: Kind, row: Row) -> tuple[int | None, bool]:
        """Return where a thought was last asserted by then, and whether it was taken back since."""
        said = [(row.first_offset, 1, row.first_ts)]
        if row.lines > 1:
            query = "SELECT offset, asserts, ts FROM history WHERE kind = ? AND id = ? ORDER BY offset"
            said += self.view.query(query, (kind, row.id))
        known = [(offset, asserts) for offset, asserts, ts in said if ts <= self._at]
        asserted = [offset for offset, asserts in known if asserts]
        return (asserted[-1], not known[-1][1]) if asserted else (None, False)

    def _is_valid(self, valid_from: int | None, valid_to: int | None) -> bool:
        return (valid_from is None or valid_from <= self._at) and (valid_to is None or self._at < valid_to)

    def _made(self, kind: Kind, row: Row, type_: str, status: Status, valid: bool, offset: int) -> Thought:
        ends = (row.from_id, row.to_id)
        return Thought(kind, row.id, self.scope, type_, status, valid, row.seq, offset, *ends, self.view)


def _conditions(kind: Kind, wanted: Filter) -> tuple[str, tuple[object, ...]]:
    conditions = [f"status = {STATUSES.index(wanted.status)}" if wanted.status else "1"]
    values: list[object] = []
    for tag in wanted.tags:
        condition, asked = tagged(kind, tag)
        conditions.append(condition)
        values += asked
    return " AND ".join(conditions), tuple(values)


def _conditions_then(kind: Kind, wanted: Filter, as_of: int) -> tuple[str, tuple[object, ...]]:
    """Return `_conditions` for an earlier time: what was said once was then what it is now."""
    conditions, values = _conditions(kind, wanted._replace(status=None))
    marks = ",".join("?" * len(wanted.types))
    typed = f" AND type IN ({marks})" if wanted.types else ""
    typed += f" AND (by_agent = 0 OR {CONFIRMED})" if wanted.heard else ""
    return f"(lines > 1 OR (first_ts <= ? AND {conditions}{typed}))", (as_of, *values, *wanted.types)


def _has_tags(tags: object, wanted: tuple[str, ...]) -> bool:
    held = [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
    return all(any(one.startswith(tag[:-1]) if tag.endswith("*") else one == tag for one in held) for tag in wanted)


def _text_of(raw: dict[str, Any]) -> str:
    """Return what a person would search in."""
    return "\n".join(str(raw.get(name) or "") for name in ("title", "text", "notes"))
