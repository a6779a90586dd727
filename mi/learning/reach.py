"""How far a lesson reached: who cites what a run or an event taught, before it is taken back and after."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from mi.evidence.records.table import TRUST
from mi.kernel import jsonl
from mi.kernel.jsontext import BadJson, decode_stored, encode
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.graph import label
from mi.knowledge.thoughts.kinds import RESTS_ON
from mi.knowledge.thoughts.stores import CombinedStores
from mi.learning.why import CITED, list_ids
from mi.workflows.store import WorkflowStore

Role = Literal["rests_on", "supported_by", "cites", "in_view"]


def acts_by_thoughts(kind: str) -> bool:
    """Return whether an event that names a thought went by it: whatever a person says, or asks, only speaks of it."""
    return TRUST.get(kind) != "user" and kind != "why_trace"


class Citation(NamedTuple):
    """Somebody who cites a lesson: a standing thought, a workflow, a run, or an answer that MI gave by it."""

    kind: Literal["claim", "node", "workflow", "run", "answer"]
    id: str
    role: Role
    text: str
    cites: list[str]


class Lesson(NamedTuple):
    """What would be taken back: thoughts and workflows, and the events that taught them."""

    ids: frozenset[str]
    holds: Callable[[str], bool]


def find_citing_thoughts(lesson: Lesson, thoughts: CombinedStores) -> list[Citation]:
    """Return the standing thoughts that rest on a lesson and are no part of it."""
    found: dict[str, Citation] = {}
    for one in sorted(lesson.ids):
        rests = [(edge, edge.from_id) for edge in thoughts.edges(one, "in", RESTS_ON)]
        supported = [(edge, edge.to_id) for edge in thoughts.edges(one, "out", ("supports",))]
        for edge, other in [*rests, *supported]:
            thought = thoughts.get(other) if edge.id not in lesson.ids and other not in lesson.ids else None
            if thought is None or thought.status != "active" or thought.kind == "edge":
                continue
            role: Role = "rests_on" if edge.from_id == other else "supported_by"
            known = found.setdefault(other, Citation(thought.kind, other, role, label(thought), []))
            known.cites.append(one)
    return list(found.values())


def find_citing_workflows(lesson: Lesson, stores: Iterable[WorkflowStore]) -> list[Citation]:
    """Return the workflows that name something of a lesson and are no part of it."""
    found = []
    for store in stores:
        for workflow in store.all():
            said = encode(workflow).decode()
            cites = sorted(one for one in lesson.ids if one in said) or [
                one for one in workflow.source.evidence_refs if lesson.holds(one)
            ]
            if cites and workflow.id not in lesson.ids:
                found.append(Citation("workflow", workflow.id, "cites", workflow.name, cites))
    return found


def find_citing_runs(lesson: Lesson, log: str) -> list[Citation]:
    """Return the answers that MI gave by a lesson, and the runs that decided by it or had it in view, latest first."""
    answers: list[Citation] = []
    runs: dict[str, Citation] = {}
    for event, roles in _read_citing(lesson, log):
        run, said = str(event.get("run_id") or ""), _read_answer(event)
        cites = [one for one, role in roles.items() if role == "cites"]
        if said is not None and cites:
            answers.append(Citation("answer", str(event["event_id"]), "cites", said, cites))
        if run.startswith("run_"):
            runs[run] = _join(runs.pop(run, Citation("run", run, "in_view", "", [])), roles)
    return [*reversed(runs.values()), *reversed(answers)]


def _read_answer(event: dict[str, Any]) -> str | None:
    """Return what MI answered an agent in the person's place; None for any other event."""
    if event.get("kind") == "answered_alone":
        return str(event.get("answer") or "")
    said = event.get("auto_answer")
    return str(said.get("hands_answer_input") or "") if isinstance(said, dict) and said.get("should_answer") else None


def _join(known: Citation, roles: dict[str, Role]) -> Citation:
    cites = list(dict.fromkeys([*known.cites, *roles]))
    return known._replace(cites=cites, role="cites" if "cites" in (known.role, *roles.values()) else "in_view")


def _read_citing(lesson: Lesson, log: str) -> Iterator[tuple[dict[str, Any], dict[str, Role]]]:
    """Yield the events of a log that name something of a lesson, with what they name and how."""
    if not lesson.ids:
        return
    for line in jsonl.find_lines_holding(log, *(one.encode() for one in lesson.ids)):
        try:
            event = decode_stored(line, dict[str, Any])
        except BadJson:
            continue
        roles = {one: role for one, role in find_roles(event).items() if one in lesson.ids}
        if roles and acts_by_thoughts(str(event.get("kind"))) and not lesson.holds(str(event.get("event_id"))):
            yield event, roles


def find_roles(event: dict[str, Any]) -> dict[str, Role]:
    """Return every id that an event names, and whether it cites it or only had it in view."""
    roles: dict[str, Role] = {}
    for name, one in list_ids(event):
        if roles.get(one) != "cites":
            roles[one] = "cites" if name in (*CITED, "workflow_id") else "in_view"
    return roles


class TakenBack(NamedTuple):
    """Something that a run went by and that was taken back since, and the event that says so."""

    id: str
    role: Role
    by: str


def find_run_roles(log: str, run_id: str, start: int) -> dict[str, Role]:
    """Return every id that the events of a run name, and how; the log is read from `start` on."""
    roles: dict[str, Role] = {}
    for line in jsonl.find_lines_holding(log, run_id.encode(), start=start):
        try:
            event = decode_stored(line, dict[str, Any])
        except BadJson:
            continue
        if event.get("run_id") == run_id and acts_by_thoughts(str(event.get("kind"))):
            roles |= {one: role for one, role in find_roles(event).items() if roles.get(one) != "cites"}
    return roles


def find_taken_back(roles: dict[str, Role], thoughts: CombinedStores, undone_workflows: str) -> list[TakenBack]:
    """Return what of these ids does not hold any more: retracted thoughts, workflows that were set aside."""
    return [*_retracted(roles, thoughts), *_set_aside(roles, undone_workflows)]


def _retracted(roles: dict[str, Role], thoughts: CombinedStores) -> Iterator[TakenBack]:
    for one, role in roles.items():
        thought = thoughts.get(one)
        if thought is not None and thought.status == "retracted":
            refs = (thoughts.retraction(thought) or {}).get("source_refs") or [{}]
            yield TakenBack(one, role, str(refs[-1].get("event_id") or ""))


def _set_aside(roles: dict[str, Role], folder: str) -> Iterator[TakenBack]:
    for one, role in roles.items():
        if re.fullmatch(r"wf_\w+", one) and os.path.exists(os.path.join(folder, f"{one}.json")):
            yield TakenBack(one, role, "")
