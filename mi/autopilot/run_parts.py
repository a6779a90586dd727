"""What a run works with: the places, the agent, the Mind, the person, and who watches."""

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol, TypeVar

from mi.agents.protocol import AgentAdapter, Observer
from mi.agents.signals import StopFlag
from mi.autopilot.injection import Told
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.kernel.config.types import Runtime
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.mind.mind import Judgement, Mind
from mi.mind.prompt import Prompt
from mi.mind.views import Case, CitableText, FollowedWorkflow, Person, ThoughtContext
from mi.project.identity import Project

R = TypeVar("R", bound=Record)
Input = TypeVar("Input")
Output = TypeVar("Output")


class Asker(Protocol):
    """Whoever can be asked while a run waits."""

    def ask(self, question_id: str, question: str) -> str | None:
        """The person's answer; None when nobody is there."""


class Reporter(Observer):
    """Sees a run as it happens; the doors print, the loop does not."""

    def recorded(self, record: Record) -> None:
        """A record was appended."""

    def sent(self, batch_id: str, text: str) -> None:
        """A batch is about to go to the agent."""

    def close(self) -> None:
        """The run is over, however it ended."""


class Waiter(Protocol):
    """Whoever can wait for a vendor's limit to end, visibly and interruptibly."""

    def wait_until(self, resets_at: str) -> bool:
        """True when the time has come; False when it is unknown or the wait was interrupted."""


class Thoughts(Protocol):
    """What is known about the person and the project."""

    def person(self, task: str) -> Person:
        """Values, preferences and facts to judge by."""

    def context(self, task: str, recent_event_ids: Iterable[str]) -> ThoughtContext:
        """The thoughts for one decision."""

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        """Values, preferences and facts to tell the agent."""

    def behaviour_preserving(self) -> bool:
        """What a refactoring means."""

    def testless_strategy(self) -> CitableText | None:
        """What counts as verified where there are no tests."""

    def refresh_strategy(self) -> None:
        """Let the project's overlay point to the strategy that holds now."""

    def remember_strategy(self, strategy: str, rationale: str, event_id: str) -> CitableText:
        """Keep the person's choice for this project."""


class RunRecorder(Protocol):
    """The run's hand in the log, lent to its steps: what a step writes, judges or asks leaves its trace in the run."""

    def append(self, record: R, *, note: str = "") -> R:
        """Store a record; with a note it stays in view of later judgements."""

    def judge(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """A Mind's answer; what went wrong and what it cost is recorded."""

    def ask_once(self, question: str, about: Literal["rules", "review"] = "rules") -> str | None:
        """The person's answer, also one given since the run stopped for it; None: nobody is there, so `Stop`."""


class SendFirst(NamedTuple):
    """The agent must get this before what was decided."""

    text: str


class Stop(NamedTuple):
    """The run cannot go on now."""

    reason: str


Outcome = SendFirst | Stop | None  # None: nothing stands in the way


class RunSteps:
    """Steps of the loop that other rooms fill. Here they do nothing."""

    def preflight(self, pen: RunRecorder, task: str) -> Outcome:
        """Before anything runs: is the task clear, how risky is it."""
        return None

    def opening(self, pen: RunRecorder, task: str) -> str:
        """What else a new agent thread is told beside the values, e.g. the workflow to follow."""
        return ""

    def recall(
        self, pen: RunRecorder, trigger: Literal["run_start", "before_ask_user", "risk_signal"], query: str
    ) -> None:
        """What is known elsewhere that helps here."""

    def before_batch(self, pen: RunRecorder, next_input: str) -> Outcome:
        """What must be settled before the agent gets this input."""
        return None

    def follows_workflow(self) -> bool:
        """Whether the run follows a workflow now: what is to be checked is then planned by its progress."""
        return False

    def workflow_progress(self, pen: RunRecorder, case: Case) -> FollowedWorkflow | None:
        """How far an active workflow is; None when none is followed."""
        return None

    def review(self, pen: RunRecorder, case: Case) -> Outcome:
        """What the team's rules want before the work goes on."""
        return None

    def checkpoint(self, pen: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        """Whether a stretch of work is complete, and what is to be learned from it."""

    def session_log(self, pen: RunRecorder, end: Record) -> None:
        """What the team should find about this run."""


class RunParts(NamedTuple):
    """Everything one run needs; nothing in it is global."""

    home: Home
    project: Project
    runtime: Runtime
    hands: AgentAdapter
    mind: Mind
    thoughts: Thoughts
    evidence: EvidenceWriter
    asker: Asker
    waiter: Waiter
    reporter: Reporter
    stop: StopFlag
    notices: Notices
    wait_for_limit: bool = False
    language: str = "en"  # in which the person is spoken to
    steps: RunSteps = RunSteps()
