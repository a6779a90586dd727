"""How far MI's guesses and the person's answers agree, over all projects of a home."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mi.evidence.records.questions import Question
    from mi.kernel.log_view import Progress
    from mi.learning.autonomy import TopicAgreement


def read_agreement(context: HomeContext, progress: "Progress") -> "list[TopicAgreement]":
    """Return the agreement by topic."""
    from mi.learning.autonomy import add_up

    return add_up(count_answers(context, progress))


def count_answers(context: HomeContext, progress: "Progress") -> "Iterator[TopicAgreement]":
    """Return what every answered question adds to its topic, one by one."""
    from mi.learning.autonomy import count_answer, read_answered

    logs = [context.home.project(one).evidence for one in context.home.project_ids()]
    return map(count_answer, read_answered(filter(os.path.exists, logs), context.evidence_index, progress))


def find_earned(context: HomeContext, question: "Question") -> "TopicAgreement | None":
    """Return the agreement by which MI may answer a question by itself; None when the person is to be asked."""
    from mi.learning.autonomy import may_answer

    return may_answer(question, read_agreement(context, lambda done, total: None))
