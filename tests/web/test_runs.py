"""Runs: those of all projects are seen live, started, queued and stopped in a browser."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.autopilot.test_run_resume import staying
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.web.browser import NARROW, WIDE, open_page

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
Make = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


def open_runs(context: Any, link: str) -> Any:
    page = open_page(context, link)
    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    page.wait_for_selector("h1:has-text('Runs')")
    return page


@pytest.mark.req("page.runs.shows", "page.runs.live")
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_run_is_seen_while_it_works_and_when_it_is_done(
    bench: Workbench, serve: Make, open_window: Make, width: int
) -> None:
    bench.agent(DONE)
    bench.mi("init", "--values", "Small changes.")
    page = open_runs(open_window(width=width), serve(env=bench.env).link)
    assert "No runs." in page.inner_text("main")
    done = bench.run("fix it")
    assert done.code == 0, done.stderr
    page.wait_for_selector(".row .state.done")
    row = page.inner_text(".row")
    for part in ("fix it", "verified", "1 batch", bench.project.name, done.end["run_id"]):
        assert part in row
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="failed").click()
    page.wait_for_selector("main:has-text('No runs.')")
    assert "state=failed" in page.url


@pytest.mark.req("page.runs.shows")
def test_runs_are_read_without_javascript(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent(DONE)
    assert bench.run("fix it").code == 0
    page = open_runs(open_window(javascript=False), serve(env=bench.env).link)
    assert "cost unknown" in page.inner_text(".row") or "$" in page.inner_text(".row")
    assert "fix it" in page.inner_text(".row")


@pytest.mark.req("page.runs.stop")
def test_a_run_is_stopped(bench: Workbench, serve: Make, open_window: Make) -> None:
    staying(bench)
    page = open_runs(open_window(), serve(env=bench.env).link)
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as terminal:
        page.wait_for_selector(".row .state.running")
        page.get_by_role("button", name="Stop").click()
        page.wait_for_selector("#said p")
        assert "was told to stop" in page.inner_text("#said")
        terminal.finish(130)
    page.wait_for_selector(".row .state.interrupted")


@pytest.mark.req("page.runs.start")
@pytest.mark.parametrize("now", [True, False])
def test_a_task_is_started_or_queued(bench: Workbench, serve: Make, open_window: Make, now: bool) -> None:
    bench.agent(DONE)
    bench.mi("init", "--values", "Small changes.")
    assert bench.mi("remember", "This project adds numbers.").code == 0  # the home knows the project from now on
    served = serve(env=bench.env)
    page = open_runs(open_window(), served.link)
    page.get_by_text("New task").click()
    page.fill("#new-task", "fix it")
    page.get_by_role("button", name="Start now" if now else "Queue").click()
    page.wait_for_selector("#said p")
    if not now:
        assert "1 task queued" in page.inner_text("#said")
        page.wait_for_selector(".row .state.queued")
        return
    assert "works in the background" in page.inner_text("#said")
    page.wait_for_selector(".row .state.done", timeout=60_000)
    assert "verified" in page.inner_text(".row")
