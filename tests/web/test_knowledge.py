"""Knowledge: one search in a browser over all that is known, narrowed and marked; claims are confirmed and changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mi.kernel.home import Home
from tests.app.test_mined_facts import mined as mined
from tests.conftest import Mi
from tests.web.browser import NARROW, WIDE, open_page

Make = Callable[..., Any]


def ask(mi: Mi, *words: str) -> Any:
    done = mi(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def known(mi: Mi, tmp_path: Path, mined: list[str]) -> dict[str, str]:
    """The person's own words beside mined facts, and a memory file of the team."""
    (tmp_path / "work" / ".nexus").mkdir()
    rule = ask(mi, "remember", "Releases go out on Tuesdays.", "--kind", "rule")["id"]
    ask(mi, "remember", "The walrus pool is cleaned by hand.", "--kind", "fact", "--team", "--name", "walrus-pool")
    return {"rule": rule, "sea": mined[0], "sun": mined[1], "zoo": mined[2]}


def open_knowledge(context: Any, link: str, query: str = "") -> Any:
    page = open_page(context, link)
    page.get_by_role("navigation").get_by_role("link", name="Knowledge").click()
    page.wait_for_selector("h1:has-text('Knowledge')")
    if query:
        page.goto(page.url.partition("?")[0] + query)
    return page


def find(page: Any, words: str) -> Any:
    return page.locator(f"[data-item]:has-text('{words}')")


@pytest.mark.req("page.knowledge.search", "page.knowledge.filters")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, False)])
def test_one_search_finds_all_and_is_narrowed(
    known: dict[str, str], serve: Make, open_window: Make, width: int, javascript: bool
) -> None:
    page = open_knowledge(open_window(javascript, width), serve().link)
    assert find(page, "Releases go out on Tuesdays.").count() == 1
    page.fill("#search", "walrus")
    page.get_by_role("button", name="Find").click()
    page.wait_for_url("**/knowledge?*q=walrus*")
    assert page.locator("[data-item]").count() == 4
    page.get_by_text("Narrow it").click()
    page.get_by_role("link", name="the team's").click()
    page.wait_for_url("**reach=team*")
    assert [page.locator("[data-item]").count(), find(page, "cleaned by hand").count()] == [1, 1]
    page.get_by_role("link", name="mine", exact=True).click()
    page.wait_for_url("**reach=mine*")
    assert page.locator("[data-item]").count() == 3
    page.get_by_role("link", name="an agent's word").click()
    page.wait_for_url("**trust=hands*")
    assert [find(page, "the sea").count(), find(page, "the zoo").count()] == [1, 0]  # a check confirmed the last
    page.get_by_role("link", name="decisions").click()
    page.wait_for_url("**kind=decision*")
    assert "Nothing is found." in page.inner_text("main")


@pytest.mark.req("page.knowledge.marks")
def test_what_is_contradicted_stale_or_replaced_is_marked(
    mi: Mi, tmp_path: Path, known: dict[str, str], serve: Make, open_window: Make
) -> None:
    ask(mi, "edge", "create", "--type", "contradicts", "--from", known["sea"], "--to", known["sun"])
    ask(mi, "claim", "supersede", known["zoo"], "--text", "The walrus sleeps in the aquarium.")
    (tmp_path / "work" / "port.txt").write_text("7439")
    fact = ("memory", "write", "fact", "The port stands in port.txt.", "--evidence", "file_exists", "port.txt")
    ask(mi, *fact)
    (tmp_path / "work" / "port.txt").unlink()
    ask(mi, "memory", "verify")
    page = open_knowledge(open_window(), serve().link, "?q=walrus")
    assert f"contradicted by {known['sun']}" in find(page, "in the sea").inner_text()
    assert f"contradicted by {known['sea']}" in find(page, "in the sun").inner_text()
    assert find(page, "in the zoo").count() == 0
    page.goto(page.url + "&old=1")
    assert "replaced by" in find(page, "in the zoo").inner_text()
    page.goto(page.url.partition("?")[0] + "?q=port")
    assert "stale" in find(page, "The port stands").inner_text()


@pytest.mark.req("page.knowledge.marks")
def test_what_no_longer_stands_is_not_in_the_plain_list_either(
    mi: Mi, known: dict[str, str], serve: Make, open_window: Make
) -> None:
    page = open_knowledge(open_window(), serve().link)
    assert find(page, "in the zoo").count() == find(page, "in the sun").count() == 1
    ask(mi, "claim", "supersede", known["zoo"], "--text", "The walrus sleeps in the aquarium.")
    ask(mi, "claim", "retract", known["sun"])
    page.goto(page.url)
    assert find(page, "in the aquarium").count() == 1
    assert find(page, "in the zoo").count() == find(page, "in the sun").count() == 0
    page.goto(page.url + "?old=1")
    assert "replaced by" in find(page, "in the zoo").inner_text()
    assert "taken back" in find(page, "in the sun").inner_text()


@pytest.mark.req("page.knowledge.acts")
def test_a_fact_is_confirmed_corrected_and_taken_back(
    mi: Mi, home: Home, known: dict[str, str], serve: Make, open_window: Make
) -> None:
    page = open_knowledge(open_window(), serve().link, "?q=walrus")
    assert "nobody has confirmed it" in find(page, "in the sea").inner_text()
    find(page, "in the sea").get_by_text("Change").click()
    page.get_by_role("button", name="It holds").click()
    page.wait_for_selector("#said p:has-text('1 fact confirmed')")
    page.goto(page.url)
    assert "your word" in find(page, "in the sea").inner_text()
    find(page, "in the sea").get_by_text("Change").click()
    find(page, "in the sea").get_by_label("What holds instead").fill("The walrus sleeps in the ocean.")
    find(page, "in the sea").get_by_role("button", name="Correct").click()
    page.wait_for_selector("[data-item]:has-text('in the ocean')")
    assert ask(mi, "claim", "show", known["sea"])["status"] == "superseded"
    page.goto(page.url)
    find(page, "in the sun").get_by_text("Change").click()
    find(page, "in the sun").get_by_label("Reason").fill("it sank")
    find(page, "in the sun").get_by_role("button", name="Take it back").click()
    page.wait_for_selector("[data-item]:has-text('in the sun')", state="detached")
    assert ask(mi, "claim", "show", known["sun"])["status"] == "retracted"


@pytest.mark.req("page.knowledge.acts")
def test_a_rule_is_handed_to_the_team_without_javascript(
    tmp_path: Path, known: dict[str, str], serve: Make, open_window: Make
) -> None:
    page = open_knowledge(open_window(javascript=False), serve().link, "?q=Tuesdays")
    find(page, "Tuesdays").get_by_text("Change").click()
    assert page.locator("select[name=kind]").input_value() == "rule"
    page.get_by_label("Topic").fill("release day")
    page.get_by_role("button", name="Hand to the team").click()
    page.wait_for_selector("#said p")
    assert "release" in page.inner_text("#said")
    [written] = (tmp_path / "work" / ".nexus" / "rules").glob("*release*")
    assert "Releases go out on Tuesdays." in written.read_text()


@pytest.mark.req("page.knowledge.search")
def test_many_are_shown_page_by_page(mi: Mi, home: Home, tmp_path: Path, serve: Make, open_window: Make) -> None:
    from mi.app.home_context import HomeContext
    from mi.app.thoughts import build_thoughts

    context = HomeContext(home, cd=str(tmp_path / "work"))
    context.use_project()
    store = build_thoughts(context).own
    store.add_claims([store.new_claim(f"Seal number {number}.", [], "", "user") for number in range(30)])
    page = open_knowledge(open_window(), serve().link)
    assert page.locator("[data-item]").count() == 25
    first = set(page.locator("[data-item] .words").all_inner_texts())
    page.get_by_role("link", name="Next page").click()
    page.wait_for_url("**page=2*")
    second = set(page.locator("[data-item] .words").all_inner_texts())
    assert (len(second), first & second) == (5, set())
    assert page.get_by_role("link", name="Next page").count() == 0


@pytest.mark.req("page.knowledge.filters")
def test_a_choice_that_there_is_not_is_said(home: Home, serve: Make, open_window: Make) -> None:
    page = open_knowledge(open_window(), serve().link, "?trust=moon")
    assert "'moon'" in page.inner_text("[role=alert]")
