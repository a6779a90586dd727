"""A run: what it was told, did and decided is read in a browser, with what each mark rests on."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import CheckPlan, Checks
from mi.evidence.records.run import BatchEnd, Closing, PartJudged, RunEnd, RunStart
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.autopilot.workbench import BROKEN, CHECK, RIGHT, TEST, WRONG, Workbench, edit, open_bench, run, say
from tests.web.browser import NARROW, WIDE, open_page
from tests.web.test_access import PROJECT

Make = Callable[..., Any]
TWO_BATCHES = (
    [run("cat calc.py"), edit("calc.py", BROKEN, WRONG), TEST, say("I have looked at it.")],
    [edit("calc.py", WRONG, RIGHT), TEST, say("It passes now. Done.")],
)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


def open_run(context: Any, link: str, run_id: str, query: str = "") -> Any:
    page = open_page(context, link)
    page.goto(f"{page.url}run/{run_id}{query}")
    page.wait_for_selector("#timeline-head")
    return page


@pytest.mark.req("page.run.timeline", "page.run.marks")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, True), (WIDE, False)])
def test_a_run_is_read_batch_by_batch(
    bench: Workbench, serve: Make, open_window: Make, width: int, javascript: bool
) -> None:
    bench.agent(*TWO_BATCHES)
    done = bench.run("fix it")
    done.ended("done")
    page = open_page(open_window(width=width, javascript=javascript), serve(env=bench.env).link)
    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    page.get_by_role("link", name="fix it").click()
    page.wait_for_selector("h1:has-text('fix it')")
    assert [one.get_attribute("id") for one in page.locator("ol.batches > li").all()] == ["b1", "b0"]
    first = page.locator("#b0")
    for part in ("I have looked at it.", "cat calc.py", "exit 1", "MI told the agent: fix it"):
        assert part in first.inner_text()
    first.locator("summary", has_text=CHECK).click()
    shown = first.inner_text()
    assert "FAILED" in shown
    trees = [one["tree"] for one in done.of("tree_snapshot") if one["of"] == "end"]
    assert f"Ran on the work tree {trees[0][:12]}" in shown
    assert "changed calc.py" in shown
    page.locator("#mark-verified summary").click()
    mark = page.inner_text("#mark-verified")
    assert CHECK in mark
    assert "exit 0" in mark
    assert "OK" in mark
    assert trees[-1][:12] in mark
    kept = [one["commit"] for one in done.of("tree_snapshot") if one["tree"] == trees[-1]]
    assert any(f"kept as {commit[:12]}" in mark for commit in kept)
    page.locator("#b0-decided summary").click()
    decided = page.inner_text("#b0-decided")
    assert "How to check" in decided
    assert "a check ran and failed" in decided
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def write_run(home: Home, batches: int, run_id: str = "run_20261118T100000Z_abcdefgh") -> str:
    """A run of many batches, as its log tells of it."""
    writer = EvidenceWriter(home.project(PROJECT).evidence, run_id, Notices())
    writer.append(RunStart(task="paint it", hands="codex", project_root="/paint", batch_id="b0"))
    for number in range(batches):
        writer.append(HandsInput(input=f"go on {number}", batch_id=f"b{number}"))
        writer.append(BatchEnd(last_message=f"said {number}", batch_id=f"b{number}"))
    writer.append(RunEnd(status="done"))
    return run_id


@pytest.mark.req("page.run.many")
def test_of_many_batches_the_latest_are_shown_and_the_older_ones_linked(
    serve: Make, open_window: Make, home: Home
) -> None:
    run_id = write_run(home, 25)
    page = open_run(open_window(), serve().link, run_id)
    seen = [page.locator("ol.batches h3").all_inner_texts()]
    for older in ("Older batches (6–15)", "Older batches (1–5)"):
        page.get_by_role("link", name=older).click()
        page.wait_for_selector("#pages a:has-text('The latest batches')")
        page.wait_for_function(
            "(first) => document.querySelector('ol.batches h3').innerText !== first", arg=seen[-1][0]
        )
        seen.append(page.locator("ol.batches h3").all_inner_texts())
    assert [one for some in seen for one in some] == [f"Batch b{number}" for number in range(24, -1, -1)]
    assert "said 4" in page.inner_text("#b4")
    page.get_by_role("link", name="Batch b3", exact=True).click()
    page.wait_for_selector("h2:has-text('Batch b3')")
    assert page.locator("ol.batches > li").count() == 1


@pytest.mark.req("page.audit")
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (NARROW, True)])
def test_a_run_passes_the_audit(bench: Workbench, serve: Make, open_window: Make, width: int, dark: bool) -> None:
    bench.agent(*TWO_BATCHES)
    run_id = bench.run("fix it").end["run_id"]
    page = open_run(open_window(width=width, dark=dark), serve(env=bench.env).link, run_id)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


def append(home: Home, *records: Record) -> str:
    """A run whose log holds these records."""
    writer = EvidenceWriter(home.project(PROJECT).evidence, "run_20261118T110000Z_abcdefgh", Notices())
    for record in (RunStart(task="paint it", hands="codex", batch_id="b0"), HandsInput(input="paint", batch_id="b0")):
        writer.append(record)
    return [writer.append(record) for record in records][-1].run_id


@pytest.mark.req("page.run.parts")
def test_the_parts_of_the_task_stand_with_what_was_seen_and_what_is_missing(
    serve: Make, open_window: Make, home: Home
) -> None:
    end = BatchEnd(last_message="Painted.", batch_id="b0", seen={"parts": [{"text": "paint it", "seen": ["wall.py"]}]})
    parts = [
        PartJudged(text="paint it", state="done", cited_ids=["ev_run_20261118T110000Z_abcdefgh_3"]),
        PartJudged(text="sweep the floor", state="open", missing=["the broom"]),
    ]
    run_id = append(home, end, Closing(outcome="told", parts=parts, batch_id="b0"), RunEnd(status="blocked"))
    page = open_run(open_window(), serve().link, run_id)
    painted, swept = page.locator("#parts li").all_inner_texts()
    assert [part in painted for part in ("✓", "paint it", "wall.py", "ended Painted.")] == [True] * 4
    assert [part in swept for part in ("✗", "sweep the floor", "the broom")] == [True] * 3


@pytest.mark.req("page.bad.record")
def test_markup_and_a_record_that_is_too_long_leave_the_run_readable(
    serve: Make, open_window: Make, home: Home
) -> None:
    odd = CheckPlan(checks=Checks(notes="<script>document.title='bad'</script>\x1b[31mred"), batch_id="b0")
    run_id = append(home, odd, BatchEnd(last_message="x" * 5_000_000, batch_id="b0"), RunEnd(status="failed"))
    page = open_run(open_window(), serve().link, run_id)
    assert "is not shown here: mi show ev_run_20261118T110000Z_abcdefgh_4" in page.inner_text("#b0")
    assert "<script>" in page.inner_text("#b0-decided")
    assert "\x1b" not in page.content()
    assert page.title() != "bad"


@pytest.mark.parametrize("query", ["?batch=b99", "?batch=nothing", "?upto=99999", "?upto=-1", "?restore=b7"])
def test_a_wrong_address_still_shows_the_run(serve: Make, open_window: Make, home: Home, query: str) -> None:
    page = open_run(open_window(), serve().link, write_run(home, 3), query)
    assert page.locator("#b2").count() == 1
    assert ("nothing is kept" in page.inner_text("main")) is (query == "?restore=b7")


def test_a_run_that_is_none_is_said(serve: Make, open_window: Make, home: Home) -> None:
    page = open_page(open_window(), serve().link)
    page.goto(f"{page.url}run/run_none")
    assert "run_none" in page.inner_text("main")
    assert page.locator("[role=alert]").count() == 1
