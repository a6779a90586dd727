"""Tasks: lists, plans and the queue are seen in a browser; tasks are added, ordered and run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.web.browser import NARROW, WIDE, open_page

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
Make = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.agent(DONE)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    for title in ("fix it", "write the guide"):
        assert bench.mi("task", "add", title).code == 0
    return bench


def open_tasks(context: Any, link: str) -> Any:
    page = open_page(context, link)
    page.get_by_role("navigation").get_by_role("link", name="Tasks").click()
    page.wait_for_selector("h1:has-text('Tasks')")
    return page


def titles(page: Any) -> list[str]:
    return [one.split("\n")[0].removesuffix(" next") for one in page.locator("[id^=task-] .task").all_inner_texts()]


def jobs(bench: Workbench, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(bench.mi("queue", "list", "--json", *words).stdout)["jobs"]
    return found


def read_list(bench: Workbench) -> list[str]:
    return [line for line in (bench.project / "tinyTasks.md").read_text().splitlines() if "[" in line]


@pytest.mark.req("page.tasks.shows", "page.tasks.add", "page.tasks.order")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, False)])
def test_a_task_is_added_moved_up_and_ticked(
    bench: Workbench, serve: Make, open_window: Make, width: int, javascript: bool
) -> None:
    bench.mi("plan", "start", "Move to SQLite", "--issue", "Which schema?", "--research", "Read the code.")
    page = open_tasks(open_window(javascript, width), serve(env=bench.env).link)
    assert titles(page) == ["fix it", "write the guide"]
    assert "next" in page.inner_text("[id^=task-]:has-text('fix it')")
    assert "Which schema?" in page.inner_text("main")
    page.get_by_text("Add a task to a list").click()
    page.fill("#new-title", "ship it")
    page.get_by_label("Steps").fill("build\n\ntest")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("#said p")
    assert titles(page) == ["fix it", "write the guide", "ship it", "build", "test"]
    page.locator("[id^=task-]:has-text('ship it')").get_by_role("button", name="Move up").click()
    page.wait_for_selector("[id^=task-]:nth-child(2):has-text('ship it')")
    assert read_list(bench) == [
        "- [ ] fix it",
        "- [ ] ship it",
        "  - [ ] build",
        "  - [ ] test",
        "- [ ] write the guide",
    ]
    page.locator("[id^=task-]:has-text('write the guide')").get_by_role("button", name="Tick as done").click()
    page.wait_for_selector("[id^=task-]:has-text('write the guide')", state="detached")
    assert read_list(bench)[-1] == "- [x] write the guide"


@pytest.mark.req("page.tasks.run")
def test_a_task_of_the_list_is_run(bench: Workbench, serve: Make, open_window: Make) -> None:
    page = open_tasks(open_window(), serve(env=bench.env).link)
    page.locator("[id^=task-]:has-text('fix it')").get_by_role("button", name="Start now").click()
    page.wait_for_selector("#said p")
    assert "works in the background" in page.inner_text("#said")
    run_id = page.locator("[id^=job-] code").inner_text()
    page.wait_for_selector("[id^=job-]", state="detached", timeout=60_000)
    [begun] = [one for one in bench.records() if one["kind"] == "run_start"]
    assert (begun["run_id"], begun["list_task"]) == (run_id, jobs(bench, "--all")[0]["list_task"])
    merged = bench.mi("merge", run_id)
    assert merged.code == 0, merged.stderr
    page.wait_for_selector("[id^=task-]:has-text('fix it')", state="detached")
    assert titles(page) == ["write the guide"]
    assert read_list(bench) == ["- [x] fix it", "- [ ] write the guide"]


@pytest.mark.req("page.tasks.queue", "page.tasks.order")
def test_the_queue_is_ordered_and_emptied(bench: Workbench, serve: Make, open_window: Make) -> None:
    page = open_tasks(open_window(), serve(env=bench.env).link)
    page.get_by_role("button", name="Queue all that is open").click()
    page.wait_for_selector("#said:has-text('2 tasks queued')")
    page.wait_for_selector("[id^=job-]")
    assert bench.mi("queue", "add", "tidy up").code == 0
    page.wait_for_selector("[id^=job-]:has-text('tidy up')")
    page.locator("[id^=job-]:has-text('tidy up')").get_by_role("button", name="Put first").click()
    page.wait_for_selector("[id^=job-]:nth-child(1):has-text('tidy up')")
    listed = jobs(bench)
    assert (listed[0]["task"], listed[0]["priority"]) == ("tidy up", 1)
    page.locator("[id^=job-]:has-text('tidy up')").get_by_role("button", name="Take out").click()
    page.wait_for_selector("[id^=job-]:has-text('tidy up')", state="detached")
    assert "tidy up" not in [one["task"] for one in jobs(bench)]


@pytest.mark.req("page.tasks.shows")
def test_a_list_that_cannot_be_read_is_said_beside_the_others(bench: Workbench, serve: Make, open_window: Make) -> None:
    (bench.project / "tinyTasks.md").write_text("x" * 2_000_000)
    page = open_tasks(open_window(), serve(env=bench.env).link)
    assert "tinyTasks.md" in page.inner_text(".notice")
    assert page.locator("[id^=task-]").count() == 0
