"""Acts that reach for what is not theirs or not there: other projects, moved trees, deleted runs, odd file names."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from mi.app.home_context import HomeContext
from mi.kernel.home import Home
from tests.autopilot.workbench import MEND, TEST, Workbench, open_bench, run, say
from tests.waiting import wait_until
from tests.web.browser import open_page
from tests.web.test_access import Visitor
from tests.web.test_attacks import Window

Make = Callable[..., Any]
DEFECT = "a defect in MI"
NAMES = ["a b.txt", "-rf", "quo'te\".txt", "new\nline.txt", "täst 漢字 🙂.txt", "<b>bold<!--.txt"]
NAMES += ["%2e%2e%2fx.txt", "x#y?z.txt"]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Workbench, Workbench]:
    """Two projects of one home, each with a claim and a task."""
    first = open_bench(tmp_path)
    (tmp_path / "other").mkdir()
    second = open_bench(tmp_path / "other", first="another project")
    second.home = first.home
    for bench in (first, second):
        assert bench.mi("remember", "--kind", "fact", f"It lies in {bench.project.parent.name}.").code == 0
        assert bench.mi("task", "add", f"Paint {bench.project.parent.name}.").code == 0
    return first, second


def list_claims(bench: Workbench) -> dict[str, str]:
    return {one["text"]: one["claim_id"] for one in json.loads(bench.mi("claim", "list", "--json").stdout)}


def find_project(bench: Workbench) -> str:
    context = HomeContext(Home(str(bench.home)), cd=str(bench.project))
    return context.project.project_id


@pytest.mark.req("page.acts.apart")
def test_a_form_of_one_project_does_nothing_to_another(two: tuple[Workbench, Workbench], serve: Make) -> None:
    first, second = two
    window = Window(serve(env=first.env, cwd=first.project))
    foreign = next(claim for said, claim in list_claims(second).items() if "other" in said)
    place = find_project(first)
    before = list_claims(second)
    for act, more in (("retract", {}), ("correct", {"words": "No."}), ("confirm", {}), ("share", {"kind": "fact"})):
        said = window.act("/knowledge", act, place=place, id=foreign, **more)
        assert DEFECT not in said
        assert foreign in said, said
    address = "/values?" + urlencode({"project": place})
    assert foreign in window.act(address, f"change:{foreign}", scope="project", text="Mine now.")
    for act in ("complete", "move", "start", "queue"):
        said = window.act("/tasks", f"{act}:no-such-task", root=str(first.project))
        assert "no-such-task" in said
        assert DEFECT not in said
    outside = window.act("/tasks", "add", root=str(first.folder), title="Elsewhere")
    assert "Elsewhere" not in window.look("/tasks")
    assert str(first.folder) in outside
    assert list_claims(second) == before


@pytest.mark.req("page.acts.apart", "page.bad.home")
@pytest.mark.parametrize("fate", ["moved", "deleted"])
def test_a_project_that_is_gone_and_a_run_that_was_deleted_are_said_in_words(
    tmp_path: Path, serve: Make, fate: str
) -> None:
    bench = open_bench(tmp_path)
    bench.agent([MEND, TEST, say("Fixed and tested. Done.")])
    run_id = bench.run("fix it").end["run_id"]
    root, served = str(bench.project), serve(env=bench.env)
    window = Window(served)
    bench.project.rename(tmp_path / "moved") if fate == "moved" else shutil.rmtree(bench.project)
    at = f"/run/{run_id}"
    looks = [at, f"{at}?restore=run", f"{at}/diff", f"{at}/report/md", f"/why/{run_id}", f"/why/{run_id}?undo=1"]
    for address in (*looks, "/", "/runs", "/tasks", "/values", "/knowledge", "/costs", "/health"):
        body = window.look(address)
        assert DEFECT not in body, address
    acts = [(at, "tell", {"words": "Go on."}), (at, "restore", {"seen": "x"}), (at, "prove", {}), (at, "merge", {})]
    acts += [(at, "resume", {}), (f"{at}/diff", "note", {"path": "calc.py", "line": "1", "text": "Why?"})]
    acts += [(f"{at}/diff", "send", {}), ("/runs", "start", {"root": root, "task": "again"})]
    acts += [("/runs", "race", {"root": root, "task": "again"}), ("/tasks", "add", {"root": root, "title": "one"})]
    acts += [(f"/why/{run_id}", "undo", {}), (f"/health?{urlencode({'root': root})}", "look", {})]
    for address, act, fields in acts:
        assert DEFECT not in window.act(address, act, **fields), act
    for log in bench.home.glob("projects/*/evidence.jsonl*"):
        log.unlink()
    for address in looks:
        body = window.look(address)
        assert DEFECT not in body, address
    for address, act, fields in acts:
        assert DEFECT not in window.act(address, act, again="1", **fields), act
    assert wait_until(lambda: "under way" not in window.look(at), 60)
    assert DEFECT not in window.look(at)


@pytest.mark.req("page.diff.shows", "page.diff.notes", "page.run.restore")
def test_odd_file_names_are_shown_noted_and_put_back(tmp_path: Path, serve: Make, open_window: Make) -> None:
    bench = open_bench(tmp_path)
    bench.mi("settings", "set", "--prove", "no")
    code = f"import pathlib\nfor name in {NAMES!r}: pathlib.Path(name).write_text('one\\n', encoding='utf-8')"
    (bench.folder / "names.py").write_text(code, "utf-8")
    bench.agent([run(f"python3 {bench.folder / 'names.py'}"), MEND, TEST, say("Fixed and tested. Done.")])
    run_id = bench.run("fix it").end["run_id"]
    assert {one.name for one in bench.project.iterdir()} >= set(NAMES)
    page = open_page(open_window(), serve(env=bench.env).link)
    start = page.url
    page.goto(f"{start}run/{run_id}/diff")
    shown = page.inner_text("main")
    for name in NAMES:
        assert name.splitlines()[0] in shown, name
        page.goto(f"{start}run/{run_id}/diff?file={quote(name, safe='')}")
        assert page.locator(".problem, #problem").count() == 0
        assert "one" in page.inner_text("main"), name
        page.goto(f"{start}run/{run_id}/diff?note={quote(f'{name}:1', safe='')}")
        page.locator("textarea[name=text]").first.fill("Is this name meant?")
        page.locator("button[value=note]").first.click()
        page.wait_for_selector("#said p")
    page.goto(f"{start}run/{run_id}?restore=run")
    page.get_by_role("button", name="Put them back").click()
    page.wait_for_selector("#deed-restore:not(:has-text('under way'))")
    assert wait_until(lambda: not {one.name for one in bench.project.iterdir()} & set(NAMES), 60)


@pytest.mark.req("page.safe.theft", "page.once")
def test_two_servers_of_one_home_let_in_their_own_sessions_alone(home: Any, serve: Make) -> None:
    first, second = serve(), serve()
    visitor, stranger = Visitor(first.port), Visitor(second.port)
    place = visitor.enter(first.link)
    stranger.cookie = visitor.cookie
    assert stranger.ask(f"{place}/")[0] == 401
    stranger.cookie = visitor.cookie.replace(str(first.port), str(second.port))
    assert stranger.ask(f"{place}/")[0] == 401
    assert visitor.ask(f"{place}/")[0] == 200
    assert stranger.enter(second.link) == place
    assert stranger.ask(f"{place}/")[0] == 200
