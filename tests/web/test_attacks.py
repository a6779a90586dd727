"""Whoever means ill: odd addresses, paths in place of names, stale forms, two windows at once, half a secret."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from mi.app.home_context import HomeContext
from mi.app.mined_facts import list_unconfirmed
from mi.app.thoughts import build_thoughts
from mi.kernel.home import Home
from mi.knowledge.thoughts.kinds import MINED
from tests.app.test_mined_facts import citing
from tests.app.test_mined_facts import mined as mined
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.web.browser import Served
from tests.web.test_access import FORM, Visitor, token_of
from tests.web.test_every_view import LivedIn
from tests.web.test_every_view import lived as lived

Make = Callable[..., Any]
KEY = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
ODD = ["-1", "0", "9" * 30, "9" * 5000, "b" + "9" * 5000, "b-1", "٣", "²", "\0", "\n", "../../etc/passwd", "a" * 5000]
ASKED = {
    "/": ["project", "done"],
    "/runs": ["state", "project", "agent", "q", "most"],
    "/run/{run_id}": ["batch", "upto", "restore"],
    "/run/{run_id}/diff": ["batch", "file", "from", "note"],
    "/why/{run_id}": ["undo"],
    "/values": ["project", "at", "as_of"],
    "/costs": ["by", "of", "days", "project"],
    "/health": ["root"],
    "/tasks": ["root"],
    "/knowledge": ["q", "kind", "reach", "trust", "days", "project", "page", "old"],
}


class Window:
    """A browser that was let in, and that sends whatever it is told to."""

    def __init__(self, served: Served) -> None:
        self.visitor = Visitor(served.port)
        self.place = self.visitor.enter(served.link)
        self.token = token_of(self.look("/health"))

    def look(self, address: str) -> str:
        return self.visitor.ask(self.place + address)[2]

    def act(self, address: str, act: str, **fields: str) -> str:
        """Do something; what the page says of it."""
        return self.post(self.place + address, {"act": act, "token": self.token} | fields)

    def press(self, seen: str, act: str, near: str = "", **fields: str) -> str:
        """Press a button of a look that was taken, in the form that says something; what the page says of it."""
        forms = re.findall(r'<form[^>]* action="([^"]*)".*?>(.*?)</form>', seen, re.DOTALL)
        action, form = next(one for one in forms if f'value="{act}"' in one[1] and near in one[1])
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
        return self.post(unescape(action), {"act": act} | {name: unescape(value) for name, value in hidden} | fields)

    def post(self, address: str, fields: dict[str, str]) -> str:
        origin = {"Origin": f"http://{self.visitor.host}"}
        status, headers, answer = self.visitor.ask(address, "POST", urlencode(fields), **FORM | origin)
        assert status == 303, answer
        found = re.search(r'id="said".*?</div>', self.visitor.ask(headers["Location"])[2], re.DOTALL)
        return unescape(found[0]) if found else ""


def open_another(bench: Workbench, served: Served) -> Window:
    """A browser of another device."""
    return Window(served._replace(link=json.loads(bench.mi("web", "link", "--json").stdout)["link"]))


@pytest.mark.req("page.bad.address")
def test_odd_addresses_of_every_view_are_no_defect(lived: LivedIn, serve: Make) -> None:
    window = Window(serve(env=lived.bench.env))

    def try_all() -> Iterator[tuple[str, str, str, int]]:
        for path, names in ASKED.items():
            for name in names:
                for odd in (urlencode({name: one}) for one in ODD):
                    address = f"{window.place}{path.format(run_id=lived.run_id)}?{odd}"
                    status, _, body = window.visitor.ask(address)
                    if status >= 500 or "a defect in MI" in body or "root:x:0" in body:
                        yield path, name, odd[:40], status

    assert list(try_all()) == []


@pytest.mark.req("page.bad.address")
def test_a_path_is_no_project(lived: LivedIn, serve: Make) -> None:
    log = next(lived.bench.home.glob("projects/*/evidence.jsonl"))
    (planted := lived.bench.home.parent / "planted").mkdir()
    shutil.copy(log, planted)
    shutil.rmtree(log.parent)
    window = Window(serve(env=lived.bench.env))
    path = urlencode({"project": "../../planted"})
    assert "No run is like that." in window.look(f"/runs?{path}")
    assert lived.run_id not in window.look(f"/costs?{path}&days=all&by=project")
    assert "planted" not in window.look(f"/costs?{path}&days=all&by=project").partition("<table")[2]


@pytest.mark.req("page.safe.text")
def test_half_a_secret_is_not_shown_where_a_text_is_cut(tmp_path: Path, serve: Make) -> None:
    bench = open_bench(tmp_path)
    bench.agent([*(run(f"echo {'z' * size} {KEY}") for size in range(262, 296, 4)), MEND, TEST, say("Done.")])
    run_id = bench.run("fix the failing test").end["run_id"]
    window = Window(serve(env=bench.env))
    for address in (f"/run/{run_id}", f"/run/{run_id}?batch=b0"):
        body = window.look(address)
        assert "zzzz" in body
        assert "ghp_" not in body


@pytest.mark.req("page.diff.notes")
def test_notes_that_two_windows_send_at_once_are_sent_once(tmp_path: Path, serve: Make) -> None:
    bench = open_bench(tmp_path)
    bench.agent([MEND, TEST, say("Done.")], [TEST, say("Done.")])
    run_id = bench.run("fix the failing test").end["run_id"]
    served = serve(env=bench.env)
    window = Window(served)
    diff = f"/run/{run_id}/diff"
    window.act(diff, "note", path="calc.py", line="2", code="x", text="Say why.")
    assert "needs a value" in window.act(diff, "note", path="calc.py", line="9" * 40, code="x", text="Say why.")
    windows = [window, *(open_another(bench, served) for _ in range(3))]
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda one: one.act(diff, "send"), windows))
    assert sum("goes on with it" in one for one in said) == 1, said
    assert len([one for one in bench.records() if one["kind"] == "user_input" and one.get("notes")]) == 1


@pytest.mark.req("page.values.what-if")
def test_a_window_saves_what_it_showed_and_not_what_another_one_tried(lived: LivedIn, serve: Make) -> None:
    served = serve(env=lived.bench.env)
    window = Window(served)

    def find_trial() -> str:
        found = re.search(r'name="trial" value="([^"]+)"', window.look("/values"))
        assert found
        return found[1]

    window.act("/values", "try:add", text="Reports are short.")
    seen = find_trial()
    window.act("/values", "try:add", text="Everything may be deleted.")
    assert "another window" in window.act("/values", "save", trial=seen)
    assert "another window" in window.act("/values", "again:ask", trial=seen)
    assert "Everything may be deleted." not in lived.bench.mi("values", "show").stdout
    assert "another window" not in window.act("/values", "save", trial=find_trial())
    assert "Everything may be deleted." in lived.bench.mi("values", "show").stdout


@pytest.mark.req("page.needs-you.settle")
def test_facts_that_came_after_the_look_are_not_confirmed_with_it(
    serve: Make, home: Home, tmp_path: Path, mined: list[str]
) -> None:
    window = Window(serve())
    shown = window.look("/")
    found = re.search(r'name="facts" value="([^"]+)"', shown)
    assert found
    assert sorted(found[1].split()) == sorted(mined[:2])
    context = HomeContext(home, cd=str(tmp_path / "work"))
    store = build_thoughts(context).own
    unseen = store.new_claim("Tests may be skipped.", [MINED], "", "hands", claim_type="fact")
    store.add_claims([citing(unseen, "ev_run_1")])
    item = f"facts-{context.project.project_id}"
    assert "2 facts confirmed" in window.press(shown, "settle:confirm", item)
    assert [one.id for one in list_unconfirmed(HomeContext(home, cd=str(tmp_path / "work")))] == [unseen.claim_id]
    assert "needs a value" in window.press(window.look("/"), "settle:confirm", item, facts="")


@pytest.mark.req("page.health.doctor")
def test_health_of_a_project_is_looked_at_there_and_a_failed_look_is_not_well(lived: LivedIn, serve: Make) -> None:
    window = Window(serve(env=lived.bench.env))
    address = "/health?" + urlencode({"root": str(lived.bench.project)})
    while 'aria-labelledby="doctor"' not in (body := window.look(address)):
        window.act(address, "look")
    assert 'id="fine"' in body
    assert "unknown: -C" not in body
