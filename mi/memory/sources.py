"""The producers memory has itself: evidence logs and workflow folders. What reads them is imported when it must."""

import os
from collections.abc import Iterator

from mi.kernel.files import read_bytes
from mi.memory.documents import Batch, Change, Gone, Mark
from mi.memory.logs import LogProducer, ReadLine


def snapshots(log: str, name: str, project_id: str) -> LogProducer:
    """The snapshots of an EvidenceLog."""

    def reader() -> ReadLine:
        from mi.memory.evidence import snapshot_reader

        return snapshot_reader(project_id)

    return LogProducer(log, name + "#snapshots", project_id, frozenset(["snapshot"]), reader)


def records(log: str, name: str, project_id: str) -> LogProducer:
    """Every record of an EvidenceLog, verbatim."""

    def reader() -> ReadLine:
        from mi.memory.evidence import record_reader

        return record_reader(project_id)

    return LogProducer(log, name + "#records", project_id, frozenset(["evidence"]), reader)


class WorkflowFiles:
    """A folder of `wf_*.json`. The cursor lists each file with its stamp: only what differs is read."""

    kinds = frozenset(["workflow"])

    def __init__(self, folder: str, source: str, project_id: str) -> None:
        self.source = source
        self.project_id = project_id
        self._folder = folder

    def end(self) -> str:
        try:
            with os.scandir(self._folder) as entries:
                found = [(entry.name, entry.stat()) for entry in entries if entry.name.endswith(".json")]
        except (FileNotFoundError, NotADirectoryError):
            return ""
        return "\n".join(sorted(f"{name}|{_stamp(stat)}" for name, stat in found))

    def read(self, cursor: str) -> Iterator[Batch]:
        end = self.end()
        former, now = set(cursor.split("\n")), set(end.split("\n"))
        if former == now:
            return
        names = {line.partition("|")[0] for line in former ^ now if line}
        changes: list[Change] = [self._change(name) for name in sorted(names)]
        yield Batch(changes, end, len(changes), len(changes))

    def _change(self, name: str) -> Change:
        from mi.memory.workflows import read

        workflow_id = name.removesuffix(".json")
        data = read_bytes(os.path.join(self._folder, name))
        document = read(data, workflow_id, self.project_id) if data is not None else None
        return document or Gone(workflow_id)


class WorkflowOverrides:
    """The global workflows that a project's overlay disables: taken back for that project, and for no other."""

    kinds = frozenset(["workflow"])

    def __init__(self, overlay: str, source: str, project_id: str) -> None:
        self.source = source
        self.project_id = project_id
        self._overlay = overlay

    def end(self) -> str:
        try:
            return _stamp(os.stat(self._overlay))
        except (FileNotFoundError, NotADirectoryError):
            return ""

    def read(self, cursor: str) -> Iterator[Batch]:
        from mi.memory.workflows import disabled

        end = self.end()
        if end != cursor:
            marks: list[Change] = [Mark("override:" + one, one) for one in disabled(read_bytes(self._overlay) or b"")]
            yield Batch(marks, end, 1, 1, anew=True)


def _stamp(stat: os.stat_result) -> str:
    return f"{stat.st_mtime_ns}|{stat.st_size}|{stat.st_ino}"
