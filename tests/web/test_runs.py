"""Runs: those of all projects are seen live, found, started, queued, raced, stopped and resumed in a browser."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import Marks, RunEnd, RunStart
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.autopilot.test_run_resume import staying
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.waiting import wait_until
from tests.web.browser import NARROW, WIDE, open_page
from tests.web.test_access import FORM, Visitor, ask, token_of

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
    assert "No run yet" in page.inner_text("main")
    done = bench.run("fix it")
    assert done.code == 0, done.stderr
    page.wait_for_selector(".row .state.done")
    row = page.inner_text(".row")
    for part in ("fix it", "verified", "1 batch", bench.project.name, done.end["run_id"]):
        assert part in row
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("link", name="failed").click()
    page.wait_for_selector("main:has-text('No run is like that.')")
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
    page.get_by_text("New task", exact=True).click()
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


def fill(home: Home, count: int) -> None:
    """Runs that ended: the even ones by codex, on branches of their own."""
    log = home.project("p_0123456789abcdef").evidence
    for number in range(count):
        writer = EvidenceWriter(log, f"run_20261118T100000Z_{number:08d}", Notices())
        agent, branch = ("claude", "") if number % 2 else ("codex", f"mi/paint-{number}")
        writer.append(RunStart(task=f"Paint the wall {number}", hands=agent, branch=branch))
        writer.append(RunEnd(status="done", marks=Marks(ran=True)))


@pytest.mark.req("page.runs.filters")
@pytest.mark.parametrize("javascript", [True, False])
def test_runs_are_found_by_words_and_agent(serve: Make, open_window: Make, home: Home, javascript: bool) -> None:
    fill(home, 60)
    page = open_runs(open_window(javascript), serve().link)
    assert page.locator(".row").count() == 50
    page.get_by_role("link", name="10 more").click()
    page.wait_for_selector(".row:nth-child(60)")
    page.get_by_role("link", name="codex").click()
    page.wait_for_selector("h1:has-text('30')")
    page.get_by_role("searchbox").fill("PAINT mi/paint-4")
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_selector("h1:has-text('Runs 6')")
    tasks = page.locator(".task").all_inner_texts()
    assert tasks == [f"Paint the wall {number}" for number in (48, 46, 44, 42, 40, 4)]
    page.get_by_role("link", name="claude").click()
    page.wait_for_selector("main:has-text('No run is like that.')")
    assert {"q=PAINT", "agent=claude"} <= set(page.url.partition("?")[2].replace("+", "&").split("&"))


@pytest.mark.req("page.runs.resume")
@pytest.mark.parametrize("javascript", [True, False])
def test_a_run_that_stopped_at_a_terminal_is_resumed_in_the_background(
    bench: Workbench, serve: Make, open_window: Make, javascript: bool
) -> None:
    bench.agent([MEND, say("Done.")], [say("It passes, believe me.")], [TEST, say("It passes.")])
    bench.run().ended("blocked")
    page = open_runs(open_window(javascript), serve(env=bench.env).link)
    page.get_by_role("button", name="Resume").click()
    page.wait_for_selector("#said p")
    assert "works in the background" in page.inner_text("#said")
    assert wait_until(lambda: bench.records()[-1]["kind"] == "run_end" and bench.records()[-1]["status"] == "done", 60)
    assert [one["run_id"] for one in bench.records() if one["kind"] == "run_start"] == [
        bench.records()[0]["run_id"]
    ] * 2
    page.reload()
    page.wait_for_selector(".row .state.done")
    assert page.locator(".row").count() == 1
    assert page.get_by_role("button", name="Resume").count() == 0


@pytest.mark.req("page.runs.resume")
def test_a_run_of_the_queue_is_stopped_and_resumed(bench: Workbench, serve: Make, open_window: Make) -> None:
    there = staying(bench)
    bench.mi("init", "--values", "Small changes.")
    bench.mi("run", "--detach", "fix it")
    assert wait_until(there.exists, 60)
    page = open_runs(open_window(), serve(env=bench.env).link)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector(".row .state.interrupted")
    assert wait_until(lambda: "stopped" in bench.mi("queue", "--all").stdout, 60)
    page.get_by_role("button", name="Resume").click()
    page.wait_for_selector(".row .state.done", timeout=60_000)


@pytest.mark.req("page.runs.race")
def test_a_race_begins_at_once_each_run_in_a_tree_of_its_own(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent(DONE)
    bench.mi("init", "--values", "Small changes.")
    assert bench.mi("remember", "This project adds numbers.").code == 0
    page = open_runs(open_window(width=NARROW), serve(env=bench.env).link)
    page.get_by_text("New task", exact=True).click()
    page.fill("#new-task", "fix it")
    page.get_by_text("Race several agents").click()
    page.select_option("#race-number", "3")
    page.get_by_role("button", name="Start the race").click()
    page.wait_for_selector("#said p")
    assert "3 runs race in the background" in page.inner_text("#said")
    page.wait_for_selector(".row:nth-child(3)")
    page.wait_for_selector(".row:not(:has(.state.done))", state="detached", timeout=90_000)
    branches = page.locator(".row code").filter(has_text="mi/").all_inner_texts()
    assert len(set(branches)) == 3
    assert wait_until(lambda: "proposed" in bench.mi("race").stdout, 30)  # once their workers noted the ends


@pytest.mark.req("page.runs.start", "page.runs.resume", "page.runs.race")
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("act=resume:run_nobody", "run_nobody is no run"),
        ("act=resume:", "is no run"),
        ("act=stop:run_nobody", "run_nobody does not go on"),
        ("act=start&task=x&root=/etc", "/etc"),
        ("act=race&task=x&root=/etc", "/etc"),
        ("act=odd", "There is no such thing to do"),
    ],
)
def test_odd_wishes_are_refused_in_words(serve: Make, home: Home, fields: str, said: str) -> None:
    ask(home, "Which colour?")  # so that there is a form
    served = serve()
    visitor = Visitor(served.port)
    place = visitor.enter(served.link)
    body = f"{fields}&token={token_of(visitor.ask(place + '/')[2])}"
    status, headers, shown = visitor.ask(place + "/runs", "POST", body, **FORM, Origin=f"http://{visitor.host}")
    assert said in (visitor.ask(headers["Location"])[2] if status == 303 else shown)
