"""An accessibility audit of every view by axe-core in the browser, on a desk and a phone, light and dark."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.governed import Violation
from mi.evidence.records.questions import WouldAnswer
from mi.evidence.records.run import Marks, RunEnd, RunStart, RunUsage
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.web.views import VIEWS
from tests.app.test_mined_facts import mined as mined
from tests.conftest import Mi
from tests.web.browser import NARROW, WIDE, open_page
from tests.web.test_access import PROJECT, ask

Make = Callable[..., Any]


@pytest.fixture
def filled(home: Home, mi: Mi, mined: list[str]) -> None:
    """A home that shows something of everything."""
    for words in (("task", "add", "Ship it", "--subtask", "build"), ("queue", "add", "tidy up")):
        assert mi(*words).returncode == 0
    assert mi("edge", "create", "--type", "contradicts", "--from", mined[0], "--to", mined[1]).returncode == 0
    would = WouldAnswer(answer="red", why_asked="no value speaks of it", cited_ids=["cl_1"])
    ask(home, "Which colour?", task="paint it", said="I could take\nA) red\nB) green", would=would, keep=True)
    log = home.project(PROJECT).evidence
    spent = RunUsage(input_tokens=1000, output_tokens=10, cost_usd=0.25, seconds=60.0)
    EvidenceWriter.for_command(log, Notices()).append(LearnSuggested(id="sg_one", text="Prefer tabs.", count=2))
    broken = Violation(id="vi_1", code="AGENT_AS_PERSON", tool="mi values set", client="codex", details="tried it")
    EvidenceWriter.for_command(log, Notices()).append(broken)
    for number, status in enumerate(("done", "blocked", "failed", "interrupted")):
        writer = EvidenceWriter(log, f"run_2026111{number}T100000Z_abcdefgh", Notices())
        writer.append(RunStart(task="paint it", hands="codex", branch="mi/paint", project_root="/work"))
        writer.append(
            RunEnd(status=status, reason="why", marks=Marks(ran=True, verified=status == "done"), spent=spent)
        )


@pytest.mark.req("page.audit")
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (NARROW, True)])
def test_every_view_passes(serve: Make, open_window: Make, filled: None, width: int, dark: bool) -> None:
    page = open_page(open_window(width=width, dark=dark), serve().link)
    start = page.url
    for view in VIEWS:
        if "{" in view.path:
            continue
        page.goto(start + view.path.lstrip("/"))
        page.wait_for_selector("h1")
        page.wait_for_selector("[data-again]", state="detached")  # what is looked into meanwhile
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = Axe().run(page).response["violations"]
        shown = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found]
        assert shown == [], view.name
        assert page.locator("h1").count() == 1
        assert page.locator("header, nav, main").count() >= 3


@pytest.mark.req("page.audit")
def test_the_problem_page_passes(serve: Make, open_window: Make, home: Home) -> None:
    page = open_page(open_window(), serve().link)
    page.goto(page.url + "nothing")
    assert Axe().run(page).response["violations"] == []
