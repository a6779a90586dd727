"""Looking at sessions, violations and memory, and saying how work ended; never gated, and no memory changes."""

import os
import re
from itertools import islice
from typing import Annotated, Any

from msgspec import Meta, Struct

from mi import __version__
from mi.contract import arguments, gate
from mi.contract.memories import MEMORY, TYPES
from mi.contract.session import ContractSession
from mi.contract.state import SessionState, StateFile
from mi.evidence.reader import read_back
from mi.evidence.records.governed import Gate, Violation
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.notices import Notices

_SESSION = re.compile(r".+-[a-z0-9._]+\.json")


class NoInput(Struct, frozen=True, kw_only=True):
    pass


class StatsResult(Struct, frozen=True, kw_only=True):
    """How much there is."""

    memories: dict[str, int]
    other_claims: int
    other_nodes: int
    stale_facts: int
    tasks_open: int
    tasks_done: int
    violations: int


def memory_stats(session: ContractSession, given: NoInput) -> StatsResult:
    """Count memories by type, tasks and violations."""
    project = session.place.read_thoughts().readings[0]
    counts: dict[str, int] = {}
    for name, stored in TYPES.items():
        counts[name] = project.how_many("claim" if stored.claim else "node", tag=MEMORY + name)
    claims = sum(counts[name] for name, stored in TYPES.items() if stored.claim)
    tasks = session.tasks()
    leaves = [task for task in tasks.tasks if task.leaf]
    return StatsResult(
        memories=counts,
        other_claims=project.how_many("claim") - claims,
        other_nodes=project.how_many("node") - sum(counts.values()) + claims,
        stale_facts=len(find_stale_facts(session)),
        tasks_open=sum(not one.checked for one in leaves),
        tasks_done=sum(one.checked for one in leaves),
        violations=session.state.counters.get("violations", 0),
    )


def find_stale_facts(session: ContractSession) -> list[str]:
    """Return the facts that stand though their evidence no longer holds; those that were replaced are settled."""
    thoughts = session.place.read_thoughts()
    return [one for one in session.truths.stale() if (found := thoughts.get(one)) and found.stands]


class DiagnosticFinding(Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    check: str
    ok: bool
    detail: str = ""


class HealthResult(Struct, frozen=True, kw_only=True):
    ok: bool
    findings: list[DiagnosticFinding]


def memory_health(session: ContractSession, given: NoInput) -> HealthResult:
    """Return whether memory can be read and written now, shortly."""
    found = [_writable(session), _state(session)]
    return HealthResult(ok=all(one.ok for one in found), findings=found)


def memory_doctor(session: ContractSession, given: NoInput) -> HealthResult:
    """Return everything that could stand in the way, each with what is known about it."""
    tasks = session.tasks()
    stale = find_stale_facts(session)
    settings = session.place.settings()
    count = session.place.read_thoughts().readings[0].how_many("claim")
    found = [
        _writable(session),
        _state(session),
        DiagnosticFinding(check="task_authority", ok=not tasks.unsure, detail=tasks.unsure or tasks.authority),
        DiagnosticFinding(check="tasks_verified", ok=not tasks.awaiting, detail=tasks.awaiting),
        DiagnosticFinding(check="thought_db", ok=True, detail=f"{count} claims"),
        DiagnosticFinding(check="facts", ok=not stale, detail=f"{len(stale)} stale" if stale else ""),
        DiagnosticFinding(check="command_evidence", ok=True, detail="on" if settings.evidence.allow_command else "off"),
        DiagnosticFinding(check="log", ok=os.path.exists(session.place.log), detail=session.place.log),
    ]
    return HealthResult(ok=all(one.ok for one in found if one.check != "log"), findings=found)


def _writable(session: ContractSession) -> DiagnosticFinding:
    folder = session.place.folder
    ok = os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    return DiagnosticFinding(check="home", ok=ok, detail=folder)


def _state(session: ContractSession) -> DiagnosticFinding:
    """Return whether the session's state can be read; a broken one means that everything is asked for again."""
    path = session.state_file.path
    try:
        with open(path, "rb") as file:
            decode(file.read(), SessionState)
    except FileNotFoundError:
        return DiagnosticFinding(check="state", ok=True, detail="new")
    except (OSError, BadJson) as error:
        return DiagnosticFinding(check="state", ok=False, detail=str(error))
    return DiagnosticFinding(check="state", ok=True, detail=path)


class MetadataResult(Struct, frozen=True, kw_only=True):
    """The session as it stands."""

    project_id: str
    root: str
    client: str
    run_id: str
    version: str
    mode: str
    receipts: int
    last_recall: str
    pointer: str
    steps: int
    counters: dict[str, int]
    event_id: str


def memory_run_metadata(session: ContractSession, given: NoInput) -> MetadataResult:
    """Return who works where, in which mode and how far; leaves an event."""
    state = session.state
    counting = [one for one in state.receipts if not one.void]
    event_id = _note(session, "memory_run_metadata", "recorded", f"mi {__version__}", "")
    return MetadataResult(
        project_id=session.place.project_id,
        root=session.place.root,
        client=session.name,
        run_id=session.log.run_id,
        version=__version__,
        mode=state.mode or "",
        receipts=len(counting),
        last_recall=counting[-1].ts if counting else "",
        pointer=state.pointer,
        steps=state.steps,
        counters=state.counters,
        event_id=event_id,
    )


class ClaimInput(Struct, frozen=True, kw_only=True):
    success: Annotated[bool, Meta(description="Whether the work succeeded.")]
    enforced: Annotated[bool, Meta(description="Whether a boundary enforced the contract meanwhile.")]
    boundary: Annotated[str, Meta(description="Which: mcp, hook, cli, self.")] = ""
    details: str = ""


class ClaimResult(Struct, frozen=True, kw_only=True):
    event_id: str
    outcome: str
    violation_id: str
    open_tasks: int


def memory_claim_success(session: ContractSession, given: ClaimInput) -> ClaimResult:
    """Say how the work ended; success that nothing enforced is noted for the audit."""
    boundary = arguments.check_text("boundary", given.boundary, line=True)
    details = arguments.check_text("details", given.details)
    outcome = "success" if given.success else "failure"
    event_id = _note(session, "memory_claim_success", outcome, details, boundary or session.boundary)
    violation_id = ""
    if given.success and not given.enforced:
        violation_id = session.violation("UNENFORCED_SUCCESS", "memory_claim_success", "recorded", details)
    leaves = [task for task in session.tasks().tasks if task.leaf and not task.checked]
    return ClaimResult(event_id=event_id, outcome=outcome, violation_id=violation_id, open_tasks=len(leaves))


def _note(session: ContractSession, tool: str, outcome: str, details: str, boundary: str) -> str:
    state = session.state
    return session.append(
        Gate(
            tool=tool,
            client=session.name,
            mode=state.mode or "",
            task_id=state.pointer,
            boundary=boundary or session.boundary,
            outcome=outcome,
            details=details,
        )
    )


class AuthorityResult(Struct, frozen=True, kw_only=True):
    """Whether work may go on, on which task, and if not, why and what then."""

    authority: str
    exists: bool
    required: bool
    resolved: bool
    code: str
    pointer: str
    pointer_title: str
    open: int
    done: int
    checklist: list[gate.Precondition]
    next: gate.AllowedCall | None


def memory_check_task_authority(session: ContractSession, given: NoInput) -> AuthorityResult:
    """Return the state of task authority and of the whole gate for a write; asks, changes nothing."""
    pointer = session.tasks().pointer
    verdict = session.judge(gate.MutationRequest("memory_write", "memory", task_id=pointer))
    tasks, state = session.tasks(), session.state
    leaves = [task for task in tasks.tasks if task.leaf]
    current = tasks.find(tasks.pointer)
    by_item: dict[str, Any] = {one.item: one.done for one in verdict.checklist}
    return AuthorityResult(
        authority=tasks.authority,
        exists=tasks.exists,
        required=state.mode == "STRICT" or tasks.exists or state.steps > 1,
        resolved=by_item["tasks"] and by_item["task authority"],
        code=verdict.code,
        pointer=tasks.pointer,
        pointer_title=current.title if current else "",
        open=sum(not one.checked for one in leaves),
        done=sum(one.checked for one in leaves),
        checklist=list(verdict.checklist),
        next=verdict.next,
    )


def sessions(folder: str, notices: Notices) -> dict[str, SessionState]:
    """Return the state of every client that worked here."""
    try:
        names = sorted(name for name in os.listdir(folder) if _SESSION.fullmatch(name))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    files = [StateFile(os.path.join(folder, name), notices) for name in names]
    return {file.name: file.read() for file in files}


def violations(log: str, count: int | None, notices: Notices) -> list[Violation]:
    """Return the latest violations of a project, newest first."""
    found = (event.record() for event in read_back(log, notices) if event.head.kind == "violation")
    kept = (one for one in found if isinstance(one, Violation))
    return list(islice(kept, count))
