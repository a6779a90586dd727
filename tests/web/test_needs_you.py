"""Needs you: what waits is seen and answered in a browser, and a run that waits goes on."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, WouldAnswer
from mi.evidence.records.run import NotifyFailed
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.home import Home
from mi.kernel.notices import Notices
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


@pytest.mark.req("page.needs-you.dismiss")
@pytest.mark.parametrize("javascript", [True, False])
def test_what_waits_is_closed_without_an_answer(
    bench: Workbench, waiting: Terminal, serve: Make, open_window: Make, javascript: bool
) -> None:
    page = open_page(open_window(javascript), serve(env=bench.env).link)
    page.fill("textarea", "not now")
    page.get_by_role("button", name="Close without an answer").click()
    page.wait_for_selector("#said p")
    assert "Closed without an answer" in page.inner_text("#said")
    assert "closed elsewhere without an answer: not now" in waiting.finish(3)
    assert [(one["dismissed"], one["by"]) for one in bench.records() if one["kind"] == "user_input"] == [(True, "page")]


@pytest.mark.req("page.needs-you.remember")
@pytest.mark.parametrize("once", [True, False])
def test_an_answer_is_kept_or_holds_only_once(
    bench: Workbench, waiting: Terminal, serve: Make, open_window: Make, once: bool
) -> None:
    page = open_page(open_window(), serve(env=bench.env).link)
    if once:
        page.get_by_label("only this once").check()
    page.fill("textarea", "Green, please.")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.wait_for_selector("#said p")
    waiting.finish()
    assert answers(bench) == [("Green, please.", "page")]
    assert ("Kept" in page.inner_text("#said")) is not once
    assert bool([one for one in bench.records() if one["kind"] == "answer_kept"]) is not once


@pytest.mark.req("page.needs-you.answer")
def test_an_answer_that_names_no_option_is_refused_in_words(
    bench: Workbench, waiting: Terminal, serve: Make, open_window: Make
) -> None:
    page = open_page(open_window(), serve(env=bench.env).link)
    for words, said in (("Z", "has no option 'Z'"), ("  ", "empty")):
        page.fill("textarea", words)
        page.get_by_role("button", name="Answer", exact=True).click()
        page.wait_for_function("said => document.querySelector('#said').innerText.includes(said)", arg=said)
    assert answers(bench) == []
    assert page.locator("article").count() == 1


@pytest.mark.req("page.needs-you.shows")
def test_what_a_run_waits_with_comes_before_what_is_newer(serve: Make, open_window: Make, home: Home) -> None:
    log = home.project("0123456789abcdef").evidence
    os.makedirs(os.path.dirname(log))
    held_up = Question(id="qu_held", text="Which colour?", blocks=True)
    EvidenceWriter(log, "run_20261118T100000Z_abcdefgh", Notices()).append(held_up)
    writer = EvidenceWriter.for_command(log, Notices())
    writer.append(LearnSuggested(id="sg_new", text="Prefer tabs.", count=2))
    page = open_page(open_window(), serve().link)
    assert page.locator("article").evaluate_all("all => all.map((one) => one.id)") == ["qu_held", "sg_new"]


@pytest.mark.req("page.needs-you.suggestion")
def test_a_suggestion_is_approved_or_refused(serve: Make, open_window: Make, home: Home) -> None:
    log = home.project("0123456789abcdef").evidence
    os.makedirs(os.path.dirname(log))
    writer = EvidenceWriter.for_command(log, Notices())
    for name, text in (("sg_one", "Prefer tabs."), ("sg_two", "Prefer long names.")):
        writer.append(LearnSuggested(id=name, text=text, count=2))
    page = open_page(open_window(), serve().link)
    assert page.locator("article").count() == 2
    page.locator("article#sg_one").get_by_role("button", name="yes").click()
    page.wait_for_selector("article#sg_one", state="detached")
    page.locator("article#sg_two").get_by_role("button", name="no").click()
    page.wait_for_selector("article#sg_two", state="detached")
    records = [json.loads(line) for line in Path(log).read_text("utf-8").splitlines()]
    decided = {one["suggestion_id"]: one["decision"] for one in records if one["kind"] == "learn_applied"}
    assert decided == {"sg_one": "applied", "sg_two": "dismissed"}


@pytest.mark.req("page.needs-you.shows")
def test_the_value_that_almost_answered_is_named_in_its_own_words(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    bench.values("Reports are green on white paper.")
    cited = json.loads(bench.mi("claim", "list", "--json").stdout)[0]["claim_id"]
    bench.mi("remember", "This project paints.")  # the home knows the project from now on
    writer = EvidenceWriter.for_command(str(next(bench.home.glob("projects/*/evidence.jsonl"))), Notices())
    would = WouldAnswer(answer="green", why_asked="it speaks of paper", cited_ids=[cited, "cl_gone"])
    writer.append(Question(id="qu_colour", text=COLOUR, would=would))
    page = open_page(open_window(), serve(env=bench.env).link)
    card = page.inner_text("article#qu_colour")
    for words in ("green", "it speaks of paper", "Reports are green on white paper.", "cl_gone"):
        assert words in card


@pytest.mark.req("page.needs-you.dismiss")
def test_a_notification_that_did_not_get_through_is_closed(serve: Make, open_window: Make, home: Home) -> None:
    log = home.project("0123456789abcdef").evidence
    os.makedirs(os.path.dirname(log))
    failed = NotifyFailed(id="nf_one", channel="ntfy", event="question", reason="no answer")
    EvidenceWriter.for_command(log, Notices()).append(failed)
    page = open_page(open_window(), serve().link)
    assert "mi notify test" in page.inner_text("article")
    page.get_by_role("button", name="Close without an answer").click()
    page.wait_for_selector("article", state="detached")


@pytest.mark.req("page.start.language")
def test_the_page_speaks_the_language_of_the_home(serve: Make, open_window: Make, home: Home) -> None:
    page = open_page(open_window(), serve(env={"MI_LANG": "zh"}).link)
    assert page.inner_text("h1") == "等你处理"
    assert page.get_attribute("html", "lang") == "zh"


@pytest.mark.req("page.needs-you.answer")
def test_keys_move_and_answer(bench: Workbench, waiting: Terminal, serve: Make, open_window: Make) -> None:
    page = open_page(open_window(dark=True), serve(env=bench.env).link)
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('article')")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    page.wait_for_selector("#said p")
    waiting.finish()
    assert answers(bench) == [("red", "page")]
    page.keyboard.press("?")
    assert page.get_attribute("#keys", "open") is not None
