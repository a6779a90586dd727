"""Questions of a run: all that somebody needs to answer one who has seen nothing of the run."""

from mi.evidence.records.questions import Question, QuestionOption
from mi.kernel.language import patterns
from mi.mind.asked_questions import read_questions

YES_OR_NO = [QuestionOption(key="yes"), QuestionOption(key="no")]
_ASKS_LEAVE = ("risk", "judges", "review")
_ASKED_BY_AGENT = ("agent", "next")


def find_place(question: Question) -> tuple[str, str]:
    """Return what the answer to a rule's question holds for: the change it is about, else the question in its batch."""
    return (question.judges[0], "") if question.judges else (question.batch_id, question.text)


def find_options(text: str, about: str, said: str) -> list[QuestionOption]:
    """Return what can be chosen: by the marks that the agent gave its options, else lettered; [] where it is open."""
    if about in _ASKS_LEAVE:
        return YES_OR_NO
    asks = text.rstrip(" \n*_").endswith(tuple(patterns().question_marks))
    if about not in _ASKED_BY_AGENT:
        return []
    question = read_questions([text], said)[0] if text.strip() else None
    if question is None or not question.options:
        return []
    if len(question.options) > 1:
        keys = question.marks or [chr(ord("A") + number) for number in range(len(question.options))]
        return [QuestionOption(key=key, text=one) for key, one in zip(keys, question.options, strict=False)]
    return YES_OR_NO if asks else []
