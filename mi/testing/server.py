"""A scripted model on loopback: answers an agent's requests from a script and keeps every one of them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from mi.kernel.named_tuple import NamedTuple
from mi.testing.replies import Failure, Script, Turn, as_turn
from mi.testing.requests import Request
from mi.testing.wire import ReplyPlace, ScriptError, Wire

_CLOSING_S = 5.0


class Stray(NamedTuple):
    """A request that asked for nothing scripted: a probe, or a path this API does not have."""

    method: str
    path: str


class ScriptedServer:
    """One model API under a script; a context manager that raises ScriptError when the script was overrun."""

    def __init__(self, wire: Wire, script: Script, *, token: str = "") -> None:
        from mi.testing.listener import Listener  # the web server is only loaded by a test that uses one

        self.requests: list[Request] = []
        self.strays: list[Stray] = []
        self.problems: list[str] = []
        self.wire = wire
        self.token = token
        self.closing = threading.Event()
        self._script = script
        self._taken = 0
        self._changed = threading.Condition()
        self._http = Listener(self)

    @property
    def url(self) -> str:
        """Where the server listens, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        """The address a client of this API is configured with."""
        return self.url + self.wire.base

    @property
    def left(self) -> int:
        """How many replies of the script were not asked for yet."""
        return 0 if callable(self._script) else max(0, len(self._script) - self._taken)

    def wait_for_requests(self, count: int, timeout_s: float = 20.0) -> list[Request]:
        """Wait until that many requests arrived, and give them; ScriptError when they do not come in time."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.requests) >= count, timeout_s):
                raise ScriptError(f"{len(self.requests)} of {count} requests came within {timeout_s:g} s")
            return list(self.requests)

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), name="scripted model", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._http.end_connections(_CLOSING_S)
        self._http.server_close()
        if self.problems and error is None:
            raise ScriptError("\n".join(self.problems))
        for problem in self.problems if error else ():
            error.add_note(problem)  # type: ignore[union-attr]  # the test's own failure stays the first

    def record(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Request:
        """Keep a request; its number is its place in the order of arrival."""
        with self._changed:
            request = Request(len(self.requests) + 1, path, headers, body, *self.wire.seen(body))
            self.requests.append(request)
            self._changed.notify_all()
        return request

    def reply(self, request: Request) -> Turn | Failure:
        """Return the next reply of the script; a request beyond it gets an error and is a problem of the test."""
        if self.token and request.token != self.token:
            return Failure(status=401, message=f"scripted server: wrong key {request.token!r}")
        try:
            return self._scripted(request)
        except AssertionError as error:  # of the script, or in a function of the test
            problem = str(error) or "an assertion in the script failed"
            self.problems.append(problem)
            return Failure(status=400, message=problem, kind="invalid_request_error")

    def _scripted(self, request: Request) -> Turn | Failure:
        if callable(self._script):
            answer = self._script(request)
        else:
            with self._changed:
                self._taken += 1
                taken = self._taken
            if taken > len(self._script):
                raise ScriptError(_overrun(request, len(self._script)))
            step = self._script[taken - 1]
            answer = step(request) if callable(step) else step
        if isinstance(answer, Failure):
            return answer
        turn = as_turn(answer)
        self.wire.whole(turn, ReplyPlace(request.number, request.body))  # refuses what this API has no form for
        return turn

    def events(self, turn: Turn, request: Request) -> Iterator[bytes]:
        """Yield the events of a reply as far as it goes."""
        place = ReplyPlace(request.number, request.body)
        yield from self.wire.opening(turn, place)
        for index, part in enumerate(turn.parts):
            events = self.wire.part(part, index, place)
            last = index == len(turn.parts) - 1
            yield from events[:-1] if last and turn.open_part else events
        if turn.ending == "complete":
            yield from self.wire.closing(turn, place)
        elif turn.ending == "error":
            yield from self.wire.breaking(turn, place)


def _overrun(request: Request, count: int) -> str:
    asked = request.last_output or (request.user_texts[-1] if request.user_texts else "")
    return (
        f"request {request.number} goes beyond the script, which has {count};"
        f" the agent's last word was: {json.dumps(asked[-300:], ensure_ascii=False)}"
    )
