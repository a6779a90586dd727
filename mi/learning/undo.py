"""Taking back what a run or an event taught, and restoring it: only ever by appended lines."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import Event, read_back
from mi.evidence.records.run import Redo, Undo
from mi.kernel import jsonl
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.jsontext import BadJson
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.graph import label
from mi.knowledge.thoughts.kinds import REDIRECTS
from mi.knowledge.thoughts.line_state import fields
from mi.knowledge.thoughts.store import ThoughtStore, also_citing
from mi.knowledge.thoughts.store_state import Reading, Thought


class Target:
    """A run (`run_…`, `cli_…`) or an event (`ev_…`)."""

    def __init__(self, ref: str) -> None:
        if not ref.startswith(("run_", "cli_", "ev_")):
            raise UsageError("bad-target", ref=ref)
        self.ref = ref

    @property
    def first(self) -> str:
        """The event before which nothing can be about the target."""
        return self.ref if self.ref.startswith("ev_") else f"ev_{self.ref}_1"

    def holds(self, event_id: str) -> bool:
        """Return whether an event is the target or part of it."""
        return event_id == self.ref if self.ref.startswith("ev_") else event_id.startswith(f"ev_{self.ref}_")


class Taught(NamedTuple):
    """What a target changed in one place: thoughts it added, and thoughts it took back."""

    added: list[Thought]
    taken_back: list[Thought]

    def __bool__(self) -> bool:
        return bool(self.added or self.taken_back)

    def ids(self) -> dict[str, Any]:
        """Return the ids as the undo's record keeps them."""
        names = {"claim": "claims", "node": "nodes", "edge": "edges"}
        found: dict[str, Any] = {name: [] for name in (*names.values(), "restored")}
        for one in self.added:
            found[names[one.kind]].append(one.id)
        found["restored"] = [one.id for one in self.taken_back]
        return found

    def shown(self) -> list[dict[str, str]]:
        """Return the lines for a preview."""
        both = [("take back", one) for one in self.added] + [("restore", one) for one in self.taken_back]
        return [_shown(do, one.id, one.kind, find_text(one), one.scope) for do, one in both]


class OtherLesson(Protocol):
    """Whoever else keeps what runs teach (workflows, the overlay) and can take it back."""

    name: str

    def taught(self, holds: Callable[[str], bool]) -> list[str]:
        """Return what came from the events in question, one line each."""
        ...

    def take_back(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Undo it, citing the event that says so."""
        ...

    def restore(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Undo the undoing."""
        ...


class UndoPlace(NamedTuple):
    """A store and the log in which changes to it are recorded."""

    store: ThoughtStore
    log: str
    open_log: Callable[[], EvidenceWriter]


def find_taught(store: ThoughtStore, target: Target) -> Taught:
    """Return what a target added to a store and still stands there, and what it took back and is still gone."""
    reading = store.read()
    added: dict[str, Thought] = {}
    gone: dict[str, Thought] = {}
    for thought_id, _ in _lines_citing(store, target):
        thought = reading.get(thought_id)
        if thought is None:
            continue
        if thought.status != "retracted":
            if _cites(thought.raw, target):
                added[thought_id] = thought
        elif _cites(reading.retraction(thought) or {}, target) and not _cites(thought.raw, target):
            gone[thought_id] = thought
    return Taught(list(added.values()), list(gone.values()))


def find_snapshots(log: str, target: Target) -> dict[str, str]:
    """Return the snapshots of a run, or the one that an event is, with what they say; none that is taken back already.

    A snapshot stays in the log as what was seen. Taken back, it is recalled no more.
    """
    found: dict[str, str] = {}
    restored = False  # the latest word on the target is a redo
    for event in read_back(log, Notices()) if not target.ref.startswith("cli_") else ():
        kind = event.head.kind
        if kind in ("undo", "redo") and not restored and event.fields().get("target") == target.ref:
            if kind == "undo":
                break
            restored = True
        elif kind == "snapshot" and target.holds(event.head.event_id):
            raw = event.fields()
            found[str(raw.get("snapshot_id") or event.head.event_id)] = str(raw.get("text") or "")
        if event.head.event_id == target.first:
            break
    return dict(reversed(found.items()))


def describe_change(places: list[UndoPlace], target: Target, others: Sequence[OtherLesson]) -> list[dict[str, str]]:
    """Return what undoing would do, for a preview: thoughts, snapshots, then what others keep."""
    found = [one for place in places for one in find_taught(place.store, target).shown()]
    for name, said in find_snapshots(places[0].log, target).items():
        found.append(_shown("take back", name, "snapshot", said))
    for other in others:
        for line in other.taught(target.holds):
            found.append(_shown("take back", other.name, other.name, line))
    return found


def undo(places: list[UndoPlace], target: Target, others: Sequence[OtherLesson]) -> list[str]:
    """Take it all back; returns the ids of the events that say so, one for each store that changed.

    Snapshots and what others keep are recorded in the first place's log: they belong to the project.
    """
    event_ids = []
    recalled = list(find_snapshots(places[0].log, target))
    kept_elsewhere = {other.name: lines for other in others if (lines := other.taught(target.holds))}
    for number, place in enumerate(places):
        found = find_taught(place.store, target)
        more = {"snapshots": recalled, "others": kept_elsewhere} if number == 0 else {}
        told = {name: lines for name, lines in more.items() if lines}
        if found or told:
            record = Undo(target=target.ref, retracted=found.ids() | told)
            event = place.open_log().append(record, sync=True)
            place.store.retract([one.id for one in found.added], f"undo {target.ref}", event.event_id)
            _say_again(place.store, found.taken_back, event.event_id)
            event_ids.append(event.event_id)
    for other in others if event_ids else ():
        other.take_back(target.holds, event_ids[0])
    return event_ids


def find_last_undone(places: list[UndoPlace], ref: str | None, notices: Notices) -> Target:
    """Return the target of the latest undo that no redo has restored since; of a given one, itself."""
    target = Target(ref) if ref is not None else None
    latest = [next(_standing_undos(place, target, notices), None) for place in places]
    found = max((event for event in latest if event), key=lambda event: str(event["ts"]), default=None)
    if found is None:
        raise NotFound("nothing-undone", ref=ref) if ref else NotFound("nothing-undone-at-all")
    return Target(str(found["target"]))


def find_last_taught(places: list[UndoPlace], others: Sequence[OtherLesson], notices: Notices) -> Target:
    """Return the latest run or command that taught something which still stands; NotFound when there is none."""
    latest = heapq.merge(*(read_back(place.log, notices) for place in places), key=_moment, reverse=True)
    seen: set[str] = set()
    for event in latest:
        ref = event.head.run_id
        if ref in seen or event.head.kind in ("undo", "redo") or not ref.startswith(("run_", "cli_")):
            continue
        seen.add(ref)
        target = Target(ref)
        if describe_change(places, target, others):
            return target
    raise NotFound("nothing-taught")


def _moment(event: Event) -> str:
    return event.head.ts


class Restoring(NamedTuple):
    """What restoring a target would do in one place."""

    place: UndoPlace
    back: list[Thought]
    again: list[Thought]
    snapshots: list[str]
    elsewhere: list[tuple[str, str]]  # who keeps it, and what

    def shown(self) -> list[dict[str, str]]:
        """Return the lines for a preview."""
        both = [("restore", one) for one in self.back] + [("take back", one) for one in self.again]
        found = [_shown(do, one.id, one.kind, find_text(one), one.scope) for do, one in both]
        found += [_shown("restore", one, "snapshot", "") for one in self.snapshots]
        return found + [_shown("restore", name, name, line) for name, line in self.elsewhere]


def find_restorable(places: list[UndoPlace], target: Target, notices: Notices) -> list[Restoring]:
    """Return what the undos of a target took back and no redo has restored since.

    Of every place where that is something.
    """
    return [one for place in places if (one := _restoring(place, target, notices)) is not None]


def _restoring(place: UndoPlace, target: Target, notices: Notices) -> Restoring | None:
    events = list(_standing_undos(place, target, notices))
    if not events:
        return None
    told = [event.get("retracted") or {} for event in reversed(events)]

    def ids(*names: str) -> list[str]:
        return list(dict.fromkeys(one for kept in told for name in names for one in kept.get(name, ())))

    back = [one for one in _present(place.store, ids("claims", "nodes", "edges")) if one.status == "retracted"]
    again = [one for one in _present(place.store, ids("restored")) if one.status != "retracted"]
    lines = [(name, line) for kept in told for name, said in (kept.get("others") or {}).items() for line in said]
    return Restoring(place, back, again, ids("snapshots"), lines)


def redo(
    places: list[UndoPlace], target: Target, others: Sequence[OtherLesson], notices: Notices
) -> dict[str, list[str]]:
    """Restore what the undos of a target took back; returns the events and the ids that changed."""
    done: dict[str, list[str]] = {"event_ids": [], "restored": [], "taken_back": []}
    for place, back, again, recalled, elsewhere in find_restorable(places, target, notices):
        told = {"restored": [one.id for one in back], "taken_back": [one.id for one in again]}
        record = Redo(target=target.ref, restored=told | ({"snapshots": recalled} if recalled else {}))
        stored = place.open_log().append(record, sync=True)
        _say_again(place.store, back, stored.event_id)
        cited = dict(_lines_citing(place.store, target))
        for one in told["taken_back"]:  # the line still cites what first took it back: it can be undone once more
            place.store.retract([one], f"redo {target.ref}", *cited.get(one, ()), stored.event_id)
        done["event_ids"].append(stored.event_id)
        done["restored"] += [*told["restored"], *recalled, *(name for name, _ in elsewhere)]
        done["taken_back"] += told["taken_back"]
    for other in others if done["event_ids"] else ():
        other.restore(target.holds, done["event_ids"][0])
    return done


def _say_again(store: ThoughtStore, thoughts: list[Thought], event_id: str) -> None:
    """Say thoughts again, and behind a redirect those that were newer than it: the newest one counts, as before."""
    newer = _newer_redirects(store.read(), [thought for thought in thoughts if thought.type in REDIRECTS])
    said = sorted([*thoughts, *newer], key=lambda one: one.offset)
    store.reassert([also_citing(one.raw, event_id) if one not in newer else one.raw for one in said])


def _newer_redirects(reading: Reading, said: list[Thought]) -> list[Thought]:
    """Return the standing redirects on the way from each of these that were said after it."""
    newer: dict[str, Thought] = {}
    for one in said:
        at, seen = one.from_id, set[str]()
        while at not in seen:
            seen.add(at)
            out = [*reading.edges(at, "out", REDIRECTS), *(other for other in said if other.from_id == at)]
            newest = max(out, key=lambda edge: edge.offset, default=None)
            if newest is None:
                break
            if newest.offset > one.offset and newest not in said:
                newer[newest.id] = newest
            at = newest.to_id
    return list(newer.values())


def _present(store: ThoughtStore, ids: Iterable[str]) -> list[Thought]:
    reading = store.read()
    return [one for one in map(reading.get, ids) if one is not None]


def _standing_undos(place: UndoPlace, target: Target | None, notices: Notices) -> Iterator[dict[str, Any]]:
    """Yield the undo events of a log that no redo has restored since, latest first; of one target or of any."""
    restored: set[str] = set()
    for event in read_back(place.log, notices):
        if event.head.kind in ("undo", "redo"):
            raw = event.fields()
            ref = str(raw.get("target"))
            if event.head.kind == "redo":
                restored.add(ref)
            elif ref not in restored and (target is None or ref == target.ref):
                yield raw
        if target is not None and (target.ref in restored or event.head.event_id == target.first):
            return


def _lines_citing(store: ThoughtStore, target: Target) -> Iterator[tuple[str, list[str]]]:
    """Thoughts whose lines cite the target, each with the events it cites; few of the files' lines are decoded."""
    needle = target.ref.encode()
    for path, name in (
        (store.files.claims, "claim_id"),
        (store.files.nodes, "node_id"),
        (store.files.edges, "edge_id"),
    ):
        seen: set[str] = set()
        for line in jsonl.find_lines_holding(path, needle):
            try:
                raw = fields(line)
            except BadJson:
                continue
            thought_id = str(raw.get(name) or "")
            if thought_id and thought_id not in seen and _cites(raw, target):
                seen.add(thought_id)
                yield thought_id, [one for one in _cited(raw) if target.holds(one)]


def _cites(raw: dict[str, Any], target: Target) -> bool:
    return any(target.holds(one) for one in _cited(raw)) or raw.get("run_id") == target.ref


def _cited(raw: dict[str, Any]) -> list[str]:
    refs = raw.get("source_refs")
    return [str(ref.get("event_id")) for ref in refs if isinstance(ref, dict)] if isinstance(refs, list) else []


def _shown(do: str, one: str, kind: str, said: str, scope: str = "project") -> dict[str, str]:
    return {"do": do, "id": one, "kind": kind, "scope": scope, "text": said}


def find_text(thought: Thought) -> str:
    """Return what a thought says, or what an edge joins."""
    if thought.kind == "edge":
        return f"{thought.type} {thought.from_id} → {thought.to_id}"
    return label(thought)
