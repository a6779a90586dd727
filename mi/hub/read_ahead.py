"""Making the next ready while the one before is sent: home and hub then work at the same time."""

import threading
from collections.abc import Iterator
from queue import Full, Queue
from typing import TypeVar

T = TypeVar("T")
_LOOK_S = 0.2
_END = object()


def read_ahead(items: Iterator[T], most: int = 2) -> Iterator[T]:
    """Yield the same, made in a thread of its own, at most so many ahead; it ends with whoever takes them."""
    ready: Queue[object] = Queue(most)
    is_over = threading.Event()

    def put(item: object) -> bool:
        while not is_over.is_set():
            try:
                ready.put(item, timeout=_LOOK_S)
                return True
            except Full:
                continue
        return False

    def make() -> None:
        try:
            for item in items:
                if not put(item):
                    return
            put(_END)
        except BaseException as error:  # noqa: BLE001  # raised below, where it is waited for
            put(error)

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not _END:
            if isinstance(item, BaseException):
                raise item
            yield item  # type: ignore[misc]
    finally:
        is_over.set()
        thread.join()
