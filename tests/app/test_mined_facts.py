"""Facts mined from agents' work: tentative with their evidence where a check confirmed them, else a group to settle."""

import json
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.mined_facts import list_unconfirmed
from mi.app.thoughts import build_thoughts
from mi.kernel.home import Home
from mi.knowledge.thoughts.context import build
from mi.knowledge.thoughts.kinds import MINED
from mi.knowledge.thoughts.store import citing
from tests.conftest import Mi


@pytest.fixture
def mined(home: Home, tmp_path: Path) -> list[str]:
    """Three mined facts about walruses; a passed check confirmed the last."""
    context = HomeContext(home, cd=str(tmp_path / "work"))
    context.use_project()
    store = build_thoughts(context).own
    claims = [
        citing(store.new_claim(f"The walrus sleeps in {place}.", [MINED], "", "hands", claim_type="fact"), "ev_run_1")
        for place in ("the sea", "the sun", "the zoo")
    ]
    store.add_claims(claims)
    store.link("supports", "ev_batch_9", claims[2].claim_id, "ev_run_1", "mind")
    return [one.claim_id for one in claims]


def shown_to_minds(home: Home, tmp_path: Path) -> list[str]:
    context = HomeContext(home, cd=str(tmp_path / "work"))
    thoughts = build_thoughts(context).read("effective")
    return [
        one for one in build(thoughts, "walrus sleeps", lambda query, limit: []).lines().split("\n") if "walrus" in one
    ]


@pytest.mark.req("one.mined.shown")
def test_a_confirmed_fact_is_shown_to_minds_as_tentative_with_its_evidence(
    home: Home, tmp_path: Path, mined: list[str]
):
    assert shown_to_minds(home, tmp_path) == [
        f"- [{mined[2]}] (fact, hands, tentative; seen in ev_run_1) The walrus sleeps in the zoo."
    ]


@pytest.mark.req("one.mined.group")
def test_the_inbox_offers_the_rest_as_a_group(mi: Mi, home: Home, tmp_path: Path, mined: list[str]):
    (item,) = json.loads(mi("inbox", "--json").stdout)
    assert (item["kind"], mined[0] in item["said"], mined[2] in item["said"]) == ("facts", True, False)
    assert item["answer_with"].endswith(" claim confirm")
    assert "2 facts from agents' work" in mi("inbox").stdout
    assert mi("claim", "confirm", mined[2]).returncode == 1
    assert mi("claim", "drop", mined[1]).stdout == "1 fact dropped.\n"
    assert mi("claim", "confirm", "--json").returncode == 0
    assert json.loads(mi("inbox", "--json").stdout) == []
    assert [one for one in shown_to_minds(home, tmp_path) if mined[0] in one]
    assert not [one for one in shown_to_minds(home, tmp_path) if mined[1] in one]
    assert list_unconfirmed(HomeContext(home, cd=str(tmp_path / "work"))) == []


@pytest.mark.req("one.mined.group")
def test_the_group_of_another_project_waits_as_well_and_status_counts_it(mi: Mi, tmp_path: Path, mined: list[str]):
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (item,) = json.loads(mi("inbox", "--json", cwd=elsewhere).stdout)
    assert (item["kind"], item["project_root"]) == ("facts", str(tmp_path / "work"))
    status = json.loads(mi("status", "--json", cwd=elsewhere).stdout)
    assert (status["inbox"]["count"], "2 facts" in status["inbox"]["line"]) == (1, True)
    mi(*item["answer_with"].split()[1:], cwd=elsewhere)
    assert json.loads(mi("status", "--json", cwd=elsewhere).stdout)["inbox"]["count"] == 0


@pytest.mark.req("one.mined.group")
def test_a_look_counts_so_far_and_says_so(mi: Mi, home: Home, tmp_path: Path, mined: list[str]):
    store = build_thoughts(HomeContext(home, cd=str(tmp_path / "work"))).own
    facts = [store.new_claim(f"Pool {at} is cold.", [MINED], "", "hands", claim_type="fact") for at in range(30)]
    store.add_claims([citing(one, "ev_run_1") for one in facts])
    assert "20 facts or more" in json.loads(mi("status", "--json").stdout)["inbox"]["line"]
    assert "32 facts from agents' work" in mi("inbox").stdout
