"""The producers of logs and folders; what reads evidence is imported when there is something new."""

import os
import time
from collections.abc import Callable, Iterable, Iterator

from mi.kernel.files import read_bytes
from mi.kernel.log_source import Log, ReadLine
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.documents import Change, Document, DocumentChanges, Gone

FEW = 100  # files of a folder that are looked at each time
LONGEST_S = 10.0  # until all files of a larger one are looked at again, at most
_MAX_LINE = 1 << 18
_PAUSES = 50  # so many times as long as a look took, the next one can wait
_SETTLED_NS, _JUST_NOW = 100_000_000, -1  # what changed just now may change again within the same tick of the clock


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


class _FolderLook(NamedTuple):
    """The files of a folder when all of them were last looked at."""

    end: str
    stamps: dict[str, str]  # of the files, by path
    changed: dict[str, int]  # when something was last made or removed in each folder
    until: float  # so long it will do, where there are many

    def holds(self) -> bool:
        """Return whether nothing was made, removed or replaced since, and it is not too old for what is unseen."""
        return time.monotonic() < self.until and all(
            at == _changed(one) != _JUST_NOW for one, at in self.changed.items()
        )


_looks: dict[tuple[str, str], _FolderLook] = {}  # by folder and ending, of those with many files


def look_again(paths: Iterable[str]) -> bool:
    """Return whether one of the files is another than at the last look; its folder is then looked at whole."""
    changed = [
        key
        for path in (paths if _looks else ())
        for key, look in _looks.items()
        if path in look.stamps and look.stamps[path] != _stamp_of(path)
    ]
    for key in changed:
        _looks.pop(key, None)
    return bool(changed)


class FolderProducer:
    """Files below a folder. The cursor lists each file with its stamp: only what differs is read.

    Of many files, one that is made, removed or replaced is seen at once; one that is written in place, within
    seconds: to look at all of them each time would cost more than to search them.
    """

    def __init__(self, folder: str, source: str, project_id: str, kind: str, ending: str, read: ReadFile) -> None:
        self.source = source
        self.project_id = project_id
        self.kinds = frozenset([kind])
        self._folder = folder
        self._ending = ending
        self._read = read

    def end(self) -> str:
        key = (self._folder, self._ending)
        look = _looks.get(key)
        if look is None or not look.holds():
            look = self._look()
            if len(look.stamps) > FEW:
                _looks[key] = look
            else:
                _looks.pop(key, None)
        return look.end

    def _look(self) -> _FolderLook:
        began, changed = time.monotonic(), dict[str, int]()
        stamps = {name: file_stamp(stat) for name, stat in self._files(self._folder, "", changed)}
        end = "\n".join(sorted(f"{name}|{stamp}" for name, stamp in stamps.items()))
        paths = {os.path.join(self._folder, name): stamp for name, stamp in stamps.items()}
        now = time.monotonic()
        return _FolderLook(end, paths, changed, now + min(LONGEST_S, _PAUSES * (now - began)))

    def read(self, cursor: str) -> Iterator[DocumentChanges]:
        end = self.end()
        former, now = set(cursor.split("\n")), set(end.split("\n"))
        if former == now:
            return
        names = {line.rsplit("|", 3)[0] for line in former ^ now if line}
        changes: list[Change] = [self._change(name) for name in sorted(names)]
        yield DocumentChanges(changes, end, len(changes), len(changes))

    def _files(self, folder: str, before: str, changed: dict[str, int]) -> Iterator[tuple[str, os.stat_result]]:
        """Name and state of each file; hidden folders are not entered, links not followed, no line breaks in a name."""
        changed[folder] = _changed(folder)
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return
        for entry in found:
            if entry.name.startswith(".") or not entry.name.isprintable():  # nor a name that is no UTF-8
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from self._files(entry.path, f"{before}{entry.name}/", changed)
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
    """Return what stays the same as long as a file does; whoever writes can set the one time back, not the other."""
    return f"{stat.st_mtime_ns}.{stat.st_ctime_ns}|{stat.st_size}|{stat.st_ino}"


def _stamp_of(path: str) -> str:
    try:
        return file_stamp(os.stat(path, follow_symlinks=False))
    except OSError:
        return ""


def _changed(folder: str) -> int:
    """Return when something was made or removed in a folder."""
    try:
        at = os.stat(folder).st_mtime_ns
    except OSError:
        return 0
    return at if time.time_ns() - at > _SETTLED_NS else _JUST_NOW
