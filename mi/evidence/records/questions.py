"""Records of questions to the person and of what the person says."""

from typing import Literal

from msgspec import Struct

from mi.evidence.records.base import Record, Say


class QuestionOption(Struct, frozen=True, kw_only=True):
    """One thing that can be chosen: how it is called in an answer, and what it says."""

    key: str
    text: str = ""


class WouldAnswer(Struct, frozen=True, kw_only=True):
    """What MI would have said, how sure it was, and why that was not enough to say it without the person."""

    answer: str = ""
    confidence: float = 0.0
    cited_ids: list[str] = []
    why_asked: str = ""
    topic: str = ""


class HookCall(Struct, frozen=True, kw_only=True):
    """The call in a host's session that waits for a permission."""

    host: str = ""
    session_id: str = ""
    operation: str = ""
    target: str = ""
    key: str = ""  # the same for the same operation on the same target


class AskedLimit(Struct, frozen=True, kw_only=True):
    """The limit that a run reached, and how high it was."""

    name: Literal["batches", "minutes", "tokens", "cost_usd"]
    value: float


class Question(Record, frozen=True, kw_only=True, tag="question"):
    """Something only the person can answer; `blocks`: the run waits for it, `about`: what the answer is for."""

    shown_in = ("run", "segment")
    pairs_with = "user_input"
    paired_by = "id"

    id: str = ""
    text: str = ""
    blocks: bool = True
    about: Literal[
        "agent",
        "risk",
        "strategy",
        "next",
        "judges",
        "rules",
        "review",
        "tasks",
        "proposal",
        "capture",
        "limit",
        "trust",
        "speaker",  # an agent spoke for the person
        "home",  # somebody else changed MI's own files
    ] = "agent"
    judges: list[str] = []  # the changes that it is about: of judges, or the one that must be reviewed
    commands: list[str] = []  # that MI would run itself after a yes
    team_files: dict[str, str] = {}  # that would bind after a yes: paths by blob
    project_root: str = ""
    task: str = ""
    said: str = ""  # the agent's own words
    options: list[QuestionOption] = []
    would: WouldAnswer | None = None
    default: str = ""  # what happens if nobody answers; never a yes
    call: HookCall | None = None
    limit: AskedLimit | None = None  # that is to be raised
    keep: bool = False  # an agent's question about how to do the work: the answer is kept as the person's word

    @property
    def waits_as(self) -> Literal["question", "review", "proposal"]:
        """A change waits to be looked at, tasks that an agent proposes, or anything else."""
        return self.about if self.about in ("review", "proposal") else "question"

    def headline(self, say: Say = str) -> str:
        return f"{self.id} {self.text}"


class LineNote(Struct, frozen=True, kw_only=True):
    """What the person says about one line of a difference."""

    path: str
    line: int  # of the new file; of the former one where it was taken out
    code: str  # the line itself
    text: str
    removed: bool = False


class UserInput(Record, frozen=True, kw_only=True, tag="user_input"):
    """What the person said to a question, and by which door; `dismissed`: they closed it without an answer.

    What they say to a run that asked nothing has the run in place of the question.
    """

    said_by = "person"
    shown_in = ("segment", "recent")
    paired_by = "question_id"

    question: str = ""
    answer: str = ""
    question_id: str = ""  # or the run that it is said to
    notes: list[LineNote] = []  # that the words of the answer are; the lines themselves are not the person's words
    by: Literal["", "terminal", "chat", "page", "file", "hub"] = ""  # '' was written before doors were told apart
    author: str = ""  # the teammate who said it; '' is the person themselves
    opens: Literal["", "once", "session", "always"] = ""  # of a permission
    dismissed: bool = False
    why: str = ""
    once: bool = False  # it holds this one time and is not kept

    def headline(self, say: Say = str) -> str:
        said = f"{self.author}: {self.answer}" if self.author else self.answer
        return said if self.is_to_run else f"{self.question} → {said}"

    @property
    def is_to_run(self) -> bool:
        """Return whether it answers nothing, but is said to a run."""
        return self.question_id.startswith("run_")
