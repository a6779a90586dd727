"""What a run works with: the places, the agent, the Mind, the person, and who watches."""

from typing import Literal, NamedTuple, Protocol

from mi.agents.signals import StopFlag
from mi.autopilot.injection import Told
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.base import Record
from mi.hands.contract import Hands, Observer
from mi.kernel.config.types import Runtime
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.mind.mind import Mind
from mi.mind.views import Case, Person, Said
from mi.project.identity import Project


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


class Waiter(Protocol):
    """Whoever can wait for a vendor's limit to end, visibly and interruptibly."""

    def wait_until(self, resets_at: str) -> bool:
        """True when the time has come; False when it is unknown or the wait was interrupted."""


class Thoughts(Protocol):
    """What is known about the person and the project."""

    def person(self, task: str) -> Person:
        """Values, preferences and facts to judge by."""

    def told(self, task: str) -> tuple[list[Told], list[Told], list[Told]]:
        """Values, preferences and facts to tell the agent."""

    def behaviour_preserving(self) -> bool:
        """What a refactoring means."""

    def testless_strategy(self) -> Said | None:
        """What counts as verified where there are no tests."""

    def remember_strategy(self, strategy: str, rationale: str, event_id: str) -> Said:
        """Keep the person's choice for this project."""


class RunSteps:
    """Steps of the loop that other rooms fill; each returns the records to append. Here they do nothing."""

    def preflight(self, task: str) -> list[Record]:
        """Before anything runs: is the task clear, how risky is it."""
        return []

    def recall(self, trigger: Literal["run_start", "before_ask_user", "risk_signal"], query: str) -> list[Record]:
        """What is known elsewhere that helps here."""
        return []

    def workflow_progress(self, case: Case) -> list[Record]:
        """How far an active workflow is."""
        return []

    def review(self, case: Case) -> list[Record]:
        """What the team's rules want before the work goes on."""
        return []

    def checkpoint(self, planned_next_input: str, status_hint: str) -> list[Record]:
        """Whether a stretch of work is complete, and what is to be learned from it."""
        return []

    def session_log(self, end: Record) -> list[Record]:
        """What the team should find about this run."""
        return []


class Session(NamedTuple):
    """Everything one run needs; nothing in it is global."""

    home: Home
    project: Project
    runtime: Runtime
    hands: Hands
    mind: Mind
    thoughts: Thoughts
    evidence: EvidenceWriter
    asker: Asker
    waiter: Waiter
    reporter: Reporter
    stop: StopFlag
    notices: Notices
    wait_for_limit: bool = False
    steps: RunSteps = RunSteps()
