"""Needs you: what waits is seen and answered in a browser, and a run that waits goes on."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.web.browser import NARROW, WIDE, open_page

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
COLOUR = "Which colour should the report have, red or green?"
Open = Callable[..., Terminal]
Make = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.agent([say(COLOUR)], DONE)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


@pytest.fixture
def waiting(bench: Workbench) -> Iterator[Terminal]:
    """A run at its own terminal that waits for an answer."""
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as terminal:
        terminal.read_until("\n> ")
        yield terminal


def answers(bench: Workbench) -> list[tuple[str, str]]:
    return [(one["answer"], one["by"]) for one in bench.records() if one["kind"] == "user_input"]


@pytest.mark.req("page.needs-you.answer", "page.needs-you.shows")
@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_one_tap_answers_and_the_run_goes_on(
    bench: Workbench, waiting: Terminal, serve: Make, open_window: Make, javascript: bool, width: int
) -> None:
    page = open_page(open_window(javascript, width), serve(env=bench.env).link)
    assert COLOUR in page.inner_text("article h2")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") if javascript else True
    page.get_by_role("button", name="green").click()
    page.wait_for_selector("#said p")
    run_id = bench.records()[0]["run_id"]
    said = page.inner_text("#said")
    assert f"{COLOUR} → green" in said
    assert f"{run_id} goes on." in said
    assert page.locator("article").count() == 0
    assert "answered elsewhere: green" in waiting.finish()
    assert answers(bench) == [("green", "page")]
    assert [one["input"] for one in bench.records() if one["kind"] == "hands_input"] == ["fix it", "green"]
