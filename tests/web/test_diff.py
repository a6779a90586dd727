"""The difference of a run in a browser: what it shows, of which batch, and how much of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.autopilot.workbench import (
    MEND,
    RIGHT,
    SPOIL,
    TEST,
    WRONG,
    Workbench,
    commit,
    delete,
    edit,
    open_bench,
    run,
    say,
    write,
)
from tests.waiting import wait_until
from tests.web.browser import NARROW, WIDE, open_page

Make = Callable[..., Any]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")  # so that nothing is asked about it
    return bench


def open_diff(context: Any, link: str, run_id: str, query: str = "") -> Any:
    page = open_page(context, link)
    page.goto(f"{page.url}run/{run_id}/diff{query}")
    page.wait_for_selector("h1")
    return page


def lines_of(page: Any, kind: str) -> list[str]:
    return [str(one) for one in page.locator(f".hunk .{kind} code").all_inner_texts()]


@pytest.mark.req("page.diff.shows", "page.diff.words")
@pytest.mark.parametrize(("width", "javascript"), [(WIDE, True), (NARROW, False)])
def test_files_lines_and_words_code_and_tests_apart(
    bench: Workbench, serve: Make, open_window: Make, width: int, javascript: bool
) -> None:
    added = edit("test_calc.py", "self.assertEqual(add(2, 3), 5)", "self.assertEqual(add(2, 4), 6)")
    bench.agent([MEND, added, TEST, say("Fixed and tested. Done.")])
    done = bench.run("fix add and its test")
    page = open_diff(open_window(width=width, javascript=javascript), serve(env=bench.env).link, done.end["run_id"])
    assert [one.strip() for one in page.locator("main > #view > h2").all_inner_texts()] == ["Code", "Tests"]
    assert page.locator("section.file h3").all_inner_texts() == ["calc.py", "test_calc.py"]
    assert "2 files +2 −2" in page.inner_text("h1")
    assert lines_of(page, "del")[0] == "    return a"
    assert lines_of(page, "add")[0] == "    return a + b"
    assert page.locator(".add mark").all_inner_texts()[0].strip() == "+ b"
    assert page.locator(".del mark").all_inner_texts() == ["3", "5"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") if javascript else True


@pytest.mark.req("page.diff.shows")
def test_what_is_no_line_is_said(bench: Workbench, serve: Make, open_window: Make) -> None:
    (bench.project / "old.py").write_text("".join(f"line {number}\n" for number in range(20)), "utf-8")
    (bench.project / "gone.py").write_text("x = 1\n", "utf-8")
    (bench.project / "tool.sh").write_text("true\n", "utf-8")
    commit(bench.project)
    changes = [run("mv old.py new.py"), run("chmod +x tool.sh"), run("printf 'a\\0b' > data.bin"), delete("gone.py")]
    bench.agent([*changes, MEND, TEST, say("Done.")])
    done = bench.run("tidy up and fix add")
    page = open_diff(open_window(), serve(env=bench.env).link, done.end["run_id"])
    shown = {one.splitlines()[0]: one for one in page.locator("section.file").all_inner_texts()}
    assert "Renamed" in shown["old.py → new.py"]
    assert "mode 100644 → 100755" in shown["tool.sh"]
    assert "binary" in shown["data.bin"]
    assert "its bytes differ" in shown["data.bin"]
    assert "Deleted" in shown["gone.py"]
    assert "New" in shown["data.bin"]


@pytest.mark.req("page.diff.shows")
def test_one_batch_or_the_whole_run(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([SPOIL, TEST, say("Looking at it.")], [edit("calc.py", WRONG, RIGHT), TEST, say("Done.")])
    done = bench.run("fix add")
    page = open_diff(open_window(), serve(env=bench.env).link, done.end["run_id"])
    assert [one.strip() for one in (*lines_of(page, "del"), *lines_of(page, "add"))] == [
        "return a",
        "return a + b",
    ]
    page.get_by_role("link", name="b1", exact=True).click()
    page.wait_for_url("**batch=b1")
    found = [one.strip() for one in (*lines_of(page, "del"), *lines_of(page, "add"))]
    assert found == ["return a - b - 0", "return a + b"]
    page.goto(page.url.replace("=b1", "=b9"))
    assert "b9 is not kept" in page.inner_text("main")


@pytest.mark.req("page.diff.bounded")
def test_what_is_long_is_a_link_away(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([write("long.py", "".join(f"n = {number}\n" for number in range(2500))), MEND, TEST, say("Done.")])
    done = bench.run("fix add and write long.py")
    page = open_diff(open_window(), serve(env=bench.env).link, done.end["run_id"])
    assert page.locator("section.file", has_text="calc.py").locator(".add").count() == 1
    assert page.locator("section.file", has_text="long.py").locator(".add").count() == 0
    seen = []
    page.get_by_role("link", name="Show 2500 lines").click()
    page.wait_for_selector(".hunk")
    seen += lines_of(page, "add")
    page.get_by_role("link", name="Show 1500 lines").click()
    page.wait_for_url("**from=1000")
    seen += lines_of(page, "add")
    page.get_by_role("link", name="Show 500 lines").click()
    page.wait_for_url("**from=2000")
    seen += lines_of(page, "add")
    assert seen == [f"n = {number}" for number in range(2500)]
    page.get_by_role("link", name="All files (2)").click()
    page.wait_for_selector("h3:has-text('calc.py')")


@pytest.mark.req("page.diff.safe")
def test_markup_is_text_and_secrets_are_hidden(bench: Workbench, serve: Make, open_window: Make) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEAabCD1234\n" * 8 + "-----END RSA PRIVATE KEY-----\n"
    content = f"first\n{key}<script>alert(1)</script>\x1b[31mred\nlast\n"
    (bench.project / "page.txt").write_text("first\n", "utf-8")
    commit(bench.project)
    bench.agent([write("page.txt", content), MEND, TEST, say("Done.")])
    done = bench.run("fix add and write page.txt")
    page = open_diff(open_window(), serve(env=bench.env).link, done.end["run_id"])
    lines = page.locator("section.file", has_text="page.txt").locator(".add")
    assert [str(one) for one in lines.locator("code").all_inner_texts()] == [
        "[redacted:private-key]",
        *[""] * 9,
        "<script>alert(1)</script>red",
        "last",
    ]
    assert lines.last.locator(".n").last.inner_text() == "13"
    assert page.locator("main script").count() == 0


@pytest.mark.req("page.diff.shows")
def test_a_run_of_which_nothing_is_kept_says_so(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    bench.configure(snapshot={"enabled": False})
    done = bench.run("fix add")
    page = open_diff(open_window(), serve(env=bench.env).link, done.end["run_id"])
    assert "nothing is kept of" in page.inner_text("main")
    page.goto(page.url.replace("/run_", "/run_none_"))
    assert "run_none_" in page.inner_text("main")


@pytest.mark.req("page.audit")
@pytest.mark.parametrize(("width", "dark"), [(WIDE, False), (NARROW, True), (320, False)])
def test_it_passes_the_audit(bench: Workbench, serve: Make, open_window: Make, width: int, dark: bool) -> None:
    bench.agent([SPOIL, TEST, say("Looking at it.")], [edit("calc.py", WRONG, RIGHT), TEST, say("Done.")])
    done = bench.run("fix add")
    page = open_diff(open_window(width=width, dark=dark), serve(env=bench.env).link, done.end["run_id"])
    add_note(page, "calc.py", 2, "Say why.")
    page.get_by_label("line 1").last.click()
    page.wait_for_selector("#note-text")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


def add_note(page: Any, path: str, line: int, words: str) -> None:
    page.locator("section.file", has=page.locator(f"h3:has-text('{path}')")).get_by_label(f"line {line}").last.click()
    page.fill("#note-text", words)
    page.get_by_role("button", name="Keep the note").click()
    page.wait_for_selector(f"#notes li:has-text('{words}')")


def inputs(bench: Workbench) -> list[str]:
    return [one["input"] for one in bench.records() if one["kind"] == "hands_input"]


NOTES = """\
The person looked at your changes and says about them (take up each one):

1. calc.py, line 2:
   > return a + b
   Say why.

2. extra.py, line 1:
   > x = 1
   A better name, please."""


@pytest.mark.req("page.diff.notes", "page.diff.checks")
def test_notes_on_two_files_reach_a_run_that_ended_as_one_input(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    bench.agent(
        [MEND, write("extra.py", "x = 1\n"), TEST, say("Fixed and tested. Done.")],
        [write("extra.py", "price = 1\n"), TEST, say("Renamed. Done.")],
    )
    done = bench.run("fix add")
    done.ended("done")
    page = open_diff(open_window(javascript=False, width=NARROW), serve(env=bench.env).link, done.end["run_id"])
    assert "passed on it:\npython3 -m unittest -q" in page.locator("section.file", has_text="extra.py").inner_text()
    add_note(page, "calc.py", 2, "Say why.")
    add_note(page, "extra.py", 1, "to be removed")
    page.locator("#notes li", has_text="to be removed").get_by_role("button", name="Remove").click()
    assert wait_until(lambda: page.locator("#notes li").count() == 1, 30)
    page = open_diff(open_window(), serve(env=bench.env).link, done.end["run_id"])  # by another server
    assert page.locator("#notes li").count() == 1
    add_note(page, "extra.py", 1, "A better name, please.")
    page.get_by_role("button", name="Send as one input").click()
    page.wait_for_selector("#said:has-text('goes on with it in the background')")
    page.wait_for_selector("#notes", state="detached", timeout=60_000)  # heard
    assert wait_until(lambda: len([one for one in bench.records() if one["kind"] == "run_end"]) == 2, 60)
    assert inputs(bench) == ["fix add", NOTES]
    (word,) = [one for one in bench.records() if one["kind"] == "user_input"]
    assert (word["by"], word["answer"]) == ("page", "Say why.\nA better name, please.")  # no line of the agent's


@pytest.mark.req("page.diff.notes")
def test_notes_on_two_files_reach_a_run_that_goes_on_as_one_input(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    there, go = bench.folder / "there", bench.folder / "go"
    waits = run(f"touch {there}; until [ -e {go} ]; do sleep 0.05; done")
    first = [MEND, write("extra.py", "x = 1\n"), say("Looking at it.")]
    bench.agent(first, [waits, TEST, say("Done.")], [write("extra.py", "price = 1\n"), TEST, say("Done.")])
    process = bench.start("fix add")
    assert wait_until(there.exists, 60)
    page = open_diff(open_window(), serve(env=bench.env).link, bench.records()[0]["run_id"])
    add_note(page, "calc.py", 2, "Say why.")
    add_note(page, "extra.py", 1, "A better name, please.")
    page.get_by_role("button", name="Send as one input").click()
    page.wait_for_selector("#said:has-text('hears it after its present batch')")
    page.wait_for_selector("#notes:has-text('not heard by the agent yet')")
    go.touch()
    ran = bench.finish(process)
    ran.ended("done")
    assert ran.inputs[2] == NOTES
    assert ran.of("violation") == []


@pytest.mark.req("page.diff.notes")
def test_an_empty_note_is_not_kept_and_nothing_is_not_sent(bench: Workbench, serve: Make, open_window: Make) -> None:
    bench.agent([MEND, TEST, say("Done.")])
    done = bench.run("fix add")
    page = open_diff(open_window(javascript=False), serve(env=bench.env).link, done.end["run_id"])
    page.get_by_label("line 2").last.click()
    page.fill("#note-text", "   ")
    page.get_by_role("button", name="Keep the note").click()
    assert "a note has 1 to 4000 characters" in page.inner_text("#said")
    assert page.locator("#notes").count() == 0
