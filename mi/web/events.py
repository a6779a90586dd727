"""What changed, told to open pages: one stream each, whose last event's id is how much of the logs there was.

An event names what changed (`inbox`, `answers`, `runs`, `run:<id>`); the page fetches the same view again. Whoever was
away (asleep, or the server was) sends the last id it saw, and is told at once if there is more.
"""

import asyncio
import os
import re
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress

from starlette.types import Receive, Scope, Send

from mi.kernel import jsonl
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.web.background import BackgroundWork
from mi.web.live_transcripts import LiveTranscripts

ALL = "all"
_TICK_S = 0.1
_EACH_S = 0.02  # between two changes, for each who watches: all of them look again, and the runs come first
_ALIVE_S = 20.0  # between words to a page that hears nothing else
_SEND_S = 10.0  # for a page to take what it is sent
_REMEMBERED = 1000  # changes
_READ = 1 << 18  # bytes at the end of what is new, looked through for runs
_RUN = re.compile(rb'"run_id": ?"(run_[\w-]{1,100})"')


class Change(NamedTuple):
    """What was new when the logs had reached a length."""

    id: str
    names: frozenset[str]


class HomeEvents:
    """Looks at the logs of a home while anybody watches; nobody else costs anything."""

    def __init__(self, home: Home, work: BackgroundWork | None = None) -> None:
        self._home = home
        self._live = LiveTranscripts(home)
        self._work = work or BackgroundWork()
        self._places, self._listed = home.list_log_places(), 0
        self._sizes = self._measure()
        self._beside = self._measure_beside()
        self._steps = 0  # changes beside the logs
        self._changes: deque[Change] = deque([Change(self._name(), frozenset())], _REMEMBERED)
        self._watchers = 0
        self._changed = asyncio.Condition()
        self._ticking: asyncio.Task[None] | None = None

    def look(self) -> str:
        """Return the id of how much there is now, taken before a view is read: what comes later is told."""
        sizes, beside = self._measure(), self._measure_beside()
        names = {name for (what, name), size in beside.items() if size != self._beside.get((what, name), 0)}
        if sizes != self._sizes:
            grown = {log: self._sizes.get(log, 0) for log in sizes if sizes[log] != self._sizes.get(log)}
            names |= {name for log, start in grown.items() for name in self._name_changes(log, start, sizes[log])}
            names = names or {ALL}
        if names:
            self._sizes, self._beside, self._steps = sizes, beside, self._steps + (beside != self._beside)
            self._changes.append(Change(self._name(), frozenset(names)))
        return self._changes[-1].id

    async def follow(self, since: str) -> AsyncIterator[Change | None]:
        """Yield what changed after an id, and then whatever changes; None now and then, when nothing did."""
        self._watchers += 1
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._tick(self._changes[-1].id))
        try:
            self.look()
            while True:
                change = self._find_since(since)
                if change.id != since:
                    since = change.id
                    yield change
                    continue
                try:
                    async with asyncio.timeout(_ALIVE_S), self._changed:
                        await self._changed.wait_for(lambda seen=since: self._changes[-1].id != seen)  # type: ignore[misc]
                except TimeoutError:
                    yield None
        finally:
            self._watchers -= 1
            if not self._watchers and self._ticking:
                self._ticking.cancel()
                self._ticking = None

    def _find_since(self, since: str) -> Change:
        """Return all that changed after an id as one; all there is, when it is not remembered."""
        names: set[str] = set()
        for change in reversed(self._changes):
            if change.id == since:
                return Change(self._changes[-1].id, frozenset(names))
            names |= change.names
        return Change(self._changes[-1].id, frozenset({ALL}))

    async def _tick(self, told: str) -> None:
        """Wake whoever watches once there is something new: at once after a pause, the less often the more they are."""
        pause = _TICK_S
        while True:
            await asyncio.sleep(pause)
            pause = _TICK_S
            if (now := self.look()) != told:
                told, pause = now, max(_TICK_S, _EACH_S * self._watchers)
                async with self._changed:
                    self._changed.notify_all()

    def _measure(self) -> dict[str, int]:
        """Return how long each log is; where they lie is looked up when a project came or went."""
        with suppress(OSError):
            changed = os.stat(self._home.projects).st_mtime_ns
            if changed != self._listed:
                self._listed, self._places = changed, self._home.list_log_places()
        sizes: dict[str, int] = {}
        for place in self._places:
            with suppress(OSError):
                sizes[place] = os.stat(place).st_size
        return sizes

    def _measure_beside(self) -> dict[tuple[str, str], int]:
        """Return by name how much there is beside the logs: what agents print meanwhile, and what the page does."""
        printed = {("printed", name): size for name, size in self._live.measure().items()}
        if os.path.exists(self._home.hub_questions):  # it is written anew by whoever hears the hub
            printed["hub", "inbox"] = os.stat(self._home.hub_questions).st_mtime_ns
        return printed | {("done", name): count for name, count in self._work.count_changes().items()}

    def _name(self) -> str:
        return f"{sum(self._sizes.values())}-{len(self._sizes)}-{self._steps}"

    def _name_changes(self, log: str, start: int, end: int) -> set[str]:
        """Return the names of what concerns a log that grew; one that was written anew concerns everything."""
        if end < start:
            return {ALL}
        if os.path.basename(log) != "evidence.jsonl":
            return {"knowledge"}
        try:
            new = jsonl.read_range(log, max(start, end - _READ), end)
        except OSError:
            return {ALL}
        self._live.take_in(new)
        answers = ("answers",) if b'"user_input"' in new else ()
        return {"inbox", "runs", *answers, *(f"run:{found.decode()}" for found in set(_RUN.findall(new)))}


class EventStream:
    """The answer to a page that watches; one that does not take what it is sent is cut off."""

    def __init__(self, events: HomeEvents, since: str) -> None:
        self._events = events
        self._since = since

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the page goes away."""
        headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(_wait_until_gone(receive))
        telling = asyncio.create_task(self._tell(send))
        done, _ = await asyncio.wait({gone, telling}, return_when=asyncio.FIRST_COMPLETED)
        for task in {gone, telling} - done:
            task.cancel()
        await asyncio.gather(gone, telling, return_exceptions=True)
        if telling in done:
            telling.result()

    async def _tell(self, send: Send) -> None:
        await _put(send, b"retry: 1000\n\n")
        async for change in self._events.follow(self._since):
            told = f"id: {change.id}\ndata: {' '.join(sorted(change.names))}\n\n" if change else ":\n\n"
            await _put(send, told.encode())


async def _put(send: Send, data: bytes) -> None:
    async with asyncio.timeout(_SEND_S):
        await send({"type": "http.response.body", "body": data, "more_body": True})


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
