"""A person's terminal: a command on a pseudo-terminal of its own, read and typed into."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_OWNS = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
_LIMIT_S = 60.0


class Terminal:
    """A command that owns a terminal, so that Ctrl-C reaches it; `shown` is what is seen so far, without colours."""

    def __init__(self, command: Sequence[str], cwd: Path, **env: str) -> None:
        self._screen, end = pty.openpty()
        self._raw = b""
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OWNS, *command],
            cwd=cwd,
            stdin=end,
            stdout=end,
            stderr=end,
            env=os.environ | {"TERM": "dumb"} | env,
            start_new_session=True,
        )
        os.close(end)

    @property
    def shown(self) -> str:
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._raw.decode("utf-8", "replace"))
        return text.replace("\r", "")

    def read_until(self, text: str) -> str:
        """What is seen once a text is there."""
        deadline = time.monotonic() + _LIMIT_S
        while text not in self.shown:
            assert time.monotonic() < deadline, f"never saw {text!r} in:\n{self.shown}"
            assert self._read(0.1), f"it ended without {text!r}:\n{self.shown}"
        return self.shown

    def type(self, text: str) -> None:
        """Type something."""
        os.write(self._screen, text.encode())

    def finish(self, code: int = 0) -> str:
        """What was seen when the command is over."""
        deadline = time.monotonic() + _LIMIT_S
        while self._read(0.1):
            assert time.monotonic() < deadline, f"it never ended:\n{self.shown}"
        assert self.process.wait(_LIMIT_S) == code, self.shown
        return self.shown

    def close(self) -> None:
        """End the command, if it has not ended."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._screen)

    def _read(self, wait_s: float) -> bool:
        """Whether there may be more to come."""
        if not select.select([self._screen], [], [], wait_s)[0]:
            return True
        try:
            chunk = os.read(self._screen, 65536)
        except OSError:
            return False  # the other end is closed: the command is over
        self._raw += chunk
        return bool(chunk)
