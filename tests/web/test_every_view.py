"""What holds for every view: it is safe, writes nothing, goes by keys, on a small phone, on paper, plain, in Chinese.

The home has lived: a run with markup, escapes and a secret in whatever it says, a question, a suggestion, a value.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.questions import Question, QuestionOption
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.notices import Notices
from mi.web.rendering import FOLDER
from mi.web.view import ViewPlace
from mi.web.views import VIEWS
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.seals import unseal
from tests.web.browser import NARROW, WIDE, Served, open_page
from tests.web.test_access import FORM, Visitor, token_of
from tests.web.test_bad_input import MARKUP, SECRET

Make = Callable[..., Any]
SMALL = 320


class LivedIn(NamedTuple):
    """A home in which something of everything happened."""

    bench: Workbench
    run_id: str

    def addresses(self) -> Iterator[tuple[ViewPlace, str]]:
        """Every view with an address that shows something there; what is a file for the person has no template."""
        known = {"run_id": self.run_id, "ref": self.run_id}
        shown = [view for view in VIEWS if Path(FOLDER, "templates", f"{view.name}.html").exists()]
        return ((view, view.path.format(**known)) for view in shown)


@pytest.fixture
def lived(tmp_path: Path) -> LivedIn:
    bench = open_bench(tmp_path)
    bench.agent([run("printf '\\033[31mred\\033[0m <u>bold</u>\\n'"), MEND, TEST, say(f"{MARKUP} {SECRET} Done.")])
    bench.values("Reports are green. <script>1</script>")
    bench.mi("remember", "Numbers are added here. <u>bold</u>")
    done = bench.run(f"fix the failing test {MARKUP}")
    assert done.code == 0, done.stderr
    writer = EvidenceWriter.for_command(str(next(bench.home.glob("projects/*/evidence.jsonl"))), Notices())
    options = [QuestionOption(key="A", text=MARKUP), QuestionOption(key="B", text="green")]
    writer.append(Question(id="qu_colour", text=f"Which colour? {MARKUP} {SECRET}", options=options, said=MARKUP))
    writer.append(LearnSuggested(id="sg_one", text=f"Prefer tabs. {MARKUP}", count=2))
    return LivedIn(bench, done.end["run_id"])


def enter(served: Served) -> tuple[Visitor, str]:
    visitor = Visitor(served.port)
    return visitor, visitor.enter(served.link)


@pytest.mark.req("page.safe.text", "page.safe.headers")
def test_what_agents_wrote_is_only_text_and_nothing_is_inline(lived: LivedIn, serve: Make) -> None:
    visitor, place = enter(serve(env=lived.bench.env))
    for view, address in lived.addresses():
        status, headers, body = visitor.ask(place + address)
        assert status == 200, (view.name, body)
        assert headers["Content-Security-Policy"].startswith("default-src 'none'; "), view.name
        assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|<\w[^>]*\son\w+=", body), view.name
        assert not re.search(r"<(?:u|script)>|<img", body), view.name
        assert "\x1b" not in body, view.name
        assert "hunter2hunter2" not in body, view.name
        links = re.findall(r'(?:href|src|action|data-place)="([^"]*)"', body)
        assert [one for one in links if not one.startswith((place + "/", "#", "?"))] == [], view.name


@pytest.mark.req("page.safe.reads")
def test_no_view_writes_anything_but_what_is_derived(lived: LivedIn, serve: Make) -> None:
    visitor, place = enter(serve(env=lived.bench.env))

    def look() -> dict[str, bytes]:
        files = (path for path in lived.bench.home.rglob("*") if path.is_file() and "indexes" not in path.parts)
        return {str(path): path.read_bytes() for path in files if not path.name.startswith("view.sqlite")}

    for _, address in lived.addresses():
        visitor.ask(place + address)  # what is derived is made
    before = look()
    for _, address in lived.addresses():
        visitor.ask(place + address)
    assert look() == before


@pytest.mark.req("page.safe.csrf")
def test_every_act_needs_the_page_itself_and_the_sessions_token(lived: LivedIn, serve: Make) -> None:
    visitor, place = enter(serve(env=lived.bench.env))
    token = token_of(visitor.ask(place + "/")[2])
    records = lived.bench.records()
    own = {"Origin": f"http://{visitor.host}"}
    for view, address in lived.addresses():
        for act in ("", *view.load().acts):
            fields = f"act={act}&item=qu_colour&run_id={lived.run_id}"
            for headers, body in [
                (own, fields),
                (own, f"{fields}&token=x"),
                ({"Origin": "http://127.0.0.1:1"}, f"{fields}&token={token}"),
                (own | {"Sec_Fetch_Site": "cross-site"}, f"{fields}&token={token}"),
                ({}, f"{fields}&token={token}"),
            ]:
                assert visitor.ask(place + address, "POST", body, **FORM | headers)[0] == 403, (view.name, act)
    assert lived.bench.records() == records


@pytest.mark.req("page.bad.record")
def test_every_view_bears_a_huge_record_and_a_torn_log(lived: LivedIn, serve: Make) -> None:
    log = next(lived.bench.home.glob("projects/*/evidence.jsonl"))
    huge = Question(id="qu_huge", text="x " * 25_000_000)
    EvidenceWriter.for_command(str(log), Notices()).append(huge)
    unseal(str(log))
    with log.open("ab") as file:
        file.write(b'{"kind": "question", "id": "qu_torn", "te')
    visitor, place = enter(serve(env=lived.bench.env))
    for view, address in lived.addresses():
        while (answer := visitor.ask(place + address))[0] == 503:
            assert "looks again by itself" in answer[2]
        assert answer[0] == 200, (view.name, answer[2][:500])
        assert len(answer[2]) < 500_000, view.name


@pytest.mark.req("page.keys", "page.small")
def test_keys_and_a_small_phone(lived: LivedIn, serve: Make, open_window: Make) -> None:
    page = open_page(open_window(width=SMALL), serve(env=lived.bench.env).link)
    start = page.url
    for view, address in lived.addresses():
        page.goto(start + address.lstrip("/"))
        page.evaluate("document.querySelectorAll('details:not(#keys)').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (view.name, find_wide(page))
        page.keyboard.press("?")
        assert page.get_attribute("#keys", "open") is not None, view.name
        page.keyboard.press("?")
        assert page.get_attribute("#keys", "open") is None, view.name
        try_items(page, view)
        page.goto(start + address.lstrip("/"))
        page.keyboard.press("/")
        page.wait_for_selector("input[type=search]:focus")


def find_wide(page: Page) -> list[str]:
    """What is wider than the window."""
    script = """[...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth)
        .map((one) => one.outerHTML.slice(0, 100))"""
    found: list[str] = page.evaluate(script)
    return found[:3]


def try_items(page: Page, view: ViewPlace) -> None:
    """Move over the items, reach the form of one, and follow its link."""
    items = page.locator("main [data-item]")
    count = items.count()
    if not count:
        return
    where = "[...document.querySelectorAll('main [data-item]')].indexOf(document.activeElement)"
    page.keyboard.press("j")
    assert page.evaluate(where) == 0, view.name
    page.keyboard.press("j")
    assert page.evaluate(where) == min(1, count - 1), view.name
    page.keyboard.press("k")
    assert page.evaluate(where) == 0, view.name
    first = items.first
    if first.locator("form button:visible, form textarea:visible").count():
        page.keyboard.press("a")
        assert page.evaluate("document.activeElement.matches('[data-item] form *')"), view.name
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("j")
    link = first.locator("a[href]")
    if link.count():
        wanted = link.first.evaluate("one => one.href")
        page.keyboard.press("Enter")
        page.wait_for_url(wanted)


@pytest.mark.req("page.print")
def test_paper_shows_what_is_read_and_nothing_to_tap(lived: LivedIn, serve: Make, open_window: Make) -> None:
    page = open_page(open_window(width=WIDE, dark=True), serve(env=lived.bench.env).link)
    start = page.url
    page.emulate_media(media="print")
    for view, address in lived.addresses():
        page.goto(start + address.lstrip("/"))
        assert page.locator("h1").is_visible(), view.name
        assert page.locator("nav:visible, form:visible, button:visible, footer:visible").count() == 0, view.name
        colours = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )
        assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], view.name


@pytest.mark.req("page.plain")
def test_every_view_is_read_without_javascript_as_with_it(lived: LivedIn, serve: Make, open_window: Make) -> None:
    served = serve(env=lived.bench.env)
    with_it = open_page(open_window(width=NARROW), served.link)
    state = with_it.context.storage_state()
    without = open_window(javascript=False, width=NARROW)
    without.add_cookies(state["cookies"])
    page = without.new_page()
    for view, address in lived.addresses():
        texts = []
        for one in (with_it, page):
            one.goto(served_at(with_it, address))
            while one.locator("[data-again]").count():  # what is still being looked into
                one.goto(served_at(with_it, address))
            texts.append(" ".join(one.inner_text("main").split()))
        assert texts[0] == texts[1], view.name
        assert len(texts[0]) > 10, view.name


def served_at(page: Page, address: str) -> str:
    """An address of a view beside the one that a page shows."""
    return "/".join(page.url.split("/")[:4]) + address


@pytest.mark.req("page.start.language")
def test_every_view_speaks_chinese(lived: LivedIn, serve: Make) -> None:
    visitor, place = enter(serve(env=lived.bench.env | {"MI_LANG": "zh"}))
    for view, address in lived.addresses():
        _, _, body = visitor.ask(place + address)
        assert '<html lang="zh">' in body, view.name
        title = re.search(r"<title>(.*?)</title>", body)
        assert title, view.name
        assert re.search(r"[\u4e00-\u9fff]", title[1]), view.name
        assert re.search(r"<h1[^>]*>[^<]*[\u4e00-\u9fff]", body) or view.name in ("run", "why", "diff"), view.name
