"""The story of one run: what was asked of it, how it ended, what it asked, and what MI answered from what."""

from typing import Any

import msgspec
from msgspec import Struct

from mi.evidence.reader import Event, read_back, read_whole
from mi.evidence.records.base import Record
from mi.evidence.records.mind import AutoAnswer
from mi.evidence.records.run import Question, RunEnd, RunStart, UserInput
from mi.evidence.records.thoughts import AnsweredAlone
from mi.kernel.notices import Notices

_TOLD_BY = (RunStart, RunEnd, Question, UserInput, AutoAnswer, AnsweredAlone)
_KINDS = {kind.__struct_config__.tag for kind in _TOLD_BY}


class AskedInRun(Struct, frozen=True, kw_only=True):
    """A question to the person, why MI did not answer it, and what became of it."""

    id: str
    question: str
    about: str = ""
    why: str = ""
    would: str = ""
    cited_ids: list[str] = []
    answer: str = ""
    by: str = ""
    dismissed: bool = False


class AnsweredInRun(Struct, frozen=True, kw_only=True):
    """An answer that MI gave the agent by itself, and what it rests on."""

    event_id: str
    answer: str
    cited_ids: list[str] = []


class RunStory(Struct, frozen=True, kw_only=True):
    """A run as a person looks back at it; `end` is None while it runs or after it was killed."""

    run_id: str
    task: str = ""
    started: str = ""
    batches: int = 0
    end: RunEnd | None = None
    asked: list[AskedInRun] = []
    answered: list[AnsweredInRun] = []

    def show(self) -> dict[str, Any]:
        """Return it for programs."""
        own: dict[str, Any] = msgspec.to_builtins(self)
        end = own.pop("end") or {}
        kept = ("status", "reason", "marks", "verified_by", "open_rows", "last_seen", "proof", "evidence_ids")
        return own | {name: end.get(name) for name in kept} | {"ended": end.get("ts")}


def read_story(log: str, run_id: str, notices: Notices) -> RunStory:
    """Return the story of a run, read from the log's end back to where it began."""
    batches: set[str] = set()
    records: list[Record] = []
    for event in read_back(log, notices):
        if event.head.run_id == run_id and event.head.kind == "hands_input":
            batches.add(event.head.batch_id)
        record = _read(log, event, run_id)
        records += [record] if record else []
        if isinstance(record, RunStart) and not record.resumed_from:
            break
    return _tell(run_id, records[::-1], len(batches))


def _read(log: str, event: Event, run_id: str) -> Record | None:
    """Return a record that the story is told by; an answer to a question may be another command's."""
    is_own = event.head.run_id == run_id or event.head.kind == "user_input"
    return read_whole(log, event).record() if is_own and event.head.kind in _KINDS else None


def _tell(run_id: str, records: list[Record], batches: int) -> RunStory:
    words: dict[str, UserInput] = {}
    for record in records:
        if isinstance(record, UserInput):
            words.setdefault(record.question_id, record)  # the first one counts
    starts = [one for one in records if isinstance(one, RunStart)]
    latest = next((one for one in reversed(records) if isinstance(one, RunStart | RunEnd)), None)
    return RunStory(
        run_id=run_id,
        task=starts[0].task if starts else "",
        started=starts[0].ts if starts else "",
        batches=batches,
        end=latest if isinstance(latest, RunEnd) else None,
        asked=[_ask(one, words.get(one.id, UserInput())) for one in records if isinstance(one, Question)],
        answered=[found for one in records if (found := _answer(one)) is not None],
    )


def _ask(question: Question, word: UserInput) -> AskedInRun:
    would = question.would
    return AskedInRun(
        id=question.id,
        question=question.text,
        about=question.about,
        why=would.why_asked if would else "",
        would=would.answer if would else "",
        cited_ids=would.cited_ids if would else [],
        answer=word.answer,
        by=word.by,
        dismissed=word.dismissed,
    )


def _answer(record: Record) -> AnsweredInRun | None:
    match record:
        case AutoAnswer(auto_answer=said) if said.should_answer and said.hands_answer_input:
            return AnsweredInRun(event_id=record.event_id, answer=said.hands_answer_input, cited_ids=said.cited_ids)
        case AnsweredAlone():
            return AnsweredInRun(event_id=record.event_id, answer=record.headline(), cited_ids=record.cited_ids)
    return None
