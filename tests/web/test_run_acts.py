"""A run in the browser: answered, stopped, gone on with, put back, proved, brought over, handed on; and seen live."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.autopilot.test_run_resume import staying
from tests.autopilot.workbench import BROKEN, MEND, RIGHT, TEST, Workbench, open_bench, run, say
from tests.conftest import MI
from tests.terminals import Terminal
from tests.waiting import wait_until
from tests.web.browser import NARROW, WIDE, open_page
from tests.web.test_run import open_run

Make = Callable[..., Any]
ASKED = say("It passes now. Should I use tabs or spaces in the other file?")
DONE = [MEND, TEST, say("Fixed and tested. Done.")]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


def open_latest(context: Any, link: str, bench: Workbench, query: str = "") -> Any:
    return open_run(context, link, bench.records()[-1]["run_id"], query)


@pytest.mark.req("page.run.answer")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, False)])
def test_its_question_is_answered_there(
    bench: Workbench, serve: Make, open_window: Make, width: int, javascript: bool
) -> None:
    bench.agent([MEND, TEST, ASKED], [TEST, say("All is done.")])
    bench.run("fix it").ended("blocked")
    page = open_latest(open_window(width=width, javascript=javascript), serve(env=bench.env).link, bench)
    page.get_by_role("button", name="B spaces").click()
    page.wait_for_selector("#said p")
    assert [(one["answer"], one["by"]) for one in bench.records() if one["kind"] == "user_input"] == [
        ("spaces", "page")
    ]
    page.wait_for_selector(".asked:has-text('You: spaces')")
    assert page.get_by_role("button", name="B spaces").count() == 0


@pytest.mark.req("page.run.resume")
def test_it_goes_on_after_it_ended_without_being_done(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([MEND, say("Done.")], [say("It passes, believe me.")], [TEST, say("It passes.")])
    bench.run("fix it").ended("blocked")
    page = open_latest(open_window(), serve(env=bench.env).link, bench)
    page.get_by_role("button", name="Go on").click()
    page.wait_for_selector("#facts .state.done", timeout=60_000)
    page.wait_for_selector("#b2:has-text('It passes.')")


@pytest.mark.req("page.run.resume")
def test_it_goes_on_with_what_it_is_told(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([MEND, say("Done.")], [say("It passes, believe me.")], [TEST, say("It passes.")])
    bench.run("fix it").ended("blocked")
    page = open_latest(open_window(), serve(env=bench.env).link, bench)
    page.fill("#tell-words", "Use plain words in the comments.")
    page.get_by_role("button", name="Tell it").click()
    page.wait_for_selector("#said p:has-text('goes on with it in the background')")
    page.wait_for_selector("#b2", timeout=60_000)
    assert "Use plain words in the comments." in page.inner_text("#b2-told")
    told = [one for one in bench.records() if one["kind"] == "user_input"]
    assert [(one["answer"], one["by"]) for one in told] == [("Use plain words in the comments.", "page")]


@pytest.mark.req("page.run.live", "page.run.stop")
def test_what_its_agent_does_is_seen_while_it_does_it_and_it_is_stopped(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    there = staying(bench, say("I begin with a look around."))
    served = serve(env=bench.env)
    page = open_page(open_window(), served.link)
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as terminal:
        assert wait_until(there.exists, 30)
        page.goto(f"{page.url}run/{bench.records()[-1]['run_id']}")
        page.wait_for_selector("#b0 .said:has-text('I begin with a look around.')")
        page.wait_for_selector("#b0 .exit:has-text('running')")
        assert "The agent is at work." in page.inner_text("#b0")
        page.evaluate("window.stillTheSamePage = true")
        page.get_by_role("button", name="Stop").click()
        terminal.finish(130)
        page.wait_for_selector("#facts .state.interrupted")
        assert page.evaluate("window.stillTheSamePage")


@pytest.mark.req("page.run.live")
def test_what_an_agent_prints_is_on_the_page_before_its_batch_ends(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    go = bench.folder / "go"
    waits = run(f"while [ ! -e {go} ]; do sleep 0.05; done")
    bench.agent([waits, say("Somebody let me go on."), run(f"while [ ! -e {go}.on ]; do sleep 0.05; done"), *DONE])
    page = open_page(open_window(), serve(env=bench.env).link)
    with closing(Terminal([str(MI), "run", "fix it"], bench.project, **bench.env)) as terminal:
        assert wait_until(lambda: any(one["kind"] == "hands_input" for one in bench.records()), 30)
        page.goto(f"{page.url}run/{bench.records()[-1]['run_id']}")
        page.wait_for_selector("#b0 .exit:has-text('running')")
        go.touch()
        page.wait_for_selector("#b0 .said:has-text('Somebody let me go on.')")
        assert not any(one["kind"] == "batch_end" for one in bench.records())
        Path(f"{go}.on").touch()
        terminal.finish(0)
        page.wait_for_selector("#facts .state.done")


@pytest.mark.req("page.run.restore")
@pytest.mark.parametrize("javascript", [True, False])
def test_files_are_put_back_after_a_look_at_what_that_changes(
    bench: Workbench, serve: Make, open_window: Make, javascript: bool
) -> None:
    bench.agent(DONE)
    bench.run("fix it").ended("done")
    page = open_latest(open_window(javascript=javascript), serve(env=bench.env).link, bench)
    page.get_by_role("link", name="Put files back", exact=True).click()
    page.wait_for_selector("#restore")
    assert "Put back" in page.inner_text("#restore")
    assert "calc.py" in page.inner_text("#restore")
    assert RIGHT in bench.read("calc.py")
    page.get_by_role("button", name="Put them back").click()
    assert wait_until(lambda: BROKEN in bench.read("calc.py").splitlines(), 30)
    if not javascript:
        page.wait_for_selector("h1")
        assert wait_until(lambda: page.reload() and "1 file put back" in page.inner_text("main"), 30)
    page.wait_for_selector("#deed-restore:has-text('1 file put back')")


@pytest.mark.req("page.run.restore")
def test_what_changed_since_the_look_is_not_put_back(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent(DONE)
    bench.run("fix it").ended("done")
    page = open_latest(open_window(), serve(env=bench.env).link, bench, "?restore=run")
    (bench.project / "calc.py").write_text("mine\n", "utf-8")
    page.get_by_role("button", name="Put them back").click()
    page.wait_for_selector("#deed-restore:has-text('changed since the difference was shown')")
    assert bench.read("calc.py") == "mine\n"


@pytest.mark.req("page.run.prove")
def test_it_is_proved_while_the_page_goes_on(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent(DONE)
    assert bench.mi("trust").code == 0
    bench.run("--no-prove", "fix it").ended("done")
    page = open_latest(open_window(), serve(env=bench.env).link, bench)
    page.get_by_role("button", name="Prove").click()
    page.wait_for_selector("#said p:has-text('Prove: begun')")
    page.wait_for_selector("#deed-prove:not(:has-text('under way'))", timeout=60_000)
    assert "proved: " in page.inner_text("#deed-prove")
    page.locator("#mark-proved summary").click()
    page.wait_for_selector("#mark-proved .good")
    shown = page.inner_text("#mark-proved")
    proof = [one for one in bench.records() if one["kind"] == "proof"][-1]
    assert "failed before and pass now" in shown
    assert proof["final_tree"][:12] in shown


@pytest.mark.req("page.run.merge")
def test_the_work_of_a_run_in_its_own_tree_is_brought_over(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent(DONE)
    bench.run("--worktree", "fix it").ended("done")
    assert BROKEN in bench.read("calc.py").splitlines()
    page = open_latest(open_window(), serve(env=bench.env).link, bench)
    page.get_by_role("button", name="Bring over").click()
    page.wait_for_selector("#deed-merge:has-text('calc.py')")
    assert RIGHT in bench.read("calc.py")
    page.wait_for_selector("#acts:not(:has-text('Bring over'))")


@pytest.mark.req("page.run.report")
def test_its_report_is_handed_on_as_a_file(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent(DONE)
    run_id = bench.run("fix it").end["run_id"]
    page = open_latest(open_window(), serve(env=bench.env).link, bench)
    for name, ending, part in (("HTML", "html", "<!DOCTYPE html>"), ("Markdown", "md", "# fix it")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert download.value.suggested_filename == f"{run_id}.{ending}"
        written = Path(download.value.path()).read_text("utf-8")
        assert part.casefold() in written.casefold()
        assert "calc.py" in written
    assert os.path.exists(bench.home)


@pytest.mark.req("page.run.picture")
def test_the_picture_leads_to_each_batch(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([MEND, say("Done.")], [TEST, say("It passes.")])
    bench.run("fix it").ended("done")
    page = open_latest(open_window(), serve(env=bench.env).link, bench)
    names = [one.get_attribute("aria-label") for one in page.locator("svg.timeline a").all()]
    assert [name.split(", ")[0] for name in names] == ["Batch b0", "Batch b1"]
    assert ["no check" in names[0], "1 file changed" in names[0], "check passed" in names[1]] == [True] * 3
    page.locator("svg.timeline a").nth(1).click()
    assert page.url.endswith("#b1")
