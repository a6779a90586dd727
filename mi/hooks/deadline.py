"""The time in which a hook answers: hosts let a call pass whose hook is late, so it closes the way itself before."""

import os
import signal

from mi.hooks.event import EventName
from mi.kernel.messages import choose_language, text

SECONDS = 10.0  # a third of what hosts are told to wait
_AT_END_S = 2.0  # of 3
_CLOSED = 2


class HookDeadline:
    """Ends the process with an answer when the time is over, whatever it is busy with.

    It ends as if it was killed, which nothing that is stored minds: lines are appended whole, files replaced.
    """

    def __init__(self, event: EventName) -> None:
        self._event = event
        self.language = choose_language("")
        self.closes = event == "pre-tool"  # the rest only informs: a call that follows is judged by itself

    def start(self) -> None:
        """Begin to count."""
        signal.signal(signal.SIGALRM, lambda *_: self._answer())
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def stop(self) -> None:
        """End it: the answer is there."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    @property
    def _seconds(self) -> float:
        return min(SECONDS, _AT_END_S) if self._event == "session-end" else SECONDS

    def _answer(self) -> None:
        code = "error.hook-late-closed" if self.closes else "error.hook-late"
        line = text(code, self.language, event=self._event, seconds=f"{self._seconds:g}")
        if not self.closes:
            os.write(1, b"{}\n")
        os.write(2, f"mi: {line}\n".encode(errors="replace"))
        os._exit(_CLOSED if self.closes else 0)
