"""Health: what doctor finds and what agents did is seen in a browser; what is broken is mended after a look at it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.governed import Violation
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.web.browser import NARROW, open_page

Make = Callable[..., Any]
PROJECT = "0123456789abcdef"


@pytest.fixture
def broken(home: Home) -> Path:
    """A file of state that is no JSON, in a home where an agent spoke as the person."""
    log = home.project(PROJECT).evidence
    os.makedirs(os.path.dirname(log))
    code = "AGENT_AS_PERSON"
    found = Violation(id="vi_1", code=code, tool="mi values set", client="codex", details="tried to set values")
    EvidenceWriter.for_command(log, Notices()).append(found)
    state = Path(home.project(PROJECT).overlay)
    state.write_text("{not json")
    state.chmod(0o600)
    return state


def open_health(context: Any, link: str) -> Any:
    page = open_page(context, link)
    page.get_by_role("navigation").get_by_role("link", name="Health").click()
    page.wait_for_selector("h1:has-text('Health')")
    return page


@pytest.mark.req("page.health.doctor", "page.health.violations", "page.health.repair")
def test_what_is_broken_is_seen_first_and_mended_when_asked(broken: Path, serve: Make, open_window: Make) -> None:
    page = open_health(open_window(width=NARROW), serve().link)
    page.wait_for_selector("section[aria-labelledby=repair] li")
    assert str(broken) in page.inner_text("section[aria-labelledby=repair]")
    assert broken.read_text() == "{not json"
    acts = page.inner_text("section[aria-labelledby=violations]")
    told = ("spoke in your name", "codex", "mi values set", "tried to set values")
    assert [one in acts for one in told] == [True] * 4
    page.get_by_text("more are fine").click()
    assert "SQLite" in page.inner_text("#fine")
    page.get_by_role("button", name="Mend").click()
    page.wait_for_selector("#said p")
    assert str(broken) in page.inner_text("#said")
    page.wait_for_selector("section[aria-labelledby=repair]:has-text('Nothing')")
    assert not broken.exists()
    assert [one.read_text() for one in broken.parent.glob("*.corrupt.*")] == ["{not json"]


@pytest.mark.req("page.health.doctor")
def test_a_look_without_javascript(broken: Path, serve: Make, open_window: Make) -> None:
    page = open_health(open_window(javascript=False), serve().link)
    while not page.locator("section").count():
        page.get_by_role("button", name="Look again").click()
    assert "What doctor finds" in page.inner_text("main")
    assert str(broken) in page.inner_text("main")
    assert broken.read_text() == "{not json"


@pytest.mark.req("page.health.doctor")
def test_a_project_that_the_home_does_not_know_is_refused(home: Home, serve: Make, open_window: Make) -> None:
    page = open_health(open_window(), serve().link)
    page.goto(page.url + "?root=/etc")
    assert "/etc" in page.inner_text("[role=alert]")
