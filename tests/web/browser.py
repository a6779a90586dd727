"""A real Chromium, and the page of a home as the installed command serves it."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.conftest import MI

_NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, NARROW = 1280, 375
_PATIENCE_MS = 20_000


def find_chromium() -> str:
    """The browser's program; without it the tests of the page fail, and say how to get it."""
    found = next((path for path in map(shutil.which, _NAMES) if path), None)
    assert found, "Chromium is missing: apt-get install chromium (the tests of the page drive it)"
    return found


class Served(NamedTuple):
    """A page that is served by a process of its own."""

    process: subprocess.Popen[str]
    url: str
    link: str
    port: int


@contextmanager
def serve_page(*words: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> Iterator[Served]:
    """Serve the page of the test's home at a free port, until the test is over; it ends by Ctrl-C."""
    process = subprocess.Popen(
        [str(MI), "web", "--port", "0", "--json", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | (env or {}),
        cwd=cwd,
        start_new_session=True,
    )
    assert process.stdout is not None
    told = process.stdout.readline()
    assert told, process.communicate()[1]
    try:
        yield Served(process, **json.loads(told))
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert "Traceback" not in errors, errors


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Serves pages that end with the test."""
    with ExitStack() as opened:
        yield lambda *words, **more: opened.enter_context(serve_page(*words, **more))


@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as made:
        yield made


@pytest.fixture(scope="package")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One browser for all tests of the page; each opens windows without a memory of its own."""
    launched = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
    yield launched
    launched.close()


@pytest.fixture
def open_window(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Opens windows: `javascript=False`, `width=375`, `dark=True`."""
    with ExitStack() as opened:

        def make(javascript: bool = True, width: int = WIDE, dark: bool = False) -> BrowserContext:
            scheme = "dark" if dark else "light"
            size = {"width": width, "height": 800}
            context = browser.new_context(java_script_enabled=javascript, viewport=size, color_scheme=scheme)
            opened.callback(context.close)
            context.set_default_timeout(_PATIENCE_MS)
            return context

        yield make


def open_page(context: BrowserContext, link: str) -> Page:
    """A tab that followed a link, and shows the page; what the browser complains about fails the test."""
    page = context.new_page()
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    complaints: list[str] = []
    page.goto(link)
    page.wait_for_selector("main h1")
    page.wait_for_url(lambda url: "/open/" not in url)
    page.wait_for_selector("main#main")
    assert complaints == [], complaints
    return page
