"""Bad input: the page says it in words and stays up."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mi.kernel.home import Home
from mi.web import server
from mi.web.access import Doorway, Origin
from mi.web.server import PageApp
from mi.web.view import PageRequest, PageView, ViewPlace
from tests.seals import unseal
from tests.web.browser import NARROW, open_page
from tests.web.test_access import PROJECT, Visitor, ask

Make = Callable[..., Any]
MARKUP = (
    '<script>document.title = "taken"</script><img src=x onerror=alert(1)> [x](http://evil.example) \x1b[31mred\x1b[0m'
)
SECRET = "password=hunter2hunter2"


def enter(serve: Make) -> tuple[Visitor, str]:
    served = serve()
    visitor = Visitor(served.port)
    return visitor, visitor.enter(served.link)


@pytest.mark.req("page.safe.text", "page.bad.record")
def test_markup_escapes_links_and_secrets_of_agents_are_only_text(serve: Make, open_window: Make, home: Home) -> None:
    ask(home, f"{MARKUP} {SECRET}", said=f"{MARKUP}\nhttp://evil.example {SECRET}", task=MARKUP)
    page = open_page(open_window(width=NARROW), serve().link)
    assert "Needs you" in page.title()
    text = page.inner_text("main")
    assert "<script>document.title" in text
    assert "\x1b" not in page.content()
    assert "hunter2hunter2" not in page.content()
    assert page.locator("main script, main img").count() == 0
    assert not [one for one in page.locator("a").all() if "evil" in (one.get_attribute("href") or "")]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.req("page.bad.record")
def test_a_record_of_fifty_megabytes(serve: Make, home: Home) -> None:
    ask(home, "x " * 25_000_000)
    ask(home, "Which colour?")
    visitor, place = enter(serve)
    while (answer := visitor.ask(place + "/"))[0] == 503:  # a busy machine: the browser asks again
        assert answer[1]["Refresh"] == "1"
    status, _, body = answer
    assert status == 200
    assert "Which colour?" in body
    assert len(body) < 200_000


@pytest.mark.req("page.bad.record")
def test_a_torn_log(serve: Make, home: Home) -> None:
    ask(home, "Which colour?")
    log = Path(home.project(PROJECT).evidence)
    unseal(str(log))
    with log.open("ab") as file:
        file.write(b'{"kind": "question", "id": "qu_torn", "te')
    visitor, place = enter(serve)
    for view in ("/", "/runs"):
        status, _, body = visitor.ask(place + view)
        assert status == 200, body
    assert "Which colour?" in visitor.ask(place + "/")[2]


@pytest.mark.req("page.bad.home")
def test_a_home_that_is_moved_while_the_page_is_served(serve: Make, home: Home) -> None:
    ask(home, "Which colour?")
    visitor, place = enter(serve)
    os.rename(home.root, home.root + ".moved")
    status, _, body = visitor.ask(place + "/")
    assert status == 503
    assert f"The home {home.root} is gone." in body
    assert not os.path.exists(home.root)
    os.rename(home.root + ".moved", home.root)
    assert "Which colour?" in visitor.ask(place + "/")[2]


@pytest.mark.req("page.safe.reads")
def test_reading_writes_nothing_but_what_is_derived(serve: Make, home: Home) -> None:
    ask(home, "Which colour?")
    visitor, place = enter(serve)

    def look() -> dict[str, bytes]:
        paths = (path for path in Path(home.root).rglob("*") if path.is_file() and "indexes" not in path.parts)
        return {str(path): path.read_bytes() for path in paths}

    visitor.ask(place + "/runs")  # makes the index
    before = look()
    for view in ("/", "/runs", "/runs?state=done", "/nothing", "/runs?state=x", f"/?project={PROJECT}"):
        visitor.ask(place + view)
    assert look() == before


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/nothing", 404, "There is no such view."),
        ("/runs?state=odd", 400, "odd"),
        ("/runs?most=-1", 200, "No run yet"),
        ("/runs?project=..%2F..", 200, "No run is like that."),
        ("/?project=nobody", 200, "Nothing waits."),
    ],
)
def test_odd_addresses_are_said_in_words(serve: Make, home: Home, path: str, status: int, said: str) -> None:
    visitor, place = enter(serve)
    answered, _, body = visitor.ask(place + path)
    assert (answered, said in body) == (status, True), body


class Slow:
    """A view of the page that takes as long as the test wants, or breaks."""

    def __init__(self) -> None:
        self.may_end, self.looks = threading.Event(), 0

    def show(self, request: PageRequest) -> None:
        self.looks += 1
        assert self.may_end.wait(30)
        raise RuntimeError("a fault of a view")


def open_app(monkeypatch: pytest.MonkeyPatch, home: Home, slow: Slow) -> tuple[PageApp, str]:
    """An app with that view alone, and the cookie of a browser that was let in."""
    monkeypatch.setattr(server, "VIEWS", (ViewPlace("slow", "/"),))
    monkeypatch.setattr(ViewPlace, "load", lambda _: PageView(slow.show, "runs", {}))
    doorway = Doorway(1)
    used = doorway.use_link(doorway.make_link("/").rpartition("/")[2])
    assert used is not None
    app = PageApp(home, "/place", Origin("http", ("127.0.0.1:1",)), doorway)
    return app, f"{doorway.cookie}={used[0]}"


async def look(app: PageApp, cookie: str) -> tuple[int, dict[bytes, bytes], str]:
    headers = [(b"host", b"127.0.0.1:1"), (b"cookie", cookie.encode())]
    scope = {"type": "http", "method": "GET", "path": "/place/", "raw_path": b"/place/", "query_string": b""}
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    await app(scope | {"headers": headers, "state": {}, "scheme": "http", "server": ("127.0.0.1", 1)}, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(one.get("body", b"") for one in sent[1:]).decode()


@pytest.mark.req("page.bad.slow")
def test_a_look_that_takes_long_goes_on_and_is_taken_up_and_a_fault_is_said(
    monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    slow = Slow()
    app, cookie = open_app(monkeypatch, home, slow)
    monkeypatch.setattr(server, "_LOOK_S", 0.05)

    async def go() -> None:
        for _ in range(3):
            status, headers, body = await look(app, cookie)
            assert (status, headers[b"refresh"], "being made ready" in body) == (503, b"1", True)
        slow.may_end.set()
        while status == 503:
            status, headers, body = await look(app, cookie)
        assert (status, b"refresh" in headers, "RuntimeError: a fault of a view" in body) == (500, False, True)

    with ThreadPoolExecutor(1) as aside:  # the browser of other tests has a loop in this thread
        aside.submit(asyncio.run, go()).result()
    assert slow.looks == 1


@pytest.mark.req("page.bad.slow")
def test_a_look_that_took_long_and_that_nobody_took_up_is_not_shown_later(
    monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    slow = Slow()
    app, cookie = open_app(monkeypatch, home, slow)
    monkeypatch.setattr(server, "_LOOK_S", 0.05)
    monkeypatch.setattr(server, "_KEPT_S", 0.0)

    async def go() -> None:
        assert (await look(app, cookie))[0] == 503
        slow.may_end.set()
        while app._slow:
            await asyncio.sleep(0)
        assert (await look(app, cookie))[0] == 500

    with ThreadPoolExecutor(1) as aside:  # the browser of other tests has a loop in this thread
        aside.submit(asyncio.run, go()).result()
    assert slow.looks == 2
