"""`mi demo` at a terminal: its question is answered on the page, which stays open until Ctrl-C."""

import re
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import MI
from tests.terminals import Terminal
from tests.web.browser import open_page

ANSWER = "Answer it on the page: "


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.mark.req("mi.cli.demo")
def test_the_question_of_the_demo_is_answered_on_the_page(home, tmp_path, open_window):
    with closing(Terminal([str(MI), "--home", str(home), "demo"], tmp_path, BROWSER="true")) as terminal:
        terminal.read_until("(or press Enter, and the demo answers)")
        link = re.search(f"{ANSWER}(\\S+)", terminal.shown)
        assert link
        page = open_page(open_window(), link[1])
        page.get_by_role("button", name="none").click()
        shown = terminal.read_until("Ctrl-C ends it.")
        assert "[mi->hands] B: none\n" in shown
        assert "round(sum(prices), 0)" in (home / "demo/project/basket.py").read_text("utf-8")
        assert "The demo answers" not in shown
        terminal.type("\x03")
        terminal.finish()


@pytest.mark.req("mi.cli.demo")
def test_enter_has_the_demo_answer_itself(home, tmp_path):
    with closing(Terminal([str(MI), "--home", str(home), "demo"], tmp_path, BROWSER="true")) as terminal:
        terminal.read_until("(or press Enter, and the demo answers)")
        terminal.type("\r")
        assert "The demo answers: A" in terminal.read_until("Ctrl-C ends it.")
        terminal.type("\x03")
        terminal.finish()
