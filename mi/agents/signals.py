"""Being told to stop: one flag that signals, limits and rules raise, and that running agents listen to."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopFlag:
    """Whether and why to stop. The first reason stands; a second signal means: at once."""

    def __init__(self) -> None:
        self.reason = ""
        self.signal = ""
        self.hurry = False
        self._listeners: list[Callable[[], None]] = []

    def request(self, reason: str) -> None:
        """Ask every listener to stop; safe from any thread and from a signal handler."""
        self.reason = self.reason or reason
        for listener in list(self._listeners):
            listener()

    def settle(self, reason: str) -> None:
        """Take back a request that was met; a signal that came meanwhile still stands."""
        if self.reason == reason:
            self.reason = self.signal

    def listen(self, listener: Callable[[], None]) -> None:
        """Be called at every request; the listener must not block."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[], None]) -> None:
        self._listeners.remove(listener)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.hurry = bool(self.signal)
        self.signal = self.signal or signal.Signals(number).name
        self.request(self.signal)


@contextmanager
def stop_after(seconds: float) -> Iterator[StopFlag]:
    """While this holds, the flag is raised once so much time has passed."""
    flag = StopFlag()
    timer = threading.Timer(seconds, flag.request, [f"no answer within {seconds:g} s"])
    timer.daemon = True
    timer.start()
    try:
        yield flag
    finally:
        timer.cancel()


@contextmanager
def stop_on_signals(flag: StopFlag | None = None) -> Iterator[StopFlag]:
    """While this holds, SIGINT, SIGTERM and SIGHUP to MI raise the flag instead of ending MI.

    Outside the main thread Python allows no handlers: there the flag is returned as it is.
    """
    flag = flag or StopFlag()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return
    # What was ignored stays ignored: `nohup mi run` outlives its terminal.
    heard = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    former = {number: signal.signal(number, flag._on_signal) for number in heard}
    try:
        yield flag
    finally:
        for number, handler in former.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
