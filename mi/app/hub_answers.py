"""The person's answer to a question that waits at another home: kept here, sent to the hub, heard there."""

import time
from typing import Literal

import msgspec

from mi.app.home_context import HomeContext
from mi.evidence.inbox import InboxItem
from mi.evidence.reader import read_at
from mi.evidence.records.questions import UserInput
from mi.hub.questions import GivenAnswer, QuestionBoard, forget_answer, note_answer, read_questions_file
from mi.hub.state import need_hub
from mi.kernel.errors import Blocked, MiError, NotFound, UsageError
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.safe_text import shorten_gist
from mi.kernel.seal import is_foreign
from mi.kernel.secrets import redact

_PATIENCE_S = 3  # of a person who answers, for a hub that may be out of reach
_HEARD_S = 2.0  # for the home at which it waits to take an answer, where somebody listens


class SentAnswer(NamedTuple):
    """How far an answer got, and why no further."""

    state: Literal["goes-on", "sent", "kept"]
    reason: str = ""


def answer_elsewhere(context: HomeContext, item: InboxItem, given: UserInput) -> SentAnswer:
    """Keep an answer and send it; NotFound where another one came first, Blocked where it is not taken."""
    from mi.hub.connection import connect_home

    if redact(given.answer) != given.answer:
        raise UsageError("hub-secret-answer", id=item.number or item.id, machine=item.machine)
    state = need_hub(context.home, context.notices)
    context.open_global_log().append(
        msgspec.structs.replace(given, question=item.question, question_id=item.id), sync=True
    )
    kept = GivenAnswer(question_id=item.id, machine=item.machine, question=item.question)
    note_answer(context.home, context.notices, kept)
    try:
        with connect_home(context.home, state, _PATIENCE_S) as connection:
            connection.execute("LISTEN mi_hub")
            board = QuestionBoard(connection, state)
            _send(context, board, kept)
            until = time.monotonic() + _HEARD_S
            while (left := until - time.monotonic()) > 0:
                [*connection.notifies(timeout=left, stop_after=1)]
                if _settle(context, board, kept):
                    return SentAnswer("goes-on")
        return SentAnswer("sent")
    except (Blocked, NotFound):
        forget_answer(context.home, context.notices, item.id)
        raise
    except MiError as error:
        return SentAnswer("kept", error.line(context.quiet_language))


def settle_answers(context: HomeContext, board: QuestionBoard) -> list[MiError]:
    """Send what is kept, forget what arrived; return what is to be said of answers that do not count."""
    late = list[MiError]()
    for one in read_questions_file(context.home, context.notices).answers:
        try:
            if one.state == "kept":
                _send(context, board, one)
            _settle(context, board, one)
        except NotFound as error:
            forget_answer(context.home, context.notices, one.question_id)
            late.append(error)
    return late


def _send(context: HomeContext, board: QuestionBoard, given: GivenAnswer) -> None:
    """Send an answer as it stands in the log; NotFound where another one came first."""
    said = _read_word(context, given.question_id)
    if said is None:  # not there, or not written by MI: nobody's word
        forget_answer(context.home, context.notices, given.question_id)
        return
    fate = board.answer(given.question_id, said.answer, said.once)
    if not fate.is_own:
        raise _make_late(given, fate.first_by)
    note_answer(context.home, context.notices, msgspec.structs.replace(given, state="sent"))


def _settle(context: HomeContext, board: QuestionBoard, given: GivenAnswer) -> bool:
    """Return whether an answer reached its run; NotFound where another one came first."""
    fates = board.read_fates([given.question_id])
    fate = fates.get(given.question_id)
    if fate is not None and not fate.first_by:
        return False
    if fate is not None and not fate.is_own:
        raise _make_late(given, fate.first_by)
    forget_answer(context.home, context.notices, given.question_id)
    return fate is not None


def _make_late(given: GivenAnswer, who: str) -> NotFound:
    return NotFound("hub-answered-before", question=shorten_gist(given.question, 100), who=who, machine=given.machine)


def _read_word(context: HomeContext, question_id: str) -> UserInput | None:
    log = context.home.evidence
    offset = context.evidence_index.referring(log, "user_input", question_id, lambda done, total: None)
    event = read_at(log, offset) if offset is not None and not is_foreign(log, offset) else None
    record = event.record() if event else None
    return record if isinstance(record, UserInput) else None
