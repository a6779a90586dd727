"""The agents of a session: who was started, resumed and done, and which files each one touched."""

import msgspec
from msgspec import UNSET

from mi.kernel import clock
from mi.kernel.errors import StorageError
from mi.nexus.reading import read_tracker
from mi.nexus.state import TrackerEntry, given
from mi.nexus.store import Store


def entries(store: Store) -> list[TrackerEntry]:
    """The tracker of this harness; one that cannot be read is as good as empty: it lasts a session."""
    try:
        return read_tracker(store.place.tracker)
    except StorageError:
        return []


def save(store: Store, found: list[TrackerEntry]) -> None:
    """Write the tracker; the caller holds the lock."""
    store.save(store.place.tracker, found, list[TrackerEntry])


def spawned(store: Store, agent_name: str, agent_id: str) -> TrackerEntry:
    """Note an agent that begins."""
    entry = TrackerEntry(
        harness_id=store.place.harness_id,
        started_at=clock.now(),
        agent_name=agent_name or UNSET,
        agent_id=agent_id or UNSET,
        status="running",
    )
    with store.lock():
        save(store, [*entries(store), entry])
    return entry


def completed(store: Store, agent_name: str, agent_id: str, last_message: str, files: list[str]) -> TrackerEntry:
    """Note that an agent is done, with what it said last and the files it touched."""

    def done(entry: TrackerEntry) -> TrackerEntry:
        touched = list(dict.fromkeys([*(entry.files_touched or []), *files]))
        said = last_message or entry.last_message
        return msgspec.structs.replace(
            entry, status="completed", stopped_at=clock.now(), last_message=said, files_touched=touched
        )

    return _changed(store, agent_name, agent_id, done)


def resumed(store: Store, agent_name: str, agent_id: str) -> TrackerEntry:
    """Note that an agent goes on; when it was first started stays."""

    def again(entry: TrackerEntry) -> TrackerEntry:
        count = entry.resume_count if isinstance(entry.resume_count, int) else 0
        return msgspec.structs.replace(
            entry, status="running", stopped_at=UNSET, last_resumed_at=clock.now(), resume_count=count + 1
        )

    return _changed(store, agent_name, agent_id, again)


def _changed(store: Store, agent_name: str, agent_id: str, change) -> TrackerEntry:  # type: ignore[no-untyped-def]
    """Change the agent's entry; one that was never announced gets its entry now."""
    with store.lock():
        found = entries(store)
        where = _find(found, agent_name, agent_id)
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


def _find(found: list[TrackerEntry], agent_name: str, agent_id: str) -> int | None:
    """The latest entry of an agent: by its id where there is one, else the running one of its name."""
    for number in range(len(found) - 1, -1, -1):
        entry = found[number]
        if agent_id and given(entry.agent_id):
            if entry.agent_id == agent_id:
                return number
        elif agent_name and entry.agent_name == agent_name and not agent_id:
            return number
    return None
