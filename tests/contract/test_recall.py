"""Recall: any question works, what is trusted more stands higher, what always holds always comes along."""

import os
import time
from pathlib import Path

import pytest

from mi.app.contract import build_contract
from mi.app.home_context import HomeContext
from mi.contract import always_recalled
from mi.contract import recall as recalling
from mi.contract.memory_tools import QueryInput, RecentInput, memory_query, memory_recent
from mi.contract.session import ContractSession
from mi.kernel.errors import UsageError
from mi.knowledge.search.index import TextIndex
from tests.contract.conftest import ready, recall, write
from tests.knowledge.thoughts.lines import claim
from tests.knowledge.thoughts.lines import write as store

QUESTIONS = [
    ("Use a lock around the cache.", "what about the cache?"),
    ("The cache is fast", 'is the "cache" fast?'),
    ("We compile with C++ 20", "C++"),
    ("The rule a:b is on", "a:b"),
    ("Name it foo-bar everywhere", "foo-bar"),
    ("Releases AND hotfixes need a tag", "Releases AND NOT hotfixes"),
    ("The NEAR operator is odd", "NEAR(operator, 2)"),
    ("Weighted columns", "weighted : columns ^2 *"),
    ("它在缓存层之前", "缓存"),
    ("发布前要跑测试", "发布前做什么？"),
    ("キャッシュを使う", "キャッシュ"),
    ("It costs 50% (of 3)", "50% (of"),
    ("quotes ' here", "quotes ' here \" ; DROP TABLE"),
    ("Emoji 🚀 launch", "🚀"),
]


@pytest.mark.req(
    *("ac.recall.punctuation", "ac.recall.quotes", "ac.recall.cpp", "ac.recall.colon", "ac.recall.hyphen"),
    *("ac.recall.and-not", "ac.recall.cjk", "ac.recall.tokens-quoted", "tm.tools.memory-query"),
    *("ac.tool.memory-query-query",),
)
@pytest.mark.parametrize(("memory", "question"), QUESTIONS)
def test_any_question_works(session, memory, question):
    ready(session)
    write(session, summary="Something else altogether")
    kept = write(session, summary=memory)
    assert recall(session, question)[0].id == kept.id


@pytest.mark.parametrize(
    "question", ["", " ", "?", '"', "*", "(((", "a" * 20_000, "\0", "NOT", "^", "{}", "- - -", "the of and", "﷽" * 50]
)
def test_no_question_is_an_error(session, question):
    ready(session)
    write(session)
    memory_query(session, QueryInput(query=question))
    assert not session.state.receipts[-1].void


@pytest.mark.parametrize(
    "call",
    [
        *(
            lambda session, number=number: memory_query(session, QueryInput(query="x", limit=number))
            for number in (0, -1, 101)
        ),
        *(lambda session, number=number: memory_recent(session, RecentInput(count=number)) for number in (0, 101)),
        lambda session: memory_query(session, QueryInput(query="x" * 10_000_000)),
    ],
)
def test_numbers_and_sizes_have_bounds(session, call):
    with pytest.raises(UsageError):
        call(session)
    assert not Path(session.state_file.path).exists()


@pytest.mark.req("ac.recall.rank", "ac.recall.recency", "ac.recall.field-score")
def test_order_by_match_tier_and_truth(session, project):
    ready(session)
    text = "The cache is warm"
    note = write(session, "note", text)
    assumed = write(session, "claim", text)
    decided = write(session, "decision", text, rationale="because")
    held = write(session, "constraint", text, rationale="because")
    proved = write(session, "fact", text, evidence=["file_exists::a.py"])
    wanted = [held.id, proved.id, decided.id, assumed.id, note.id]  # what binds stands before what fits best
    found = recall(session, "cache warm")
    assert [one.id for one in found] == wanted
    assert [one.score for one in found[1:]] == sorted((one.score for one in found[1:]), reverse=True)
    # A far better match of a lower tier goes first.
    better = write(session, "note", "cache cache warm warm cache")
    assert recall(session, "cache warm")[1].id in (better.id, proved.id)
    newer = write(session, "claim", text)
    ids = [one.id for one in recall(session, "cache warm")]
    assert ids.index(newer.id) == ids.index(assumed.id) - 1


@pytest.mark.req("ac.recall.always-tier", "ac.recall.token-budget", "ac.recall.left-out")
def test_what_always_holds_comes_along(session, monkeypatch):
    ready(session)
    write(session, "note", "The cache is warm")
    for number in range(5):
        write(session, "constraint", f"Rule {number}: never push", rationale="because")
    fact = write(session, "fact", "main is in a.py", evidence=["file_exists::a.py"])
    for call in (
        lambda: memory_query(session, QueryInput(query="cache")),
        lambda: memory_query(session, QueryInput(query="nothing like it", limit=1)),
        lambda: memory_recent(session, RecentInput(count=1)),
    ):
        found = call()
        assert {one.type for one in found.results} >= {"fact", "constraint"}
        assert (len([one for one in found.results if one.tier == "always"]), found.left_out) == (6, 0)
    monkeypatch.setattr(always_recalled, "TOKEN_BUDGET", 60)
    found = memory_query(session, QueryInput(query="cache"))
    shown = [one for one in found.results if one.tier == "always"]
    assert 0 < len(shown) < 6
    assert found.left_out == 6 - len(shown)
    assert "The cache is warm" in [one.summary for one in found.results]
    assert fact.id


def test_one_long_memory_does_not_push_out_the_rest(session):
    """A rationale in Chinese alone may fill the budget: then the summary is what is always recalled."""
    ready(session)
    write(session, "fact", "main is in a.py", evidence=["file_exists::a.py"])
    write(session, "constraint", "Never push on Fridays", rationale="because")
    write(session, "constraint", "永不强推", rationale="因为" * 1900, detail="细节" * 900)
    found = memory_query(session, QueryInput(query="nothing like it"))
    assert [one.summary for one in found.results] == ["永不强推", "Never push on Fridays", "main is in a.py"]
    assert (found.left_out, found.results[0].notes) == (0, "")


@pytest.mark.req("ac.tool.memory-recent-count", "ac.tool.memory-query-limit", "tm.tools.memory-recent")
def test_how_many(session):
    ready(session)
    kept = [write(session, summary=f"Cache note {number}").id for number in range(12)]
    assert [one.id for one in memory_recent(session, RecentInput()).results] == kept[::-1][:10]
    assert [one.id for one in memory_recent(session, RecentInput(count=3)).results] == kept[::-1][:3]
    assert len(memory_query(session, QueryInput(query="cache note")).results) == 10
    assert len(memory_query(session, QueryInput(query="cache note", limit=2)).results) == 2


def test_what_others_wrote_is_recalled_without_its_secrets(session, project):
    secret = "ghp_" + "a1B2" * 9
    more = {"tags": ["constraint", f"key:{secret}"], "claim_type": "preference", "notes": f"token {secret}"}
    store(
        project.context.project_home.thoughts,
        claim("cl_1", f"Log in to the cache with {secret}\n\nor {secret}", **more),
    )
    for found in (memory_query(session, QueryInput(query="cache")), memory_recent(session, RecentInput())):
        (one,) = found.results
        assert (one.id, "ghp_" in str(one), "[redacted" in one.key) == ("cl_1", False, True)


@pytest.mark.req("ac.state.receipts-field", "mi.kind.recall-written")
def test_a_recall_leaves_a_receipt(session, project):
    ready(session)
    kept = write(session, summary="The cache is warm")
    found = memory_query(session, QueryInput(query="cache token=ghp_" + "a1B2" * 9))
    receipt = session.state.receipts[-1]
    assert (receipt.ids, receipt.query.startswith("cache token=[redacted")) == ([kept.id], True)
    (_, event) = project.events("recall")
    assert (event.event_id, event.ids, "ghp_" in event.query) == (found.event_id, [kept.id], False)
    assert found.acknowledge


def test_what_others_wrote_is_recalled_as_what_it_is(session, project):
    store(
        project.context.project_home.thoughts,
        claim("cl_fact", "The cache was cold", origin="mind"),
        claim("cl_raw", "cache values", tags=["values:raw"]),
        claim("cl_pref", "Prefer a small cache", claim_type="preference", origin="user"),
        claim("cl_rule", "Never grow the cache", claim_type="preference", tags=["constraint"]),
        claim("cl_gone", "An old cache", valid_to="2026-01-02T00:00:00Z"),
    )
    store(project.home.thoughts, claim("cl_global", "Cache everywhere", scope="global", claim_type="goal"))
    found = {one.id: (one.type, one.tier, one.truth) for one in recall(session, "cache")}
    assert found == {
        "cl_fact": ("claim", "contextual", "tentative"),
        "cl_pref": ("claim", "contextual", "asserted"),
        "cl_rule": ("constraint", "always", "asserted"),
        "cl_global": ("claim", "contextual", "tentative"),
    }


@pytest.mark.req("ac.recall.project-id")
def test_memory_survives_moving_the_folder(repository, home, tmp_path):
    root = repository("before", origin="https://example.invalid/a/b.git")
    session = ContractSession.open(build_contract(HomeContext(home, cd=str(root))), "codex", "mcp")
    kept = write(ready(session), "fact", "file is there", evidence=["file_exists::file.txt"])
    session.close()
    os.rename(root, tmp_path / "after")
    moved = ContractSession.open(build_contract(HomeContext(home, cd=str(tmp_path / "after"))), "codex", "mcp")
    (found,) = recall(moved, "file")
    assert (found.id, found.truth) == (kept.id, "verified")
    moved.close()


def test_evidence_grows_old(session, project, monkeypatch):
    ready(session)
    write(session, "fact", "main is in a.py", evidence=["file_exists::a.py"])
    (found,) = recall(session, "main")
    assert 0 <= found.evidence_age_s < 60
    later = time.time() + 3600
    monkeypatch.setattr(recalling.time, "time", lambda: later)
    (found,) = recall(session, "main")
    assert 3600 <= found.evidence_age_s < 3660


@pytest.mark.req("one.knowledge.first-recall")
def test_what_a_session_writes_is_taken_in_before_anybody_recalls(project, opened):
    session = ready(opened())
    for number in range(120):
        write(session, summary=f"Note {number} about walruses")
    status, _ = TextIndex(project.home, lambda project_id: (), project.context.notices).status()
    assert status.documents["node"] == 100
    assert len(memory_query(opened("other"), QueryInput(query="walruses", limit=100)).results) == 100
    assert {one.summary for one in recall(opened("other"), "119 walruses")} >= {"Note 119 about walruses"}
