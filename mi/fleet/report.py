"""What a run leaves to be read: task, parts, checks, proof, questions and cost, from its own records."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from mi.evidence.former import find_end
from mi.evidence.latest import count_batches
from mi.evidence.reader import Event, read_on, read_whole
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import RiskEvent
from mi.evidence.records.proof import Proof
from mi.evidence.records.questions import UserInput
from mi.evidence.records.run import BatchEnd, Closing, Marks, RunEnd, RunLearned, RunStart, RunUsage
from mi.evidence.records.thoughts import AnswerKept
from mi.evidence.records.trees import TreeWork
from mi.evidence.run_story import RunStory, tell_story
from mi.kernel.notices import Notices

R = TypeVar("R", bound=Record)


class SeenCheck(Struct, frozen=True, kw_only=True):
    """A check that was seen to run in a batch, and how it ended."""

    command: str
    batch_id: str
    exit_code: int | None = None
    after_last_change: bool = False


class ReportedPart(Struct, frozen=True, kw_only=True):
    """One part of the task: what of it was seen in the files, what is missing, and the evidence by id and words."""

    text: str
    state: str
    seen: list[str] = []
    missing: list[str] = []
    evidence: dict[str, str] = {}


class ReportedFile(Struct, frozen=True, kw_only=True):
    """What became of one file; lines are unknown (None) where the content is no text."""

    path: str
    kind: str
    added: int | None = None
    removed: int | None = None
    was: str = ""


class ReportedDiff(Struct, frozen=True, kw_only=True):
    """What a run did to the files; `missing` says why it cannot be told."""

    files: list[ReportedFile] = []
    patch: str = ""
    is_cut: bool = False  # the patch goes on
    unseen: list[str] = []  # files that were not compared
    missing: str = ""


class ReportedLesson(Struct, frozen=True, kw_only=True):
    """Something that a run taught and that still stands."""

    id: str
    kind: str
    text: str
    scope: str = ""


class RunReport(Struct, frozen=True, kw_only=True):
    """A run as it is handed to somebody; `status` is '' while it runs or after it was killed."""

    story: RunStory
    start: RunStart
    status: str = ""
    marks: Marks
    spent: RunUsage
    rows: dict[str, bool] = {}
    parts: list[ReportedPart] = []
    checks: list[SeenCheck] = []
    risks: list[str] = []
    proof: Proof | None = None
    diff: ReportedDiff
    learned: list[ReportedLesson] = []
    merged_into: str = ""  # the branch that its work was brought to
    unreadable: int = 0  # lines of the log that tell nothing any more

    def show(self) -> dict[str, Any]:
        """Return it for programs."""
        own: dict[str, Any] = msgspec.to_builtins(self)
        start, told = own.pop("start"), self.story.show()
        names = ("hands", "mind", "project_root", "main_root", "branch", "list_task")
        return told | {name: start[name] for name in names} | {k: v for k, v in own.items() if k != "story"}


def read_run(log: str, run_id: str, start: int, notices: Notices) -> list[Event]:
    """Return the events of a run, and those of answers since its start, which are commands' of their own."""
    wanted = (event for event in read_on(log, start, notices) if _belongs(event, run_id))
    return [read_whole(log, event) for event in wanted]


def _belongs(event: Event, run_id: str) -> bool:
    return event.head.run_id == run_id or event.head.kind in ("user_input", "answer_kept")


def make_report(
    run_id: str,
    events: Sequence[Event],
    diff: ReportedDiff,
    learned: Iterable[ReportedLesson] = (),
    unreadable: int = 0,
) -> RunReport:
    """Return the report of a run from its events; what a damaged or an earlier log does not tell is left open."""
    records = [record for event in events if (record := event.record()) is not None]
    own = [record for record in records if record.run_id == run_id]
    if not any(isinstance(record, RunStart) for record in own):  # by the earlier tool, or its first line is lost
        first = next((record for record in own if isinstance(record, HandsInput)), HandsInput())
        ends = [end for event in events if event.head.run_id == run_id and (end := find_end(event))]
        records = [RunStart(task=first.input, ts=first.ts, run_id=run_id), *records, *ends[-1:]]
        own = [record for record in records if record.run_id == run_id]
    batches = max((count_batches(record.batch_id) for record in own if isinstance(record, HandsInput)), default=0)
    story = tell_story(run_id, [one for one in records if one.run_id == run_id or isinstance(one, UserInput)], batches)
    closing, proof = _find_last(own, Closing), _find_last(own, Proof)
    end = story.end
    marks = end.marks if end else Marks()
    if proof is not None and proof.proved is not None:  # by `mi prove`, after the run
        marks = msgspec.structs.replace(marks, proved=proof.proved)
    return RunReport(
        story=story,
        start=next(record for record in own if isinstance(record, RunStart)),
        status=end.status if end else "",
        marks=marks,
        spent=_sum_spent(own),
        rows={row.name: row.holds for row in closing.rows} if closing else {},
        parts=list_parts(closing, own),
        checks=_list_checks([record for record in own if isinstance(record, BatchEnd)]),
        risks=[record.headline() for record in own if isinstance(record, RiskEvent) and record.risk_signals],
        proof=proof,
        diff=diff,
        learned=[*_list_kept(records, story), *learned],
        merged_into=next((one.into for one in own if isinstance(one, TreeWork) and one.act == "merged"), ""),
        unreadable=unreadable,
    )


def _find_last(records: Sequence[Record], kind: type[R]) -> R | None:
    return next((record for record in reversed(records) if isinstance(record, kind)), None)


def _sum_spent(records: Sequence[Record]) -> RunUsage:
    """Return what the run cost by its latest end, with what learning from it cost afterwards."""
    spent = RunUsage()
    for record in records:
        if isinstance(record, RunEnd):
            spent = record.spent
        elif isinstance(record, RunLearned):
            spent = spent.plus(record.spent)
    return spent


def _list_kept(records: Sequence[Record], story: RunStory) -> list[ReportedLesson]:
    """Return the answers to the run's questions that are kept for others like them."""
    asked = {one.id for one in story.asked}
    kept = [one for one in records if isinstance(one, AnswerKept) and one.question_id in asked]
    return [ReportedLesson(id=one.claim_id, kind="claim", text=one.text, scope="project") for one in kept]


def list_parts(closing: Closing | None, records: Sequence[Record]) -> list[ReportedPart]:
    """Return the parts of a task as a run's closing judged them, with the evidence in words as far as it is known."""
    said = {record.event_id: record.headline() for record in records}
    last = _find_last(records, BatchEnd)
    seen = {part["text"]: part["seen"] for part in _list_objects(last, "parts") if part.keys() >= {"text", "seen"}}
    return [
        ReportedPart(
            text=part.text,
            state=part.state,
            seen=[str(name) for name in seen.get(part.text, [])],
            missing=part.missing,
            evidence={one: said.get(one, "") for one in part.cited_ids},
        )
        for part in (closing.parts if closing else [])
    ]


def _list_checks(batches: Sequence[BatchEnd]) -> list[SeenCheck]:
    """Return the checks that were seen; a change in a later batch comes after all of those before it."""
    found: list[SeenCheck] = []
    for batch in batches:
        if batch.seen.get("changed_now"):
            found = [msgspec.structs.replace(check, after_last_change=False) for check in found]
        found += _list_seen(batch)
    return found


def _list_seen(batch: BatchEnd) -> list[SeenCheck]:
    return [
        SeenCheck(
            command=str(one.get("command", "")),
            batch_id=batch.batch_id,
            exit_code=code if isinstance(code := one.get("exit_code"), int) else None,
            after_last_change=bool(one.get("after_last_change")),
        )
        for one in _list_objects(batch, "commands")
        if one.get("is_check")
    ]


def _list_objects(batch: BatchEnd | None, name: str) -> list[dict[str, Any]]:
    """Return what a batch showed under a name: it is kept as it was seen, and may be of another shape."""
    seen = batch.seen.get(name) if batch else None
    return [one for one in seen if isinstance(one, dict)] if isinstance(seen, list) else []
