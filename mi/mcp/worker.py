"""The thread in which the rooms work: whoever carries messages stays free to read, so that a call can be cancelled."""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread


class ToolThread:
    """Does one thing after the other; its thread starts with the first."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self._thread: Thread | None = None

    def add(self, work: Callable[[], object]) -> None:
        """Do it after what was added before."""
        if self._thread is None:
            self._thread = Thread(target=self._run, name="rooms")
            self._thread.start()
        self._queue.put(work)

    def finish(self) -> None:
        """Wait until everything is done; nothing can be added afterwards."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work()
