"""Earned autonomy: how often MI would have said what the person said, by topic, and where it may answer by itself."""

from collections.abc import Iterable, Iterator

from mi.evidence.index import EvidenceIndex
from mi.evidence.reader import read_at
from mi.evidence.records.base import Record
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.thoughts import AnsweredAlone
from mi.kernel.language import compiled, patterns
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple
from mi.learning.answers import read_question
from mi.mind.answering import is_irreversible
from mi.mind.asked_before import agree

_KINDS = tuple(str(one.__struct_config__.tag) for one in (Question, UserInput, AnsweredAlone))
_ENOUGH = 10  # answers
_AGREEMENT = 0.95
_SAMPLED = 10  # one of so many is asked all the same


class SettledQuestion(NamedTuple):
    """A question of an agent, and what the person said to it."""

    question: Question
    given: UserInput


class TopicAgreement(NamedTuple):
    """How MI does in one topic: questions the person answered, those it had an answer to, and how many were right."""

    topic: str
    asked: int = 0
    guessed: int = 0
    agreed: int = 0
    alone: int = 0  # questions that it answered by itself
    since: str = ""

    @property
    def is_earned(self) -> bool:
        """Return whether MI may answer in this topic by itself; never where there is none."""
        return bool(self.topic) and self.guessed >= _ENOUGH and self.agreed >= _AGREEMENT * self.guessed

    @property
    def is_sampled(self) -> bool:
        """Return whether the next question is asked though MI may answer it: every tenth."""
        return (self.asked + self.alone) % _SAMPLED == _SAMPLED - 1


def read_answered(
    logs: Iterable[str], index: EvidenceIndex, progress: Progress
) -> Iterator[SettledQuestion | AnsweredAlone]:
    """Return the questions of agents that the person answered, or MI alone, log by log, oldest first."""
    for log in logs:
        asked: dict[str, Question] = {}
        for offset in index.all_of(log, _KINDS, progress):
            record = _read_record(log, offset)
            if isinstance(record, AnsweredAlone):
                yield record
            elif isinstance(record, Question) and record.would is not None:
                asked[record.id] = record
            elif isinstance(record, UserInput) and record.question_id in asked:
                question = asked.pop(record.question_id)  # the first word on it is the answer
                if not record.dismissed and not record.author:
                    yield SettledQuestion(question, record)


def _read_record(log: str, offset: int) -> Record | None:
    event = read_at(log, offset)
    return event.record() if event else None


def add_up(counts: Iterable[TopicAgreement]) -> list[TopicAgreement]:
    """Return the agreement by topic of what was counted one by one."""
    found: dict[str, TopicAgreement] = {}
    for more in counts:
        former = found.get(more.topic, TopicAgreement(more.topic, since=more.since))
        found[more.topic] = TopicAgreement(
            more.topic,
            former.asked + more.asked,
            former.guessed + more.guessed,
            former.agreed + more.agreed,
            former.alone + more.alone,
            min(former.since, more.since),
        )
    return sorted(found.values(), key=lambda one: (-one.asked, one.topic))


def count_answer(one: SettledQuestion | AnsweredAlone) -> TopicAgreement:
    """Return what one question adds to its topic, `since` being when it was answered."""
    if isinstance(one, AnsweredAlone):
        return TopicAgreement(one.topic, alone=1, since=one.ts)
    would = one.question.would
    topic, answer = (would.topic, would.answer) if would else ("", "")
    right = bool(answer) and agree(answer, one.given.answer, read_question(one.question))
    return TopicAgreement(topic, 1, int(bool(answer)), int(right), since=one.given.ts)


def may_answer(question: Question, agreement: Iterable[TopicAgreement]) -> TopicAgreement | None:
    """Return the agreement by which MI answers a question itself; None when the person is to be asked.

    What cannot be taken back, a permission, a risk or a budget is always asked, and of the rest every tenth.
    """
    would = question.would
    if would is None or not would.answer or _is_at_stake(question, would.answer):
        return None
    earned = next((one for one in agreement if one.topic == would.topic and one.is_earned), None)
    return earned if earned and not earned.is_sampled else None


def _is_at_stake(question: Question, answer: str) -> bool:
    known = patterns()
    said = " ".join([question.text, answer, *(option.text for option in question.options)])
    return is_irreversible(said) or any(
        compiled(words).search(said) for words in (known.risky, known.budget, known.permission)
    )
