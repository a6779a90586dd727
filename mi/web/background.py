"""What takes longer than a look: done in a thread of its own; open pages are told when it begins and when it ends."""

import os
import threading
import time
from collections.abc import Callable

from mi.kernel.errors import MiError, from_os_error
from mi.kernel.named_tuple import NamedTuple

_KEPT = 200  # things that were done


class Deed(NamedTuple):
    """Something that is being done, or was: what it is about (the name of an event), and what came of it."""

    about: str
    name: str
    began: float
    result: object = None  # while it is done: what is known so far
    failed: str = ""  # why it came to nothing, in words
    code: str = ""  # of that
    is_over: bool = False


class BackgroundWork:
    """What the page does beside showing views; of each name one at a time for the same thing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._deeds: dict[tuple[str, str], Deed] = {}
        self._threads: dict[tuple[str, str], threading.Thread] = {}
        self._changes: dict[str, int] = {}

    def begin(
        self,
        about: str,
        name: str,
        language: str,
        work: Callable[[], object],
        may_be_left: bool = False,
        known: object = None,
    ) -> bool:
        """Begin something; False when the same is under way.

        `may_be_left`: the page may end before it does. `known`: the result until there is another one.
        """
        with self._lock:
            former = self._deeds.get((about, name))
            if former is not None and not former.is_over:
                return False
            deed = Deed(about, name, time.time(), known)
            self._keep(deed)
            doing = threading.Thread(target=self._do, args=(deed, language, work), daemon=may_be_left)
            self._threads[about, name] = doing
        doing.start()
        return True

    def _do(self, begun: Deed, language: str, work: Callable[[], object]) -> None:
        deed, failed = begun, None
        try:
            deed = deed._replace(result=work())
        except MiError as error:
            failed = error
        except OSError as error:
            failed = from_os_error(error)
        except Exception as error:  # whoever waits for it must hear that it is over
            failed = MiError("internal", what=f"{type(error).__name__}: {error}")
            if os.environ.get("MI_TRACEBACK"):
                raise
        finally:
            if failed is not None:
                deed = deed._replace(failed=failed.line(language), code=failed.code)
            with self._lock:
                if self._deeds.get((deed.about, deed.name)) is begun:  # else nobody wants it any more
                    self._keep(deed._replace(is_over=True))

    def wait(self, about: str, name: str, seconds: float | None = None) -> bool:
        """Wait until something is over, at most so long; return whether it is."""
        doing = self._threads.get((about, name))
        if doing is not None:
            doing.join(seconds)
        return doing is None or not doing.is_alive()

    def find(self, about: str, name: str) -> Deed | None:
        """Return what is being done or was done last under a name."""
        with self._lock:
            return self._deeds.get((about, name))

    def forget(self, about: str, name: str) -> None:
        """Let go of what came of something."""
        with self._lock:
            self._deeds.pop((about, name), None)

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
            self._threads.pop(key, None)
