"""What a room may do at each moment of a run, and all rooms taken together; mi/app/run.py lists them in order."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeVar

from mi.evidence.records.base import Record
from mi.kernel.home import Home, ProjectHome
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.mind.mind import Judgement, Mind
from mi.mind.prompt import Prompt
from mi.mind.views import Case, FollowedWorkflow
from mi.project.identity import Project

R = TypeVar("R", bound=Record)
Input = TypeVar("Input")
Output = TypeVar("Output")
T = TypeVar("T")
RecallTrigger = Literal["run_start", "before_ask_user", "risk_signal"]


class RunPlace(NamedTuple):
    """Which run of which project it is, and in which language the person is spoken to."""

    home: Home
    project: Project
    run_id: str
    notices: Notices
    language: str = "en"

    @property
    def files(self) -> ProjectHome:
        """Return where the home keeps what is the project's."""
        return self.home.project(self.project.project_id)


class RunRecorder(Protocol):
    """The run's recorder, lent to its steps: what a step writes, judges or asks leaves its trace in the run."""

    @property
    def thinks_at_once(self) -> bool:
        """Return whether answers take no time: no model is asked."""

    def append(self, record: R, *, note: str = "", batch_id: str = "") -> R:
        """Store a record; with a note it stays in view of later judgements."""

    def judge(self, prompt: Prompt[Input, Output], given: Input) -> Judgement[Output]:
        """Return a Mind's answer; what went wrong and what it cost is recorded."""

    def beside(self, work: Callable[[Mind], T]) -> Callable[[], T]:
        """Begin to ask the Mind beside what comes next; what is returned waits for the answers."""

    def settle(self, prompt: Prompt[Any, Output], judgement: Judgement[Output]) -> Judgement[Output]:
        """Record what an answer cost and what went wrong with it."""

    def ask_once(self, question: str, about: Literal["rules", "review"] = "rules", of: str = "") -> str | None:
        """Return the person's answer, also one given since the run stopped for it; None: nobody is there, so `Stop`.

        The answer holds for the batch, or for what `of` names.
        """


class SendFirst(NamedTuple):
    """The agent must get this before what was decided."""

    text: str


class Stop(NamedTuple):
    """The run cannot go on now."""

    reason: str


Outcome = SendFirst | Stop | None  # None: nothing stands in the way


class RunSteps:
    """The moments of a run, in the order in which they come; a room overrides those at which it takes part."""

    def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
        """Say, before anything runs, whether the task is clear and how risky it is."""
        return None

    def recall(self, recorder: RunRecorder, trigger: RecallTrigger, query: str) -> None:
        """Record what is known elsewhere that helps here."""

    def before_batch(self, recorder: RunRecorder, next_input: str) -> Outcome:
        """Settle what must be settled before the agent gets this input."""
        return None

    def opening(self, recorder: RunRecorder, task: str) -> str:
        """Return what else a new agent thread is told beside the values, e.g. the workflow to follow."""
        return ""

    def workflow_progress(self, recorder: RunRecorder, case: Case) -> FollowedWorkflow | None:
        """Return how far an active workflow is; None when none is followed."""
        return None

    def review(self, recorder: RunRecorder, case: Case) -> Outcome:
        """Say what the team's rules want before the work goes on."""
        return None

    def closing(self, recorder: RunRecorder, case: Case) -> Outcome:
        """Say what must be settled before a run that is verified ends as done."""
        return None

    def checkpoint(self, recorder: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        """Learn from a stretch of work, if one is complete."""

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        """Leave what the team should find about this run."""


class AllSteps(RunSteps):
    """Every room's steps, in order; the first that stands in the way is heard before the next is asked."""

    def __init__(self, rooms: Sequence[RunSteps]) -> None:
        self._rooms = rooms

    def preflight(self, recorder: RunRecorder, task: str) -> Outcome:
        return next((found for room in self._rooms if (found := room.preflight(recorder, task))), None)

    def recall(self, recorder: RunRecorder, trigger: RecallTrigger, query: str) -> None:
        for room in self._rooms:
            room.recall(recorder, trigger, query)

    def before_batch(self, recorder: RunRecorder, next_input: str) -> Outcome:
        """Gather what all have to say; the first that stops the run is not followed by another."""
        texts: list[str] = []
        for room in self._rooms:
            match room.before_batch(recorder, next_input):
                case Stop() as stop:
                    return stop
                case SendFirst(text):
                    texts.append(text)
        return SendFirst("\n\n".join(texts)) if texts else None

    def opening(self, recorder: RunRecorder, task: str) -> str:
        return "\n\n".join(text for room in self._rooms if (text := room.opening(recorder, task)))

    def workflow_progress(self, recorder: RunRecorder, case: Case) -> FollowedWorkflow | None:
        return next((found for room in self._rooms if (found := room.workflow_progress(recorder, case))), None)

    def review(self, recorder: RunRecorder, case: Case) -> Outcome:
        return next((found for room in self._rooms if (found := room.review(recorder, case))), None)

    def closing(self, recorder: RunRecorder, case: Case) -> Outcome:
        return next((found for room in self._rooms if (found := room.closing(recorder, case))), None)

    def checkpoint(self, recorder: RunRecorder, planned_next_input: str, status_hint: str) -> None:
        for room in self._rooms:
            room.checkpoint(recorder, planned_next_input, status_hint)

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        for room in self._rooms:
            room.session_log(recorder, end)
