"""Values: seen as they hold and as they held, added, changed and taken back in a browser."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, UserInput, WouldAnswer
from mi.evidence.records.thoughts import AnsweredAlone
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.learning.autonomy import TopicAgreement
from mi.web.pictures.over_time import Lifetime, draw_agreement, draw_lifetimes
from tests.autopilot.workbench import MEND, TEST, Workbench, models_for, open_bench, say
from tests.mind.answers import model
from tests.waiting import wait_until
from tests.web.browser import NARROW, WIDE, open_page

SMALL, TABS = "Keep changes small.", "Use tabs."
ASKS = say("Should I use argparse or click for the command line?")
WANTS = "Use argparse for the command line."
Make = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.agent([])
    bench.values(f"{SMALL} {TABS}")
    bench.mi("values", "add", "Dates are stored in UTC.", "--scope", "project")
    return bench


def open_values(context: Any, link: str) -> Any:
    page = open_page(context, link)
    page.get_by_role("navigation").get_by_role("link", name="Values").click()
    page.wait_for_selector("h1:has-text('Values')")
    return page


def list_values(bench: Workbench, *words: str) -> list[str]:
    return [one["text"] for one in json.loads(bench.mi("values", "show", "--json", *words).stdout)["values"]]


def find_answers(home: Home) -> None:
    """Questions that the person answered: MI would have been right twice, wrong once, and once it had no answer."""
    log = home.project("0123456789abcdef").evidence
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    writer = EvidenceWriter.for_command(log, Notices())
    for number, (guess, said) in enumerate([("red", "red"), ("red", "red"), ("red", "green"), ("", "blue")]):
        asked = f"Which colour for part {number}, red, green or blue?"
        would = WouldAnswer(answer=guess, topic="style")
        writer.append(Question(id=f"qu_{number}", text=asked, would=would))
        writer.append(UserInput(question=asked, question_id=f"qu_{number}", answer=said, by="terminal"))
    writer.append(AnsweredAlone(question="Which?", answer="red", topic="style"))


@pytest.mark.req("page.values.shows", "page.values.time", "page.values.agreement", "page.audit")
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (NARROW, True)])
def test_what_holds_here_is_seen_with_how_far_mi_agrees(
    bench: Workbench, serve: Make, open_window: Make, width: int, dark: bool
) -> None:
    find_answers(Home(str(bench.home)))
    page = open_values(open_window(width=width, dark=dark), serve(env=bench.env).link)
    assert page.locator("article .lead").all_inner_texts() == [SMALL, TABS]
    page.locator(".filters").get_by_role("link", name=bench.project.name).click()
    page.wait_for_url(re.compile("project="))
    assert page.locator("article .lead").all_inner_texts() == [SMALL, TABS, "Dates are stored in UTC."]
    told = bench.mi("values", "show", "--injection").stdout.strip()
    assert page.locator("pre").inner_text().strip() == told
    assert page.locator(".lives li").count() == 3
    assert page.locator(".bars g").count() == 1
    row = page.locator("tbody tr").inner_text().split()
    assert [word for word in row if word in ("style", "4", "3", "2", "(67", "1")] == [
        "style",
        "4",
        "3",
        "2",
        "(67",
        "1",
    ]
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
    page.set_viewport_size({"width": 320 if width == NARROW else width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.req("page.values.edit", "page.values.time")
@pytest.mark.parametrize("javascript", [True, False])
def test_values_are_added_changed_taken_back_and_seen_as_they_were(
    bench: Workbench, serve: Make, open_window: Make, javascript: bool
) -> None:
    page = open_values(open_window(javascript), serve(env=bench.env).link)
    page.fill("#new-text", "Never push.")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("article:has-text('Never push.')")
    assert list_values(bench, "--scope", "global") == [SMALL, TABS, "Never push."]
    tabs = page.locator("article", has_text=TABS)
    tabs.get_by_text("Change", exact=True).click()
    tabs.locator("textarea").fill("Use four spaces.")
    tabs.get_by_role("button", name="Save").click()
    page.wait_for_selector("article:has-text('Use four spaces.')")
    assert wait_until(lambda: tabs.count() == 0, 30)
    page.locator("article", has_text=SMALL).get_by_role("link", name="Take it back").click()
    page.get_by_role("button", name="Take it back").click()
    page.wait_for_selector("#said p")
    assert list_values(bench, "--scope", "global") == ["Never push.", "Use four spaces."]
    raw = json.loads(bench.mi("values", "show", "--json", "--scope", "global").stdout)["raw"]
    assert raw == "Never push.\nUse four spaces."  # what is edited the next time brings nothing back
    page.get_by_role("navigation").get_by_role("link", name="Values").click()
    page.wait_for_selector(".lives li:nth-child(4)")
    page.goto(f"{page.url.partition('?')[0]}?at=0")
    assert page.locator("article .lead").all_inner_texts() == [SMALL, TABS]
    assert page.locator("#new-text").count() == 0
    page.fill("#as-of", "2020-01-01")
    page.locator("form", has=page.locator("#as-of")).get_by_role("button").click()
    page.wait_for_selector(".empty")


@pytest.mark.req("page.values.settings")
def test_a_setting_is_changed_for_one_project(bench: Workbench, serve: Make, open_window: Make) -> None:
    page = open_values(open_window(), serve(env=bench.env).link)
    page.locator(".filters").get_by_role("link", name=bench.project.name).click()
    form = page.locator("form", has=page.locator("#s-ask_when_uncertain"))
    form.locator("#s-ask_when_uncertain").select_option("proceed")
    form.get_by_label("this project").check()
    form.get_by_role("button", name="Save").click()
    page.wait_for_selector("#said p")
    shown = json.loads(bench.mi("settings", "show", "--json").stdout)
    assert (shown["ask_when_uncertain"]["value"], shown["ask_when_uncertain"]["source"]) == ("proceed", "project")
    assert shown["refactor_intent"]["source"] == "default"


@pytest.mark.req("page.values.edit")
def test_what_is_no_value_is_refused_in_words(bench: Workbench, serve: Make, open_window: Make) -> None:
    page = open_values(open_window(), serve(env=bench.env).link)
    page.fill("#new-text", "My key is ghp_" + "aB3dE6gH9jK2mN5pQ8sT" * 2)
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_selector("#said p")
    assert list_values(bench, "--scope", "global") == [SMALL, TABS]
    for query, said in (("project=none", "none"), ("as_of=soon", "soon")):
        page.goto(f"{page.url.partition('?')[0]}?{query}")
        assert said in page.inner_text("[role=alert]")


@pytest.mark.req("page.values.what-if")
@pytest.mark.parametrize("javascript", [True, False])
def test_what_a_value_would_have_changed_is_seen_before_it_is_saved(
    bench: Workbench, serve: Make, open_window: Make, javascript: bool
) -> None:
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("blocked")
    page = open_values(open_window(javascript), serve(env=bench.env).link)
    before = {path: path.read_bytes() for path in bench.home.rglob("*.jsonl")}
    page.fill("#new-text", WANTS)
    page.locator("#new-value").get_by_role("button", name="What would change?").click()
    page.wait_for_selector("#trial")
    wait_until_judged(page, javascript)
    told = page.inner_text("#trial")
    assert "1 of 1 decisions in 1 runs would have been others." in told
    assert re.search(r"was asked you .*argparse or click", told)
    assert re.search(r"would be answered .*argparse\.", told)
    assert WANTS in page.inner_text("#trial .cites")
    assert {path: path.read_bytes() for path in bench.home.rglob("*.jsonl")} == before
    page.get_by_role("button", name="Save this change").click()
    page.wait_for_selector(f"article:has-text('{WANTS}')")
    assert page.locator("#trial").count() == 0
    assert list_values(bench, "--scope", "global") == [SMALL, TABS, WANTS]


@pytest.mark.req("page.values.what-if", "page.audit")
def test_what_it_would_be_without_a_value_is_tried_and_given_up(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    bench.mi("values", "add", WANTS)
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("done")
    page = open_values(open_window(width=NARROW, dark=True), serve(env=bench.env).link)
    value = page.locator("article", has_text=WANTS)
    value.get_by_text("Change", exact=True).click()
    value.get_by_role("button", name="What if it were gone?").click()
    page.wait_for_selector("#trial")
    wait_until_judged(page, javascript=True)
    told = page.inner_text("#trial")
    assert re.search("was answered .*argparse", told)
    assert re.search("would be asked you", told)
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Leave it as it is").click()
    page.wait_for_selector("#trial", state="detached")
    assert WANTS in list_values(bench, "--scope", "global")


@pytest.mark.req("page.values.what-if")
def test_a_model_is_asked_only_after_its_cost_was_seen(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([ASKS], [MEND, TEST, say("Done.")])
    bench.run().ended("blocked")
    with models_for(bench) as open_model:
        server = open_model(model())
        page = open_values(open_window(), serve(env=bench.env).link)
        page.fill("#new-text", WANTS)
        page.locator("#new-value").get_by_role("button", name="What would change?").click()
        page.wait_for_selector("#trial-again")
        page.get_by_text("Judge again").click()
        page.get_by_role("button", name="by the configured Mind").click()
        page.wait_for_selector("#trial:has-text('Nothing was asked yet.')")
        assert server.requests == []
        page.get_by_role("button", name="Ask openai_compatible").click()
        page.wait_for_selector("#trial:has-text('Judged by: openai_compatible.')")
        assert server.requests


def wait_until_judged(page: Any, javascript: bool) -> None:
    """Wait for what is judged beside the page; without JavaScript the page is looked at again by its link."""
    for _ in range(0 if javascript else 200):
        if page.get_by_role("link", name="Look again").count():
            page.get_by_role("link", name="Look again").click()
            page.wait_for_load_state()
    page.get_by_role("button", name="Save this change").wait_for()


@pytest.mark.req("page.values.time")
def test_bars_stand_where_their_time_is() -> None:
    day = "2026-11-{:02}T00:00:00Z".format
    lives = [Lifetime("cl_1", "a", "global", day(1), day(6)), Lifetime("cl_2", "b", "global", day(6))]
    picture = draw_lifetimes(lives, day(11), day(3))
    assert picture is not None
    assert [(bar.life.id, bar.x, bar.width) for bar in picture.bars] == [("cl_2", 320, 320), ("cl_1", 0, 320)]
    assert (picture.at, picture.left_out) == (128, 0)
    many = draw_lifetimes([Lifetime(f"cl_{number}", "a", "global", day(1)) for number in range(40)], day(2))
    assert many is not None
    assert (len(many.bars), many.left_out) == (30, 10)
    assert draw_lifetimes([], day(2)) is None


@pytest.mark.req("page.values.agreement")
def test_answers_are_drawn_by_periods_that_fit() -> None:
    def count(ts: str, guessed: int, agreed: int) -> TopicAgreement:
        return TopicAgreement("style", 1, guessed, agreed, since=ts)

    few = draw_agreement([count("2026-11-01T10:00:00Z", 1, 1), count("2026-11-01T11:00:00Z", 1, 0)])
    assert few is not None
    assert [(bar.agreed, bar.differed, bar.silent, bar.day) for bar in few.bars] == [(60, 60, 0, "2026-11-01")]
    long = draw_agreement([count(f"{year}-01-01T00:00:00Z", 0, 0) for year in range(2020, 2026)])
    assert long is not None
    assert (long.days, len(long.bars)) == (91, 6)
    assert all(bar.x + bar.width <= long.width and bar.silent == long.height for bar in long.bars)
    assert draw_agreement([]) is None
