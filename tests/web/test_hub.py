"""The page of a home that joined a hub: questions of other machines are answered there, runs of members are seen."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.autopilot.workbench import Workbench
from tests.fleet.conformance import task
from tests.hub.conftest import postgres as postgres
from tests.hub.conftest import team as team
from tests.hub.team import Team, TeamHome
from tests.hub.test_questions import COLOUR, answers, ask
from tests.hub.test_questions import bench as bench
from tests.hub.test_questions import laptop as laptop
from tests.hub.test_queue_of_members import queue_of
from tests.web.browser import open_page

Make = Callable[..., Any]


@pytest.mark.req("hub.page", "hub.question-marked")
def test_a_question_of_another_machine_is_answered_on_the_page_and_shared_runs_are_seen(
    bench: Workbench, laptop: TeamHome, serve: Make, open_window: Make
) -> None:
    served = serve("--hub", env={"MI_HOME": str(laptop.root)}, cwd=laptop.clone)
    page = open_page(open_window(), served.link)
    assert COLOUR not in page.inner_text("main")
    bench.configure(hub={"share": "runs"})
    bench.mi("sync")
    ask(bench)
    page.wait_for_selector(f".card:has-text('{COLOUR}')")  # it comes by itself
    card = page.inner_text(".card")
    assert "ana, at " in card
    assert page.get_by_role("button", name="Dismiss").count() == 0
    page.get_by_role("button", name="green").click()
    page.wait_for_selector("#said p:has-text('→ green')")
    page.wait_for_selector("main:not(:has(.card))")
    bench.mi("sync")
    assert answers(bench) == [("green", "hub", "")]
    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    page.get_by_role("link", name="the team's").click()
    page.wait_for_selector(".row:has-text('fix it')")
    row = page.inner_text(".row")
    assert "ana" in row
    assert "blocked" in row.lower()
    assert bench.run("--resume").code == 0
    bench.mi("sync")
    page.wait_for_selector(".row .state.done")
    with queue_of(laptop) as queue:  # whoever may see a run of the queue sees it, too
        queue.put([task("run_1", task="mend the zephyr")])
    page.reload()
    page.wait_for_selector(".row:has-text('mend the zephyr') .state.queued")


@pytest.mark.req("hub.page")
def test_without_a_hub_there_is_one_line(team: Team, tmp_path: Path) -> None:
    home = TeamHome(tmp_path, "nobody")
    (home.root).mkdir()
    (home.root / "config.json").write_text(json.dumps({}), "utf-8")
    said = home.mi("web", "--hub", "--port", "0", code=1).stderr
    assert said.startswith("mi: this home takes part in no hub")
