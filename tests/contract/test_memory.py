"""Durable memory is the Thought DB: how each type is stored, replaced, promoted and taken back, and what is refused."""

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mi.contract.diagnostics import NoInput, memory_doctor, memory_stats
from mi.contract.memory_tools import VerifyInput, memory_verify
from mi.contract.session import Refused
from mi.kernel.errors import MiError, NotFound, UsageError
from tests.contract.conftest import add, code_of, ready, recall, write

EVIDENCE = ["file_exists::a.py"]
NEEDED: dict[str, dict[str, Any]] = {
    "fact": {"evidence": EVIDENCE},
    "constraint": {"rationale": "the customer wants it"},
    "decision": {"rationale": "it is simpler"},
}
STORED = [
    ("fact", "claim", "fact", "always", "verified", set()),
    ("constraint", "claim", "preference", "always", "asserted", {"constraint"}),
    ("decision", "node", "decision", "contextual", "asserted", set()),
    ("claim", "claim", "assumption", "contextual", "tentative", set()),
    ("plan", "node", "summary", "opportunistic", "tentative", {"plan"}),
    ("observation", "node", "summary", "opportunistic", "tentative", {"observation"}),
    ("note", "node", "summary", "opportunistic", "tentative", {"note"}),
]


def lines(project, kind: str) -> list[dict[str, Any]]:
    path = Path(project.context.project_home.thoughts, f"{kind}s.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


@pytest.mark.req(
    *("ac.store.one-store", "mi.product.one-store", "ac.store.fact-record", "ac.store.constraint-record"),
    *("ac.store.decision-record", "ac.store.claim-record", "ac.store.plan-record", "ac.store.observation-record"),
    *("ac.store.note-record", "ac.store.fact-tier", "ac.store.constraint-tier", "ac.store.decision-tier"),
    *("ac.store.claim-tier", "ac.store.summary-tier", "ac.store.fact-truth", "ac.store.constraint-truth"),
    *("ac.store.decision-truth", "ac.store.claim-truth", "ac.store.summary-truth", "ac.store.event-first"),
    *("ac.store.cites-event", "mi.kind.memory-write-written", "ac.tool.memory-write-type"),
    *("ac.tool.memory-write-summary", "ac.tool.memory-write-detail", "ac.tool.memory-write-source"),
    *("ac.tool.memory-write-classification", "ac.tool.memory-write-task-id", "ac.tool.memory-write-key"),
    *("ac.recall.field-type", "ac.recall.field-tier", "ac.recall.field-truth", "ac.recall.field-id"),
    *("ac.recall.field-provenance", "tm.def.mutation-memory", "tm.tools.memory-write", "ac.gate.same-from-mcp"),
)
@pytest.mark.parametrize(("type_", "kind", "subtype", "tier", "truth", "tags"), STORED)
def test_how_each_type_is_stored(session, project, type_, kind, subtype, tier, truth, tags):
    ready(session)
    more = {"detail": "More.", "key": "k", "source": "the wiki", "classification": "public", "task_id": "tk_1"}
    kept = write(session, type_, "It  is\nso.", **more, **NEEDED.get(type_, {}))
    (line,) = lines(project, kind)
    assert (line[f"{kind}_id"], line[f"{kind}_type"], line["origin"]) == (kept.id, subtype, "hands")
    assert {f"memory:{type_}", "key:k", "classification:public", "task:tk_1", *tags} == set(line["tags"])
    text = (line["title"], line["text"]) if kind == "node" else tuple(line["text"].split("\n\n"))
    assert text == ("It  is\nso.", "More.")
    rationale = NEEDED.get(type_, {}).get("rationale")
    assert line["notes"] == (f"rationale: {rationale}\n" if rationale else "") + "source: the wiki"
    (event,) = project.events("memory_write")
    assert line["source_refs"] == [{"kind": "evidence_event", "event_id": event.event_id}]
    assert (event.event_id, event.record_id, event.type, event.key) == (kept.event_id, kept.id, type_, "k")
    (found,) = recall(session, "is it so?")
    assert (found.id, found.type, found.tier, found.truth) == (kept.id, type_, tier, truth)
    assert (found.summary, found.detail, found.key) == ("It  is\nso.", "More.", "k")
    assert found.event_ids == [kept.event_id]
    assert (kept.tier, kept.truth) == (tier, truth)


@pytest.mark.req("ac.tool.memory-write-classification")
def test_internal_is_the_default(session, project):
    write(ready(session))
    assert "classification:internal" in lines(project, "node")[0]["tags"]


@pytest.mark.req(
    *("tm.r5.facts-evidence", "tm.r5.decision-rationale", "tm.r5.constraint-rationale"),
    *("ac.code.evidence-required", "ac.code.rationale-required", "ac.tool.memory-write-rationale"),
)
@pytest.mark.parametrize(
    ("type_", "code"),
    [("fact", "EVIDENCE_REQUIRED"), ("decision", "RATIONALE_REQUIRED"), ("constraint", "RATIONALE_REQUIRED")],
)
def test_what_a_write_must_carry(session, project, type_, code):
    ready(session)
    with pytest.raises(Refused) as refused:
        write(session, type_, "It is so.", key="k")
    assert refused.value.verdict.code == code
    # The next call, filled in, is accepted.
    said = refused.value.verdict.next
    assert said.tool == "memory_write"
    assert said.arguments.keys() == {"type", "summary", "key", "evidence" if type_ == "fact" else "rationale"}
    assert lines(project, "claim") == lines(project, "node") == project.events("memory_write") == []
    assert write(session, type_, "It is so.", key="k", **NEEDED[type_]).id


@pytest.mark.req(
    *("ac.evidence.key-supersedes", "ac.evidence.never-deleted", "ac.mode.guarded-undo", "ac.mode.strict-reversible"),
    *("tm.modes.guarded",),
)
@pytest.mark.parametrize("mode", ["GUARDED", "STRICT"])
@pytest.mark.parametrize(
    ("first", "second"), [("note", "note"), ("claim", "claim"), ("claim", "note"), ("decision", "constraint")]
)
def test_a_key_supersedes_and_undo_brings_back(mi, session, project, mode, first, second):
    ready(session, mode)
    task_id = add(session).pointer
    more = {"key": "release", "task_id": task_id}
    one = write(session, first, "Release on Monday.", **more, **NEEDED.get(first, {}))
    two = write(session, second, "Release on Friday.", **more, **NEEDED.get(second, {}))
    assert two.superseded == [one.id]
    assert [found.id for found in recall(session, "release")] == [two.id]
    (edge,) = lines(project, "edge")
    assert (edge["edge_type"], edge["from_id"], edge["to_id"]) == ("supersedes", one.id, two.id)
    assert edge["source_refs"][0]["event_id"] == two.event_id
    assert len(lines(project, "claim")) + len(lines(project, "node")) == 2
    done = mi(*two.undo.split()[1:], "--cd", str(project.root))
    assert done.returncode == 0, done.stderr
    assert [found.id for found in recall(session, "release")] == [one.id]


@pytest.mark.req(
    "ac.tool.promotion", "ac.tool.promotion-supersedes", "tm.def.mutation-promotion", "ac.tool.promotion-gated"
)
@pytest.mark.parametrize("type_", ["fact", "decision", "constraint"])
def test_a_claim_is_promoted_through_the_gate(session, opened, type_):
    ready(session)
    claim = write(session, "claim", "main is in a.py", key="main")
    assert code_of(lambda: write(opened("other"), type_, "main is in a.py", key="main", **NEEDED[type_])) == (
        "RECALL_REQUIRED"
    )
    promoted = write(session, type_, "main is in a.py", key="main", **NEEDED[type_])
    assert promoted.superseded == [claim.id]
    assert [one.id for one in recall(session, "main")] == [promoted.id]


@pytest.mark.req("mi.trust.hands-never-rule")
@pytest.mark.parametrize("type_", ["constraint", "claim", "decision"])
def test_an_agent_does_not_replace_what_a_person_wants_held(session, opened, type_):
    person = opened("shell", person=True)
    ready(person)
    rule = write(person, "constraint", "Never deploy on Friday.", key="deploy", rationale="weekends")
    ready(session)
    other = write(session, type_, "Deploy on any day.", key="deploy", **NEEDED.get(type_, {}))
    assert other.superseded == []
    assert {one.id for one in recall(session, "deploy")} == {rule.id, other.id}
    later = write(person, "constraint", "Never deploy on Thursday.", key="deploy", rationale="moved")
    assert set(later.superseded) == {rule.id, other.id}


@pytest.mark.req("ac.evidence.fact-key-clash", "ac.evidence.fact-clash-names")
@pytest.mark.parametrize("type_", ["note", "claim", "decision", "constraint"])
def test_a_fact_gives_way_to_facts_alone(session, type_):
    ready(session)
    fact = write(session, "fact", "main is in a.py", key="main", evidence=EVIDENCE)
    with pytest.raises(Refused) as refused:
        write(session, type_, "main is in b.py", key="main", **NEEDED.get(type_, {}))
    assert refused.value.verdict.code == "KEY_HOLDS_FACT"
    assert fact.id in str(refused.value)
    newer = write(session, "fact", "main is still in a.py", key="main", evidence=EVIDENCE)
    assert newer.superseded == [fact.id]


@pytest.mark.req("ac.tool.memory-write-task-id-strict", "ac.mode.strict-leaf")
def test_strict_names_the_current_leaf(session):
    ready(session, "STRICT")
    assert code_of(lambda: write(session)) == "TASKS_REQUIRED"
    added = add(session, "Ship it", "build", "test")
    assert code_of(lambda: write(session)) == "TASK_NOT_CURRENT"
    assert code_of(lambda: write(session, task_id=added.task_id)) == "TASK_NOT_CURRENT"
    assert write(session, task_id=added.subtask_ids[0]).id


@pytest.mark.req(
    "ac.r2.reads-declared-plan", "tm.r2.externalise-all", "tm.r2.no-internal-list", "tm.enforce.tasks-missing"
)
def test_a_plan_of_several_steps_belongs_into_the_task_file(session):
    ready(session)
    assert write(session, "plan", "Look at the parser.").id
    assert code_of(lambda: write(session, "plan", "Plan", detail="1. parse\n2. write")) == "TASKS_REQUIRED"
    assert code_of(lambda: write(session)) == "TASKS_REQUIRED"
    add(session, "Parser", "parse", "write")
    assert write(session, "plan", "Plan", detail="1. parse\n2. write").id


SECRET = "token ghp_" + "a1B2" * 9
REFUSED = [
    ({"summary": ""}, UsageError, "empty-text"),
    ({"summary": " \n\t"}, UsageError, "empty-text"),
    ({"summary": "x" * 1001}, UsageError, "too-long"),
    ({"detail": "x" * 10_000_000}, UsageError, "too-long"),
    ({"summary": SECRET}, MiError, "secret-refused"),
    ({"detail": "line\n" + SECRET}, MiError, "secret-refused"),
    ({"rationale": SECRET}, MiError, "secret-refused"),
    ({"source": SECRET}, MiError, "secret-refused"),
    ({"key": SECRET}, MiError, "secret-refused"),
    ({"evidence": ["grep_hit::" + SECRET + "::a.py"]}, MiError, "secret-refused"),
    ({"key": "two\nlines"}, UsageError, "one-line"),
    ({"summary": "half \ud83d"}, UsageError, "not-text"),
    ({"evidence": ["nonsense"]}, UsageError, "bad-evidence"),
    ({"evidence": ["file_exists:: "]}, UsageError, "bad-evidence"),
    ({"evidence": ["file_exists::a.py"] * 51}, UsageError, "too-many"),
]


@pytest.mark.req(
    *(
        "ac.recall.secrets-refused",
        "ac.recall.secrets-place",
        "ac.recall.empty-summary",
        "ac.block.bad-arguments-state",
    ),
    *("ac.block.bad-arguments-error",),
)
@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize(("changed", "error", "code"), REFUSED)
def test_bad_arguments_change_nothing(session, project, prepared, changed, error, code):
    if prepared:
        ready(session)
    before = state_of(session), len(project.events("gate"))
    with pytest.raises(error) as raised:
        write(session, **{"summary": "A note", **changed})
    assert not isinstance(raised.value, Refused)
    assert raised.value.code == code
    assert "ghp_" not in str(raised.value)
    if code == "secret-refused":
        (field,) = changed
        assert raised.value.details["field"].startswith(field)
        assert raised.value.details["line"] == (2 if field == "detail" else 1)
    assert (state_of(session), len(project.events("gate"))) == before


def state_of(session) -> bytes:
    path = Path(session.state_file.path)
    return path.read_bytes() if path.exists() else b""


@pytest.mark.req(
    *("ac.evidence.verify-stale", "ac.evidence.stale-shown", "ac.evidence.stale-not-dropped", "ac.tool.memory-verify"),
    *("ac.evidence.stale-not-kept", "ac.tool.memory-verify-id", "ac.tool.memory-verify-event"),
    *("mi.kind.memory-verify-written", "ac.store.fact-truth", "ac.recall.field-evidence-age"),
)
def test_facts_become_stale_and_come_back(session, project):
    ready(session)
    kept = write(session, "fact", "main is in a.py", evidence=["grep_hit::def main::a.py"])
    other = write(session, "fact", "the root is there", evidence=["file_exists::."])
    source = (project.root / "a.py").read_text("utf-8")
    claims = lines(project, "claim")

    def truth(fact) -> str:
        (found,) = [one for one in recall(session, "main") if one.id == fact.id]
        assert found.evidence_age_s is not None
        return found.truth

    for content, wanted, why in (
        *((source + "# more\n", "verified", ""), ("", "stale", "no-match"), (None, "stale", "missing")),
        (source, "verified", ""),
    ):
        if content is None:
            (project.root / "a.py").unlink()
        else:
            (project.root / "a.py").write_text(content, "utf-8")
        assert truth(kept) in ("verified", "stale")  # as it was last checked
        done = memory_verify(session, VerifyInput(id=kept.id))
        (checked,) = done.checked
        assert (checked.truth, done.stale, truth(kept)) == (wanted, int(wanted == "stale"), wanted)
        assert why in checked.why
        assert checked.changed == (content != source)
    everything = memory_verify(session, VerifyInput())
    assert ({one.id for one in everything.checked}, everything.remaining) == ({kept.id, other.id}, 0)
    assert lines(project, "claim") == claims
    assert len(project.events("memory_verify")[-1].results) == 2
    assert project.events("memory_verify")[-1].event_id == everything.event_id


@pytest.mark.parametrize("ref", ["cl_nothing", "x" * 10_000, "nd_1"])
def test_only_what_has_evidence_can_be_checked(session, ref):
    with pytest.raises(NotFound, match="no memory with evidence"):
        memory_verify(session, VerifyInput(id=ref))


def test_verifying_is_free_in_every_mode(session):
    assert memory_verify(session, VerifyInput()).checked == []
    assert msgspec.to_builtins(session.state)["counters"] == {}


def test_the_view_of_facts_may_go_or_break(session, project, opened):
    ready(session)
    fact = write(session, "fact", "main is in a.py", evidence=EVIDENCE)
    view = Path(session.place.folder, "facts.sqlite")
    for damage in (view.unlink, lambda: view.write_bytes(b"no database"), lambda: view.write_bytes(b"")):
        session.truths.close()
        damage()
        assert session.truths.of([fact.id])[fact.id].proofs[0].sha256
    assert opened("other").truths.of([fact.id, "cl_x"]).keys() == {fact.id}


def test_a_stale_fact_that_was_replaced_is_settled(session, project):
    ready(session)
    write(session, "fact", "main is in a.py", key="main", evidence=["file_exists::a.py"])
    os.rename(project.root / "a.py", project.root / "b.py")
    memory_verify(session, VerifyInput())
    assert (memory_stats(session, NoInput()).stale_facts, memory_doctor(session, NoInput()).ok) == (1, False)
    write(session, "fact", "main is in b.py", key="main", evidence=["file_exists::b.py"])
    assert (memory_stats(session, NoInput()).stale_facts, memory_doctor(session, NoInput()).ok) == (0, True)


EXACT = [
    "one\ttab",
    "  blanks around  \n",
    "line\nline\r\nline\rline",
    "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",
    "empty\n\nline",
    "ends with one\n\n",
    "e\u0301 \u00e9 \ufeff \U0001f600 \u3000\u200b",
]


@pytest.mark.req("one.smaller.exact")
@pytest.mark.parametrize("type_", ["note", "claim", "fact", "decision"])
@pytest.mark.parametrize("said", EXACT)
def test_a_text_comes_back_byte_by_byte(session, opened, type_, said):
    ready(session)
    kept = write(session, type_, f"Kept {said}", detail=said, **NEEDED.get(type_, {}))
    alone = write(session, type_, f"Alone {said}", **NEEDED.get(type_, {}))
    found = {one.id: (one.summary, one.detail) for one in recall(opened(), "kept alone")}
    assert found[kept.id] == (f"Kept {said}", said)
    assert found[alone.id] == (f"Alone {said}", "")
