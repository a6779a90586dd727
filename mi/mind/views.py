"""What a Mind is shown: facts about a batch and what the person thinks, each with the id it can be cited by."""

from msgspec import Struct, field

from mi.evidence.records.hands import TranscriptObservation
from mi.evidence.records.run import Marks


class Said(Struct, frozen=True, kw_only=True):
    """A claim, node or event that an answer may cite."""

    id: str
    text: str


class SeenCommand(Struct, frozen=True, kw_only=True):
    """A command the agent was seen to run; a check proves something only after the last change."""

    command: str
    exit_code: int | None
    is_check: bool = False
    after_last_change: bool = False


class Batch(Struct, frozen=True, kw_only=True):
    """What one batch showed."""

    task: str
    batch_input: str = ""
    provider: str = ""
    ended: bool = True
    last_message: str = ""
    commands: list[SeenCommand] = []
    shows_commands: bool = True  # False: this agent shows no command results
    changed_files: list[str] = []
    weakened_tests: list[str] = []
    questions: list[str] = []
    errors: list[str] = []
    risk_signals: list[str] = []
    diff_stat: str = ""
    transcript_excerpt: str = ""
    hands_transcript_ref: str = ""
    transcript_observation: TranscriptObservation = field(default_factory=TranscriptObservation)
    marks: Marks = field(default_factory=Marks)

    @property
    def failed_checks(self) -> list[SeenCommand]:
        return [
            one for one in self.commands if one.is_check and one.after_last_change and one.exit_code not in (0, None)
        ]


class Person(Struct, frozen=True, kw_only=True):
    """What the person thinks and wants, as far as MI knows."""

    values: list[Said] = []
    preferences: list[Said] = []
    facts: list[Said] = []
    ask_when_uncertain: bool = True

    def everything(self) -> list[Said]:
        """All that can be cited, the person's own word first."""
        return [*self.values, *self.preferences, *self.facts]


class Project(Struct, frozen=True, kw_only=True):
    """What is known about the project a batch worked on."""

    check_commands: list[str] = []
    has_tests: bool = False
    testless_strategy: Said | None = None
    stack_hints: list[str] = []


class Case(Struct, frozen=True, kw_only=True):
    """Everything a judgement about a batch may look at."""

    batch: Batch
    person: Person = field(default_factory=Person)
    project: Project = field(default_factory=Project)
    recent: list[Said] = []
    checks_requested: int = 0  # how often a check was already asked for since the last change


class LoopCase(Struct, frozen=True, kw_only=True):
    """A repetition that was noticed before the next input goes out."""

    case: Case
    pattern: str
    reason: str
    next_input: str


class SegmentCase(Struct, frozen=True, kw_only=True):
    """A stretch of a run that may be complete."""

    task: str
    events: list[Said]
    batches: int
    planned_next_input: str = ""
    status_hint: str = ""
