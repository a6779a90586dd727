"""The producers of logs and folders; what reads evidence is imported when there is something new."""

import os
from collections.abc import Callable, Iterator

from mi.kernel.files import read_bytes
from mi.kernel.log_source import Log, ReadLine
from mi.knowledge.search.documents import Change, Document, DocumentChanges, Gone

_MAX_LINE = 1 << 18


class LogProducer(Log[Change]):
    """A log whose lines become changes, by a reader fetched when there is something new."""

    def __init__(
        self,
        path: str,
        source: str,
        project_id: str,
        kinds: frozenset[str],
        reader: Callable[[], ReadLine[Change]],
        max_line: int = _MAX_LINE,
    ) -> None:
        super().__init__(path, source, reader, max_line)
        self.project_id = project_id
        self.kinds = kinds


def snapshots(log: str, name: str, project_id: str) -> LogProducer:
    """Return the snapshots of an EvidenceLog."""

    def reader() -> ReadLine[Change]:
        from mi.knowledge.search.evidence_documents import snapshot_reader

        return snapshot_reader(project_id)

    return LogProducer(log, name + "#snapshots", project_id, frozenset(["snapshot"]), reader)


def records(log: str, name: str, project_id: str) -> LogProducer:
    """Return every record of an EvidenceLog, verbatim."""

    def reader() -> ReadLine[Change]:
        from mi.knowledge.search.evidence_documents import record_reader

        return record_reader(project_id)

    return LogProducer(log, name + "#records", project_id, frozenset(["evidence"]), reader)


ReadFile = Callable[[str, bytes], Document | None]  # name below the folder, content → what is found; None: nothing


class FolderProducer:
    """Files below a folder. The cursor lists each file with its stamp: only what differs is read."""

    def __init__(self, folder: str, source: str, project_id: str, kind: str, ending: str, read: ReadFile) -> None:
        self.source = source
        self.project_id = project_id
        self.kinds = frozenset([kind])
        self._folder = folder
        self._ending = ending
        self._read = read

    def end(self) -> str:
        return "\n".join(sorted(f"{name}|{file_stamp(stat)}" for name, stat in self._files(self._folder, "")))

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        end = self.end()
        former, now = set(cursor.split("\n")), set(end.split("\n"))
        if former == now:
            return
        names = {line.rsplit("|", 3)[0] for line in former ^ now if line}
        changes: list[Change] = [self._change(name) for name in sorted(names)]
        yield DocumentChanges(changes, end, len(changes), len(changes))

    def _files(self, folder: str, before: str) -> Iterator[tuple[str, os.stat_result]]:
        """Name and state of each file; hidden folders are not entered, links not followed, no line breaks in a name."""
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return
        for entry in found:
            if entry.name.startswith(".") or not entry.name.isprintable():  # nor a name that is no UTF-8
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._files(entry.path, f"{before}{entry.name}/")
            elif entry.name.endswith(self._ending) and entry.is_file(follow_symlinks=False):
                yield before + entry.name, entry.stat(follow_symlinks=False)

    def _change(self, name: str) -> Change:
        data = read_bytes(os.path.join(self._folder, name))
        document = self._read(name, data) if data is not None else None
        return document or Gone(self.id_of(name))

    def id_of(self, name: str) -> str:
        """Return the id of the document in a file: what names it must not depend on what is in it."""
        return name.removesuffix(self._ending)


def file_stamp(stat: os.stat_result) -> str:
    """Return what stays the same as long as a file does."""
    return f"{stat.st_mtime_ns}|{stat.st_size}|{stat.st_ino}"
