"""Taking back what a run or an event taught, and restoring it: only ever by appended lines."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import read_back
from mi.evidence.records.run import Redo, Undo
from mi.kernel import jsonl
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.jsontext import BadJson
from mi.kernel.notices import Notices
from mi.thoughtdb.graph import label
from mi.thoughtdb.lines import fields
from mi.thoughtdb.reading import Thought
from mi.thoughtdb.store import ThoughtStore


class Target:
    """A run (`run_…`, `cli_…`) or an event (`ev_…`)."""

    def __init__(self, ref: str) -> None:
        if not ref.startswith(("run_", "cli_", "ev_")):
            raise UsageError("bad-target", ref=ref)
        self.ref = ref

    def holds(self, event_id: str) -> bool:
        """Whether an event is the target or part of it."""
        return event_id == self.ref if self.ref.startswith("ev_") else event_id.startswith(f"ev_{self.ref}_")


class Taught(NamedTuple):
    """What a target changed in one place: thoughts it added, and thoughts it took back."""

    added: list[Thought]
    taken_back: list[Thought]

    def __bool__(self) -> bool:
        return bool(self.added or self.taken_back)

    def ids(self) -> dict[str, Any]:
        """As the undo's record keeps it."""
        names = {"claim": "claims", "node": "nodes", "edge": "edges"}
        found: dict[str, Any] = {name: [] for name in (*names.values(), "restored")}
        for one in self.added:
            found[names[one.kind]].append(one.id)
        found["restored"] = [one.id for one in self.taken_back]
        return found

    def shown(self) -> list[dict[str, str]]:
        """For a preview."""
        both = [("take back", one) for one in self.added] + [("restore", one) for one in self.taken_back]
        return [
            {"do": do, "id": one.id, "kind": one.kind, "scope": one.scope, "text": text_of(one)} for do, one in both
        ]


class OtherLesson(Protocol):
    """Whoever else keeps what runs teach (workflows, the overlay) and can take it back."""

    name: str

    def taught(self, holds: Callable[[str], bool]) -> list[str]:
        """What came from the events in question, one line each."""
        ...

    def take_back(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Undo it, citing the event that says so."""
        ...

    def restore(self, holds: Callable[[str], bool], event_id: str) -> None:
        """Undo the undoing."""
        ...


class Place(NamedTuple):
    """A store and the log in which changes to it are recorded."""

    store: ThoughtStore
    log: str
    open_log: Callable[[], EvidenceWriter]


def taught(store: ThoughtStore, target: Target) -> Taught:
    """What a target added to a store and still stands there, and what it took back and is still gone."""
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


def snapshots(log: str, target: Target) -> dict[str, str]:
    """The snapshots of a run, or the one that an event is, with what they say; none when they are taken back already.

    A snapshot stays in the log as what was seen. Taken back, it is recalled no more.
    """
    found: dict[str, str] = {}
    restored = False  # the latest word on the target is a redo
    first = target.ref if target.ref.startswith("ev_") else f"ev_{target.ref}_1"
    for event in read_back(log, Notices()) if not target.ref.startswith("cli_") else ():
        kind = event.head.kind
        if kind in ("undo", "redo") and not restored and event.fields().get("target") == target.ref:
            if kind == "undo":
                return {}
            restored = True
        elif kind == "snapshot" and target.holds(event.head.event_id):
            raw = event.fields()
            found[str(raw.get("snapshot_id") or event.head.event_id)] = str(raw.get("text") or "")
        if event.head.event_id == first:
            break
    return dict(reversed(found.items()))


def shown(places: list[Place], target: Target, others: Sequence[OtherLesson]) -> list[dict[str, str]]:
    """What undoing would do, for a preview: thoughts, snapshots, then what others keep."""
    found = [one for place in places for one in taught(place.store, target).shown()]
    for name, said in snapshots(places[0].log, target).items():
        found.append({"do": "take back", "id": name, "kind": "snapshot", "scope": "project", "text": said})
    for other in others:
        for line in other.taught(target.holds):
            found.append({"do": "take back", "id": other.name, "kind": other.name, "scope": "project", "text": line})
    return found


def undo(places: list[Place], target: Target, others: Sequence[OtherLesson]) -> list[str]:
    """Take it all back; returns the ids of the events that say so, one for each store that changed.

    Snapshots and what others keep are recorded in the first place's log: they belong to the project.
    """
    event_ids = []
    recalled = list(snapshots(places[0].log, target))
    kept_elsewhere = {other.name: lines for other in others if (lines := other.taught(target.holds))}
    for number, place in enumerate(places):
        found = taught(place.store, target)
        more = {"snapshots": recalled, "others": kept_elsewhere} if number == 0 else {}
        told = {name: lines for name, lines in more.items() if lines}
        if found or told:
            record = Undo(target=target.ref, retracted=found.ids() | told)
            event = place.open_log().append(record, sync=True)
            place.store.retract([one.id for one in found.added], f"undo {target.ref}", event.event_id)
            place.store.reassert([one.raw for one in found.taken_back], event.event_id)
            event_ids.append(event.event_id)
    for other in others if event_ids else ():
        other.take_back(target.holds, event_ids[0])
    return event_ids


def last_undone(places: list[Place], ref: str | None, notices: Notices) -> Target:
    """The target of the latest undo that no redo has restored since; of a given one, itself."""
    latest: tuple[str, str] = ("", "")
    for place in places:
        for event in _undo_events(place, ref, notices):
            if event["kind"] == "undo":
                latest = max(latest, (str(event["ts"]), str(event["target"])))
            break
    if not latest[1]:
        raise NotFound("nothing-undone", ref=ref or "-")
    return Target(latest[1])


def redo(places: list[Place], target: Target, others: Sequence[OtherLesson], notices: Notices) -> dict[str, list[str]]:
    """Restore what the latest undo of a target took back; returns the events and the ids that changed."""
    done: dict[str, list[str]] = {"event_ids": [], "restored": [], "taken_back": []}
    for place in places:
        event = next(_undo_events(place, target.ref, notices), None)
        if event is None or event["kind"] != "undo":
            continue
        ids = event.get("retracted") or {}
        undone = [one for name in ("claims", "nodes", "edges") for one in ids.get(name, ())]
        back = [one for one in _present(place.store, undone) if one.status == "retracted"]
        again = [one.id for one in _present(place.store, ids.get("restored", ())) if one.status != "retracted"]
        recalled = list(ids.get("snapshots", ()))
        elsewhere = [name for name, lines in (ids.get("others") or {}).items() for _ in lines]
        told = {"restored": [one.id for one in back], "taken_back": again}
        record = Redo(target=target.ref, restored=told | ({"snapshots": recalled} if recalled else {}))
        stored = place.open_log().append(record, sync=True)
        place.store.reassert([one.raw for one in back], stored.event_id)
        cited = dict(_lines_citing(place.store, target))
        for one in again:  # the line still cites what first took it back, so that it can be undone once more
            place.store.retract([one], f"redo {target.ref}", *cited.get(one, ()), stored.event_id)
        done["event_ids"].append(stored.event_id)
        done["restored"] += [*(one.id for one in back), *recalled, *elsewhere]
        done["taken_back"] += again
    for other in others if done["event_ids"] else ():
        other.restore(target.holds, done["event_ids"][0])
    return done


def _present(store: ThoughtStore, ids: Iterable[str]) -> list[Thought]:
    reading = store.read()
    return [one for one in map(reading.get, ids) if one is not None]


def _undo_events(place: Place, ref: str | None, notices: Notices) -> Iterator[dict[str, Any]]:
    """The undo and redo events of a log, latest first."""
    for event in read_back(place.log, notices):
        if event.head.kind in ("undo", "redo"):
            raw = event.fields()
            if ref is None or raw.get("target") == ref:
                yield raw


def _lines_citing(store: ThoughtStore, target: Target) -> Iterator[tuple[str, list[str]]]:
    """Thoughts whose lines cite the target, each with the events it cites; few of the files' lines are decoded."""
    needle = target.ref.encode()
    for path, name in (
        (store.files.claims, "claim_id"),
        (store.files.nodes, "node_id"),
        (store.files.edges, "edge_id"),
    ):
        seen: set[str] = set()
        for line in jsonl.lines_holding(path, needle):
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


def text_of(thought: Thought) -> str:
    """What a thought says, or what an edge joins."""
    if thought.kind == "edge":
        return f"{thought.type} {thought.from_id} → {thought.to_id}"
    return label(thought)
