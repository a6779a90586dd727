"""The memory of a home: caught up with its producers before it is searched, mended or done without when broken."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import TypeVar

from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.search import fts
from mi.knowledge.search.backend import Backend, Hit, Query, Status, chosen_name
from mi.knowledge.search.documents import DocumentChanges, Producer, is_at

T = TypeVar("T")
Progress = Callable[[int, int], None]  # done, of how much


class TextIndex:
    """Everything that can be found by words. The index is derived: deleting it costs time, nothing else."""

    def __init__(self, home: Home, producers: Callable[[], Iterable[Producer]], notices: Notices) -> None:
        self._home = home
        self._producers = producers
        self._notices = notices
        self._backend: Backend | None = None
        self.name = chosen_name()

    def search(self, query: Query, progress: Progress = lambda done, total: None) -> list[Hit]:
        """The best matches among everything that was handed over up to now."""

        def work(backend: Backend) -> list[Hit]:
            self._catch_up(backend, frozenset(query.kinds), progress)
            return backend.search(query)

        return self._with_backend(work)

    def catch_up(self, kinds: Iterable[str], progress: Progress = lambda done, total: None) -> None:
        """Take in what is new of these kinds."""
        self._with_backend(lambda backend: self._catch_up(backend, frozenset(kinds), progress))

    def rebuild(self, without: Iterable[str], progress: Progress) -> Status:
        """Empty the index and build it again; what exists of the kinds `without` is passed over, what comes is not."""
        if self.name == "sqlite_fts" and self._backend is None:
            fts.discard(self._home.memory_index)
        left_out = frozenset(without)

        def work(backend: Backend) -> Status:
            backend.clear()
            for producer in self._producers():
                if producer.kinds <= left_out:
                    backend.apply(producer.source, producer.project_id, "", DocumentChanges([], producer.end()))
            self._catch_up(backend, None, progress)
            return backend.status()

        return self._with_backend(work)

    def status(self) -> tuple[Status, int]:
        """What the index holds as it is, and how many sources have something new for it; changes nothing."""
        status, cursors = Status({}, 0, 0, 0), dict[str, str]()
        if self.name == "sqlite_fts" and os.path.exists(self._home.memory_index):
            try:
                if backend := fts.open_to_look(self._home.memory_index):
                    with closing(backend):
                        status, cursors = backend.status(), backend.cursors()
            except sqlite3.Error as error:
                self._notices.add("state-broken", self._home.memory_index, reason=str(error))
        return status, sum(not is_at(cursors.get(one.source, ""), one.end()) for one in self._producers())

    def close(self) -> None:
        """Give back what is held open."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None

    def _catch_up(self, backend: Backend, kinds: frozenset[str] | None, progress: Progress) -> None:
        producers = list(self._producers())
        cursors = backend.cursors()
        gone = cursors.keys() - {producer.source for producer in producers}
        for source in gone:
            backend.forget(source)
        wanted = [one for one in producers if kinds is None or not kinds.isdisjoint(one.kinds)]
        behind = [one for one in wanted if not is_at(cursors.get(one.source, ""), one.end())]
        for producer in behind:
            _take_in(backend, producer, cursors.get(producer.source, ""), progress)
        if (gone or behind) and kinds is not None and backend.wasted():
            backend.clear()
            self._catch_up(backend, None, progress)

    def _with_backend(self, work: Callable[[Backend], T]) -> T:
        """Do some work on the index; one that is broken or cannot be written costs time, never the answer."""
        try:
            return work(self._open())
        except (sqlite3.Error, OSError) as error:
            self.close()
            ways = self._ways_on(error)
        for backend in ways:
            self._backend = backend
            try:
                return work(backend)
            except sqlite3.Error:
                self.close()
        self._backend = fts.in_memory()
        return work(self._backend)

    def _ways_on(self, error: Exception) -> Iterator[Backend]:
        """What else to work with, best first: the file made anew, what can be read of it."""
        path = self._home.memory_index
        if isinstance(error, sqlite3.Error) and fts.is_broken(error):
            self._notices.add("memory-index-broken", path, reason=str(error))
            try:
                fts.discard(path)
                yield fts.open_file(path)
            except (sqlite3.Error, OSError):
                pass  # then without the file
        self._notices.add("memory-index-unwritable", path, reason=getattr(error, "strerror", None) or str(error))
        try:
            yield fts.copy_into_memory(path)
        except sqlite3.Error:
            pass  # not readable either: everything is read again, into memory

    def _open(self) -> Backend:
        if self._backend is None:
            kept = self.name == "sqlite_fts" and self._home.exists()
            self._backend = fts.open_file(self._home.memory_index) if kept else fts.in_memory()
        return self._backend


def _take_in(backend: Backend, producer: Producer, cursor: str, progress: Progress) -> None:
    """Apply what is new; when another process was faster, go on from where it is."""
    while True:
        for batch in producer.read(cursor):
            if not backend.apply(producer.source, producer.project_id, cursor, batch):
                cursor = backend.cursors().get(producer.source, "")
                break
            cursor = batch.cursor
            progress(batch.done, batch.total)
        else:
            return
