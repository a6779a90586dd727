"""Who read which memory file, how often and when: one line per file, written by the observation of a read alone."""

import os
from collections.abc import Iterable

import msgspec

from mi.kernel import clock
from mi.kernel.errors import MiError
from mi.kernel.files import read_bytes
from mi.kernel.jsontext import BadJson, decode_stored, encode
from mi.nexus.state import AccessRecord
from mi.nexus.store import Store, encode_strict


def observe_read(store: Store, path: str, reader: str, at: str = "") -> bool:
    """Count a read that has happened; False when it was none of a memory file, or could not be written down."""
    try:
        key = find_memory_path(store, path)
        if key is None:
            return False
        with store.lock():
            records = {record.path: record for record in read_records(store.place.access)}
            former = records.get(key)
            records[key] = AccessRecord(
                path=key,
                last_accessed_ts=at or clock.now(),
                access_count=(former.access_count if former else 0) + 1,
                last_agent=reader or "unknown",
            )
            _write(store, records.values())
        return True
    except (OSError, MiError, msgspec.ValidationError):
        return False  # whoever reads must not notice that the counting failed


def find_memory_path(store: Store, path: str) -> str | None:
    """Return the key of a file below `.nexus/memory/`, absolute or from the project's root; None for anything else."""
    folder = os.path.realpath(store.place.memory)
    real = os.path.realpath(os.path.join(store.place.root, path))
    inside = real.startswith(folder + os.sep) and os.path.isfile(real)
    return real if inside else None


def read_records(path: str) -> list[AccessRecord]:
    """Return the records of an access log; a line that is none is passed over."""
    found = []
    for line in (read_bytes(path) or b"").splitlines():
        try:
            raw = decode_stored(line, dict)
            known = {name: raw[name] for name in AccessRecord.__struct_fields__ if name in raw}
            found.append(msgspec.convert(known, AccessRecord))
        except (BadJson, msgspec.ValidationError):
            continue
    return found


def drop(store: Store, paths: Iterable[str]) -> None:
    """Forget the records of files that were deleted or merged; the caller holds the lock."""
    gone = set(paths)
    records = read_records(store.place.access)
    kept = [record for record in records if record.path not in gone]
    if len(kept) < len(records):
        _write(store, kept)


def merge_records(logs: Iterable[str]) -> list[AccessRecord]:
    """Return the records of several logs as one: equal paths are added up, the latest read tells who and when."""
    records: dict[str, AccessRecord] = {}
    for log in logs:
        for record in read_records(log):
            former = records.get(record.path)
            records[record.path] = _sum(former, record) if former else record
    return [records[path] for path in sorted(records)]


def _sum(one: AccessRecord, other: AccessRecord) -> AccessRecord:
    latest = max(one, other, key=lambda record: _moment(record.last_accessed_ts))
    return msgspec.structs.replace(latest, access_count=one.access_count + other.access_count)


def _moment(timestamp: str) -> float:
    try:
        return clock.parse(timestamp)
    except ValueError:
        return 0.0


def encode_records(records: Iterable[AccessRecord]) -> bytes:
    """Return records as a log."""
    return b"".join(encode(encode_strict(record, AccessRecord)) + b"\n" for record in records)


def _write(store: Store, records: Iterable[AccessRecord]) -> None:
    store.write(store.place.access, encode_records(sorted(records, key=lambda record: record.path)))
