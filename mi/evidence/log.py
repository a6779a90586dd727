"""Writing evidence: one writer per run, each record stamped and appended before anything cites it."""

import os
from typing import TypeVar

import msgspec

from mi.evidence.reader import read_back
from mi.evidence.records.base import Record
from mi.kernel import clock, ids, jsonl
from mi.kernel.jsontext import encode
from mi.kernel.notices import Notices

R = TypeVar("R", bound=Record)


class EvidenceWriter:
    """Appends the records of one run, or of one command, to a log."""

    def __init__(self, path: str, run_id: str, notices: Notices, last_seq: int = 0, by: str = "") -> None:
        self.path = path
        self.run_id = run_id
        self._notices = notices
        self._seq = last_seq
        self._by = by  # the door by which a person does what is recorded

    @classmethod
    def for_command(cls, path: str, notices: Notices, by: str = "") -> "EvidenceWriter":
        """Return a writer for a command outside a run."""
        return cls(path, ids.make_cli_id(), notices, by=by)

    @classmethod
    def resume(cls, path: str, run_id: str, notices: Notices, by: str = "") -> "EvidenceWriter":
        """Return a writer that goes on numbering where an earlier one of the same run stopped."""
        last = next((event.head.seq for event in read_back(path, notices) if event.head.run_id == run_id), 0)
        return cls(path, run_id, notices, last, by)

    def append(self, record: R, *, sync: bool = False) -> R:
        """Store a record and return it as stored; with `sync` it survives a power cut."""
        self._seq += 1  # before the write: one that fails or is interrupted leaves a gap, never an id used twice
        stamped = self._stamp(record)
        appended = jsonl.append(self.path, encode(stamped), sync=sync, sealed=True)
        if appended.repair:
            self._report(appended.repair)
        return stamped

    def _stamp(self, record: R) -> R:
        event_id, by = ids.make_event_id(self.run_id, self._seq), record.by or self._by
        return msgspec.structs.replace(
            record, event_id=event_id, run_id=self.run_id, seq=self._seq, ts=clock.now(), by=by
        )

    def append_corrupt(self, path: str, kept_in: str, reason: str) -> None:
        """Record that a file of MI's own was set aside; the files are named relative to the home."""
        from mi.evidence.records.run import StateCorrupt
        from mi.kernel.home import Home

        home = Home(_home_of(self.path))
        kept_in = home.relative(kept_in) if kept_in else ""
        self.append(StateCorrupt(path=home.relative(path), kept_in=kept_in, reason=reason))

    def _report(self, repair: jsonl.Repair) -> None:
        key = "torn-set-aside" if repair.kept_in else "torn-completed"
        self._notices.add(key, self.path, size=repair.size, kept_in=repair.kept_in)
        self.append_corrupt(self.path, repair.kept_in, f"torn last line, {repair.size} bytes")


def _home_of(log: str) -> str:
    """Return the home a log lies in: logs are `global/evidence.jsonl` and `projects/<id>/evidence.jsonl`."""
    folder = os.path.dirname(os.path.dirname(log))
    return os.path.dirname(folder) if os.path.basename(folder) == "projects" else folder
