"""One agent process: its own group, byte pipes with a reader each, limits, escalation, a bounded end."""

import os
import select
import signal
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from types import TracebackType

from mi.agents import leftovers
from mi.agents.leftovers import LeftProcess
from mi.agents.pipes import make_poller, spawn
from mi.agents.signals import StopFlag
from mi.kernel.named_tuple import NamedTuple

_CHUNK = 1 << 15
_IN_FLIGHT = 3  # chunks read but not yet handled: bounds memory and, more so, the delay of an interrupt
# After the agent's exit, whoever still holds its pipes gets this long: then SIGTERM, SIGKILL, and we stop reading.
_DRAIN_STEPS_S = (0.5, 0.5, 1.0)
_GROUP_GRACE_S = 0.5

OnData = Callable[[str, bytes], None]


class Escalation(NamedTuple):
    """Signals sent one after another, `waits_ms` between them; SIGKILL ends any sequence that does not."""

    signals: tuple[str, ...] = ("SIGINT", "SIGTERM", "SIGKILL")
    waits_ms: tuple[int, ...] = (2000, 5000)

    def steps(self) -> list[tuple[signal.Signals, float]]:
        """Return each signal with the seconds to wait after it."""
        names = [*self.signals] if "SIGKILL" in self.signals else [*self.signals, "SIGKILL"]
        waits = [*self.waits_ms] or [2000]
        waits += [waits[-1]] * len(names)
        return [(signal.Signals[name], wait / 1000) for name, wait in zip(names, waits, strict=False)]


class ProcessLimits(NamedTuple):
    """Seconds an agent may take in all, and may be silent; None is no limit."""

    wall_s: float | None = None
    idle_s: float | None = None


class Ended(NamedTuple):
    """How a process ended. `code` is negative for a signal; `stopped` says why MI stopped it, if it did."""

    code: int
    stopped: str
    seconds: float
    pipe_held: bool  # someone outside the group kept the pipe open; what it says after the end is not read
    swept: int  # processes of the agent that had to be killed after it
    left: tuple[LeftProcess, ...] = ()  # those that an agent that ended well leaves running


class AgentProcess:
    """A running agent. Leaving the `with` block ends it, however the block is left."""

    def __init__(
        self,
        argv: Sequence[str],
        cwd: str,
        env: dict[str, str] | None = None,
        stdin: bytes | None = None,
        limits: ProcessLimits = ProcessLimits(),  # noqa: B008 - immutable
        escalation: Escalation = Escalation(),  # noqa: B008 - immutable
        stop: StopFlag | None = None,
    ) -> None:
        self._queue: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        self._room = threading.Semaphore(_IN_FLIGHT)
        self._limits = limits
        self._steps = escalation.steps()
        self._step_at: float | None = None
        self._stop = stop
        self._closing = False
        self.stopped = ""
        self.started = time.monotonic()
        self._mark = leftovers.make_mark()
        self._popen = spawn(argv, cwd, (env or dict(os.environ)) | self._mark.environment, stdin is not None)
        self.pid = self._popen.pid
        self._wake_read, self._wake_write = os.pipe()
        self._open = {"stdout", "stderr"}
        self._exited_at: float | None = None
        self._went_wrong = False  # it died of a signal or with a code other than 0
        self._threads = [self._thread(self._read, "stdout"), self._thread(self._read, "stderr")]
        self._waiter = self._thread(self._wait)
        if stdin is not None:
            self._threads.append(self._thread(self._feed, stdin))
        if stop is not None:
            stop.listen(self._wake_for_stop)
            if stop.reason:
                self._wake_for_stop()

    def __enter__(self) -> "AgentProcess":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._popen.returncode is None:
            self._signal_group(signal.SIGKILL)
            self.stopped = self.stopped or "error"
            self._finish()

    def interrupt(self, reason: str) -> None:
        """Begin to stop the agent; the first reason stands. Called from the thread that pumps."""
        if not self.stopped and self._exited_at is None:
            self.stopped = reason
            self._escalate()

    def pump(self, on_data: OnData) -> Ended:
        """Hand over what the agent prints, as it comes, until it has ended; never waits without a bound."""
        last_data = time.monotonic()
        while self._open or self._exited_at is None:
            try:
                source, data = self._queue.get(timeout=self._patience(last_data))
            except Empty:
                if self._on_time(last_data):
                    break
                continue
            if data:
                last_data = time.monotonic()
                on_data(source, data)
                self._room.release()
            elif source == "exit":
                self._exited_at = time.monotonic()
            elif source == "stop":
                self._on_stop()
            else:
                self._open.discard(source)
            if self._is_due(last_data) and self._on_time(last_data):
                break
        return self._finish()

    def _on_stop(self) -> None:
        if self._stop is None:
            return
        if self.stopped and self._stop.hurry and self._exited_at is None:
            self._signal_group(signal.SIGKILL)
        self.interrupt(self._stop.reason)

    def _deadline(self, last_data: float) -> float | None:
        """Return when something must be done although nothing comes."""
        if self._exited_at is not None:
            return self._exited_at + _DRAIN_STEPS_S[0] if self._step_at is None else self._step_at
        if self.stopped:
            return self._step_at
        wall = self.started + self._limits.wall_s if self._limits.wall_s is not None else None
        idle = last_data + self._limits.idle_s if self._limits.idle_s is not None else None
        return min((moment for moment in (wall, idle) if moment is not None), default=None)

    def _patience(self, last_data: float) -> float | None:
        deadline = self._deadline(last_data)
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    def _is_due(self, last_data: float) -> bool:
        """Return whether a deadline passed while data kept coming."""
        deadline = self._deadline(last_data)
        return deadline is not None and time.monotonic() >= deadline

    def _on_time(self, last_data: float) -> bool:
        """Act on a deadline that has passed; return True when there is nothing left to wait for."""
        if self._exited_at is not None:
            return self._drain_on()
        if self.stopped:
            self._escalate()
        elif self._limits.wall_s is not None and time.monotonic() >= self.started + self._limits.wall_s:
            self.interrupt("wall")
        elif self._limits.idle_s is not None and time.monotonic() >= last_data + self._limits.idle_s:
            self.interrupt("idle")
        return False

    def _escalate(self) -> None:
        number, wait = self._steps.pop(0) if len(self._steps) > 1 else self._steps[0]
        self._signal_group(number)
        self._step_at = time.monotonic() + wait

    def _drain_on(self) -> bool:
        """End those who hold the pipe of an agent that is gone, a little harder each time."""
        passed = time.monotonic() - (self._exited_at or 0.0)
        if passed >= sum(_DRAIN_STEPS_S):
            return True
        hard = passed >= sum(_DRAIN_STEPS_S[:2])
        self._signal_group(signal.SIGKILL if hard else signal.SIGTERM)
        if self.stopped or self._went_wrong:
            self._mark.kill()
        self._step_at = (self._exited_at or 0.0) + sum(_DRAIN_STEPS_S[: 3 if hard else 2])
        return False

    def _finish(self) -> Ended:
        self._signal_group(signal.SIGTERM)  # the leader is dead but not reaped: the group's id is still ours
        self._waiter.join()
        code = self._popen.wait()
        # An agent that ended well may leave a server running in a session of its own; any other may leave nothing.
        swept = self._end_group() + (self._mark.kill() if self.stopped or code != 0 else 0)
        left = () if self.stopped or code != 0 else tuple(self._mark.find_left(self.pid))
        held = bool(self._open)
        self._close()
        return Ended(code, self.stopped, time.monotonic() - self.started, held, swept, left)

    def _end_group(self) -> int:
        """Nobody of the agent's group outlives the batch."""
        deadline = time.monotonic() + _GROUP_GRACE_S
        while leftovers.group_exists(self.pid):
            if time.monotonic() > deadline:
                self._signal_group(signal.SIGKILL)
                return 1
            time.sleep(0.005)
        return 0

    def _close(self) -> None:
        self._closing = True
        os.write(self._wake_write, b"x")
        if self._stop is not None:
            self._stop.unlisten(self._wake_for_stop)
        for thread in self._threads:
            thread.join()
        for fd in (self._wake_read, self._wake_write):
            os.close(fd)
        for pipe in (self._popen.stdout, self._popen.stderr):
            if pipe is not None:
                pipe.close()

    def _signal_group(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            pass  # all of them are gone, or are no longer ours to signal

    def _wake_for_stop(self) -> None:
        self._queue.put(("stop", b""))  # SimpleQueue.put may be called inside a signal handler

    def _thread(self, work: Callable[..., None], *args: object) -> threading.Thread:
        thread = threading.Thread(target=work, args=args, daemon=True)
        thread.start()
        return thread

    def _wait(self) -> None:
        """Tells of the exit without reaping, so that the group's id cannot be given to someone else meanwhile."""
        if hasattr(os, "waitid"):
            end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            self._went_wrong = end is None or end.si_code != os.CLD_EXITED or end.si_status != 0
        else:
            self._went_wrong = self._popen.wait() != 0
        self._queue.put(("exit", b""))

    def _read(self, stream: str) -> None:
        pipe = self._popen.stdout if stream == "stdout" else self._popen.stderr
        fd = pipe.fileno() if pipe is not None else -1
        poll = make_poller(fd, select.POLLIN, self._wake_read)
        while not self._closing:
            if any(ready == self._wake_read for ready, _ in poll.poll()):
                return
            data = os.read(fd, _CHUNK)
            while data and not self._room.acquire(timeout=0.2):
                if self._closing:
                    return
            self._queue.put((stream, data))
            if not data:
                return

    def _feed(self, prompt: bytes) -> None:
        """Write the prompt as fast as the agent reads it; an agent that never reads holds up nobody."""
        pipe = self._popen.stdin
        if pipe is None:
            return
        fd, rest = pipe.fileno(), memoryview(prompt)
        os.set_blocking(fd, False)
        poll = make_poller(fd, select.POLLOUT, self._wake_read)
        try:
            while rest and not any(ready == self._wake_read for ready, _ in poll.poll()):
                rest = rest[os.write(fd, rest[:_CHUNK]) :]
        except BrokenPipeError:
            pass  # the agent has read enough
        finally:
            try:
                pipe.close()
            except BrokenPipeError:
                pass
