"""extract_evidence: what a batch showed, in a few sentences each."""

from typing import Literal

from msgspec import Struct

from mi.mind.prompt import Prompt, Section
from mi.mind.sections import batch_sections, command_line, person_sections, repository_section, transcript_section
from mi.mind.views import Case

_INSTRUCTION = """\
Extract what this batch of the agent's work showed. facts: what is now known; actions: commands run and files
edited; results: outcomes with exit codes; unknowns: what is claimed but was not shown; risk_signals: external,
destructive or costly actions that really happened (not ones merely mentioned), each as `category: what was done`, the
category one of network, install, push, publish, delete, privilege, privacy, cost, other. At most 8 short items each.
Claims of the agent are not facts."""


class NextAction(Struct, frozen=True, kw_only=True):
    kind: Literal["command", "edit", "other"]
    detail: str


class ExtractedEvidence(Struct, frozen=True, kw_only=True):
    facts: list[str]
    actions: list[NextAction]
    results: list[str]
    unknowns: list[str]
    risk_signals: list[str]


def _sections(case: Case) -> list[Section]:
    batch = case.batch
    seen = batch.transcript_observation
    counts = ", ".join(f"{name} {count}" for name, count in seen.item_type_counts.items())
    return [
        *person_sections(case.person),
        Section("HANDS", batch.provider, 0.1),
        repository_section(case.repo),
        *batch_sections(batch, case.run_diff, case.proof),
        Section("DIFF STAT", batch.diff_stat, 0.5),
        Section("EVENTS", "\n".join(filter(None, [counts, *seen.non_command_actions[-10:]])), 0.3),
        transcript_section(batch),
    ]


def _rules(case: Case) -> ExtractedEvidence:
    batch = case.batch
    commands = [NextAction(kind="command", detail=one.command) for one in batch.commands[-20:] if not one.refused]
    edits = [NextAction(kind="edit", detail=path) for path in batch.changed_files[:20]]
    unknowns = []
    if batch.marks.claimed and not batch.marks.verified:
        unknowns.append("the agent says it is done; no check after the last change shows it")
    if not batch.ended:
        unknowns.append("the batch did not end by itself")
    facts = [f"{len(batch.changed_files)} files changed"] if batch.changed_files else ["nothing changed"]
    checks = [command_line(one) for one in batch.commands if one.is_check]
    return ExtractedEvidence(
        facts=facts + [f"judge changed: {way}" for way in batch.changed_judges],
        actions=commands + edits,
        results=checks[-8:] + batch.errors[-4:],
        unknowns=unknowns,
        risk_signals=batch.risk_signals,
    )


extract_evidence = Prompt("extract_evidence", ExtractedEvidence, _INSTRUCTION, _sections, _rules)
