"""What a run works with: the places, the agent, the Mind, the person, and who watches."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Literal, Protocol

from mi.agents.protocol import AgentAdapter, Observer
from mi.agents.signals import StopFlag
from mi.autopilot.injection import Told
from mi.autopilot.person_door import PersonDoor
from mi.autopilot.steps.protocol import RunSteps
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.thoughts import AnswerKept
from mi.kernel.config.types import Runtime, SnapshotConfig
from mi.kernel.home import Home, ProjectHome
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.learning.autonomy import TopicAgreement
from mi.mind.mind import Mind
from mi.mind.views import AnsweredBefore, Case, CitableText, Person, ProofView, ThoughtContext
from mi.project.identity import Project
from mi.project.worktree import WorktreeWatch

if TYPE_CHECKING:
    from mi.autopilot.recorder import LogRecorder
    from mi.evidence.answers import AnswerWatch


class Asker(Protocol):
    """Whoever can be asked while a run waits; `patience_s`: after so long without an answer they are told elsewhere."""

    patience_s: float

    def ask(self, question: Question, watch: "AnswerWatch") -> str | None:
        """Return what the person says here; None when nobody is there, or `watch` saw an answer given elsewhere."""

    def tell_elsewhere(self, given: UserInput) -> None:
        """Tell whoever answered here that another answer came first."""


class PersonNotifier(Protocol):
    """Whoever tells a person who is away."""

    def tell(self, record: Record, after_s: float = 0.0) -> None:
        """Tell of a record; of a question only if nobody answers it within `after_s`."""

    def settle(self) -> None:
        """Note that the question was answered."""

    def finish(self) -> None:
        """Wait shortly for what was begun."""


class Reporter(Observer):
    """Sees a run as it happens; the doors print, the loop does not."""

    def recorded(self, record: Record) -> None:
        """Show a record that was appended."""

    def sent(self, batch_id: str, text: str) -> None:
        """Show a batch that is about to go to the agent."""

    def slow(self, what: str) -> None:
        """Show that something takes long: `snapshot`."""

    def proving(self, said: str) -> None:
        """Show what MI itself runs to prove the work."""

    def close(self) -> None:
        """Stop showing: the run is over, however it ended."""


class Waiter(Protocol):
    """Whoever can wait for a vendor's limit to end, visibly and interruptibly."""

    def wait_until(self, resets_at: str) -> bool:
        """Return True when the time has come; False when it is unknown or the wait was interrupted."""


class Prover(Protocol):
    """Whoever runs the project's own checks where the agent cannot reach them."""

    def begin(self, watch: WorktreeWatch) -> None:
        """Take note of the tree as it is."""

    def notice_change(self, changed: Iterable[str]) -> None:
        """Begin to run the checks that cover a change on the tree as it was, beside the agent."""

    def prove(self, recorder: "LogRecorder", case: Case) -> ProofView:
        """Return what the checks show about the tree as it is."""

    def close(self) -> None:
        """End what still runs."""


class KnownThoughts(Protocol):
    """What is known about the person and the project."""

    def person(self, task: str) -> Person:
        """Return the values, preferences and facts to judge by."""

    def answered_before(self, questions: list[str], message: str) -> list[AnsweredBefore]:
        """Return the person's earlier answers that may bear on an agent's questions."""

    def keep_answer(
        self, question: Question, given: UserInput, append: Callable[[AnswerKept], AnswerKept]
    ) -> AnswerKept | None:
        """Keep the person's answer for the next time, where it holds for other times."""

    def context(self, task: str, recent_event_ids: Iterable[str]) -> ThoughtContext:
        """Return the thoughts for one decision."""

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        """Return the values, preferences and facts to tell the agent."""

    def behaviour_preserving(self) -> bool:
        """Return whether a refactoring keeps behaviour."""

    def withdrawn(self, claim_ids: Iterable[str]) -> list[Told]:
        """Return those claims that hold no longer."""

    def testless_strategy(self) -> CitableText | None:
        """Return what counts as verified where there are no tests."""

    def read_anew(self) -> None:
        """Read the thoughts again: what was read may not count."""

    def refresh_strategy(self) -> None:
        """Let the project's overlay point to the strategy that holds now."""

    def remember_strategy(self, strategy: str, rationale: str, event_id: str) -> CitableText:
        """Keep the person's choice for this project."""


class RunParts(NamedTuple):
    """Everything one run needs; nothing in it is global."""

    home: Home
    project: Project
    runtime: Runtime
    hands: AgentAdapter
    mind: Mind
    thoughts: KnownThoughts
    evidence: EvidenceWriter
    asker: Asker
    waiter: Waiter
    reporter: Reporter
    notifier: PersonNotifier
    stop: StopFlag
    notices: Notices
    door: PersonDoor
    wait_for_limit: bool = False
    leftovers: Literal["end", "tell", "leave"] = "tell"  # what becomes of processes that the agent left
    language: str = "en"  # in which the person is spoken to
    prover: Prover | None = None  # where the person decided for proof
    no_proof: str = ""  # why there is none, for the person
    steps: RunSteps = RunSteps()
    snapshot: SnapshotConfig = SnapshotConfig()
    guard_team: Callable[[], AbstractContextManager[None]] = nullcontext  # held while the run works
    agent: str = ""  # that the person named for this run
    find_earned: Callable[[Question], TopicAgreement | None] = lambda question: None  # where MI may answer by itself

    @property
    def place(self) -> ProjectHome:
        """Return where the home keeps what is the project's."""
        return self.home.project(self.project.project_id)
