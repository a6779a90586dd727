"""The memory tools: recall, mode, write, verify. Each is a pair of types and a function over a session."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta, Struct

from mi.contract import arguments, memories, recall
from mi.contract import state as states
from mi.contract.fact_evidence import CheckedEvidence, FactEvidence, find_failures, parse_evidence
from mi.contract.fact_status import Truth
from mi.contract.gate import Code, GateVerdict, MutationRequest
from mi.contract.memories import TYPES, Classification, MemoryType, NewMemory, Tier, TruthState
from mi.contract.session import ContractSession
from mi.evidence.records.base import Json
from mi.evidence.records.governed import MemoryVerify, ModeSet
from mi.evidence.records.thoughts import Recall
from mi.kernel import locks
from mi.kernel.errors import NotFound
from mi.kernel.home import FILE_MODE
from mi.kernel.secrets import redact_start
from mi.knowledge.search.team import Kind
from mi.knowledge.thoughts.store_state import Thought

MAX_RESULTS = 100
_AT_ONCE = 500  # facts re-checked by one call
_KEPT_QUERY = 500
_KEPT_PACE = 50  # writes after which recall takes them in: no later recall waits for many at once


class QueryInput(Struct, frozen=True, kw_only=True):
    query: Annotated[str, Meta(description="A question or words, in any language; nothing in it is syntax.")]
    limit: Annotated[int, Meta(description="Matches, 1-100.")] = 10
    kind: Annotated[str, Meta(description="Only fact, decision, rule, preference, pattern or note.")] = ""
    reach: Annotated[Literal["", "mine", "team"], Meta(description="Only the person's own, or the team's files.")] = ""


class RecentInput(Struct, frozen=True, kw_only=True):
    count: Annotated[int, Meta(description="Memories, 1-100.")] = 10


class RecallResult(Struct, frozen=True, kw_only=True):
    """What was recalled; `left_out` always-tier memories had no room."""

    results: list[recall.Recalled]
    left_out: int
    event_id: str
    acknowledge: str = "Say what you found, even if it is nothing (R1)."


def memory_query(session: ContractSession, given: QueryInput) -> RecallResult:
    """Recall by a question; leaves a receipt."""
    limit = arguments.check_number("limit", given.limit, 1, MAX_RESULTS)
    if len(given.query) > arguments.LIMITS["query"]:
        arguments.check_text("query", given.query)  # says how long it may be
    wanted = recall.RecallFilter(arguments.check_choice("kind", given.kind, ("", *get_args(Kind))), given.reach)
    return _received(session, given.query, recall.query(session, given.query, limit, wanted))


def memory_recent(session: ContractSession, given: RecentInput) -> RecallResult:
    """Recall what was remembered last; leaves a receipt."""
    count = arguments.check_number("count", given.count, 1, MAX_RESULTS)
    return _received(session, "", recall.recall_recent(session, count))


def _received(session: ContractSession, query: str, found: recall.RecallAnswer) -> RecallResult:
    ids = [one.id for one in found.results]
    asked = redact_start(query, _KEPT_QUERY)
    event_id = session.append(Recall(query=asked, ids=ids))
    session.sync_pointer()  # before the receipt: a recall is about the task that is current now
    session.state_file.update(lambda old: states.add_receipt(old, asked, ids))
    return RecallResult(results=found.results, left_out=found.left_out, event_id=event_id)


class ModeInput(Struct, frozen=True, kw_only=True):
    mode: Annotated[
        states.Mode, Meta(description="PASSIVE: look only. GUARDED: reversible changes. STRICT: full enforcement.")
    ]


class ModeResult(Struct, frozen=True, kw_only=True):
    mode: states.Mode
    previous: str
    recall_still_counts: bool
    event_id: str


def memory_set_mode(session: ContractSession, given: ModeInput) -> ModeResult:
    """Declare what the session is about to do; allowed at any time."""
    previous = session.state.mode or ""
    event_id = session.append(ModeSet(mode=given.mode, previous=previous, client=session.name))
    state = session.state_file.update(lambda old: states.set_mode(old, given.mode))
    counts = states.find_valid_receipt(state, time.time(), session.place.settings().receipt_max_age_s) is not None
    return ModeResult(mode=given.mode, previous=previous, recall_still_counts=counts, event_id=event_id)


class WriteInput(Struct, frozen=True, kw_only=True):
    type: MemoryType
    summary: Annotated[str, Meta(description="One or two sentences.")]
    detail: str = ""
    key: Annotated[str, Meta(description="A name; a later write under it supersedes this one.")] = ""
    source: Annotated[str, Meta(description="Where it comes from.")] = ""
    classification: Classification = "internal"
    evidence: Annotated[
        list[FactEvidence | str],
        Meta(
            description="A fact needs it; all must verify. file_exists: path. grep_hit: pattern::file. cmd_exit0, "
            "test_pass: a command, where allowed. Also as kind::value."
        ),
    ] = []
    rationale: Annotated[str, Meta(description="Why; a decision or constraint needs it.")] = ""
    task_id: Annotated[str, Meta(description="The task it is for; in STRICT the current one.")] = ""


class WriteResult(Struct, frozen=True, kw_only=True):
    id: str
    type: MemoryType
    tier: Tier
    truth: TruthState
    event_id: str
    superseded: list[str]
    evidence_verified: int
    undo: str


def memory_write(session: ContractSession, given: WriteInput) -> WriteResult:
    """Keep a memory, if the gate lets it through and its evidence holds; a person's word needs no more than itself."""
    return write_kind(session, given, "")


def write_kind(session: ContractSession, given: WriteInput, kind: str, *, for_team: bool = False) -> WriteResult:
    """Keep a memory of a kind that its type alone does not tell; "" for any other."""
    memory, evidence = _checked(given, session)
    memory = memory._replace(kind=kind, for_team=for_team)
    said = "" if session.person else _persons_word(memory)
    lacks: Code = "PERSONS_WORD" if said else "ok" if session.person else _lacks(memory, evidence)
    steps = _count_steps(memory) if memory.type == "plan" else 0
    request = MutationRequest(
        "memory_write", "memory", _said(given), task_id=memory.task_id, steps=steps, lacks=lacks, because=said
    )
    verdict = session.pass_gate(request)
    proofs = _proved(session, evidence, request, verdict)
    memory = memory._replace(proofs=tuple(proofs))
    with _one_writer(session):
        replaced = _replaced(session, memory, request, verdict)
        kept = memories.write(
            memory,
            session.place.thoughts,
            session.log,
            replaced,
            "user" if session.person else "hands",
        )
    session.passed(verdict, request, kept.record_id)
    session.written += 1
    if session.written % _KEPT_PACE == 0:
        recall.catch_up(session)
    stored = TYPES[memories.type_of("", memory.tags)]
    return WriteResult(
        id=kept.record_id,
        type=memory.type,
        tier=stored.tier,
        truth="asserted" if session.person and stored.truth == "tentative" else stored.truth,
        event_id=kept.event_id,
        superseded=kept.superseded,
        evidence_verified=len(proofs),
        undo=f"mi undo {kept.event_id} --apply",
    )


def _checked(given: WriteInput, session: ContractSession) -> tuple[NewMemory, list[FactEvidence]]:
    """Return the arguments as they may be kept; nothing about the session changes when they may not."""
    summary = arguments.check_text("summary", given.summary, needed=True)
    memory = NewMemory(
        type=given.type,
        summary=summary,
        detail=arguments.check_text("detail", given.detail),
        key=arguments.check_text("key", given.key, line=True),
        source=arguments.check_text("source", given.source, line=True),
        classification=given.classification,
        rationale=arguments.check_text("rationale", given.rationale),
        task_id=arguments.check_text("task_id", given.task_id, line=True),
    )
    evidence = [parse_evidence(one, f"evidence[{at}]") for at, one in enumerate(given.evidence)]
    for at, one in enumerate(evidence):
        arguments.check_text(f"evidence[{at}]", one.value, needed=True)
    if len(evidence) > arguments.MAX_ITEMS:
        arguments.check_items("evidence", [one.value for one in evidence])
    return memory, [session.checker.meant(one) for one in evidence]


def _said(given: WriteInput) -> dict[str, Any]:
    """Return the arguments again, for the next call that is suggested."""
    said: dict[str, Any] = msgspec.to_builtins(given)
    empty = msgspec.to_builtins(WriteInput(type=given.type, summary=given.summary))
    return {name: value for name, value in said.items() if name in ("type", "summary") or value != empty[name]}


def _count_steps(memory: NewMemory) -> int:
    from mi.contract.plan_detection import count_steps

    return count_steps(f"{memory.summary}\n\n{memory.detail}")


def _persons_word(memory: NewMemory) -> str:
    """Return by which words a memory that is always recalled speaks for a person.

    A constraint may be a rule, and whose it is may be its rationale.
    """
    from mi.contract.persons_word import find_persons_word

    said = (memory.summary, memory.detail, memory.key)
    if memory.type == "fact":
        return find_persons_word(*said, memory.source, memory.rationale)
    return find_persons_word(*said, rules=False) if memory.type == "constraint" else ""


def _lacks(memory: NewMemory, evidence: list[FactEvidence]) -> Code:
    needs = TYPES[memory.type].needs
    if needs == "evidence" and not evidence:
        return "EVIDENCE_REQUIRED"
    return "RATIONALE_REQUIRED" if needs == "rationale" and not memory.rationale.strip() else "ok"


def _proved(
    session: ContractSession, evidence: list[FactEvidence], request: MutationRequest, verdict: GateVerdict
) -> list[CheckedEvidence]:
    """Return all the evidence, verified; nothing is written when any of it does not hold."""
    proofs = session.checker.check_all(evidence) if evidence else []
    if failed := find_failures(proofs):
        raise session.refuse("EVIDENCE_FAILED", request, "; ".join(_named(one) for one in failed), verdict)
    unsure = [one for one in proofs if not one.certain]
    if unsure and session.state.mode == "STRICT":
        raise session.refuse("EVIDENCE_UNCERTAIN", request, "; ".join(_named(one) for one in unsure), verdict)
    return proofs


def _named(proof: CheckedEvidence) -> str:
    return f"{proof.kind} {proof.value} ({proof.why or 'failed'})"


def _replaced(
    session: ContractSession, memory: NewMemory, request: MutationRequest, verdict: GateVerdict
) -> list[Thought]:
    """Return what stands under the same key and is superseded.

    A fact gives way to facts alone, a person's rule to theirs.
    """
    standing = memories.find_under_key(memory.key, session.place.read_thoughts()) if memory.key else []
    facts = [one.id for one in standing if memories.type_of(one.type, one.raw.get("tags") or []) == "fact"]
    if facts and memory.type != "fact":
        raise session.refuse("KEY_HOLDS_FACT", request, f"{memory.key}: {facts[0]}", verdict)
    return standing if session.person else [one for one in standing if not memories.is_persons_rule(one)]


@contextmanager
def _one_writer(session: ContractSession) -> Iterator[None]:
    """Hold the lock under which, of two writes to one key, the second sees the first."""
    path = os.path.join(session.place.folder, "write.lock")
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FILE_MODE)
    try:
        locks.acquire(fd, path)
        yield
    finally:
        os.close(fd)


class VerifyInput(Struct, frozen=True, kw_only=True):
    id: Annotated[str, Meta(description="A memory's id; without it all facts, those checked longest ago first.")] = ""


class MemoryVerified(Struct, frozen=True, kw_only=True):
    id: str
    truth: TruthState
    changed: bool  # the file is another than when the fact was written, though the evidence may still hold
    why: str


class VerifyResult(Struct, frozen=True, kw_only=True):
    checked: list[MemoryVerified]
    stale: int
    remaining: int
    event_id: str


def memory_verify(session: ContractSession, given: VerifyInput) -> VerifyResult:
    """Check the evidence of facts again; what no longer holds is stale from now on, and never dropped."""
    thoughts = session.place.read_thoughts()
    if given.id:
        wanted, known = [given.id], session.truths.of([given.id])
        if not known:
            raise NotFound("no-evidence-to-check", ref=redact_start(given.id, 80))
        remaining = 0
    else:
        standing = [one for one in session.truths.oldest() if (found := thoughts.get(one)) and found.stands]
        wanted = list(islice(standing, _AT_ONCE))
        known, remaining = session.truths.of(wanted), len(standing) - len(wanted)
    commit = session.checker.commit()
    checked = [_verified(session, known[one], commit) for one in wanted if one in known]
    results: list[Json] = [
        {"id": one.id, "stale": one.truth == "stale", "why": one.why, "changed": one.changed} for one in checked
    ]
    event_id = session.append(MemoryVerify(results=results), sync=True)
    stale = sum(one.truth == "stale" for one in checked)
    return VerifyResult(checked=checked, stale=stale, remaining=remaining, event_id=event_id)


def _verified(session: ContractSession, truth: Truth, commit: tuple[str, bool]) -> MemoryVerified:
    evidence = [FactEvidence(kind=one.kind, value=one.value) for one in truth.proofs]
    proofs = session.checker.check_again(evidence, commit)
    failed = find_failures(proofs)
    changed = any(now.sha256 != then.sha256 for now, then in zip(proofs, truth.proofs, strict=True) if then.sha256)
    return MemoryVerified(
        id=truth.id,
        truth="stale" if failed else "verified",
        changed=changed,
        why="; ".join(_named(one) for one in failed),
    )
