"""The memory of a home: caught up with its producers before it is searched, mended or done without when broken."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from mi.kernel.home import Home
from mi.kernel.log_source import is_at
from mi.kernel.log_view import Progress, Trouble, take_in
from mi.kernel.notices import Notices
from mi.knowledge.search.backend import Backend, Hit, Query, Status, chosen_name
from mi.knowledge.search.documents import DocumentChanges, Producer
from mi.knowledge.search.fts import FtsBackend
from mi.knowledge.search.sources import look_again

if TYPE_CHECKING:  # imported where it is on
    from mi.knowledge.search.nearness import Nearness

T = TypeVar("T")


def _quietly(done: int, total: int) -> None:
    """Tell nobody how far it is."""


class TextIndex:
    """Everything that can be found by words. The index is derived: deleting it costs time, nothing else."""

    def __init__(
        self,
        home: Home,
        producers: Callable[[str | None], Iterable[Producer]],  # of a project and the global part, or of all
        notices: Notices,
        is_elsewhere: Callable[[str], bool] = lambda source: False,
        near: bool = False,  # also by vectors
    ) -> None:
        self._home = home
        self._producers = producers
        self._notices = notices
        self._is_elsewhere = is_elsewhere  # a source that nobody hands over here is kept for those who will
        self._near = near
        self._progress: Progress = _quietly
        self._backend: FtsBackend | None = None
        self.name = chosen_name()

    def search(self, query: Query, progress: Progress = _quietly) -> list[Hit]:
        """Return the best matches among everything that was handed over up to now."""
        return self._find([query], progress, lambda one, asked: one.search(asked), lambda hit: hit.document.id)

    def newest(self, *queries: Query) -> list[Hit]:
        """Return what was handed over of each query's kinds, the newest first; words do not count."""
        return self._find(queries, _quietly, lambda one, asked: one.newest(asked), lambda hit: hit.document.id)

    def count(self, *queries: Query) -> int:
        """Return how many `newest` would return without a limit."""
        return sum(self._find(queries, _quietly, lambda backend, query: [backend.count(query)], str))

    def _find(
        self,
        queries: Sequence[Query],
        progress: Progress,
        find: Callable[[Backend, Query], list[T]],
        name: Callable[[T], str],
    ) -> list[T]:
        """Return what is found, caught up; again when a file of it was written to since it was last looked at."""
        kinds = frozenset(kind for query in queries for kind in query.kinds)
        projects = {query.project_id if query.only_project else None for query in queries}
        project_id = projects.pop() if len(projects) == 1 else None  # what others keep need not be looked at

        def work(backend: Backend) -> list[T]:
            sources = self._catch_up(backend, kinds, progress, project_id)
            self._progress = progress  # of what a search still has to do
            return [one for query in queries for one in find(backend, query._replace(sources=sources))]

        def work_again(backend: Backend) -> list[T]:
            found = work(backend)
            return work(backend) if look_again(map(name, found)) else found

        return self._with_backend(work_again)

    def catch_up(self, kinds: Iterable[str], progress: Progress = _quietly) -> None:
        """Take in what is new of these kinds."""
        self._with_backend(lambda backend: self._catch_up(backend, frozenset(kinds), progress))

    def rebuild(self, without: Iterable[str], progress: Progress) -> Status:
        """Empty the index and build it again; what exists of the kinds `without` is passed over, what comes is not."""
        if self.name == "sqlite_fts" and self._backend is None:
            FtsBackend(self._home.memory_index).discard()
        left_out = frozenset(without)

        def work(backend: Backend) -> Status:
            backend.clear()
            for producer in self._producers(None):
                if producer.kinds <= left_out:
                    backend.apply(producer.source, producer.project_id, "", DocumentChanges([], producer.end()))
            self._catch_up(backend, None, progress)
            return backend.status()

        return self._with_backend(work)

    def status(self) -> tuple[Status, int]:
        """Return what the index holds as it is, and how many sources have something new for it; changes nothing."""
        status, cursors = Status({}, 0, 0, 0), dict[str, str]()
        try:
            if self.name == "sqlite_fts":
                status, cursors = FtsBackend(self._home.memory_index).look() or (status, cursors)
        except sqlite3.Error as error:
            self._notices.add("state-broken", self._home.memory_index, reason=str(error))
        return status, sum(not is_at(cursors.get(one.source, ""), one.end()) for one in self._producers(None))

    def close(self) -> None:
        """Give back what is held open."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None

    def _catch_up(
        self, backend: Backend, kinds: frozenset[str] | None, progress: Progress, project_id: str | None = None
    ) -> tuple[str, ...]:
        """Take in what is new of these kinds, of one project or all; return who hands over here."""
        producers = list(self._producers(project_id))
        cursors, sources = backend.cursors(), tuple(producer.source for producer in producers)
        unlisted = cursors.keys() - set(sources) if project_id is None else ()
        gone = [source for source in unlisted if not self._is_elsewhere(source)]
        for source in gone:
            backend.forget(source)
        wanted = [one for one in producers if kinds is None or not kinds.isdisjoint(one.kinds)]
        behind = [one for one in wanted if not is_at(cursors.get(one.source, ""), one.end())]
        for producer in behind:
            apply = partial(backend.apply, producer.source, producer.project_id)
            take_in(producer, partial(_cursor, backend, producer.source), apply, progress)
        if (gone or behind) and kinds is not None and backend.wasted():
            backend.clear()
            self._catch_up(backend, None, progress)
        return sources

    def _with_backend(self, work: Callable[[Backend], T]) -> T:
        """Do some work on the index; one that is broken or cannot be written costs time, never the answer."""
        if self._backend is None:
            kept = self.name == "sqlite_fts" and self._home.exists()
            self._backend = FtsBackend(self._home.memory_index if kept else "", self._report, self._find_nearness)
        backend = self._backend
        return backend.run(lambda: work(backend))

    def _find_nearness(self) -> "Nearness | None":
        """Return what finds by vectors, where that is on and installed; it is loaded by the first search."""
        if not self._near:
            return None
        try:
            from mi.knowledge.search.model import load_model
            from mi.knowledge.search.nearness import Nearness

            return Nearness(load_model(), self._progress)
        except (ImportError, OSError) as error:
            self._near = False
            self._notices.add("semantic-missing", self._home.config, reason=str(error) or type(error).__name__)
            return None

    def _report(self, trouble: Trouble, error: Exception) -> None:
        reason = getattr(error, "strerror", None) or str(error)
        if trouble == "broken":
            self._notices.add("memory-index-broken", self._home.memory_index, reason=reason)
        else:
            self._notices.add("memory-index-unwritable", self._home.memory_index, reason=reason)


def _cursor(backend: Backend, source: str) -> str:
    return backend.cursors().get(source, "")
