"""An agent's question on its way to the person: what MI would have answered."""

from mi.evidence.records.mind import AutoAnswerOutput
from mi.evidence.records.questions import WouldAnswer
from mi.mind.asked_before import guess
from mi.mind.asked_questions import read_questions
from mi.mind.prompts.auto_answer_to_hands import asked
from mi.mind.topics import find_topic
from mi.mind.views import Case


def would_answer(case: Case, shown: str, answer: AutoAnswerOutput | None) -> WouldAnswer | None:
    """Return what MI would say to the question that the person is shown; None where no agent asked it.

    The Mind's own guess, else what the person's words come nearest to.
    """
    questions = read_questions(asked(case), case.batch.last_message)
    if not questions:
        return None
    question = next((one for one in questions if one.text in shown), questions[0])
    topic = find_topic(" ".join([shown, *question.options]))
    why = answer.notes if answer else ""
    if answer and answer.hands_answer_input:
        said, sure, cited = answer.hands_answer_input, answer.confidence, answer.cited_ids
    else:
        guessed = guess(question, case.person)
        said, sure, cited = guessed.reply, guessed.confidence, [one.id for one in guessed.said]
    return WouldAnswer(answer=said, confidence=sure, cited_ids=cited, why_asked=why, topic=topic)
