"""Starting a program with byte pipes, and waiting for them."""

import errno
import os
import select
import subprocess
from collections.abc import Sequence

from mi.kernel.errors import MiError, NotFound


def spawn(argv: Sequence[str], cwd: str, env: dict[str, str], has_stdin: bool) -> "subprocess.Popen[bytes]":
    """Start a program as the leader of a process group of its own; MiError says why it cannot be started."""
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=env,
            stdin=subprocess.PIPE if has_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
    except OSError as error:
        raise _cannot_start(argv, cwd, error) from None


def _cannot_start(argv: Sequence[str], cwd: str, error: OSError) -> MiError:
    if error.errno == errno.E2BIG:
        return MiError("agent-argument-too-long", name=argv[0], size=max(len(arg.encode()) for arg in argv))
    if error.filename == cwd and not os.path.isdir(cwd):
        return NotFound("agent-no-folder", path=cwd)
    if error.errno == errno.ENOENT:
        return NotFound("agent-not-found", name=argv[0])
    return MiError("agent-cannot-start", name=argv[0], reason=error.strerror or str(error))


def make_poller(fd: int, events: int, wake: int) -> select.poll:
    """Return a poller that waits for a pipe, or for being woken."""
    poll = select.poll()
    poll.register(fd, events)
    poll.register(wake, select.POLLIN)
    return poll
