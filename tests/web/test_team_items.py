"""Needs you: facts, proposals and handoffs are settled in a browser, as by their commands."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mi.kernel.home import Home
from tests.app.test_members import PROPOSE
from tests.app.test_members import team as team
from tests.app.test_mined_facts import mined as mined
from tests.conftest import Mi
from tests.web.browser import open_page

Make = Callable[..., Any]


def waiting(mi: Mi) -> list[str]:
    return [one["kind"] for one in json.loads(mi("inbox", "--json").stdout)]


@pytest.mark.req("page.needs-you.settle")
@pytest.mark.parametrize(("choice", "said"), [("They hold", "2 facts confirmed"), ("Not true", "2 facts dropped")])
def test_facts(mi: Mi, serve: Make, open_window: Make, mined: list[str], choice: str, said: str) -> None:
    page = open_page(open_window(), serve().link)
    assert "The walrus sleeps in the sea." in page.inner_text("article")
    page.get_by_role("button", name=choice).click()
    page.wait_for_selector("#said p")
    assert said in page.inner_text("#said")
    assert page.locator("article").count() == 0
    assert waiting(mi) == []


@pytest.mark.req("page.needs-you.settle")
@pytest.mark.parametrize(("choice", "status"), [("Accept", "accepted"), ("Reject", "rejected")])
def test_a_proposal(mi: Mi, serve: Make, open_window: Make, team: Path, home: Home, choice: str, status: str) -> None:
    assert mi("persona", "member", "ada").returncode == 0
    assert mi(*PROPOSE, "--member", "mi", env={"CLAUDECODE": "1"}).returncode == 0
    assert waiting(mi) == ["proposal"]
    page = open_page(open_window(), serve().link)
    page.get_by_label("Reason").fill("seen three times")
    page.get_by_role("button", name=choice).click()
    page.wait_for_selector("#said p")
    assert f"is {status}" in page.inner_text("#said")
    assert waiting(mi) == []


@pytest.mark.req("page.needs-you.settle")
@pytest.mark.parametrize(("choice", "status"), [("Accept", "accepted"), ("Reject", "rejected")])
def test_a_handoff(mi: Mi, serve: Make, open_window: Make, team: Path, choice: str, status: str) -> None:
    assert mi("persona", "member", "ada").returncode == 0
    words = ["--task", "Add a login form to src/login.py", "--context", "see docs", "--criterion", "green"]
    sent = mi("handoff", "new", "--to", "ada", *words, env={"CLAUDECODE": "1"})
    assert sent.returncode == 0, sent.stderr
    page = open_page(open_window(javascript=False), serve().link)
    page.get_by_label("Reason").fill("which login?")
    page.get_by_role("button", name=choice).click()
    page.wait_for_selector("#said p")
    assert f"is {status} (for ada)" in page.inner_text("#said")
    assert waiting(mi) == []
