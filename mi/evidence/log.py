"""Writing evidence: one writer per run, each record stamped and appended before anything cites it."""

from typing import TypeVar

import msgspec

from mi.evidence.reader import read_back
from mi.evidence.records.base import Record
from mi.kernel import clock, ids, jsonl
from mi.kernel.notices import Notices

R = TypeVar("R", bound=Record)


class EvidenceWriter:
    """Appends the records of one run, or of one command, to a log."""

    def __init__(self, path: str, run_id: str, notices: Notices, last_seq: int = 0) -> None:
        self.path = path
        self.run_id = run_id
        self._notices = notices
        self._seq = last_seq

    @classmethod
    def for_command(cls, path: str, notices: Notices) -> "EvidenceWriter":
        """A writer for a command outside a run."""
        return cls(path, ids.new_cli_id(), notices)

    @classmethod
    def resume(cls, path: str, run_id: str, notices: Notices) -> "EvidenceWriter":
        """A writer that goes on numbering where an earlier one of the same run stopped."""
        last = next((event.head.seq for event in read_back(path, notices) if event.head.run_id == run_id), 0)
        return cls(path, run_id, notices, last)

    def append(self, record: R, *, sync: bool = False) -> R:
        """Store a record and return it as stored; with `sync` it survives a power cut."""
        stamped = self._stamp(record)
        appended = jsonl.append(self.path, msgspec.json.encode(stamped), sync=sync)
        self._seq = stamped.seq
        if appended.repair:
            self._report(appended.repair)
        return stamped

    def _stamp(self, record: R) -> R:
        seq = self._seq + 1
        event_id = ids.event_id(self.run_id, seq)
        return msgspec.structs.replace(record, event_id=event_id, run_id=self.run_id, seq=seq, ts=clock.now())

    def _report(self, repair: jsonl.Repair) -> None:
        from mi.evidence.records.run import StateCorrupt

        key = "torn-set-aside" if repair.kept_in else "torn-completed"
        self._notices.add(key, self.path, size=repair.size, kept_in=repair.kept_in)
        self.append(StateCorrupt(path=self.path, kept_in=repair.kept_in, reason=f"torn last line, {repair.size} bytes"))
