"""The inbox: questions without an answer and suggestions not applied, of every project, and how to answer them."""

import os
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from msgspec import Struct

from mi.evidence.index import EvidenceIndex
from mi.evidence.log import EvidenceWriter
from mi.evidence.reader import Event, read_at
from mi.evidence.records.run import Question, UserInput
from mi.evidence.records.table import PAIRS
from mi.evidence.records.thoughts import LearnSuggested
from mi.kernel.errors import MiError, NotFound
from mi.kernel.home import Home
from mi.kernel.log_view import Progress


class InboxItem(Struct, frozen=True, kw_only=True):
    """One thing that waits."""

    id: str
    kind: Literal["question", "suggestion", "review", "proposal"]
    question: str
    run_id: str
    project_id: str
    ts: str
    answer_with: str


class LocatedItem(NamedTuple):
    """An item and the log it stands in."""

    item: InboxItem
    log: str


def list_waiting(home: Home, index: EvidenceIndex, progress: Progress) -> list[LocatedItem]:
    """Return everything that waits, newest first."""
    found = [one for project_id, log in _logs(home) for one in _of_log(project_id, log, index, progress)]
    return sorted(found, key=lambda one: one.item.ts, reverse=True)


def answer(
    home: Home,
    index: EvidenceIndex,
    item_id: str,
    text: str,
    writer_for: Callable[[str], EvidenceWriter],
    progress: Progress,
) -> UserInput:
    """Record the person's answer to a question; NotFound for an id that does not wait."""
    for one in list_waiting(home, index, progress):
        if one.item.id == item_id and one.item.kind != "suggestion":
            return writer_for(one.log).append(
                UserInput(question=one.item.question, answer=text, question_id=item_id), sync=True
            )
        if one.item.id == item_id:
            raise MiError("answered-otherwise", id=item_id, command=one.item.answer_with)
    raise NotFound("nothing-waits", id=item_id)


def _logs(home: Home) -> Iterator[tuple[str, str]]:
    for project_id in home.project_ids():
        log = home.project(project_id).evidence
        if os.path.exists(log):
            yield project_id, log


def _of_log(project_id: str, log: str, index: EvidenceIndex, progress: Progress) -> Iterator[LocatedItem]:
    index.catch_up(log, progress)
    offsets, _ = index.unsettled(log, PAIRS)
    for event in (read_at(log, offset) for offset in offsets):
        item = _item(event, project_id) if event else None
        if item is not None:
            yield LocatedItem(item, log)


def _item(event: Event, project_id: str) -> InboxItem | None:
    record = event.record()
    place = {"run_id": event.head.run_id, "project_id": project_id, "ts": event.head.ts}
    if isinstance(record, Question):
        word = {"capture": "save", "trust": "yes"}.get(record.about, '"…"')
        how = f"mi answer {record.id} {word}"
        return InboxItem(id=record.id, kind=record.waits_as, question=record.text, answer_with=how, **place)
    if isinstance(record, LearnSuggested) and not record.applied_claim_ids:
        how = f"mi answer {record.id} yes"
        return InboxItem(id=record.id, kind="suggestion", question=record.text, answer_with=how, **place)
    return None
