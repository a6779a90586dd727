"""Parts that several prompts show."""

from mi.mind.prompt import Section, bullets
from mi.mind.views import Batch, Case, Person, Project, Said, SeenCommand


def cited(items: list[Said]) -> str:
    """Items with the id to cite them by."""
    return bullets([f"[{item.id}] {item.text}" for item in items])


def person_sections(person: Person) -> list[Section]:
    """What the person thinks."""
    unsure = "ask the person" if person.ask_when_uncertain else "take the safest reasonable choice"
    return [
        Section("VALUES", cited(person.values), 2),
        Section("PREFERENCES", cited(person.preferences)),
        Section("KNOWN FACTS", cited(person.facts)),
        Section("WHEN UNSURE", unsure, 0.1),
    ]


def batch_sections(batch: Batch) -> list[Section]:
    """What the agent was told, did and said."""
    marks = ", ".join(name for name in ("ran", "claimed", "verified") if getattr(batch.marks, name)) or "none"
    return [
        Section("TASK", batch.task, 1),
        Section("SENT TO THE AGENT", batch.batch_input if batch.batch_input != batch.task else "", 0.5),
        Section("COMMANDS SEEN", bullets([command_line(one) for one in batch.commands[-30:]]), 1),
        Section("FILES CHANGED", bullets(batch.changed_files[:60]), 0.5),
        Section("TESTS WEAKENED", bullets(batch.weakened_tests), 0.3),
        Section("ERRORS", bullets(batch.errors[-10:]), 0.5),
        Section("RISK SIGNALS", bullets(batch.risk_signals), 0.3),
        Section("MARKS", marks, 0.1),
        Section("AGENT'S LAST MESSAGE", batch.last_message, 3),
    ]


def project_sections(project: Project) -> list[Section]:
    """What the project offers for checking."""
    strategy = project.testless_strategy
    return [
        Section("CHECK COMMANDS", bullets(project.check_commands), 0.3),
        Section("WHAT COUNTS WITHOUT TESTS", cited([strategy]) if strategy else "", 0.3),
        Section("STACK", ", ".join(project.stack_hints), 0.1),
    ]


def case_sections(case: Case) -> list[Section]:
    """Everything about a batch."""
    return [
        *person_sections(case.person),
        *project_sections(case.project),
        Section("RECENT EVIDENCE", cited(case.recent), 1),
        *batch_sections(case.batch),
    ]


def command_line(seen: SeenCommand) -> str:
    """A command with what came of it."""
    code = "still running" if seen.exit_code is None else f"exit {seen.exit_code}"
    check = (
        ", a check" + (" after the last change" if seen.after_last_change else ", but files changed after it")
        if seen.is_check
        else ""
    )
    return f"{seen.command} ({code}{check})"
