"""The thoughts decide_next is given: chosen by rule, bounded, and without a model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.kernel.home import Home
from mi.knowledge.thoughts import context
from mi.knowledge.thoughts.context import Budget, Context, build
from mi.knowledge.thoughts.trust import find_least_trusted, find_trust
from tests.conftest import Mi
from tests.knowledge.thoughts.lines import claim, edge, node, retract, write


class Finds:
    """A candidate generator that knows what it will find."""

    def __init__(self, *ids: str) -> None:
        self.ids = ids
        self.asked: list[tuple[str, int]] = []

    def __call__(self, query: str, limit: int) -> Sequence[str]:
        self.asked.append((query, limit))
        return self.ids[:limit]


@pytest.fixture
def opened(home: Home) -> HomeContext:
    opened = HomeContext(home)
    opened.use_project()
    return opened


@pytest.fixture
def here(opened: HomeContext) -> Path:
    return Path(opened.project_home.thoughts)


@pytest.fixture
def everywhere(opened: HomeContext) -> Path:
    return Path(opened.home.thoughts)


def built(
    opened: HomeContext, query: str = "", found: Finds | None = None, as_of: int | None = None, **more: Any
) -> Context:
    return build(build_thoughts(opened).read("effective", as_of), query, found or Finds(), **more)


def ids(thoughts: list[Any]) -> list[str]:
    return [one.id for one in thoughts]


@pytest.mark.req("v1.ctx.values-claims", "v1.ctx.pref-goal-claims", "v1.ctx.pref-goal-pinned")
def test_values_and_guidance(opened: HomeContext, here: Path, everywhere: Path) -> None:
    write(
        everywhere,
        claim("cl_v1", "Small diffs.", claim_type="preference", tags=["values:base"], scope="global"),
        claim("cl_v2", "Ship.", claim_type="goal", tags=["values:base"], scope="global"),
        claim("cl_fact", "no value", tags=["values:base"], scope="global"),
        claim("cl_raw", "Small diffs. Ship.", claim_type="preference", tags=["values:raw"], scope="global"),
        claim("cl_old", "gone", claim_type="preference", tags=["values:base"], scope="global"),
        retract("claim", "cl_old"),
        claim("cl_gp", "global preference", claim_type="preference", scope="global"),
        claim("cl_gs", "ask", claim_type="preference", tags=["mi:setting:ask_when_uncertain"], scope="global"),
        claim("cl_gr", "keep", claim_type="preference", tags=["mi:setting:refactor_intent"], scope="global"),
    )
    write(
        here,
        claim("cl_pp", "project preference", claim_type="preference"),
        claim("cl_pg", "project goal", claim_type="goal"),
        claim("cl_mine", "a value of the project", claim_type="preference", tags=["values:base"]),
        claim("cl_ps", "proceed", claim_type="preference", tags=["mi:setting:ask_when_uncertain"]),
        claim("cl_tls", "look at it", claim_type="preference", tags=["mi:testless_verification_strategy"]),
        claim("cl_late", "not valid yet", claim_type="preference", valid_from="2999-01-01T00:00:00Z"),
    )
    context = built(opened)
    assert ids(context.values_claims) == ["cl_v1", "cl_v2", "cl_mine"]
    assert ids(context.pref_goal_claims) == ["cl_ps", "cl_gr", "cl_tls", "cl_pg", "cl_pp", "cl_gp"]


@pytest.mark.req("v1.ctx.nodes", "v1.ctx.nodes-values-summary")
def test_nodes_are_the_latest_with_the_summary_of_the_values(opened: HomeContext, here: Path, everywhere: Path) -> None:
    summary = {"node_type": "summary", "tags": ["values:summary"], "scope": "global"}
    write(everywhere, node("nd_s1", **summary), node("nd_s2", **summary), node("nd_g"))
    write(here, *(node(f"nd_{number}") for number in range(5)), retract("node", "nd_4"))
    context = built(opened, budget=Budget(nodes=4))
    assert ids(context.nodes) == ["nd_s2", "nd_3", "nd_2", "nd_1"]


@pytest.mark.req("v1.ctx.query-claims", "v1.ctx.query-fts-candidates")
def test_the_index_brings_claims_to_mind(opened: HomeContext, here: Path, everywhere: Path) -> None:
    write(
        here,
        claim("cl_1", "one"),
        claim("cl_2", "two"),
        claim("cl_3", "three"),
        claim("cl_4", "gone"),
        claim("cl_p", "already there", claim_type="preference"),
        edge("ed_1", "supersedes", "cl_2", "cl_3"),
        retract("claim", "cl_4"),
    )
    write(everywhere, claim("cl_raw", "raw", tags=["values:raw"], scope="global"))
    finds = Finds("cl_4", "cl_2", "cl_unknown", "cl_raw", "cl_p", "cl_1", "nd_x")
    context = built(opened, "what now", finds)
    assert ids(context.query_claims)[:2] == ["cl_3", "cl_1"]
    assert finds.asked[0][0] == "what now"
    assert "cl_p" in ids(context.pref_goal_claims)


@pytest.mark.req("v1.ctx.query-fallback-scan")
def test_without_the_index_recent_claims_are_looked_through(opened: HomeContext, here: Path) -> None:
    write(
        here,
        claim("cl_1", "The parser tests are slow on Windows"),
        claim("cl_2", "Parsers and tests, slow ones"),
        claim("cl_3", "Nothing in common"),
        claim("cl_4", "发布之前先运行测试"),
    )
    assert ids(built(opened, "why are the parser tests slow").query_claims) == ["cl_1", "cl_2"]
    assert ids(built(opened, "运行测试").query_claims) == ["cl_4"]
    assert ids(built(opened, '"; DROP TABLE claim; --').query_claims) == []
    assert ids(built(opened, "").query_claims) == []


@pytest.mark.req("v1.ctx.one-hop", "v1.ctx.one-hop-bounds", "v1.ctx.edges")
@pytest.mark.parametrize("edge_type", ["depends_on", "supports", "contradicts", "derived_from", "mentions"])
def test_neighbours_join_within_the_budgets(opened: HomeContext, here: Path, edge_type: str) -> None:
    write(here, *(claim(f"cl_{number}") for number in range(6)), node("nd_far"), claim("cl_gone"))
    write(here, retract("claim", "cl_gone"), claim("cl_past", valid_to="2020-01-01T00:00:00Z"))
    ends = ["cl_gone", "cl_past", "cl_1", "cl_2", "cl_3"]
    write(here, *(edge(f"ed_{place}", edge_type, "cl_0", end) for place, end in enumerate(ends)))
    write(here, edge("ed_two", edge_type, "cl_3", "cl_5"), edge("ed_ev", "derived_from", "cl_4", "ev_recent"))
    context = built(opened, "", Finds("cl_0"), budget=Budget(query=3, nodes=0, edges=4))
    assert ids(context.query_claims) == ["cl_0", "cl_1", "cl_2"]
    assert len(context.edges) == 4
    wide = built(opened, "", Finds("cl_0"), recent_event_ids=["ev_recent"])
    assert ids(wide.query_claims) == ["cl_0", "cl_1", "cl_2", "cl_3"]
    assert {"ed_0", "ed_2", "ed_two", "ed_ev"} <= set(ids(wide.edges))


@pytest.mark.req("v1.ctx.no-model-calls", "v1.rec.decide-next-thought-db", "v1.tdb.values-raw-excluded")
def test_the_same_stores_give_the_same_context(opened: HomeContext, here: Path, everywhere: Path) -> None:
    for number in range(60):
        write(here, claim(f"cl_{number}", f"about tests {number}", claim_type=["fact", "preference"][number % 2]))
    write(everywhere, claim("cl_raw", "raw about tests", tags=["values:raw"], scope="global"))
    write(here, edge("ed_raw", "mentions", "cl_59", "cl_raw"))
    first, second = built(opened, "about tests"), built(HomeContext(opened.home), "about tests")
    assert first.fields() == second.fields()
    assert "cl_raw" not in json.dumps([ids(group) for group in first[:4]])
    used = first.used("2026-01-01T00:00:00Z")
    assert used.query_claim_ids == ids(first.query_claims)
    assert (len(used.pref_goal_claim_ids), used.edges_n) == (16, len(first.edges))


@pytest.mark.req("mi.cli.context", "mi.cli.context-as-of", "mi.asof.context")
def test_the_command_shows_what_would_be_seen(mi: Mi, opened: HomeContext, here: Path, everywhere: Path) -> None:
    write(everywhere, claim("cl_v", "Small diffs.", claim_type="preference", tags=["values:base"], scope="global"))
    write(
        here, claim("cl_1", "The deploy script needs Docker"), claim("cl_2", "Docker is gone", asserted_ts="2026-03-01")
    )
    write(here, edge("ed_1", "supersedes", "cl_1", "cl_2", asserted_ts="2026-03-01T00:00:00Z"))
    write(Path(opened.home.projects) / "other/thoughtdb", claim("cl_other", "Docker deploy of another project"))
    now = json.loads(mi("context", "--json", "fix", "the", "docker", "deploy").stdout)
    assert [one["claim_id"] for one in now["values_claims"]] == ["cl_v"]
    assert [one["claim_id"] for one in now["query_claims"]] == ["cl_2"]
    then = json.loads(mi("context", "--json", "--as-of", "2026-02-01", "fix the docker deploy").stdout)
    assert [one["claim_id"] for one in then["query_claims"]] == ["cl_1"]
    assert then["as_of_ts"] == "2026-02-01T00:00:00.000Z"
    assert "cl_2" in mi("context", "docker deploy").stdout
    assert mi("context").returncode == 0


@pytest.mark.req("mi.asof.context")
def test_the_index_brings_to_mind_what_stood_then_and_was_taken_back_since(
    mi: Mi, opened: HomeContext, here: Path
) -> None:
    write(here, claim("cl_1", "Zeppelin hosts the builds"), retract("claim", "cl_1", "2026-03-01T00:00:00Z"))
    asked = ("is", "a", "zeppelin", "still", "anywhere", "around", "--json")  # one word in common: a scan wants two
    then = json.loads(mi("context", *asked, "--as-of", "2026-02-01").stdout)
    assert [one["claim_id"] for one in then["query_claims"]] == ["cl_1"]
    assert then["notes"] == "query: 1 by index, 0 by scan"
    assert json.loads(mi("context", *asked).stdout)["query_claims"] == []


@pytest.mark.req("mi.trust.hands-tentative")
@pytest.mark.parametrize("as_of", [None, 1_800_000_000_000])
def test_however_much_an_agent_says_it_neither_hides_nor_slows_what_others_said(
    opened: HomeContext, here: Path, monkeypatch: pytest.MonkeyPatch, as_of: int | None
) -> None:
    write(here, claim("cl_mine", "Tabs.", claim_type="preference", origin="user"), node("nd_mine", origin="mind"))
    said = [claim(f"cl_{n}", f"Tabs {n}", claim_type="preference", origin="hands") for n in range(3000)]
    write(here, *said, *(node(f"nd_{n}", origin="robot") for n in range(3000)))
    write(here, edge("ed_1", "supports", "cl_mine", "cl_7", origin="user"), edge("ed_2", "supports", "cl_mine", "cl_8"))
    looked: list[str] = []

    def counted(thought: Any, thoughts: Any) -> str:
        looked.append(thought.id)
        return find_trust(thought, thoughts)

    monkeypatch.setattr(context, "find_trust", counted)
    found = built(opened, "tabs", as_of=as_of)
    assert set(ids(found.pref_goal_claims)) == {"cl_7", "cl_mine"}
    assert ids(found.nodes) == ["nd_mine"]
    assert len(looked) < 50
    write(here, retract("edge", "ed_1"))
    assert ids(built(opened, "tabs").pref_goal_claims) == ["cl_mine"]
    write(here, said[0] | {"origin": "user"})  # said again, by the person
    assert set(ids(built(opened, "tabs").pref_goal_claims)) == {"cl_0", "cl_mine"}


@pytest.mark.req("mi.trust.least-of-cited")
def test_trust_is_the_least_of_what_is_cited(mi: Mi, opened: HomeContext, here: Path) -> None:
    write(
        here,
        claim("cl_user", origin="user"),
        claim("cl_mind", origin="mind"),
        claim("cl_hands", origin="hands"),
        claim("cl_none"),
        claim("cl_top", origin="user"),
        edge("ed_1", "derived_from", "cl_mind", "cl_user"),
        edge("ed_2", "depends_on", "cl_top", "cl_mind"),
        edge("ed_3", "derived_from", "cl_user", "cl_top"),
    )

    def trust(one: str) -> str:
        return str(json.loads(mi("claim", "show", one, "--json").stdout)["trust"])

    assert [trust(one) for one in ("cl_user", "cl_mind", "cl_top", "cl_none")] == ["mind", "mind", "mind", "import"]
    write(here, edge("ed_4", "derived_from", "cl_mind", "cl_hands"))
    assert [trust(one) for one in ("cl_top", "cl_user", "cl_hands")] == ["hands", "hands", "hands"]


@pytest.mark.parametrize(
    ("origins", "least"),
    [
        (["user"], "user"),
        (["user", "mind"], "mind"),
        (["mind", "hands"], "hands"),
        (["user", "an_origin_of_tomorrow"], "hands"),
        ([], "import"),
    ],
)
def test_what_rests_on_several_is_trusted_as_the_least_of_them(origins: list[str], least: str) -> None:
    assert find_least_trusted(origins) == least
