"""What a Mind is shown: facts about a batch and what the person thinks, each with the id it can be cited by."""

import re
from typing import Any, Literal

from msgspec import Struct, convert, field

from mi.evidence.records.hands import RepoObservation, TranscriptObservation
from mi.evidence.records.mind import Risk, ThoughtsUsed
from mi.evidence.records.run import Marks
from mi.evidence.records.workflow_ir import Workflow, WorkflowStep
from mi.governance.operations import Level
from mi.kernel.language import compiled, patterns
from mi.kernel.secrets import Redacted
from mi.mind.language import hangs_on_check, is_inquiry, left_open
from mi.project.checks.file_kinds import is_lock, is_output, is_prose, is_test

# A text that begins like this is a command, not a sentence.
_COMMAND = re.compile(
    r"(?:\./|[\w./-]+\.(?:sh|py|js|rb|pl)\b|(?:python[\d.]*|node|npm|npx|pnpm|yarn|bun|deno|make|just|go|cargo|ruby|rake"
    r"|php|java|bash|sh|docker|terraform|helm|shellcheck|yamllint|markdownlint|mkdocs|hugo|latexmk|pdflatex|jq|tsc|uv"
    r"|poetry|dotnet|mvn|gradle|ctest|cmake|bats|ansible-\w+)\s)"
)


def is_command(said: str) -> bool:
    """Return whether a text is a command and nothing else."""
    return bool(_COMMAND.match(said)) and len(said.split()) <= 8 and not said.endswith(patterns().full_stops)


class CitableText(Struct, frozen=True, kw_only=True):
    """A claim, node or event that an answer may cite."""

    id: str
    text: str
    by_person: bool = True  # an event may also tell what the agent or a Mind said
    said_at: str = ""
    asked: str = ""  # the question that it answers
    names: tuple[str, ...] = ()  # what it tells of and can be cited in its stead


class AnsweredBefore(Struct, frozen=True, kw_only=True):
    """An answer of the person to an agent's question, kept as a claim."""

    id: str
    question: str
    answer: str
    said_at: str = ""

    @property
    def text(self) -> str:
        """Return both, as the claim says it."""
        return f"{self.question} → {self.answer}"


class SeenCommand(Struct, frozen=True, kw_only=True):
    """A command the agent was seen to run, or tried to; a check proves something only after the last change."""

    command: str
    exit_code: int | None
    is_check: bool = False
    after_last_change: bool = False
    kind: str = ""  # of the check: test, build or lint
    selection: list[str] = []  # what of the check was run; [] is all of it
    refused: bool = False  # the agent's permissions or a hook forbade it: it never ran
    partial: bool = False  # tests were left out: it verifies nothing by itself
    could_not_start: bool = False  # a check whose program is not there: it shows nothing about the work
    scope: list[str] = []  # the packages it covers, each with a language
    red: int = 0  # how many tests its output says failed
    output_tail: str = ""  # the last lines of what a failed check printed

    @property
    def passed(self) -> bool:
        """Return whether it is a check that passed on the work as it is."""
        return self.is_check and self.after_last_change and self.exit_code == 0

    def settles(self, failed: "SeenCommand") -> bool:
        """Return whether this check, which passed, takes back that another one failed on the same work."""
        is_elsewhere = bool(self.scope) and not set(failed.scope) <= set(self.scope)
        if self.kind not in (failed.kind, "test") or is_elsewhere:
            return False
        is_whole = not self.partial if self.kind == "test" else not self.selection
        return is_whole or (self.partial == failed.partial and self.selection == failed.selection)


def unsettled(commands: list[SeenCommand], before: list[SeenCommand] | None = None) -> list[SeenCommand]:
    """Return the checks that failed on the work as it is, and that no check at least as wide has passed since."""
    found = list(before or [])
    for one in commands:
        if not one.is_check or not one.after_last_change or one.exit_code is None:
            continue
        if one.exit_code == 0:
            found = [failed for failed in found if not one.settles(failed)]
        else:
            found.append(one)
    return found


class ChangeSize(Struct, frozen=True, kw_only=True):
    """How much a run has changed after a batch, as the team's rules count it."""

    units: int = 0
    lines: int = 0
    dirs: int = 0
    files: int = 0
    flags: list[str] = []
    id: str = ""  # of the change itself: another one has another id


class PartView(Struct, frozen=True, kw_only=True):
    """One part of the task, and what the work tree shows of it."""

    text: str
    state: Literal["done", "open", "unclear"] = "unclear"
    missing: list[str] = []  # what it names and the tree does not show, in words for the agent
    seen: list[str] = []  # what it names


class JudgedPart(Struct, frozen=True, kw_only=True):
    """One part of the task as a Mind judged it, with the evidence for it."""

    text: str
    state: Literal["done", "open", "unclear"]
    cited_ids: list[str]


class ProofView(Struct, frozen=True, kw_only=True):
    """What MI's own run of the checks showed; `proved` is None where no proof could be had, and `why` says why."""

    proved: bool | None = None
    why: str = ""
    for_agent: str = ""  # what differs, in words that the agent can act upon
    open_count: int = 0  # tests and judges that stand against it
    question: str = ""  # what only the person can decide about a judge that was changed
    only_judges: bool = False  # nothing but changed judges stands against it, or code that notices them
    command: str = ""  # that was run
    id: str = ""  # by which the person's word about it is remembered
    accepted: bool = False  # the person said yes to what speaks against it


class BatchView(Struct, frozen=True, kw_only=True):
    """What one batch showed."""

    task: str
    batch_input: str = ""
    provider: str = ""
    ended: bool = True
    last_message: str = ""
    commands: list[SeenCommand] = []
    unsettled: list[SeenCommand] = []  # checks that failed after the last change, and passed not since
    shows_commands: bool = True  # False: this agent shows no command results
    changed_files: list[str] = []
    prose_only: bool = False  # nothing changed that anything runs
    covered: list[str] = []  # of the checks that the change needs, those that passed on the tree as it is …
    uncovered: list[str] = []  # … and those still to be run, as typed at the root
    changed_judges: list[str] = []  # tests, fixtures, recipes, settings that are not as they were, though nobody asked
    judges_shown: str = ""  # the same with the lines before and after
    judge_ids: list[str] = []  # by which the person's word about them is remembered
    check_passed: bool = False  # whether the mark `verified` would hold but for the judges
    removed_as_asked: list[str] = []  # test files whose deletion was the task
    parts: list[PartView] = []  # of the task
    history_moved: bool = False  # a commit, branch or tag was made since the run began
    changed_now: bool = False  # in this batch
    questions: list[str] = []
    errors: list[str] = []
    risk_signals: list[str] = []
    risk_levels: dict[str, Level] = {}  # how grave the signals of commands are
    diff_stat: str = ""
    transcript_excerpt: Redacted = Redacted("")  # the latest commands with the end of their output
    hands_transcript_ref: str = ""
    transcript_observation: TranscriptObservation = field(default_factory=TranscriptObservation)
    marks: Marks = field(default_factory=Marks)
    change: ChangeSize = field(default_factory=ChangeSize)

    @property
    def passed_checks(self) -> list[str]:
        """Return the checks of this batch that passed on the work as it is."""
        return [one.command for one in self.commands if one.passed]

    @property
    def failed_checks(self) -> list[SeenCommand]:
        """Return the checks of this batch that failed on the work as it is."""
        return unsettled(self.commands)

    @property
    def verdict(self) -> str:
        """Return what the checks showed: judges-changed, verified, failed or unverified; '' with nothing to verify."""
        if self.changed_judges:
            return "judges-changed"
        if self.marks.verified:
            return "verified"
        if self.failed_checks:
            return "failed"
        return "unverified" if self.changed_files else ""


def read_batch(seen: dict[str, Any]) -> BatchView:
    """Return a batch as a record keeps it, also one of the last version, which called the judges weakened tests."""
    return convert({"changed_judges": seen.get("weakened_tests", []), **seen}, BatchView)


class Person(Struct, frozen=True, kw_only=True):
    """What the person thinks and wants, as far as MI knows."""

    values: list[CitableText] = []
    preferences: list[CitableText] = []
    facts: list[CitableText] = []
    answers: list[AnsweredBefore] = []  # to earlier questions of agents, those that may bear on the present ones
    ask_when_uncertain: bool = True

    def everything(self) -> list[CitableText]:
        """Return all that can be cited, the person's own word first."""
        return [*self.values, *self.answered(), *self.preferences, *self.facts]

    def answered(self) -> list[CitableText]:
        """Return their answers to earlier questions, as they are cited."""
        return [CitableText(id=one.id, text=one.text, said_at=one.said_at) for one in self.answers]

    def thoughts(self) -> list[CitableText]:
        """Return what they value, prefer and know, without their answers to questions."""
        return [*self.values, *self.preferences, *self.facts]


class ThoughtContext(Struct, frozen=True, kw_only=True):
    """The thoughts of the project and of all projects that bear on one decision, and their ids."""

    text: str = ""
    used: ThoughtsUsed = field(default_factory=ThoughtsUsed)

    def ids(self) -> set[str]:
        """Return what a decision may cite of it."""
        used = self.used
        return {*used.node_ids, *used.values_claim_ids, *used.pref_goal_claim_ids, *used.query_claim_ids}


class ProjectView(Struct, frozen=True, kw_only=True):
    """What is known about the project a batch worked on."""

    check_commands: list[str] = []
    has_tests: bool = False
    testless_strategy: CitableText | None = None

    @property
    def agreed_commands(self) -> list[str]:
        """Return the commands that the person said count without tests: in backquotes, or all that they said."""
        said = self.testless_strategy.text.strip() if self.testless_strategy else ""
        return re.findall(r"`([^`]+)`", said) or ([said] if is_command(said) else [])


class FollowedWorkflow(Struct, frozen=True, kw_only=True):
    """A workflow that the run follows, and how far it is; `stalled`: the last batch brought it no further."""

    workflow: Workflow
    completed: list[str] = []
    next_step: WorkflowStep | None = None
    stalled: bool = False


class Case(Struct, frozen=True, kw_only=True):
    """Everything a judgement about a batch may look at."""

    batch: BatchView
    person: Person = field(default_factory=Person)
    project: ProjectView = field(default_factory=ProjectView)
    workflow: FollowedWorkflow | None = None
    language: str = "en"  # in which the person is spoken to
    mindspec_base: str = ""  # the runtime's knobs and the project's overlay, as JSON
    repo: RepoObservation = field(default_factory=RepoObservation)
    recent: list[CitableText] = []
    thoughts: ThoughtContext = field(default_factory=ThoughtContext)  # for decide_next, built just before it
    risk: Risk | None = None  # how the batch's risk signals were judged
    checks_requested: int = 0  # how often a check was already asked for since the last change
    told: dict[str, int] = {}  # by row of `done`: how much was open when the agent was told of it last
    judges_accepted: bool = False  # the person said yes to a change of what judges the work
    will_prove: bool = False  # the person wants MI's own run before a run is done
    proof: ProofView | None = None  # of the tree as it is now
    unknowns: list[str] = []  # of the batch: what is claimed but was not shown
    planned_checks: str = ""  # what the agent will be asked to run together with an answer
    check_intent: str = ""  # what a check must show now, whatever was asked for before
    person_said: str = ""  # what the person just answered to decide_next
    diff: str = ""  # what the batch changed; '' when it was seen by an earlier process
    run_diff: str = ""  # what the run changed until now

    # What `done` rests on; mi/mind/closing.py says what follows when one does not hold.

    @property
    def ran(self) -> bool:
        """Return whether the agent's own last event was seen."""
        return self.batch.ended

    @property
    def left_open(self) -> list[str]:
        """Return the sentences of the agent's last message that leave something open."""
        return left_open(self.batch.last_message, is_inquiry(self.batch.task))

    @property
    def only_asks(self) -> bool:
        """Return whether the task only asks something: the answer is all of it."""
        return not self.moved and is_inquiry(self.batch.task)

    @property
    def changed_unasked(self) -> list[str]:
        """Return the files that changed though the task only asks something and says that nothing is to change."""
        says_so = compiled(patterns().asks_only).search(self.batch.task) and is_inquiry(self.batch.task)
        return [file for file in self._work if not is_output(file)] if says_so else []

    @property
    def moved(self) -> bool:
        """Return whether the work tree holds a change of this run."""
        return bool(self._work)

    @property
    def _work(self) -> list[str]:
        """The files that changed; the versions that a package manager chose only where the task is about them."""
        about_locks = compiled(patterns().about_dependencies).search(self.batch.task) is not None
        return [file for file in self.batch.changed_files if about_locks or not is_lock(file)]

    @property
    def carries_task(self) -> bool:
        """Return whether what changed can carry the task: not only tests or notes, unless these are the task."""
        task, known = self.batch.task, patterns()
        if self.batch.history_moved and compiled(known.about_history).search(task):
            return True
        files = self._work
        product = any(not is_test(file) and not is_prose(file) for file in files)
        tests = any(map(is_test, files)) and compiled(f"{known.about_tests}|{known.reshapes_tests}").search(task)
        prose = any(map(is_prose, files)) and compiled(known.about_prose).search(task) is not None
        return product or bool(tests) or prose

    @property
    def nothing_was_due(self) -> bool:
        """Return whether the task's condition is the check itself, and the check shows nothing to mend."""
        return not self.moved and self.verified and hangs_on_check(self.batch.task)

    @property
    def open_parts(self) -> list[PartView]:
        """Return the parts of the task that the work tree does not show."""
        return [part for part in self.batch.parts if part.state == "open"]

    @property
    def unbent(self) -> bool:
        """Return whether the judges of the work are what they were when the run began, or the person agreed."""
        return not self.batch.changed_judges or (self.proof is not None and self.proof.accepted)

    @property
    def verified(self) -> bool:
        """Return whether a check that covers the change passed after it, by the agent's run or by MI's own."""
        if self.proof is not None and self.proof.proved is not None:
            return self.proof.proved or self.proof.accepted
        return self.batch.marks.verified

    @property
    def removed_as_asked(self) -> bool:
        """Return whether all that changed is test files whose deletion was the task."""
        removed = self.batch.removed_as_asked
        return bool(removed) and set(self._work) <= set(removed)

    @property
    def nothing_to_run(self) -> bool:
        """Return whether only prose changed, which no check runs."""
        return self.moved and all(map(is_prose, self._work))

    @property
    def shown_as_agreed(self) -> bool:
        """Return whether what the person agreed to without tests was shown, where the agent's word can be enough.

        A command that the person named must be seen to succeed: then the batch is verified.
        """
        by_command = self.batch.shows_commands and self.project.agreed_commands
        asked = self.project.testless_strategy is not None and self.checks_requested > 0
        return asked and not by_command and not self.batch.failed_checks

    @property
    def may_ask_for_check(self) -> bool:
        """Return whether the project has a check that was not yet asked for since the last change."""
        return bool(self.project.check_commands) and not self.checks_requested
