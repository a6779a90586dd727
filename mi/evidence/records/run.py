"""The course of a run: start, batches, limits, end, and what broke."""

from typing import Literal

from msgspec import Struct, field

from mi.evidence.records.base import Json, Record, Say


class RunUsage(Struct, frozen=True, kw_only=True):
    """What was spent; null is unknown, never nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    calls: int | None = None

    def plus(self, more: "RunUsage", sign: int = 1) -> "RunUsage":
        """Return two bills together; unknown plus something stays unknown."""

        def total(name: str) -> float | None:
            before, after = getattr(self, name), getattr(more, name)
            return None if before is None or after is None else before + sign * after

        return RunUsage(**{name: total(name) for name in self.__struct_fields__})  # type: ignore[arg-type]


class Marks(Struct, frozen=True, kw_only=True):
    """The marks of a batch or run: the agent ended, left nothing open, a check that covers the change passed after it.

    `proved` says what MI's own run showed; null where none was wanted or could be had.
    """

    ran: bool = False
    claimed: bool = False
    verified: bool = False
    proved: bool | None = None


class KnownCheck(Struct, frozen=True, kw_only=True):
    """A check that the project had when the run began."""

    kind: Literal["test", "build", "lint"]
    argv: list[str]
    source: str
    folder: str = ""


class RunStart(Record, frozen=True, kw_only=True, tag="run_start"):
    is_landmark = True

    task: str = ""
    project_root: str = ""
    hands: str = ""
    mind: str = ""
    resumed_from: str = ""
    base_commit: str = ""  # HEAD when the run, or this part of it, began; team files bind as committed there
    uncommitted: int = 0  # files the person had changed before the run began
    checks: list[KnownCheck] = []
    limits: dict[str, float | None] = {}  # of this run alone, by name; the others are as configured
    list_task: str = ""  # the task of the project's list that it works on
    agent: str = ""  # that the person named for this run
    main_root: str = ""  # the person's own tree, where the run works in a linked one
    branch: str = ""  # of that linked tree

    def headline(self, say: Say = str) -> str:
        return self.task


class VerifiedBy(Struct, frozen=True, kw_only=True):
    """Which check verified the work, what it covers, and who ran it."""

    command: str = ""
    covers: list[str] = []  # packages or checks; [] is the whole project
    by: Literal["agent", "mi"] = "agent"


class LastSeen(Struct, frozen=True, kw_only=True):
    """The last command seen before a run ended without being done."""

    command: str = ""
    exit_code: int | None = None
    tail: str = ""


class KeptAnswer(Struct, frozen=True, kw_only=True):
    """An answer that is kept as a claim of the project, and the event by which it can be taken back."""

    claim_id: str
    event_id: str = ""
    text: str = ""


class RunEnd(Record, frozen=True, kw_only=True, tag="run_end"):
    is_landmark = True

    status: Literal["done", "blocked", "failed", "interrupted"] = "failed"
    marks: Marks = field(default_factory=Marks)
    spent: RunUsage = field(default_factory=RunUsage)
    exit: int = 1
    reason: str = ""
    evidence_ids: list[str] = []
    verified_by: VerifiedBy | None = None
    open_rows: list[str] = []  # of `done`, where it was not
    last_seen: LastSeen | None = None
    proof: str = ""  # why there is no proof, or what it showed
    kept: list[KeptAnswer] = []  # answers of the person in this run
    models: dict[str, RunUsage] = {}  # what of `spent` agents told to be a model's; the rest is nobody's that is known

    def headline(self, say: Say = str) -> str:
        return f"{say(self.status)} {self.reason}".strip()


class RunLearned(Record, frozen=True, kw_only=True, tag="run_learned"):
    """What learning from a run cost after its end was told."""

    is_landmark = True
    follows_end = True

    spent: RunUsage = field(default_factory=RunUsage)

    def headline(self, say: Say = str) -> str:
        return f"{self.spent.calls} calls"


class RowJudged(Struct, frozen=True, kw_only=True):
    """One row of `done`, as it stood."""

    name: str
    holds: bool
    detail: str = ""


class PartJudged(Struct, frozen=True, kw_only=True):
    """One part of the task, what was seen of it and by which evidence."""

    text: str
    state: Literal["done", "open", "unclear"] = "unclear"
    missing: list[str] = []
    cited_ids: list[str] = []


class Closing(Record, frozen=True, kw_only=True, tag="closing"):
    """Whether a run may be called done: every row, and what followed."""

    shown_in = ("batch", "run")

    outcome: Literal["done", "told", "asked", "blocked"] = "blocked"
    reason: str = ""
    rows: list[RowJudged] = []
    parts: list[PartJudged] = []

    def headline(self, say: Say = str) -> str:
        return f"{say(self.outcome)} {self.reason}".strip()


class BatchEnd(Record, frozen=True, kw_only=True, tag="batch_end"):
    said_by = "agent"
    shown_in = ("batch", "segment")

    outcome: Literal["ended", "cut", "interrupted", "failed"] = "ended"
    usage: RunUsage = field(default_factory=RunUsage)
    model: str = ""  # that the agent named; '': it did not tell
    hands_transcript_ref: str = ""
    last_message: str = ""
    checks_requested: int = 0
    rows_told: dict[str, int] = {}
    seen: Json = {}  # what a judgement needs, so that a batch never has to run twice

    def headline(self, say: Say = str) -> str:
        return f"{say(self.outcome)} {self.last_message}".strip()


class Limit(Record, frozen=True, kw_only=True, tag="limit"):
    """A limit was reached: the user's own, or the agent vendor's with the time it ends."""

    shown_in = ("run",)

    limit: str = ""
    spent: RunUsage = field(default_factory=RunUsage)
    resets_at: str = ""
    detail: str = ""
    passed: bool = False  # it was waited for, and the agent really went on

    def headline(self, say: Say = str) -> str:
        return f"{self.limit} {say('passed') if self.passed else self.detail}".strip()


class NotifyFailed(Record, frozen=True, kw_only=True, tag="notify_failed"):
    """The person could not be told of something by one of the ways they configured; it waits until they look."""

    pairs_with = "user_input"
    paired_by = "id"
    follows_end = True

    id: str = ""
    channel: str = ""  # the kind of the target
    event: str = ""
    about_id: str = ""  # the event they should have been told of
    reason: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.channel} ({say(self.event)}): {self.reason}"


class LimitRaised(Record, frozen=True, kw_only=True, tag="limit_raised"):
    """A limit of a run was raised by the person; `to` null is no limit."""

    said_by = "person"
    shown_in = ("run",)

    name: Literal["batches", "minutes", "tokens", "cost_usd"] = "batches"
    to: float | None = None
    was: float | None = None
    question_id: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.name} {'∞' if self.to is None else f'{self.to:.12g}'}"


class StateCorrupt(Record, frozen=True, kw_only=True, tag="state_corrupt"):
    """A file of MI's own was unreadable and set aside."""

    is_landmark = True
    follows_end = True

    path: str = ""
    kept_in: str = ""
    reason: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.path}: {self.reason}"


class Undo(Record, frozen=True, kw_only=True, tag="undo"):
    said_by = "person"

    target: str = ""
    retracted: Json = {}

    def headline(self, say: Say = str) -> str:
        return self.target


class Redo(Record, frozen=True, kw_only=True, tag="redo"):
    said_by = "person"

    target: str = ""
    restored: Json = {}

    def headline(self, say: Say = str) -> str:
        return self.target
