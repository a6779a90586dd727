"""Parts that several prompts show."""

import re

from mi.evidence.records.hands import RepoObservation
from mi.evidence.records.workflow_ir import Workflow
from mi.mind.language import is_inquiry, left_open
from mi.mind.prompt import Section, bullets
from mi.mind.shown_diff import cut_hunks, show_diff
from mi.mind.views import (
    BatchView,
    Case,
    CitableText,
    FollowedWorkflow,
    PartView,
    Person,
    ProjectView,
    ProofView,
    SeenCommand,
)


def cited(items: list[CitableText]) -> str:
    """Items with the id to cite them by."""
    return bullets([f"[{item.id}] {item.text}" for item in items])


def person_sections(person: Person) -> list[Section]:
    """Return what the person thinks."""
    return [
        Section("VALUES", cited(person.values), 2),
        Section("PREFERENCES", cited(person.preferences)),
        Section("KNOWN FACTS", cited(person.facts)),
        unsure_section(person),
    ]


def unsure_section(person: Person) -> Section:
    """Return what the person wants where nothing decides."""
    unsure = "ask the person" if person.ask_when_uncertain else "take the safest reasonable choice"
    return Section("WHEN UNSURE", unsure, 0.1)


def batch_sections(batch: BatchView, diff: str = "", proof: ProofView | None = None) -> list[Section]:
    """Return what the agent was told, did and said; `diff`: all that the run changed."""
    marks = ", ".join(name for name in ("ran", "claimed", "verified") if getattr(batch.marks, name)) or "none"
    shown = show_diff(diff)
    return [
        Section("TASK", batch.task, 1),
        Section("PARTS OF THE TASK", bullets([_part_line(part) for part in batch.parts]), 0.5),
        Section("SENT TO THE AGENT", batch.batch_input if batch.batch_input != batch.task else "", 0.5),
        Section("CODE CHANGED", shown.code, 4, cut_hunks),
        Section("TESTS CHANGED", shown.tests, 2, cut_hunks),
        Section("CHANGED, NOT SHOWN", shown.named, 0.3),
        Section("FILES CHANGED", bullets(batch.changed_files[:60]), 0.5),
        Section("JUDGES CHANGED UNASKED", batch.judges_shown or bullets(batch.changed_judges), 0.5),
        Section("COMMANDS SEEN", bullets([command_line(one) for one in batch.commands[-30:]]), 1),
        Section("FAILED CHECKS", _failed_checks(batch), 2, _cut_tails),
        Section("COVERED BY CHECKS THAT PASSED", bullets(batch.covered), 0.3),
        Section("NOT COVERED, STILL TO BE RUN", bullets(batch.uncovered), 0.3),
        Section("MI'S OWN RUN OF THE CHECKS", _proof_text(proof), 1),
        Section("ERRORS", bullets(batch.errors[-10:]), 0.5),
        Section("RISK SIGNALS", bullets(batch.risk_signals), 0.3),
        Section("MARKS", marks, 0.1),
        Section("LEFT OPEN BY THE AGENT", bullets(left_open(batch.last_message, is_inquiry(batch.task))[:10]), 0.3),
        Section("AGENT'S LAST MESSAGE", batch.last_message, 3),
    ]


def _part_line(part: PartView) -> str:
    """Return a part of the task with what the work tree shows of it."""
    missing = f"; missing: {'; '.join(part.missing)}" if part.missing else ""
    return f"{part.state}: {part.text}{missing}"


def _proof_text(proof: ProofView | None) -> str:
    """Return the verdict of MI's own run; '' without one."""
    if proof is None:
        return ""
    verdict = {True: "proved", False: "not proved", None: "no proof could be had"}[proof.proved]
    said = [f"{verdict}: {proof.command}" if proof.command else verdict, proof.why, proof.for_agent, proof.question]
    return "\n".join(dict.fromkeys(one for one in said if one))


def _failed_checks(batch: BatchView) -> str:
    """Return the checks that failed, each with the end of what it printed; the latest run of a command tells."""
    failed = [*batch.unsettled, *(one for one in batch.commands if one.is_check or one.could_not_start)]
    latest = {one.command: one for one in failed}
    shown = [one for one in latest.values() if one.exit_code not in (0, None)]
    return "\n".join(f"$ {command_line(one)}\n{one.output_tail}".rstrip() for one in shown)


def _cut_tails(text: str, limit: int) -> str:
    """Return the ends of what failed checks printed, each with the same room: errors stand at the end."""
    outputs = [part for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE) if part]
    room = max(80, limit // max(1, len(outputs)))
    cut = []
    for one in outputs:
        command, _, printed = one.rstrip("\n").partition("\n")
        cut.append(f"{command}\n{printed[-max(0, room - len(command)) :]}")
    return "\n".join(cut)


def project_sections(project: ProjectView) -> list[Section]:
    """Return what the project offers for checking."""
    strategy = project.testless_strategy
    return [
        Section("CHECK COMMANDS", bullets(project.check_commands), 0.3),
        Section("WHAT COUNTS WITHOUT TESTS", cited([strategy]) if strategy else "", 0.3),
    ]


def repository_section(repo: RepoObservation) -> Section:
    """Return the state of the repository after the batch."""
    lines = [f"HEAD {repo.git_head}" if repo.git_head else "", repo.git_status_porcelain, repo.git_diff_stat]
    return Section("REPOSITORY", "\n".join(line for line in lines if line), 0.5)


def case_sections(case: Case) -> list[Section]:
    """Return everything about a batch: what seldom changes first, so that vendors can cache it.

    The thoughts gathered for one decision say what the person thinks, and more.
    """
    gathered = [Section("thought_db_context", case.thoughts.text, 3), unsure_section(case.person)]
    return [
        *(gathered if case.thoughts.text else person_sections(case.person)),
        Section("mindspec_base", case.mindspec_base, 0.5),
        Section("HANDS", case.batch.provider, 0.1),
        *project_sections(case.project),
        *workflow_sections(case.workflow),
        Section("RECENT EVIDENCE", cited(case.recent), 1),
        Section("STILL UNKNOWN OF THIS BATCH", bullets(case.unknowns), 0.5),
        repository_section(case.repo),
        *batch_sections(case.batch, case.run_diff, case.proof),
    ]


def workflow_sections(followed: FollowedWorkflow | None) -> list[Section]:
    """Return the workflow that is followed: its steps, and where it stands."""
    if followed is None:
        return []
    text = f"{followed.workflow.name}\n{step_list(followed.workflow, followed.completed)}"
    return [Section("WORKFLOW THAT IS FOLLOWED", text, 1)]


def step_list(workflow: Workflow, completed: list[str]) -> str:
    """Return the steps of a workflow with their ids, those that are done marked."""
    lines = []
    for step in workflow.steps:
        mark = "x" if step.id in completed else " "
        kind = f"gate, {step.policy}" if step.kind == "gate" else step.kind
        said = step.text if step.text == step.title or not step.title else f"{step.title}: {step.text}"
        lines.append(f"[{mark}] {step.id} ({kind}): {said}")
    return bullets(lines)


def transcript_section(batch: BatchView) -> Section:
    """Return what the agent's commands printed."""
    return Section("TRANSCRIPT", batch.transcript_excerpt, 2)


def command_line(seen: SeenCommand) -> str:
    """Return a command with what came of it."""
    if seen.refused:
        return f"{seen.command} (refused, never ran)"
    code = "still running" if seen.exit_code is None else f"exit {seen.exit_code}"
    check = (
        ", a check" + (" after the last change" if seen.after_last_change else ", but files changed after it")
        if seen.is_check
        else ""
    )
    check += ", only a part of the tests" if seen.partial else ""
    check += ", could not run here" if seen.could_not_start else ""
    return f"{seen.command} ({code}{check})"
