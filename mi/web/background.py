"""What takes longer than a look: done in a thread of its own; open pages are told when it begins and when it ends."""

import threading
import time
from collections.abc import Callable, Iterable

from mi.kernel.errors import MiError, from_os_error
from mi.kernel.named_tuple import NamedTuple

_KEPT = 200  # things that were done


class Deed(NamedTuple):
    """Something that is being done, or was: what it is about (the name of an event), and the lines that it left."""

    about: str
    name: str
    began: float
    lines: tuple[str, ...] = ()
    is_over: bool = False


class BackgroundWork:
    """What the page does beside showing views; of each name one at a time for the same thing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deeds: dict[tuple[str, str], Deed] = {}
        self._changes: dict[str, int] = {}

    def begin(
        self, about: str, name: str, language: str, work: Callable[[], Iterable[str]], may_be_left: bool = False
    ) -> bool:
        """Begin something; False when the same is under way. `may_be_left`: the page may end before it does."""
        deed = Deed(about, name, time.time())
        with self._lock:
            known = self._deeds.get((about, name))
            if known is not None and not known.is_over:
                return False
            self._keep(deed)

        def do() -> None:
            lines: list[str] = []
            try:
                lines += work()
            except MiError as error:
                lines.append(error.line(language))
            except OSError as error:
                lines.append(from_os_error(error).line(language))
            finally:
                with self._lock:
                    self._keep(deed._replace(lines=tuple(lines), is_over=True))

        threading.Thread(target=do, name=f"{name} {about}", daemon=may_be_left).start()
        return True

    def list_deeds(self, about: str) -> list[Deed]:
        """Return what is being done and was done about something, the latest last."""
        with self._lock:
            return sorted((one for one in self._deeds.values() if one.about == about), key=lambda one: one.began)

    def count_changes(self) -> dict[str, int]:
        """Return how often something began or ended, by what it is about."""
        with self._lock:
            return dict(self._changes)

    def note_change(self, about: str) -> None:
        """Let open pages be told that something changed of which no log tells."""
        with self._lock:
            self._changes[about] = self._changes.get(about, 0) + 1

    def _keep(self, deed: Deed) -> None:
        self._deeds.pop((deed.about, deed.name), None)
        self._deeds[deed.about, deed.name] = deed
        self._changes[deed.about] = self._changes.get(deed.about, 0) + 1
        over = [key for key, one in self._deeds.items() if one.is_over]
        for key in over[: max(len(self._deeds) - _KEPT, 0)]:
            del self._deeds[key]
