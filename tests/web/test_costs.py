"""Costs: what runs cost is seen in a browser by day and project; unknown stays unknown."""

from collections.abc import Callable
from typing import Any

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.run import RunEnd, RunStart, RunUsage
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.web.browser import NARROW, WIDE, open_page

Make = Callable[..., Any]
PROJECTS = ("0123456789abcdef", "fedcba9876543210")


def spend(home: Home, project: str, name: str, cost_usd: float | None) -> None:
    """Write a run of today that cost something, or does not tell."""
    log = home.project(project).evidence
    writer = EvidenceWriter(log, f"run_20261117T100000Z_{name}", Notices())
    writer.append(RunStart(task="paint it", hands="codex", project_root="/work"))
    spent = RunUsage(input_tokens=1000, output_tokens=234, cost_usd=cost_usd, seconds=90.0, calls=1)
    writer.append(RunEnd(status="done", spent=spent, models={"opus": spent} if cost_usd else {}))


@pytest.fixture
def spent(home: Home) -> None:
    """Three runs in two projects: one does not tell what it cost."""
    spend(home, PROJECTS[0], "aaaaaaaa", 1.25)
    spend(home, PROJECTS[0], "bbbbbbbb", None)
    spend(home, PROJECTS[1], "cccccccc", 0.5)


def open_costs(context: Any, link: str) -> Any:
    page = open_page(context, link)
    page.get_by_role("navigation").get_by_role("link", name="Costs").click()
    page.wait_for_selector("h1:has-text('Costs')")
    return page


@pytest.mark.req("page.costs.day", "page.costs.unknown")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, False)])
def test_costs_by_day(spent: None, serve: Make, open_window: Make, width: int, javascript: bool) -> None:
    page = open_costs(open_window(javascript, width), serve().link)
    assert "$1.75 + unknown" in page.inner_text(".figures")
    assert "3,702" in page.inner_text(".figures")
    assert page.locator("tbody tr").count() == 1
    assert "$1.75 + unknown" in page.inner_text("tbody tr")
    assert page.locator("svg.columns rect.known").count() == 1
    assert page.locator("svg.columns rect.unknown").count() == 1
    page.get_by_role("link", name="tokens").click()
    page.wait_for_url("**/costs?*of=tokens*")
    assert page.locator("svg.columns rect.unknown").count() == 0


@pytest.mark.req("page.costs.project", "page.costs.unknown")
def test_costs_by_project(spent: None, serve: Make, open_window: Make) -> None:
    page = open_costs(open_window(), serve().link)
    page.get_by_role("link", name="project", exact=True).click()
    page.wait_for_url("**/costs?*by=project*")
    rows = page.locator("tbody tr").all_inner_texts()
    assert [PROJECTS[0] in rows[0], "$1.25 + unknown" in rows[0]] == [True, True]
    assert [PROJECTS[1] in rows[1], "$0.5000" in rows[1], "unknown" in rows[1]] == [True, True, False]
    first, second = (float(one.get_attribute("width")) for one in page.locator("rect.known").all())
    assert first > second > 0
    page.get_by_role("link", name=PROJECTS[1]).click()
    page.wait_for_url(f"**/costs?*project={PROJECTS[1]}*")
    assert "unknown" not in page.inner_text("tbody")


@pytest.mark.req("page.costs.model", "page.costs.unknown")
def test_costs_by_model(spent: None, serve: Make, open_window: Make) -> None:
    page = open_costs(open_window(), serve().link)
    page.get_by_role("link", name="model", exact=True).click()
    page.wait_for_url("**/costs?*by=model*")
    rows = page.locator("tbody tr").all_inner_texts()
    assert [("opus" in rows[0], "$1.75" in rows[0]), ("unknown" in rows[1], "$" in rows[1])] == [
        (True, True),
        (True, False),
    ]


@pytest.mark.req("page.costs.day")
def test_what_a_run_costs_is_seen_without_a_reload(home: Home, serve: Make, open_window: Make) -> None:
    page = open_costs(open_window(), serve().link)
    assert "What runs cost appears here" in page.inner_text("main")
    spend(home, PROJECTS[0], "aaaaaaaa", 1.25)
    page.wait_for_selector("tbody tr:has-text('$1.25')")


@pytest.mark.req("page.costs.day")
def test_a_choice_that_there_is_not_is_said(spent: None, serve: Make, open_window: Make) -> None:
    page = open_costs(open_window(), serve().link)
    page.goto(page.url + "?by=moon")
    assert "'moon'" in page.inner_text("[role=alert]")
    assert "day, project" in page.inner_text("[role=alert]")
