"""Answers given outside of a run: kept as claims of the project whose agent asked."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts

if TYPE_CHECKING:
    from mi.evidence.records.questions import Question, UserInput
    from mi.evidence.records.thoughts import AnswerKept


def keep_given_answer(context: HomeContext, project_id: str, given: "UserInput") -> "AnswerKept | None":
    """Keep an answer that was just recorded, where it holds for other times."""
    if not project_id or not context.config.runtime.thought_db.enabled:
        return None
    log = context.home.project(project_id).evidence
    question = _find_question(context, log, given.question_id)
    if question is None or not question.keep:
        return None
    from mi.learning.answers import keep_answer

    own, writer = build_thoughts(context).open_store(project_id), context.evidence_writer(log)
    return keep_answer(own, question, given, lambda kept: writer.append(kept, sync=True))


def _find_question(context: HomeContext, log: str, question_id: str) -> "Question | None":
    from mi.evidence.reader import read_at
    from mi.evidence.records.questions import Question

    offset = context.evidence_index.referring(log, "question", question_id, lambda done, total: None)
    event = read_at(log, offset) if offset is not None else None
    record = event.record() if event else None
    return record if isinstance(record, Question) else None
