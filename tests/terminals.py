"""A person's terminal: a command on a pseudo-terminal of its own, read and typed into."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path

_OWNS = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
_LIMIT_S = 60.0
_OVER = b"\x00over\x00"  # written behind the command's last word


class Terminal:
    """A command that owns a terminal, so that Ctrl-C reaches it; `shown` is what is seen without colours."""

    def __init__(self, command: Sequence[str], cwd: Path, columns: int = 0, **env: str) -> None:
        # The command's end stays open here: a kernel may drop what was not read yet when the last one is closed.
        self._screen, self._end = pty.openpty()
        if columns:
            fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._raw = b""
        self._over = False
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OWNS, *command],
            cwd=cwd,
            stdin=self._end,
            stdout=self._end,
            stderr=self._end,
            env=os.environ | {"TERM": "dumb"} | env,
            start_new_session=True,
        )

    @property
    def coloured(self) -> str:
        return self._raw.removesuffix(_OVER).decode("utf-8", "replace").replace("\r", "")

    @property
    def shown(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.coloured)

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
        os.close(self._end)
        os.close(self._screen)

    def _read(self, wait_s: float) -> bool:
        """Whether there may be more to come."""
        if self._raw.endswith(_OVER):
            return False
        if select.select([self._screen], [], [], wait_s)[0]:
            self._raw += os.read(self._screen, 65536)
        elif not self._over and self.process.poll() is not None:
            self._over = True
            os.write(self._end, _OVER)
        return True
