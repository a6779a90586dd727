"""Live updates: what is appended is on the page, nothing is missed, many watch; who takes nothing is cut off."""

import asyncio
import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route

from mi.kernel.home import Home
from mi.web import events
from mi.web.events import ALL, HomeEvents
from tests.conftest import MI, Mi
from tests.waiting import wait_until
from tests.web.browser import NARROW, WIDE, Served, open_page
from tests.web.test_access import Visitor, ask, said_in, token_of

Make = Callable[..., Any]


class Watcher:
    """A client of the event stream."""

    def __init__(self, visitor: Visitor, place: str, since: str = "", header: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", visitor.port, timeout=30)
        headers = {"Host": visitor.host, "Cookie": visitor.cookie} | ({"Last-Event-ID": header} if header else {})
        self._connection.request("GET", f"{place}/events?since={since}", headers=headers)
        self.response = self._connection.getresponse()
        assert self.response.status == 200
        assert self._read_block() == ["retry: 1000"]

    def _read_block(self) -> list[str]:
        lines = []
        while line := self.response.readline().decode().rstrip("\n"):
            lines.append(line)
        return lines

    def hear(self) -> tuple[str, set[str]]:
        """The next event: its id, and what changed."""
        told = self._read_block()
        while told == [":"]:
            told = self._read_block()
        event = dict(line.split(": ", 1) for line in told)
        return event["id"], set(event["data"].split())

    def close(self) -> None:
        self.response.close()
        self._connection.close()


def since_of(body: str) -> str:
    return body.partition('data-since="')[2].partition('"')[0]


@pytest.mark.req("page.live.append", "page.needs-you.live")
def test_what_comes_to_wait_is_on_the_page_and_what_is_being_written_stays(
    serve: Make, open_window: Make, home: Home
) -> None:
    first = ask(home, "Which colour?")
    page = open_page(open_window(), serve().link)
    page.fill(f"#w-{first}", "half a tho")
    second = ask(home, "Which shape?")
    page.wait_for_selector(f"article#{second}")
    assert page.input_value(f"#w-{first}") == "half a tho"
    page.type(f"#w-{first}", "ught")
    page.locator(f"article#{first}").get_by_role("button", name="Answer", exact=True).click()
    page.wait_for_selector("#said p")
    assert said_in(home) == ["half a thought"]
    assert page.locator("article").count() == 1


@pytest.mark.req("page.live.missed")
def test_nothing_is_missed_between_a_look_and_the_stream_after_sleep_or_a_restart(serve: Make, home: Home) -> None:
    ask(home, "One?")
    served = serve()
    visitor = Visitor(served.port)
    place = visitor.enter(served.link)
    since = since_of(visitor.ask(place + "/")[2])
    ask(home, "Two?")
    with closing(Watcher(visitor, place, since)) as watcher:
        at_two, names = watcher.hear()
    assert {"inbox", "runs"} <= names
    ask(home, "Three?")  # asleep
    with closing(Watcher(visitor, place, since, header=at_two)) as watcher:  # a browser that reconnects by itself
        at_three, names = watcher.hear()
        assert "inbox" in names
        ask(home, "Four?")
        at_four, names = watcher.hear()
    assert len({since, at_two, at_three, at_four}) == 4
    stop(served)
    ask(home, "Five?")
    again = serve()
    visitor = Visitor(again.port)
    place = visitor.enter(again.link)
    with closing(Watcher(visitor, place, header=at_four)) as watcher:
        assert watcher.hear()[1] == {ALL}


def stop(served: Served) -> None:
    served.process.send_signal(signal.SIGINT)
    served.process.wait(30)


@pytest.mark.req("page.live.missed")
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_page_whose_server_is_gone_says_so_in_sight(serve: Make, open_window: Make, home: Home, width: int) -> None:
    for number in range(5):
        ask(home, f"Question {number}?")
    served = serve()
    page = open_page(open_window(width=width), served.link)
    assert not page.locator("#lost").is_visible()
    stop(served)
    page.wait_for_selector("#lost", state="visible")
    bar, size = page.locator("#lost").bounding_box(), page.viewport_size
    assert bar
    assert size
    assert 0 <= bar["y"] < bar["y"] + bar["height"] <= size["height"]


@pytest.mark.req("page.live.missed")
@pytest.mark.parametrize("fails", ["too slow", "cut off"])
def test_a_change_whose_look_failed_is_looked_at_again(serve: Make, open_window: Make, home: Home, fails: str) -> None:
    page = open_page(open_window(), serve().link)
    failed: list[str] = []

    def fail_once(route: Route) -> None:
        if failed or "fragment" not in route.request.headers.get("accept", ""):
            route.continue_()
            return
        failed.append(route.request.url)
        if fails == "too slow":
            route.fulfill(status=503)
        else:
            route.abort()

    page.route(lambda url: "/events" not in url, fail_once)
    asked = ask(home, "Which colour?")
    page.wait_for_selector(f"article#{asked}")
    assert failed


@pytest.mark.req("page.live.watchers")
def test_fifty_watchers_each_hear_of_every_change(serve: Make, home: Home) -> None:
    served = serve()
    visitor = Visitor(served.port)
    place = visitor.enter(served.link)
    since = since_of(visitor.ask(place + "/")[2])
    with ExitStack() as opened:
        watchers = [opened.enter_context(closing(Watcher(visitor, place, since))) for _ in range(50)]
        for number in range(3):
            ask(home, f"Question {number}?")
            heard = {watcher.hear()[0] for watcher in watchers}
            assert len(heard) == 1


@pytest.mark.req("page.live.append")
def test_who_watches_hears_of_what_the_look_of_another_saw_first(home: Home) -> None:
    ask(home, "One?")

    async def watch() -> frozenset[str]:
        watched = HomeEvents(home)
        following = watched.follow(watched.look())
        heard = asyncio.ensure_future(anext(following))
        await asyncio.sleep(0)  # it waits now
        ask(home, "Two?")
        watched.look()  # somebody else looks at the page
        async with asyncio.timeout(10):
            change = await heard
        await following.aclose()
        return change.names if change else frozenset()

    with ThreadPoolExecutor(1) as beside:  # the browser's driver has this thread's loop
        assert "inbox" in beside.submit(asyncio.run, watch()).result(30)


@pytest.mark.req("page.live.append")
def test_a_project_that_is_new_is_heard_of(home: Home) -> None:
    watched = HomeEvents(home)
    before = watched.look()
    ask(home, "The first of its project?")
    assert watched.look() != before


@pytest.mark.req("page.live.watchers", "page.safe.csrf")
def test_a_look_that_two_browsers_share_has_the_token_of_each(serve: Make, mi: Mi, home: Home) -> None:
    ask(home, "Which colour?")
    served = serve()
    visitors = [(one, one.enter(link)) for one, link in ((Visitor(served.port), served.link),)]
    other = Visitor(served.port)
    visitors.append((other, other.enter(json.loads(mi("web", "link", "--json").stdout)["link"])))
    with ThreadPoolExecutor(16) as pool:
        looks = list(pool.map(lambda one: one[0].ask(f"{one[1]}/")[2], visitors * 8))
    tokens = [token_of(one).partition(".")[0] for one in looks]
    assert set(tokens[::2]) & set(tokens[1::2]) == set()
    assert len(set(tokens)) == 2


@pytest.mark.req("page.live.slow")
def test_a_client_that_takes_nothing_is_cut_off(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_SEND_S", 0.01)

    async def never_taken(message: Any) -> None:
        if message["type"] == "http.response.body":
            await asyncio.Event().wait()

    async def never_gone() -> Any:
        await asyncio.Event().wait()

    async def serve_it() -> BaseException | None:
        """What ended the stream; None where nothing does."""
        serving = asyncio.ensure_future(events.EventStream(HomeEvents(home), "")({}, never_gone, never_taken))
        ended, _ = await asyncio.wait({serving}, timeout=30)
        serving.cancel()
        return serving.exception() if ended else None

    with ThreadPoolExecutor(1) as beside:  # the browser's driver has this thread's loop
        assert isinstance(beside.submit(asyncio.run, serve_it()).result(), TimeoutError)


def test_a_watcher_that_goes_away_leaves_nothing_behind(serve: Make, home: Home) -> None:
    served = serve()
    visitor = Visitor(served.port)
    place = visitor.enter(served.link)
    with closing(Watcher(visitor, place)):
        pass
    descriptors = Path(f"/proc/{served.process.pid}/fd")

    def count() -> int:
        return sum(os.readlink(one).startswith("socket:") for one in descriptors.iterdir() if one.is_symlink())

    before = count()
    for _ in range(5):
        Watcher(visitor, place).close()
    assert wait_until(lambda: count() <= before)


def test_the_port_is_free_after_the_end(serve: Make) -> None:
    served = serve()
    stop(served)
    with socket.create_server(("127.0.0.1", served.port)):
        pass
    assert subprocess.run([str(MI), "web", "link"], capture_output=True, check=False).returncode == 1
