"""The flags that people of the earlier tool use: each with the effect they know."""

import gzip
import json
import os
from typing import Any

import pytest

from mi.evidence.records.mind import DecideNext
from mi.evidence.records.thoughts import LearnApplied, LearnSuggested
from tests.cli.conftest import Stage, a_run
from tests.conftest import Mi

pytestmark = pytest.mark.req("alive.home.flags")


def ask(mi: Mi, *words: str) -> Any:
    done = mi(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def claims(mi: Mi, stage: Stage) -> tuple[str, str]:
    """Two claims of the project, learned from suggestions."""
    stage.append(*a_run())
    stage.append(
        LearnSuggested(id="ls_1", text="Run the linter."), LearnSuggested(id="ls_2", text="Write short names.")
    )
    first, second = (ask(mi, "claim", "apply-suggested", one)["applied_claim_ids"][0] for one in ("ls_1", "ls_2"))
    return first, second


def test_settings_set_dry_run_shows_and_stores_nothing(mi: Mi):
    words = ("settings", "set", "--ask-when-uncertain", "proceed", "--dry-run")
    assert ask(mi, *words) == {"dry_run": True, "scope": "global", "settings": {"ask_when_uncertain": "proceed"}}
    assert "ask_when_uncertain=proceed" in mi(*words).stdout
    assert ask(mi, "settings", "show")["ask_when_uncertain"]["value"] == "ask"


def test_status_redact_hides_secrets(mi: Mi, stage: Stage):
    records = a_run()
    secret = "sk-ant-api03-" + "aB3dE6gH9jK2mN5pQ8" * 4
    stage.append(*(records[:1]), *(one for one in records[1:]))
    stage.append(*a_run(), DecideNext(batch_id="b0", status="done", next_action="stop", notes=secret))
    assert secret not in mi("status", "--redact").stdout
    assert secret not in mi("status", "--redact", "--json").stdout


def test_transcripts_are_shown_as_lines_and_as_stored(mi: Mi, stage: Stage):
    stage.append(*a_run())
    stored = [f'{{"ts":"2026-01-01T00:00:00Z","stream":"stdout","line":"line {one}"}}' for one in range(5)]
    path = stage.transcript("hands", "20260101T000000Z.jsonl", *stored)
    assert mi("show", "hands", "--jsonl", "--lines", "2").stdout.splitlines() == stored[-2:]
    assert mi("show", str(path), "--jsonl", "--lines", "1").stdout.splitlines() == stored[-1:]
    assert mi("tail", "hands", "--jsonl", "--lines", "3").stdout.splitlines() == stored[-3:]
    assert len(mi("tail", "--lines", "2").stdout.splitlines()) == 2
    refused = mi("show", "last", "--jsonl")
    assert refused.returncode == 2
    assert "--jsonl" in refused.stderr


def test_list_all_has_what_no_longer_stands(mi: Mi, claims: tuple[str, str]):
    mi("claim", "retract", claims[0])
    node = ask(mi, "node", "create", "--type", "decision", "--title", "Use SQLite")["node_id"]
    mi("node", "retract", node)
    listed = {one["claim_id"]: one["status"] for one in ask(mi, "claim", "list", "--all")}
    assert listed == {claims[0]: "retracted", claims[1]: "active"}
    assert [one["claim_id"] for one in ask(mi, "claim", "list")] == [claims[1]]
    assert [one["node_id"] for one in ask(mi, "node", "list", "--all")] == [node]
    assert ask(mi, "node", "list") == []


def test_the_graph_reaches_around_aliases_and_by_edges_taken_back(mi: Mi, claims: tuple[str, str]):
    kept, duplicate = claims
    node = ask(mi, "node", "create", "--type", "decision", "--title", "Lint in CI")["node_id"]
    edge = ask(mi, "edge", "create", "--type", "depends_on", "--from", node, "--to", duplicate)["edge_id"]
    mi("claim", "same-as", duplicate, kept)

    def reached(*flags: str) -> set[str]:
        shown = ask(mi, "claim", "show", kept, "--graph", "--edge-type", "depends_on", *flags)
        return {one["id"] for one in shown["graph"]["nodes"]}

    assert reached() == {kept}
    assert reached("--include-aliases") == {kept, duplicate, node}
    mi("edge", "retract", edge)
    assert reached("--include-aliases") == {kept, duplicate}
    assert reached("--include-aliases", "--include-inactive") == {kept, duplicate, node}
    around = ask(mi, "node", "show", node, "--graph", "--include-inactive")["graph"]
    assert [one["edge_id"] for one in around["edges"]] == [edge]


def test_apply_suggested_takes_a_reason_and_what_was_settled(mi: Mi, stage: Stage, claims: tuple[str, str]):
    assert mi("claim", "apply-suggested", "ls_1").returncode == 1
    again = ask(mi, "claim", "apply-suggested", "ls_1", "--force", "--extra-rationale", "The build needs it.")
    assert again["applied_claim_ids"] != [claims[0]]
    shown = ask(mi, "claim", "show", again["applied_claim_ids"][0])
    assert (shown["text"], shown["notes"]) == ("Run the linter.", "The build needs it.")
    stage.append(LearnSuggested(id="ls_3", text="Sign every commit.", rationale="Seen twice."))
    stage.append(LearnApplied(suggestion_id="ls_3", decision="dismissed"))
    assert mi("claim", "apply-suggested", "ls_3").returncode == 1
    forced = ask(mi, "claim", "apply-suggested", "ls_3", "--force", "--extra-rationale", "After all.")
    assert ask(mi, "claim", "show", forced["applied_claim_ids"][0])["notes"] == "Seen twice.\nAfter all."


def test_supersede_changes_what_it_is_told(mi: Mi, claims: tuple[str, str]):
    flags = ["--claim-type", "goal", "--tag", "ci", "--tag", "lint", "--valid-from", "2026-01-01"]
    flags += ["--valid-to", "2030-01-01T00:00:00Z", "--visibility", "private"]
    new = ask(mi, "claim", "supersede", claims[0], "--text", "The linter is green.", *flags)["claim_id"]
    shown = ask(mi, "claim", "show", new)
    assert (shown["claim_type"], shown["tags"], shown["visibility"]) == ("goal", ["ci", "lint"], "private")
    assert (shown["valid_from"], shown["valid_to"]) == ("2026-01-01", "2030-01-01T00:00:00Z")
    assert [one["claim_id"] for one in ask(mi, "claim", "list", "--type", "goal", "--tag", "ci")] == [new]
    kept = ask(mi, "claim", "supersede", claims[1], "--text", "Write clear names.")["claim_id"]
    assert ask(mi, "claim", "show", kept)["tags"] == ["mi:learned"]
    refused = mi("claim", "supersede", new, "--text", "x", "--valid-to", "soon")
    assert refused.returncode == 2
    assert "--valid-to 'soon'" in refused.stderr


def test_notes_and_visibility_are_kept_with_edges_and_nodes(mi: Mi, stage: Stage, claims: tuple[str, str]):
    event = ask(mi, "tail", "-n", "1")[0]["event_id"]
    flags = ["--cite", event, "--confidence", "0.4", "--notes", "said at lunch", "--visibility", "private"]
    node = ask(mi, "node", "create", "--type", "decision", "--title", "Use SQLite", *flags)["node_id"]
    shown = ask(mi, "node", "show", node)
    assert (shown["confidence"], shown["notes"], shown["visibility"]) == (0.4, "said at lunch", "private")
    assert shown["source_refs"][0]["event_id"] == event
    edge = ["edge", "create", "--type", "supports", "--from", node, "--to", claims[0], "--notes", "why", "--visibility"]
    stored = ask(mi, "edge", "show", ask(mi, *edge, "private")["edge_id"])
    assert (stored["notes"], stored["visibility"]) == ("why", "private")
    same = ask(mi, "claim", "same-as", claims[1], claims[0], "--notes", "said twice")["edge_id"]
    assert ask(mi, "edge", "show", same)["notes"] == "said twice"
    assert mi("node", "create", "--type", "decision", "--title", "x", "--cite", "ev_none_1").returncode == 1
    refused = mi("node", "create", "--type", "decision", "--title", "x", "--confidence", "7")
    assert refused.returncode == 2
    assert "--confidence '7'" in refused.stderr


def test_why_looks_at_as_many_claims_and_into_the_store_it_is_told(mi: Mi, claims: tuple[str, str]):
    assert mi("why", "claim", claims[0], "--scope", "project").returncode == 0
    refused = mi("why", "claim", claims[0], "--scope", "global")
    assert refused.returncode == 1
    assert claims[0] in refused.stderr
    mi("edge", "create", "--type", "depends_on", "--from", claims[0], "--to", claims[1])

    def considered(*flags: str) -> list[str]:
        traced = ask(mi, "why", "claim", claims[0], *flags)["event_id"]
        found: list[str] = ask(mi, "show", traced)["candidate_claim_ids"]
        return found

    assert claims[1] in considered()
    assert considered("--top-k", "0") == []


def test_workflow_create_disabled_is_not_used_yet(mi: Mi):
    made = ask(mi, "workflow", "create", "--name", "Release", "--pattern", "release", "--step", "tag", "--disabled")
    assert made["enabled"] is False
    assert ask(mi, "workflow", "show", made["id"])["enabled"] is False


def test_gc_keeps_so_many_of_each_kind(mi: Mi, stage: Stage):
    for kind in ("hands", "mind"):
        for day in "1234":
            os.utime(stage.transcript(kind, f"2026010{day}T000000Z.jsonl", '{"line":"x"}'), (0, 0))
    done = ask(mi, "gc", "transcripts", "--keep-hands", "3", "--keep-mind", "1", "--apply")
    packed = [f"{path.parent.parent.name}/{path.name}" for path in sorted(stage.root.parent.rglob("*.jsonl.gz"))]
    assert packed == ["hands/20260101T000000Z.jsonl.gz"] + [f"mind/2026010{one}T000000Z.jsonl.gz" for one in "123"]
    assert len(done["transcripts"]) == 4
    assert gzip.decompress(next(stage.root.parent.rglob("*.jsonl.gz")).read_bytes()) == b'{"line":"x"}\n'
