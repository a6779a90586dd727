"""The agents of a session: who was started, resumed and done, and which files each one touched."""

from collections.abc import Callable

import msgspec
from msgspec import UNSET

from mi.kernel import clock
from mi.kernel.errors import StorageError
from mi.nexus.reading import read_tracker
from mi.nexus.state import TrackerEntry
from mi.nexus.store import Store


def read_entries(store: Store) -> list[TrackerEntry]:
    """Return the tracker of this harness; one that cannot be read is as good as empty: it lasts a session."""
    try:
        return read_tracker(store.place.tracker)
    except StorageError:
        return []


def save(store: Store, found: list[TrackerEntry]) -> None:
    """Write the tracker; the caller holds the lock."""
    store.save(store.place.tracker, found, list[TrackerEntry])


def add_spawned(store: Store, agent_name: str, agent_id: str) -> TrackerEntry:
    """Note an agent that begins."""
    entry = TrackerEntry(
        harness_id=store.place.harness_id,
        started_at=clock.now(),
        agent_name=agent_name or UNSET,
        agent_id=agent_id or UNSET,
        resume_count=0,
        status="running",
    )
    with store.lock():
        save(store, [*read_entries(store), entry])
    return entry


def mark_completed(store: Store, agent_name: str, agent_id: str, last_message: str, files: list[str]) -> TrackerEntry:
    """Note that an agent is done, with what it said last and the files it touched."""

    def done(entry: TrackerEntry) -> TrackerEntry:
        touched = list(dict.fromkeys([*(entry.files_touched or []), *files]))
        said = last_message or entry.last_message
        return msgspec.structs.replace(
            entry, status="completed", stopped_at=clock.now(), last_message=said, files_touched=touched
        )

    return _changed(store, agent_name, agent_id, "running", done)


def mark_resumed(store: Store, agent_name: str, agent_id: str) -> TrackerEntry:
    """Note that an agent goes on; when it was first started stays."""

    def again(entry: TrackerEntry) -> TrackerEntry:
        count = entry.resume_count if isinstance(entry.resume_count, int) else 0
        return msgspec.structs.replace(
            entry, status="running", stopped_at=UNSET, last_resumed_at=clock.now(), resume_count=count + 1
        )

    return _changed(store, agent_name, agent_id, "completed", again)


def _changed(
    store: Store, agent_name: str, agent_id: str, status: str, change: Callable[[TrackerEntry], TrackerEntry]
) -> TrackerEntry:
    """Change the agent's entry; one that was never announced gets its entry now."""
    with store.lock():
        found = read_entries(store)
        where = _find(found, agent_name, agent_id, status)
        if where is None:
            new = TrackerEntry(
                harness_id=store.place.harness_id,
                started_at=clock.now(),
                agent_name=agent_name or UNSET,
                agent_id=agent_id or UNSET,
            )
            found.append(new)
            where = len(found) - 1
        found[where] = change(found[where])
        save(store, found)
        return found[where]


def _find(found: list[TrackerEntry], agent_name: str, agent_id: str, status: str) -> int | None:
    """Return the latest entry of an agent: by its id where there is one, else by its name, one of this status first."""
    if agent_id:
        mine = [number for number, entry in enumerate(found) if entry.agent_id == agent_id]
    else:
        mine = [number for number, entry in enumerate(found) if agent_name and entry.agent_name == agent_name]
    fitting = [number for number in mine if found[number].status == status]
    return next(reversed(fitting or mine), None)
