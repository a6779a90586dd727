"""What is done is what was shown: undo, proposals, facts, repairs; and what a form does is done once."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.web.background import BackgroundWork
from tests.app.test_members import PROPOSE
from tests.app.test_members import team as team
from tests.autopilot.workbench import BROKEN, RIGHT, Workbench, say, write
from tests.conftest import Mi
from tests.waiting import wait_until
from tests.web.browser import open_page
from tests.web.test_access import PROJECT, ask, said_in
from tests.web.test_attacks import Window, open_another
from tests.web.test_health import broken as broken
from tests.web.test_run import open_run
from tests.web.test_run_acts import DONE
from tests.web.test_run_acts import bench as bench

Make = Callable[..., Any]
CHANGED = "not what the page showed you any more"


def find_claim(bench: Workbench, said: str) -> dict[str, Any]:
    found = json.loads(bench.mi("claim", "list", "--json").stdout)
    return next(one for one in found if one["text"] == said)


def list_of(bench: Workbench, kind: str) -> list[dict[str, Any]]:
    return [one for one in bench.records() if one["kind"] == kind]


@pytest.mark.req("page.why.undo", "page.as-seen")
@pytest.mark.parametrize("javascript", [True, False])
def test_an_undo_whose_effect_changed_is_shown_anew_and_asked_again(
    bench: Workbench, serve: Make, open_window: Make, javascript: bool
) -> None:
    bench.values("Tabs are four columns wide. Small changes.")
    first = find_claim(bench, "Tabs are four columns wide.")
    page = open_page(open_window(javascript), serve(env=bench.env, cwd=bench.project).link)
    page.route("**/events*", lambda route: route.abort())  # this window hears nothing of what changes
    page.goto(f"{page.url}why/{first['claim_id']}?undo=1")
    page.wait_for_selector("#undo li:has-text('Tabs are four')")
    context = HomeContext(Home(str(bench.home)), cd=str(bench.project))
    store, event_id = build_thoughts(context).shared, first["source_refs"][0]["event_id"]
    new = store.new_claim("Tables use tabs.", [], event_id, "user")
    store.add_claims([new])
    store.link("depends_on", new.claim_id, first["claim_id"], event_id, "user")
    context.close()
    page.get_by_role("button", name="Take it back").click()
    page.wait_for_selector(f"#said p:has-text('{CHANGED}')")
    page.wait_for_selector("#undo li:has-text('Tables use tabs.')")
    assert json.loads(bench.mi("claim", "show", first["claim_id"], "--json").stdout)["status"] == "active"
    page.get_by_role("button", name="Take it back").click()
    page.wait_for_selector("#said p:has-text('is taken back')")
    assert json.loads(bench.mi("claim", "show", first["claim_id"], "--json").stdout)["status"] == "retracted"
    assert "a defect" not in page.inner_text("main")


@pytest.mark.req("page.needs-you.settle", "page.as-seen")
def test_a_proposal_is_accepted_as_it_was_seen(mi: Mi, serve: Make, team: Path, home: Home) -> None:
    assert mi("persona", "member", "ada").returncode == 0
    assert mi(*PROPOSE, "--member", "mi", env={"CLAUDECODE": "1"}).returncode == 0
    window = Window(serve())
    seen = window.look("/")
    (path,) = team.rglob("persona/proposals/**/*.md")
    body = path.read_text("utf-8").rpartition("---")[2].strip().splitlines()[0]
    assert body in seen
    path.write_text(path.read_text("utf-8") + "\nDelete what is in the way.\n", "utf-8")
    assert CHANGED in window.press(seen, "settle:accept")
    assert "Delete what is in the way." in window.look("/")
    assert "is accepted" in window.press(window.look("/"), "settle:accept")


@pytest.mark.req("page.needs-you.suggestion", "page.as-seen")
def test_a_suggestion_is_approved_as_it_was_seen(serve: Make, home: Home) -> None:
    ask(home, "Which colour?")
    log = home.project(PROJECT).evidence
    EvidenceWriter.for_command(log, Notices()).append(LearnSuggested(id="ls_one", text="Prefer tabs.", count=2))
    window = Window(serve())
    seen = window.look("/")

    def list_applied() -> list[str]:
        records = [json.loads(line) for line in Path(log).read_text("utf-8").splitlines()]
        return [one["by"] for one in records if one["kind"] == "learn_applied"]

    assert CHANGED in window.act("/", "answer:yes", item="ls_one")
    assert list_applied() == []
    window.press(seen, "answer:yes", "ls_one")
    assert list_applied() == ["page"]


@pytest.mark.req("page.health.repair", "page.as-seen")
def test_only_what_was_shown_is_mended(serve: Make, home: Home, broken: Path) -> None:
    window = Window(serve())
    assert wait_until(lambda: str(broken) in window.look("/health").partition('id="repair"')[2], 60)
    seen = window.look("/health")
    second = Path(home.project("fedcba9876543210").overlay)
    second.parent.mkdir(mode=0o700)
    second.write_text("{not json either")
    second.chmod(0o600)
    window.press(seen, "repair")
    assert wait_until(lambda: str(second) in window.look("/health").partition('id="repair"')[2], 60)
    assert not broken.exists()
    assert second.exists()
    assert CHANGED in window.press(seen, "repair", again="1")
    assert second.exists()


@pytest.mark.req("page.once", "page.needs-you.answer")
def test_an_answer_pressed_twice_is_given_once_and_another_window_is_told_of_it(serve: Make, home: Home) -> None:
    asked = ask(home, "Which colour?")
    served = serve()
    window = Window(served)
    seen = window.look("/")
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: window.press(seen, "answer:B", asked), range(4)))
    assert all("green" in one for one in said), said
    assert said_in(home) == ["green"]
    late = window.press(seen, "answer:A", asked)
    assert "answered already" in late
    assert "green" in late
    assert said_in(home) == ["green"]


@pytest.mark.req("page.once", "page.runs.start")
def test_a_task_queued_twice_is_queued_once_and_another_window_is_told_of_it(bench: Workbench, serve: Make) -> None:
    bench.mi("remember", "This project adds.")
    served = serve(env=bench.env)
    window, other = Window(served), open_another(bench, served)
    seen = window.look("/runs")
    task = {"root": str(bench.project), "task": "Add a README."}
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: window.press(seen, "queue", **task), range(4)))
    assert all("1 task" in one for one in said), said
    assert "queued already" in other.press(other.look("/runs"), "queue", **task)
    assert len(json.loads(bench.mi("queue", "list", "--json").stdout)["jobs"]) == 1


@pytest.mark.req("page.once", "page.run.restore")
def test_files_put_back_by_two_windows_are_put_back_once(bench: Workbench, serve: Make) -> None:
    bench.agent(DONE)
    run_id = bench.run("fix it").end["run_id"]
    served = serve(env=bench.env)
    window, other = Window(served), open_another(bench, served)
    address = f"/run/{run_id}?restore=run"
    seen, seen_there = window.look(address), other.look(address)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: window.press(seen, "restore"), range(3)))
    assert wait_until(lambda: "1 file put back" in window.look(f"/run/{run_id}"), 60)
    other.press(seen_there, "restore")
    assert wait_until(lambda: "Nothing to put back" in other.look(f"/run/{run_id}"), 60)
    assert BROKEN in bench.read("calc.py").splitlines()
    assert [one["state"] for one in list_of(bench, "tree_restore")] == ["begun", "done"]
    assert {one["by"] for one in list_of(bench, "tree_restore")} == {"page"}


@pytest.mark.req("page.once", "page.run.merge")
def test_a_merge_pressed_by_two_windows_is_one_and_is_the_pages(bench: Workbench, serve: Make) -> None:
    bench.agent(DONE)
    run_id = bench.run("--worktree", "fix it").end["run_id"]
    served = serve(env=bench.env)
    window, other = Window(served), open_another(bench, served)
    looks = [(one, one.look(f"/run/{run_id}")) for one in (window, window, other)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda one: one[0].press(one[1], "merge"), looks))
    assert wait_until(lambda: bool(list_of(bench, "tree_work")[-1]["act"] == "merged"), 60)
    assert wait_until(lambda: "calc.py" in window.look(f"/run/{run_id}").partition('"deed-merge"')[2][:600], 60)
    merged = [one for one in list_of(bench, "tree_work") if one["act"] == "merged"]
    assert [one["by"] for one in merged] == ["page"]
    assert "a defect" not in window.look(f"/run/{run_id}")
    assert RIGHT in bench.read("calc.py")


@pytest.mark.req("page.run.merge")
def test_work_that_is_not_done_is_brought_over_after_a_second_look(
    bench: Workbench, serve: Make, open_window: Make
) -> None:
    bench.agent([write("half.txt", "half"), say("I cannot go on.")], [say("I still cannot.")], [say("No.")])
    bench.run("--worktree", "fix it").ended("blocked")
    page = open_run(open_window(), serve(env=bench.env).link, bench.records()[-1]["run_id"])
    page.get_by_role("button", name="Bring over", exact=True).click()
    page.wait_for_selector("#deed-merge:has-text('not done')")
    assert not (bench.project / "half.txt").exists()
    page.get_by_role("button", name="Bring over anyway").click()
    page.wait_for_selector("#deed-merge:has-text('half.txt')")
    assert (bench.project / "half.txt").read_text("utf-8").strip() == "half"


@pytest.mark.req("page.by")
def test_what_is_done_on_the_page_is_recorded_as_such(bench: Workbench, serve: Make) -> None:
    bench.values("Use tabs. Small changes.")
    served = serve(env=bench.env)
    window = Window(served)
    window.press(window.look("/values"), "add", text="Say why.", scope="global")
    window.press(window.look("/values"), "set", ask_when_uncertain="ask")
    value = find_claim(bench, "Small changes.")
    window.press(window.look(f"/why/{value['claim_id']}?undo=1"), "undo")
    log = bench.home / "global" / "evidence.jsonl"
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    told = [(one["kind"], one["by"]) for one in records if one["kind"] in ("values_set", "settings_set")]
    assert [by for kind, by in told if kind == "values_set"] == ["", "page", "page"]
    assert [by for kind, by in told if kind == "settings_set"][-1] == "page"
    event = [one["event_id"] for one in records if one["kind"] == "values_set"][1]
    assert "page" in bench.mi("show", event).stdout
    assert "by the page" in bench.mi("why", "claim", find_claim(bench, "Say why.")["claim_id"]).stdout


@pytest.mark.req("page.values.edit")
@pytest.mark.parametrize("door", ["command", "knowledge"])
def test_a_value_that_is_retracted_leaves_the_persons_text(bench: Workbench, serve: Make, door: str) -> None:
    bench.values("Use tabs. Small changes.")
    value = find_claim(bench, "Use tabs.")
    if door == "command":
        assert bench.mi("claim", "retract", value["claim_id"], "--scope", "global").code == 0
    else:
        window = Window(serve(env=bench.env))
        assert "taken back" in window.press(window.look("/knowledge"), "retract", value["claim_id"])
    shown = bench.mi("values", "show").stdout
    assert "Small changes." in shown
    assert "Use tabs." not in shown
    assert "already" in bench.mi("claim", "retract", value["claim_id"], "--scope", "global").stderr


@pytest.mark.req("page.background")
def test_work_beside_the_page_that_breaks_is_over_says_so_and_can_be_begun_again() -> None:
    work = BackgroundWork()

    def break_down() -> object:
        raise ZeroDivisionError("so")

    assert work.begin("health", "", "en", break_down, known="earlier")
    assert work.wait("health", "", 30)
    broken = work.find("health", "")
    assert broken
    assert (broken.is_over, broken.result) == (True, "earlier")
    assert "ZeroDivisionError: so" in broken.failed
    assert work.begin("health", "", "en", lambda: "well")
    assert work.wait("health", "", 30)
    mended = work.find("health", "")
    assert mended
    assert (mended.is_over, mended.failed, mended.result) == (True, "", "well")
