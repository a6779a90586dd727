"""The story of one run: what was asked of it, how it ended, what it asked, and what MI answered from what."""

from typing import Any

import msgspec
from msgspec import Struct

from mi.evidence.former import find_end
from mi.evidence.index import EvidenceIndex
from mi.evidence.latest import count_batches
from mi.evidence.reader import Event, read_at
from mi.evidence.records.base import Record
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.mind import AutoAnswer
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import RunEnd, RunStart
from mi.evidence.records.thoughts import AnsweredAlone
from mi.kernel.log_view import Progress
from mi.kernel.seal import find_foreign

_TOLD_BY = (RunStart, RunEnd, Question, UserInput, AutoAnswer, AnsweredAlone)
_KINDS = {str(kind.__struct_config__.tag) for kind in _TOLD_BY}


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


def read_story(log: str, run_id: str, index: EvidenceIndex, progress: Progress) -> RunStory:
    """Return the story of a run; it costs what is told of it, however much the run wrote."""
    places, foreign = index.find_run(log, run_id, progress), find_foreign(log)

    def read(offset: int | None) -> Event | None:
        """Return an event of the run, or an answer, which may be another command's."""
        if offset is None or any(one.start <= offset < one.end for one in foreign):
            return None
        event = read_at(log, offset)
        return event if event and (event.head.run_id == run_id or event.head.kind == "user_input") else None

    found = [event.record() for offset in places.list_all(_KINDS) if (event := read(offset)) is not None]
    records = [record for record in found if record is not None]
    last, decision = read(places.find_last("hands_input")), read(places.find_last("decide_next"))
    if not any(isinstance(one, RunStart) for one in records):  # by the earlier tool
        first = read(places.find_first("hands_input"))
        sent = first.record() if first else None
        records = [RunStart(task=sent.input, ts=sent.ts) if isinstance(sent, HandsInput) else RunStart(), *records]
        end = find_end(decision) if decision else None
        records += [end] if end else []
    return tell_story(run_id, records, count_batches(last.head.batch_id) if last else 0)


def tell_story(run_id: str, records: list[Record], batches: int) -> RunStory:
    """Return the story that a run's records tell; answers to its questions may be other commands'."""
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
