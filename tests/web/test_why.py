"""Why: what a decision rests on is seen as a graph and in words, and taken back after its effect was seen."""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from mi.app.why import WhyGraph, WhyLink, WhyNode
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import UserInput
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
from mi.web.pictures.why_graph import draw, draw_downwards
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, say
from tests.web.browser import NARROW, WIDE, open_page

DONE = [MEND, TEST, say("Fixed and tested. Done.")]
QUESTION = "Should I use tabs or spaces for indentation?"
VALUE = "Use spaces for indentation, never tabs."
Make = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A run in which MI answered the agent by a value."""
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    bench.values(f"{VALUE} Small changes.")
    bench.agent([say(QUESTION)], DONE)
    bench.run("fix it").ended("done")
    return bench


def find_answer(bench: Workbench) -> dict[str, Any]:
    return next(one for one in bench.records() if one["kind"] == "auto_answer" and one["auto_answer"]["should_answer"])


def is_narrow_enough(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.req("page.why.graph", "page.why.words")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, True), (NARROW, False)])
def test_a_decision_leads_to_the_persons_own_words(
    bench: Workbench, serve: Make, open_window: Make, width: int, javascript: bool
) -> None:
    page = open_page(open_window(javascript, width), serve(env=bench.env).link)
    answer = find_answer(bench)
    page.goto(f"{page.url}why/{answer['event_id']}")
    assert [text.split(":")[0] for text in page.locator(".across a > title").all_text_contents()] == [
        "MI's answer",
        "cited · claim",
        "said in · your values",
    ]
    assert page.locator(".across path").count() == 2
    assert page.locator(".across .persons").count() == 2
    assert page.get_by_role("listitem").filter(has_text="cited").inner_text().endswith(VALUE)
    if javascript:
        assert is_narrow_enough(page)
    run = page.get_by_role("link", name="whole run").get_attribute("href")
    assert run.endswith(f"/why/{answer['run_id']}")
    page.locator(".graph a:visible").nth(1).click()
    page.wait_for_url(re.compile("/why/cl_"))
    assert page.inner_text(".lead") == VALUE
    page.locator(".graph a:visible").nth(1).click()
    page.wait_for_url(re.compile("/why/ev_"))
    assert page.inner_text(".lead") == f"{VALUE} Small changes."


@pytest.mark.req("page.why.graph", "page.why.words", "page.audit")
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (NARROW, True)])
def test_a_run_its_decisions_and_the_effect_of_undoing_pass_the_audit(
    bench: Workbench, serve: Make, open_window: Make, width: int, dark: bool
) -> None:
    page = open_page(open_window(width=width, dark=dark), serve(env=bench.env).link)
    start, answer = page.url, find_answer(bench)
    claim_id = answer["auto_answer"]["cited_ids"][0]
    for ref in (answer["run_id"], answer["event_id"], f"{claim_id}?undo=1"):
        page.goto(f"{start}why/{ref}")
        page.wait_for_selector("h1")
        found = Axe().run(page).response["violations"]
        assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == [], ref
        page.set_viewport_size({"width": 320, "height": 800})
        assert is_narrow_enough(page)
        page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{start}why/{answer['run_id']}")
    assert page.locator("article a").get_attribute("href").endswith(f"/run/{answer['run_id']}")
    told = page.inner_text("section >> nth=0")
    for words in ("fix it", "Done", "a check after the last change passed", "MI answered", "spaces."):
        assert words in told


@pytest.mark.req("page.why.graph")
def test_only_lines_that_may_not_fit_are_squeezed() -> None:
    short, long = "Fix the failing test of add", "WWWWWWWWWW MMMMMMMMMM MMMMMMM"
    nodes = [WhyNode("cl_1", "claim", short), WhyNode("cl_2", "claim", long, column=1)]
    picture = draw(WhyGraph(nodes, [], 0), str, str)
    assert [[bool(line.squeeze) for line in box.lines] for box in picture.boxes] == [[False], [True]]


@pytest.mark.req("page.why.narrow")
@pytest.mark.parametrize("width", [NARROW, 320])
def test_on_a_phone_the_words_come_first_and_the_graph_below_them_fits(
    bench: Workbench, serve: Make, open_window: Make, width: int
) -> None:
    page = open_page(open_window(width=width), serve(env=bench.env).link)
    page.goto(f"{page.url}why/{find_answer(bench)['run_id']}")
    words = page.locator("#in-words").bounding_box()
    frames = [box.bounding_box() for box in page.locator(".graph rect:visible").all()]
    assert len(frames) > 4
    assert all(frame["x"] >= 0 and frame["x"] + frame["width"] <= width for frame in frames)
    assert all(frame["width"] > 200 for frame in frames)
    assert all(above["y"] + above["height"] < below["y"] for above, below in pairwise(frames))
    assert words["y"] < frames[0]["y"]
    page.locator(".graph a:visible").nth(1).click()
    page.wait_for_url(re.compile("/why/ev_"))


@pytest.mark.req("page.why.undo")
@pytest.mark.parametrize("javascript", [True, False])
def test_a_claim_is_taken_back_after_what_that_changes_was_seen(
    bench: Workbench, serve: Make, open_window: Make, javascript: bool
) -> None:
    page = open_page(open_window(javascript), serve(env=bench.env).link)
    answer = find_answer(bench)
    (claim_id,) = answer["auto_answer"]["cited_ids"]
    page.goto(f"{page.url}why/{claim_id}")
    assert page.get_by_role("button", name="Take it back").count() == 0
    page.get_by_role("link", name="See first what that would change").click()
    page.wait_for_selector("#undo li")
    effect = page.inner_text("#undo")
    assert VALUE in effect
    assert "It was used by (2)" in effect
    assert page.locator("#undo a", has_text="fix it").get_attribute("href").endswith(answer["run_id"])
    page.fill("#undo-why", "tabs are fine")
    page.get_by_role("button", name="Take it back").click()
    page.wait_for_selector("#said p")
    assert f"{claim_id} is taken back." in page.inner_text("#said")
    shown = json.loads(bench.mi("claim", "show", claim_id, "--json").stdout)
    assert shown["status"] == "retracted"
    page.goto(page.url.partition("?")[0])
    assert "Taken back" in page.inner_text("article")
    assert page.locator("#undo h2").count() == 0


@pytest.mark.req("page.why.undo")
def test_what_an_event_taught_is_taken_back_and_restored(bench: Workbench, serve: Make, open_window: Make) -> None:
    page = open_page(open_window(), serve(env=bench.env, cwd=bench.project).link)
    start = page.url
    kept = json.loads(bench.mi("remember", "The tests need Python 3.12.", "--json").stdout)
    page.goto(f"{start}why/{kept['event_id'].removeprefix('ev_').rpartition('_')[0]}?undo=1")  # the whole command
    assert "The tests need Python 3.12." in page.inner_text("#undo")
    page.goto(f"{start}why/{kept['event_id']}?undo=1")
    assert "The tests need Python 3.12." in page.inner_text("#undo")
    page.get_by_role("button", name="Take it back").click()
    page.wait_for_selector("#said p")
    undone = re.search(r"Stored as (ev_\w+)", page.inner_text("#said"))
    assert undone
    page.goto(f"{start}why/{undone[1]}?undo=1")
    page.get_by_role("button", name="Restore it").click()
    page.wait_for_selector("#said:has-text('restored')")
    assert "The tests need Python 3.12." in bench.mi("claim", "list").stdout + bench.mi("node", "list").stdout


@pytest.mark.req("page.why.words")
def test_an_id_of_nothing_is_said_in_words(serve: Make, open_window: Make, home: Home) -> None:
    page = open_page(open_window(), serve().link)
    for ref, said in (("ev_none", "no event ev_none"), ("cl_none", "no cl_none"), ("wf_x", "wf_x is nothing that can")):
        page.goto(f"{page.url.split('why/')[0]}why/{ref}")
        assert said in page.inner_text("main")


@pytest.mark.req("page.why.graph", "page.safe.text")
def test_markup_and_long_words_stay_in_their_box(serve: Make, open_window: Make, home: Home) -> None:
    log = EvidenceWriter.for_command(home.evidence, Notices())
    Path(home.evidence).parent.mkdir(parents=True)
    said = "<script>alert(1)</script> " + "x" * 20 + " " + "MW" * 40 + "漢" * 99
    event = log.append(UserInput(question="Which?", answer=said, by="terminal"))
    store = ThoughtStore(home.thoughts, "global", "", Notices())
    claim = store.new_claim(said, [], event.event_id, "user")
    store.add_claims([claim])
    store.close()
    page = open_page(open_window(), serve().link)
    page.goto(f"{page.url}why/{claim.claim_id}")
    assert "<script>alert(1)</script>" in page.inner_text(".lead")
    for box in page.locator(".graph a:visible").all():
        frame = box.locator("rect").bounding_box()
        for line in box.locator("text").all():
            inner = line.bounding_box()
            assert inner["x"] + inner["width"] <= frame["x"] + frame["width"]


@pytest.mark.req("page.why.graph")
def test_columns_do_not_overlap_and_what_is_not_drawn_is_counted() -> None:
    nodes = [WhyNode("ev_0", "decide_next", "Go on.", column=0)]
    nodes += [WhyNode(f"cl_{number}", "claim", "word " * 40, column=1) for number in range(9)]
    nodes += [WhyNode("ev_1", "values_set", "Mine.", is_persons=True, column=2)]
    links = [WhyLink("ev_0", one.id, "cited") for one in nodes[1:-1]]
    links += [WhyLink(one.id, "ev_1", "source") for one in nodes[1:-1]]
    picture = draw(WhyGraph(nodes, links, 7), str, str)
    assert picture.left_out == 7
    assert len(picture.boxes) == 11
    column = sorted((box for box in picture.boxes if box.node.column == 1), key=lambda box: box.y)
    assert all(above.y + above.height < below.y for above, below in pairwise(column))
    assert all(box.y >= 0 and box.y + box.height <= picture.height for box in picture.boxes)
    assert all(box.x + picture.box_width <= picture.width for box in picture.boxes)
    assert all(len(line.text) <= 30 for box in picture.boxes for line in box.lines)
    down = draw_downwards(WhyGraph(nodes, links, 7), picture)
    assert sorted(box.node.id for box in down.boxes) == sorted(one.id for one in nodes)
    assert all(above.y + above.height < below.y for above, below in pairwise(down.boxes))
    assert len(down.curves) == len(nodes) - 1  # each is joined to the first that rests on it
    assert down.width < picture.width
    assert down.left_out == 7
