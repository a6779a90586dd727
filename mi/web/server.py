"""`mi web`: one app with the page and MCP, and the listener that serves it."""

import asyncio
import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from mi.app.home_context import HomeContext
from mi.app.loopback.body import read_body
from mi.app.loopback.connection import KNOWN
from mi.app.loopback.limits import Limits
from mi.app.loopback.server import Certificate, LoopbackServer, bind_port, build_app
from mi.kernel import files, messages
from mi.kernel.errors import MiError, NotFound, StorageError, UsageError, from_os_error
from mi.kernel.home import Home, make_dirs
from mi.kernel.named_tuple import NamedTuple
from mi.mcp.http import McpEndpoint, read_token
from mi.mcp.registry import offer
from mi.web.access import Doorway, Origin, Session
from mi.web.background import BackgroundWork
from mi.web.events import EventStream, HomeEvents
from mi.web.link_door import LinkDoor
from mi.web.rendering import STATIC, Pages, read_static
from mi.web.view import Act, Download, PageRequest, ViewPlace
from mi.web.views import VIEWS

PORT = 7439
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_STRANGER = 401
_PORTS = 50  # that are tried after one that is taken
_LOOK_S = 5.0  # for a view to be read; what takes longer goes on, and the browser asks again
_ACT_S = 20.0
_KEPT_S = 15.0  # for the browser to ask again, after such a look has ended
_MOST_SLOW = 20  # looks that go on at once
_MENU: dict[str, Any] = {"views": [one for one in VIEWS if one.in_menu], "known_views": {one.name for one in VIEWS}}
_LIMITS = Limits(body_bytes=1_000_000, body_s=20.0)
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # another page's server never learns the path that the cookie is bound to
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Binding(NamedTuple):
    """Where the page is served."""

    port: int = PORT
    address: str = _LOOPBACK[0]
    certificate: Certificate | None = None


def read_place(home: Home) -> str:
    """Return the path that the page lies under, made at the first use: its addresses stay, and nobody guesses them."""
    path = home.path("web", "place")
    known = (files.read_bytes(path) or b"").decode("ascii", "replace").strip()
    if not (len(known) >= 16 and known.isalnum()):
        make_dirs(os.path.dirname(path))
        known = secrets.token_hex(8)
        files.write_atomic(path, known.encode() + b"\n")
    return f"/{known}"


class PageServer:
    """The page of one home, from the first link to Ctrl-C."""

    def __init__(self, context: HomeContext, binding: Binding) -> None:
        self._home = context.home
        self._binding = binding
        self._socket = _bind(binding)
        self.port = int(self._socket.getsockname()[1])
        host = f"[{binding.address}]" if ":" in binding.address else binding.address
        scheme = "https" if binding.certificate else "http"
        self.url = f"{scheme}://{host}:{self.port}"
        self._doorway = Doorway(self.port)
        place = read_place(context.home)
        names = _LOOPBACK if binding.address in _LOOPBACK else (host.lower(),)
        origin = Origin(scheme, tuple(f"{name}:{self.port}" for name in names))
        self.background = BackgroundWork()
        self._page = PageApp(context.home, place, origin, self._doorway, self.background)
        endpoint = McpEndpoint(context.for_agent(), offer(context.config.mcp.tools))
        mcp = build_app([endpoint.route], read_token(context.home), Limits(), endpoint.lifespan)
        app = _Split(self._page, mcp)
        self._server = LoopbackServer(app, self._socket, Limits(), binding.certificate)

    def make_link(self, to: str = "/") -> str:
        """Return a new link for one browser."""
        return f"{self.url}/open/{self._doorway.make_link(to)}"

    def run(self) -> None:
        """Serve until `stop` is called or the process is interrupted."""
        with LinkDoor(self._home, self.url, self.make_link):
            threading.Thread(target=self._page.make_ready, daemon=True).start()
            self._server.run()

    def stop(self) -> None:
        self._server.stop()


def _bind(binding: Binding) -> socket.socket:
    """Return a socket at the port that is wanted, else at the next one that is free."""
    for port in range(binding.port, min(binding.port + _PORTS, 65535) + 1) if binding.port else (0,):
        try:
            return bind_port(port, binding.address)
        except StorageError as error:
            failed = error
    raise failed


class _Split:
    """One app of two: MCP at its address with its own token, and the page everywhere else."""

    def __init__(self, page: ASGIApp, mcp: ASGIApp) -> None:
        self._page = page
        self._mcp = mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_page = scope["type"] == "http" and not _is_mcp(scope["path"])
        await (self._page if is_page else self._mcp)(scope, receive, send)


def _is_mcp(path: str) -> bool:
    parts = path.strip("/").split("/")
    return parts[-1] == "mcp" and len(parts) <= 2


class PageApp:
    """The views of a home, for whoever came by a link."""

    def __init__(
        self, home: Home, place: str, origin: Origin, doorway: Doorway, background: BackgroundWork | None = None
    ) -> None:
        self._home = home
        self._had_home = home.exists()
        self._place = place
        self._origin = origin
        self._doorway = doorway
        self._pages = Pages(place)
        self._background = background or BackgroundWork()
        self._events: HomeEvents | None = None
        self._views = [(place, compile_path(place.path)[0]) for place in VIEWS]
        self._token_mark = secrets.token_hex(16)  # stands for the session's token in what is shown to several
        self._looks: dict[tuple[str, ...], asyncio.Task[Response]] = {}  # that go on, by what is looked at
        self._slow: dict[tuple[str, str], asyncio.Task[Response]] = {}  # that took too long, by session and address

    def make_ready(self) -> None:
        """Do beforehand what the first look would wait for."""
        self._pages.read_templates()
        for place in VIEWS:
            place.load()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except HTTPException as error:
            response = PlainTextResponse(error.detail, error.status_code, dict(error.headers or {}))
        for name, value in _HEADERS.items():
            if isinstance(response, Response):
                response.headers.setdefault(name, value)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> ASGIApp:
        length = len(request.scope["raw_path"]) + sum(map(len, (one for pair in request.headers.raw for one in pair)))
        if length > _LIMITS.head_bytes:
            raise HTTPException(431, f"at most {_LIMITS.head_bytes} bytes of headers", {"Connection": "close"})
        if fault := self._origin.find_fault(request.method, request.headers):
            raise HTTPException(403, fault, {"Connection": "close"})
        path = request.url.path
        if path.startswith("/open/") and request.method == "GET":
            return self._open(path.removeprefix("/open/"))
        if path == "/favicon.ico":
            return Response(status_code=204)  # browsers ask for it unasked
        if path == "/enter.js":
            return Response(read_static("enter.js"), media_type=STATIC["enter.js"])
        inside = path.removeprefix(self._place) if path.startswith(f"{self._place}/") else ""
        session = self._doorway.find_session(request.headers)
        if session is None or not inside:
            line = messages.text("web.not-let-in", self._language)
            return self._show_line(line, _STRANGER, enters=path == "/")
        request.scope["state"][KNOWN] = True
        return await self._answer_known(request, inside, session)

    def _open(self, token: str) -> Response:
        """Let a browser in. It goes on by a page: after a redirect from elsewhere it would not show its cookie."""
        used = self._doorway.use_link(token)
        if used is None:
            return self._say("web.link-used", _STRANGER)
        secret, to = used
        shown = self._pages.render("opened.html", self._language, to=self._place + to)
        cookie = self._doorway.write_cookie(secret, self._place, self._origin.scheme == "https")
        return HTMLResponse(shown, headers={"Set-Cookie": cookie})

    async def _answer_known(self, request: Request, inside: str, session: Session) -> ASGIApp:
        name = inside.removeprefix("/static/")
        if name in STATIC and request.method == "GET":
            kept = {"Cache-Control": "private, max-age=31536000, immutable"}
            return Response(read_static(name), media_type=STATIC[name], headers=kept)
        if self._events is None:
            self._events = HomeEvents(self._home, self._background)
        if inside == "/events" and request.method == "GET":
            since = request.headers.get("Last-Event-ID") or request.query_params.get("since", "")
            return EventStream(self._events, since)
        found = ((place, pattern.match(inside)) for place, pattern in self._views)
        place, match = next(((place, match) for place, match in found if match), (None, None))
        if place is None or match is None:
            return self._say("web.no-such-view", 404)
        if request.method == "GET":
            return await self._look(request, place, match.groupdict(), session)
        if request.method == "POST":
            return await self._act(request, place, match.groupdict(), session)
        raise HTTPException(405, "only GET and POST", {"Allow": "GET, POST"})

    async def _look(self, request: Request, place: ViewPlace, params: Mapping[str, str], session: Session) -> Response:
        assert self._events is not None
        since, is_fragment = self._events.look(), "fragment" in request.headers.get("Accept", "")
        query = dict(request.query_params)
        values: dict[str, object] = {
            "view": place,
            **_MENU,
            "since": since,
            "token": self._token_mark,
            "said": session.find_said(query.get("done", "")),
            "address": request.url.path,
        }

        def show() -> Response:
            with _open_home(self._home) as context:
                asked = PageRequest(context, context.quiet_language, params, query, {}, self._background)
                view = place.load()
                model = view.show(asked)
                if isinstance(model, Download):
                    return _send(model)
                values.update(model=model, query=query, watches=view.watches.format(**params))
                values.update(notices=_list_notices(context))
                shown = self._pages.render(f"{place.name}.html", context.quiet_language, is_fragment, **values)
                return HTMLResponse(shown)

        whose = session.token if "done" in query else ""  # only they are told what they did
        address = f"{request.url}{is_fragment}"
        shown = await self._answer_look((session.token, address), (address, since, whose), show)
        if self._token_mark.encode() not in shown.body:
            return shown
        body = bytes(shown.body).replace(self._token_mark.encode(), session.form_token.encode())
        return HTMLResponse(body, shown.status_code)

    async def _answer_look(self, key: tuple[str, str], same: tuple[str, ...], show: Callable[[], Response]) -> Response:
        """Return what a look shows: the same one to all who ask for the same while it is made.

        One that takes long, e.g. where an index is made anew, is taken up by the next.
        """
        task = self._slow.pop(key, None) or self._looks.get(same)
        if task is None:
            task = self._looks[same] = asyncio.create_task(self._work(show))
            task.add_done_callback(lambda _: self._looks.pop(same, None))
        try:
            async with asyncio.timeout(_LOOK_S):
                return await asyncio.shield(task)
        except TimeoutError:
            if len(self._slow) < _MOST_SLOW:
                self._slow[key] = task
                task.add_done_callback(
                    lambda _: asyncio.get_running_loop().call_later(_KEPT_S, self._forget, key, task)
                )
            answer = self._say("web.too-slow", 503)
            answer.headers["Refresh"] = "1"
            return answer

    def _forget(self, key: tuple[str, str], task: asyncio.Task[Response]) -> None:
        """Let a look go that nobody took up: who comes later sees what is so then."""
        if self._slow.get(key) is task:
            del self._slow[key]

    async def _act(self, request: Request, place: ViewPlace, params: Mapping[str, str], session: Session) -> Response:
        body = await _read_form(request)
        fields, posted = _read_fields(body), f"{request.url}\n{body}"
        if not session.knows(fields.get("token", "")):
            raise HTTPException(403, "the form is not of this session: load the page again", {"Connection": "close"})
        name, _, fields["choice"] = fields.get("act", "").partition(":")
        act = (await asyncio.to_thread(place.load)).acts.get(name)
        if act is None:
            return self._say("web.no-such-act", 400)

        succeeded: list[Act] = []

        def do() -> Response:
            with _open_home(self._home) as context:
                context.by = "page"
                asked = PageRequest(
                    context, context.quiet_language, params, dict(request.query_params), fields, self._background
                )
                try:
                    lines = list(act(asked))
                except (MiError, OSError) as error:
                    failed = error if isinstance(error, MiError) else from_os_error(error)
                    lines = [failed.line(context.quiet_language)]
                else:
                    succeeded.append(act)
                done = session.keep_said([*lines, *_list_notices(context)])
            query = dict(request.query_params) | {"done": done}
            return RedirectResponse(f"{request.url.path}?{urlencode(query)}", 303)

        task = session.find_act(posted)
        if task is None:
            task = asyncio.create_task(self._work(do))
            session.keep_act(posted, task)
            task.add_done_callback(lambda _: None if succeeded else session.forget_act(posted))
        try:
            async with asyncio.timeout(_ACT_S):
                return await asyncio.shield(task)
        except TimeoutError:
            return self._say("web.act-too-slow", 503, seconds=f"{_ACT_S:g}")

    async def _work(self, work: Callable[[], Response]) -> Response:
        """Run what reads or writes the home in a thread of its own; what fails is said in words."""
        if self._had_home and not self._home.exists():
            return self._say("web.home-gone", 503, root=self._home.root)
        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            return self._fail(from_os_error(error))
        except MiError as error:
            return self._fail(error)
        except Exception as error:  # one broken view must not end the page
            if os.environ.get("MI_TRACEBACK"):
                raise
            return self._fail(MiError("internal", what=f"{type(error).__name__}: {error}"))

    def _fail(self, error: MiError) -> Response:
        status = 404 if isinstance(error, NotFound) else 400 if isinstance(error, UsageError) else 500
        return self._show_line(error.line(self._language), status)

    def _say(self, key: str, status: int, **details: object) -> Response:
        return self._show_line(messages.text(key, self._language, **details), status)

    def _show_line(self, line: str, status: int, enters: bool = False) -> Response:
        """Return one line; whoever is not let in must not learn from it where the page lies.

        `enters`: a browser that was let in before remembers where, and goes there by itself.
        """
        known = {"is_known": status != _STRANGER, "enters": enters}
        shown = self._pages.render("problem.html", self._language, line=line, view=None, **_MENU, **known)
        return HTMLResponse(shown, status)

    @property
    def _language(self) -> str:
        return HomeContext(self._home).quiet_language


def _send(file: Download) -> Response:
    """Return a file that the browser stores and does not show: its content may be anybody's."""
    name = "".join(one if one.isalnum() or one in "._-" else "_" for one in file.name)
    named = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(file.content, media_type=file.media_type, headers=named)


@contextmanager
def _open_home(home: Home) -> Iterator[HomeContext]:
    context = HomeContext(home)
    try:
        yield context
    finally:
        context.close()


def _list_notices(context: HomeContext) -> list[str]:
    """Return what was noticed on the way, such as a log that is torn."""
    return list(dict.fromkeys(notice.line(context.quiet_language) for notice in context.notices))


async def _read_form(request: Request) -> str:
    """Return what a form posts."""
    kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise HTTPException(415, "Content-Type must be application/x-www-form-urlencoded", {"Connection": "close"})
    return (await read_body(request, _LIMITS)).decode("utf-8", "replace")


def _read_fields(body: str) -> dict[str, str]:
    """Return the fields of a form; of several of one name the last."""
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=1000))
    except ValueError:
        raise HTTPException(400, "at most 1000 fields") from None
