"""Where a run stands; all of it can be derived again from the run's events."""

import time

from msgspec import Struct, field

from mi.autopilot.loop_guard import RepetitionGuard
from mi.evidence.records.base import Record
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import KeptAnswer, LastSeen, Marks, RunUsage, VerifiedBy
from mi.evidence.records.thoughts import CrossProjectRecall
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.mind.views import CitableText, SeenCommand
from mi.project.checks.recognition import Check

RECENT = 12
NOTHING = RunUsage(input_tokens=0, output_tokens=0, cost_usd=0.0, seconds=0.0, calls=0)


class EarlierProof(NamedTuple):
    """What was proved before a batch, and still holds while nothing changes."""

    verified: bool = False  # but for judges that were changed
    unsettled: list[SeenCommand] = []  # checks that failed on the work as it is now
    passed: list[str] = []  # checks that passed on the work as it is now


class RunState(Struct, kw_only=True):
    """The moving part of a run."""

    task: str
    run_id: str
    next_input: str
    list_task: str = ""  # the task of the project's list that the run works on
    agent: str = ""  # that the person named for the run
    number: int = 0  # of the current batch
    thread_id: str = ""
    heard: list[str] | None = None  # claims that the thread was told; None: another process knows
    said: str = ""  # by the agent, at the end of its latest batch
    checks_requested: int = 0  # since the last change
    told: dict[str, int] = field(default_factory=dict)  # rows of `done` that the agent was told of
    planned: list[Check] = field(default_factory=list)  # commands that a plan named
    used_checks: list[str] = field(default_factory=list)
    gone_checks: list[str] = field(default_factory=list)  # whose program is not there
    proof: EarlierProof = EarlierProof()
    marks: Marks = field(default_factory=Marks)
    verified_by: VerifiedBy | None = None
    open_rows: list[str] = field(default_factory=list)  # of `done`, when it was judged last
    last_seen: LastSeen | None = None
    proof_said: str = ""  # what came of MI's own run, or why there was none
    is_kept: bool = False  # there is a snapshot from before the current batch
    spent: RunUsage = NOTHING
    models: dict[str, RunUsage] = field(default_factory=dict)  # what of it agents told to be a model's
    kept: list[KeptAnswer] = field(default_factory=list)  # answers of the person that hold from now on
    recent: list[CitableText] = field(default_factory=list)
    evidence_ids: list[str] = field(default_factory=list)
    answered: dict[tuple[str, str], str] = field(default_factory=dict)  # by batch and question, of the rules
    told_judges: set[str] = field(default_factory=set)  # changes that the agent was told to put back
    accepted_judges: set[str] = field(default_factory=set)  # … that the person said yes to …
    refused_judges: set[str] = field(default_factory=set)  # … or no
    waiting: dict[tuple[str, str], Question] = field(default_factory=dict)  # asked before this process began
    begins_at: int | None = None  # where the run begins in its log; None: it is about to
    heard_words: set[str] = field(default_factory=set)  # of the person to the run, that its agent was told
    carried_words: tuple[str, ...] = ()  # … and is told with this batch
    is_waiting: bool = False  # for the person, with the latest question
    guard: RepetitionGuard = field(default_factory=RepetitionGuard)
    own_limits: dict[str, float | None] = field(default_factory=dict)  # by name, in place of the configured ones
    dismissed: UserInput | None = None  # what the person did with the latest question, where they closed it
    limit_question: Question | None = None  # at which the run was paused before this process began
    started: float = field(default_factory=time.monotonic)  # as if the run had never waited

    @property
    def batch_id(self) -> str:
        return f"b{self.number}"

    def note_spent(self, usage: RunUsage, model: str) -> None:
        """Add what a batch used, also to its model where the agent told it."""
        self.spent = self.spent.plus(usage)
        if model:
            self.models[model] = self.models.get(model, NOTHING).plus(usage)

    def remember(self, event: Record, text: str) -> None:
        """Keep an event in view of the next judgements."""
        if text:
            said = CitableText(
                id=event.event_id,
                text=redact_start(text, 600),
                by_person=event.said_by == "person",
                names=tuple(item.id for item in event.items) if isinstance(event, CrossProjectRecall) else (),
            )
            self.recent = [*self.recent, said][-RECENT:]
