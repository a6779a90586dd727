"""Words of the page: nothing of ours is shown as it is stored, and where nothing is there, what would be is said."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from mi.cli.doctor import _LOOKS
from mi.contract import gate
from mi.evidence.inbox import InboxItem
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Violation
from mi.evidence.records.mind import CheckPlan, Checks, LoopGuard
from mi.evidence.records.run import Marks, RunEnd, RunStart, RunUsage
from mi.evidence.records.table import MODULES
from mi.evidence.records.thoughts import MiDefaultsSet
from mi.kernel.home import Home
from mi.kernel.messages import tables
from mi.kernel.notices import Notices
from mi.knowledge.search.team import Kind
from mi.web.plain_words import say_plainly, say_reason, say_record, say_span
from tests.conftest import Mi
from tests.waiting import wait_until
from tests.web.browser import NARROW, WIDE, open_page
from tests.web.test_access import Visitor
from tests.web.test_every_view import LivedIn, enter
from tests.web.test_every_view import lived as lived

Make = Callable[..., Any]
PROJECT = "0123456789abcdef"
STORED = {*(kind for kind in MODULES if "_" in kind), *get_args(gate.Code), "AGENT_AS_PERSON", "HOME_CHANGED"} - {"ok"}


def read_words(body: str) -> str:
    """What a person reads of a page: no tags, and no text of records that names a kind itself."""
    main = body[body.index("<main") :]
    return re.sub(r"<(?:pre|code|script)[\s\S]*?</(?:pre|code|script)>|<[^>]*>", " ", main)


@pytest.mark.req("page.words")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_view_shows_a_stored_word(lived: LivedIn, serve: Make, language: str) -> None:
    log = str(next(lived.bench.home.glob("projects/*/evidence.jsonl")))
    broken = Violation(id="vi_1", code="AGENT_AS_PERSON", tool="mi values set", client="codex", outcome="blocked")
    EvidenceWriter.for_command(log, Notices()).append(broken)
    visitor, place = enter(serve(env=lived.bench.env | {"MI_LANG": language}))
    for view, address in lived.addresses():
        words = read_words(look(visitor, place + address))
        found = [word for word in STORED if re.search(rf"(?<![\w-]){word}(?![\w-])", words)]
        assert found == [], view.name
    assert say_plainly("AGENT_AS_PERSON", language) in look(visitor, place + "/health")


def look(visitor: Visitor, address: str) -> str:
    """A view; what doctor finds is looked into beside it."""
    if address.endswith("/health"):
        assert wait_until(lambda: 'id="doctor"' in visitor.ask(address)[2], 60)
    body: str = visitor.ask(address)[2]
    return body


@pytest.mark.req("page.words")
def test_what_can_be_shown_has_its_plain_word() -> None:
    plain = {key.removeprefix("plain.") for table in tables("en", "TEXT") for key in table if key.startswith("plain.")}
    item_kinds = get_args(InboxItem.__annotations__["kind"])
    told = [one for one in list_kinds(Record) if {"why", "run"} & set(one.shown_in)]
    kinds = {str(one.__struct_config__.tag) for one in told} - {"verification", "tree_work"}
    shown = {*kinds, *item_kinds, *get_args(gate.Code), *get_args(Kind), *_LOOKS} - {
        "ok",
        "git",
        "nexus",
    }  # which are called so
    assert {one for one in shown if one.lower().replace("_", "-") not in plain} == set()


def list_kinds(kind: type[Record]) -> list[type[Record]]:
    return [one for below in kind.__subclasses__() for one in (below, *list_kinds(below))]


@pytest.mark.req("page.words")
def test_a_reason_is_said_in_the_language_of_the_page() -> None:
    said = {
        "a question waits for you": "有一个问题在等你回答",
        "limit reached: 1 batch; you did not raise it": "达到限制：1 个批次；你没有提高它",
        "the agent says it is done, but nothing changed; parts of the task are missing: `a.md` is not there": (
            "代理说已完成，但什么都没有改动；任务缺少的部分：`a.md` 不存在"
        ),
    }
    for english, chinese in said.items():
        assert (say_reason(english, "zh"), say_reason(chinese, "zh")) == (chinese, chinese)
        assert say_reason(english, "en") == english
    assert say_reason("有一个问题在等你回答", "en") == "a question waits for you"
    for other in ("the walrus sleeps; it snores", "", "`x`"):
        assert say_reason(other, "zh") == other


@pytest.mark.req("page.words")
def test_records_are_told_in_plain_words() -> None:
    nothing = CheckPlan(checks=Checks(notes="nothing changed"))
    assert say_record(nothing, "en") == "nothing to check: nothing changed"
    assert say_record(nothing, "zh") == "无需检查: 没有改动"
    assert say_record(LoopGuard(pattern="abab", reason="why"), "en") == "to and fro why"
    defaults = MiDefaultsSet(settings={"refactor_intent": "behavior_preserving", "of_old": "x"})
    assert say_record(defaults, "en") == "A refactoring – keeps behaviour; of_old=x"


@pytest.mark.req("page.words")
@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [
        (0.4, "0 s", "0 秒"),
        (59.6, "1 min 0 s", "1 分 0 秒"),
        (192, "3 min 12 s", "3 分 12 秒"),
        (4210, "1 h 10 min", "1 小时 10 分"),
        (4_000_000, "1,111 h 6 min", "1,111 小时 6 分"),
    ],
)
def test_how_long_something_took(seconds: float, english: str, chinese: str) -> None:
    assert (say_span(seconds, "en"), say_span(seconds, "zh")) == (english, chinese)


@pytest.fixture
def painted(home: Home) -> None:
    """A run that took a while, with every mark, and one that does not tell what it cost."""
    log = home.project(PROJECT).evidence
    os.makedirs(os.path.dirname(log))
    for name, cost in (("aaaaaaaa", 0.25), ("bbbbbbbb", None)):
        writer = EvidenceWriter(log, f"run_20261117T100000Z_{name}", Notices())
        writer.append(RunStart(task=f"paint {name}", hands="codex", project_root="/work"))
        marks = Marks(ran=True, claimed=True, verified=True, proved=True)
        spent = RunUsage(input_tokens=1, output_tokens=1, cost_usd=cost, seconds=192.0)
        writer.append(RunEnd(status="done", marks=marks, spent=spent))


@pytest.mark.req("page.words", "page.runs.shows")
@pytest.mark.parametrize("javascript", [True, False])
def test_marks_are_explained_and_the_task_comes_before_its_figures(
    painted: None, serve: Make, open_window: Make, javascript: bool
) -> None:
    page = open_page(open_window(javascript, NARROW), serve().link)
    page.goto(page.url + "runs")
    assert page.locator(".mark.verified").first.get_attribute("title")
    page.get_by_text("What the marks mean").click()
    told = page.inner_text("#marks-mean")
    assert [name in told for name in ("Ran", "Claimed", "Verified", "Proved")] == [True] * 4
    assert "MI ran the checks itself" in told
    row = page.inner_text(".row")
    assert row.index("Done") < row.index("paint") < row.index("3 min 12 s") < row.index("run_")


@pytest.mark.req("page.costs.unknown")
def test_the_dashed_part_of_a_bar_is_explained_where_there_is_one(
    painted: None, serve: Make, open_window: Make
) -> None:
    page = open_page(open_window(width=NARROW), serve().link)
    page.goto(page.url + "costs")
    assert "nobody knows how much" in page.inner_text("figcaption")
    assert page.locator("svg.columns g").count() == 30
    page.get_by_role("link", name="time").click()
    page.wait_for_url("**/costs?*of=time*")
    assert "nobody knows how much" not in page.inner_text("figcaption")
    assert "6 min 24 s" in page.inner_text(".figures")


EMPTY = {
    "": "Nothing waits. What agents ask",
    "runs": "Begin in a terminal",
    "values": "Say below, in your own words",
    "knowledge": "Nothing is known yet.",
    "tasks": "No task list and nothing queued",
    "costs": "What runs cost appears here",
    "health": "No agent did what it may not.",
}


@pytest.mark.req("page.empty")
@pytest.mark.parametrize("is_begun", [False, True])
def test_an_empty_view_says_what_would_be_there_and_how_to_begin(
    home: Home, mi: Mi, serve: Make, open_window: Make, is_begun: bool
) -> None:
    if is_begun:
        assert mi("init", "--values", "Small changes.").returncode == 0
    page = open_page(open_window(width=NARROW), serve().link)
    start = page.url
    for view, said in EMPTY.items():
        if is_begun and view in ("values", "knowledge"):
            continue
        page.goto(start + view)
        page.wait_for_selector(f"main:has-text('{said}')")
        commands = page.locator(".empty code").all_inner_texts()
        assert commands or view in ("", "values", "health"), view
        assert all(one.startswith("mi ") for one in commands), view


@pytest.mark.req("page.empty")
def test_a_search_that_finds_nothing_leads_back_to_all(painted: None, serve: Make, open_window: Make) -> None:
    page = open_page(open_window(), serve().link)
    page.goto(page.url + "runs?q=walrus")
    page.get_by_role("link", name="Show all").click()
    page.wait_for_selector(".row:has-text('paint')")


@pytest.mark.req("page.health.doctor")
def test_health_names_the_project_of_each_line(home: Home, mi: Mi, serve: Make, open_window: Make) -> None:
    assert mi("remember", "The walrus sleeps.").returncode == 0  # the home knows the project from now on
    name = os.path.basename(os.path.realpath(next(iter(known_roots(home)))))
    log = Path(next(iter(Path(home.root).glob("projects/*/evidence.jsonl"))))
    log.chmod(0o644)
    page = open_page(open_window(width=NARROW), serve().link)
    page.goto(page.url + "health")
    page.wait_for_selector("section[aria-labelledby=repair] li")
    line = page.locator("section[aria-labelledby=repair] li", has_text="evidence.jsonl").first.inner_text()
    assert line.startswith(name)
    for row in page.locator("section[aria-labelledby=doctor] .row .meta").all_inner_texts():
        assert name in row or "all projects" in row


def known_roots(home: Home) -> list[str]:
    from mi.app.home_context import HomeContext

    return list(HomeContext(home).known_projects.roots)


@pytest.mark.req("page.bad.address")
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_problem_keeps_the_menu(home: Home, serve: Make, open_window: Make, width: int) -> None:
    page = open_page(open_window(width=width), serve().link)
    page.goto(page.url + "nothing")
    assert page.inner_text("[role=alert]") == "There is no such view."
    page.get_by_role("navigation").get_by_role("link", name="Costs").click()
    page.wait_for_selector("h1:has-text('Costs')")
