"""Start `mi` as a person does, without importing the package anew for every command of a test.

A process that has imported the package stands by and forks. The command is a process of its own with its own words,
environment, folder and streams, as if the installed program had been started; only the imports are done already, and
the patterns that an earlier command looked for are compiled. What Python reads at its own start (PYTHON*, the locale)
cannot be given to a fork: such a command is started anew, as are those of tests that signal a process, own a terminal
or look at the start itself: they call `MI`.
"""

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import pkgutil
import re
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import mi
from mi.__main__ import main
from mi.app import speaker
from tests.speaking import INSTALLED, find_command, make_reader

MI = find_command()
Done = subprocess.CompletedProcess[str]
_ROOT = Path(__file__).parents[1]
_READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_")
_MESSAGE_BYTES = 2**17
_PIPE_BYTES = 4096 * 8  # what a pipe takes before anybody reads, with room to spare


class _Standby:
    """The process that forks; started at the first command, gone with the test run."""

    def __init__(self) -> None:
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.environ = _read_at_start(dict(os.environ))
        words = [sys.executable, "-m", __name__, str(theirs.fileno()), "" if MI == INSTALLED else str(os.getpid())]
        pipe = subprocess.PIPE  # Python makes its streams for pipes, and those of a command are pipes
        self._process = subprocess.Popen(
            words, cwd=_ROOT, pass_fds=[theirs.fileno()], stdin=pipe, stdout=pipe, stderr=pipe
        )
        theirs.close()

    def start(self, streams: list[int], work: bytes) -> socket.socket:
        """Fork a command with these streams; the socket tells its id, then its exit code."""
        line, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._line, [b"."], [*streams, theirs.fileno()])
            line.sendall(len(work).to_bytes(8, "big") + work)
        except OSError as error:
            line.close()
            raise RuntimeError(self._process.communicate()[1].decode()) from error
        return line

    def close(self) -> None:
        self._line.close()
        self._process.communicate()


_standby: list[_Standby] = []


def end_standby() -> None:
    """Let the next command be forked by a new process, as this one is not in the same place any more."""
    while _standby:
        _standby.pop().close()


atexit.register(end_standby)


def run_mi(words: list[str], stdin: str, env: dict[str, str], cwd: Path | None, timeout: float) -> Done:
    """Run a command to its end; its output as text."""
    if not _standby:
        _standby.append(_Standby())
    given = stdin.encode()
    if _read_at_start(env) != _standby[0].environ or len(given) > _PIPE_BYTES:
        return run_anew(words, stdin, env, cwd, timeout)
    pipes = [os.pipe() for _ in range(3)]
    (theirs_in, our_in), (our_out, theirs_out), (our_err, theirs_err) = pipes
    os.write(our_in, given)
    os.close(our_in)
    work = marshal.dumps(([str(MI), *words], env, str(cwd or os.getcwd())))
    line = _standby[0].start([theirs_in, theirs_out, theirs_err], work)
    for fd in (theirs_in, theirs_out, theirs_err):
        os.close(fd)
    pid, code, out, err = _collect(line, our_out, our_err, timeout)
    if code is None:
        os.kill(pid, signal.SIGKILL)
        raise subprocess.TimeoutExpired(["mi", *words], timeout, out, err)
    return subprocess.CompletedProcess([str(MI), *words], code, _text(out), _text(err))


def run_anew(words: list[str], stdin: str, env: dict[str, str], cwd: Path | None, timeout: float) -> Done:
    """Run a command by the installed program."""
    return subprocess.run(
        [str(MI), *words],
        check=False,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        env=env,
        cwd=cwd,
        timeout=timeout,
    )


def _collect(line: socket.socket, out: int, err: int, timeout: float) -> tuple[int, int | None, bytes, bytes]:
    """Return the process id, the exit code (None when the time is over) and what was written."""
    deadline = time.monotonic() + timeout
    found = {line.fileno(): b"", out: b"", err: b""}
    with selectors.DefaultSelector() as waiting, line, open(out, "rb", 0), open(err, "rb", 0):
        for fd in found:
            waiting.register(fd, selectors.EVENT_READ)
        while waiting.get_map() and (left := deadline - time.monotonic()) > 0:
            for key, _ in waiting.select(left):
                read = os.read(key.fd, 65536)
                found[key.fd] += read
                if not read:
                    waiting.unregister(key.fd)
        is_over = not waiting.get_map()
        pid, *code = (int(one) for one in found[line.fileno()].split())
        return pid, code[0] if is_over else None, found[out], found[err]


def _text(written: bytes) -> str:
    return written.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _read_at_start(env: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_READ_AT_START)}


class _Patterns:
    """The patterns that commands compiled; each tells at its end which were new."""

    def __init__(self) -> None:
        self._compile = re._compiler.compile
        self._known: dict[tuple[type, str | bytes, int], re.Pattern] = {}
        self._new: list[tuple[str | bytes, int]] = []
        self._heard, self._tell = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        re._compiler.compile = self._find

    def _find(self, pattern: str | bytes, flags: int = 0) -> re.Pattern:
        key = (type(pattern), pattern, int(flags))
        if key not in self._known:
            self._known[key] = self._compile(pattern, flags)
            self._new.append(key[1:])
        return self._known[key]

    def hear(self) -> None:
        """Compile what commands told since the last time."""
        while select.select([self._heard], [], [], 0)[0]:
            for pattern, flags in marshal.loads(self._heard.recv(_MESSAGE_BYTES)):
                self._find(pattern, flags)
        self._new.clear()

    def tell(self) -> None:
        """Tell what this command compiled."""
        told = marshal.dumps(self._new)
        if self._new and len(told) < _MESSAGE_BYTES:
            with contextlib.suppress(OSError):
                self._tell.send(told, socket.MSG_DONTWAIT)


def _serve(control: socket.socket, patterns: _Patterns) -> None:
    """Fork a command for each request until the test run is over."""
    waited: dict[int, socket.socket] = {}

    def reap(*_: object) -> None:
        while waited:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with waited.pop(pid) as line:
                line.sendall(b"%d" % os.waitstatus_to_exitcode(status))

    signal.signal(signal.SIGCHLD, reap)
    while True:
        request, fds, _, _ = socket.recv_fds(control, 1, 4)
        if not request:
            return
        *streams, told = fds
        line = socket.socket(fileno=told)
        patterns.hear()
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        pid = os.fork()
        if not pid:
            control.close()
            atexit.register(patterns.tell)
            _become(streams, line)
        line.sendall(b"%d " % pid)
        waited[pid] = line
        for fd in streams:
            os.close(fd)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])


def _become(streams: list[int], line: socket.socket) -> None:
    """Be the command that the line asks for."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
    with line, line.makefile("rb") as asked:
        sys.argv, environ, cwd = marshal.loads(asked.read(int.from_bytes(asked.read(8), "big")))
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
        os.close(fd)
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(cwd)
    time.tzset()
    tempfile.tempdir = None
    sys.exit(main())


def _main(control: str, pid: str) -> None:
    """Import the package as the command does, then stand by."""
    patterns = _Patterns()
    for module in pkgutil.walk_packages(mi.__path__, "mi."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    if pid:
        speaker.read_ancestry = make_reader(int(pid))
    gc.freeze()
    _serve(socket.socket(fileno=int(control)), patterns)


if __name__ == "__main__":
    _main(*sys.argv[1:])
