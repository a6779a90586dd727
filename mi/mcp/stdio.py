"""`mi mcp serve` over standard input and output: one message a line."""

import os
import sys
from functools import partial
from threading import Lock

from mi.mcp.dispatch import Dispatcher, Job
from mi.mcp.registry import Offer
from mi.mcp.session import ToolSession
from mi.mcp.worker import ToolThread


def serve(session: ToolSession, offer: Offer) -> int:
    """Answer until standard input ends; what was asked before is answered before the end."""
    output = _own_output()
    dispatcher, worker = Dispatcher(session, offer), ToolThread()
    try:
        for line in sys.stdin.buffer:
            if not line.strip():
                continue
            job = dispatcher.receive(line)
            if job.slow:
                worker.add(partial(_work, job, output))
            else:
                output.write(job.run())
    finally:
        worker.add(session.close)  # where it was opened: a database belongs to its thread
        worker.finish()
    return 0


def _work(job: Job, output: "_Output") -> None:
    try:
        output.write(job.run())
    except BrokenPipeError:
        pass  # the client is gone; what it asked for is done all the same


class _Output:
    """Whole lines, from two threads."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = Lock()

    def write(self, reply: bytes | None) -> None:
        if reply is None:
            return
        data = memoryview(reply + b"\n")
        with self._lock:
            while data:
                data = data[os.write(self._fd, data) :]


def _own_output() -> _Output:
    """Keep standard output for the protocol alone: what anything else prints goes to standard error."""
    sys.stdout.flush()
    mine = os.dup(1)
    os.dup2(2, 1)
    return _Output(mine)
