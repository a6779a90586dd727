"""auto_answer_to_hands: the agent's question, answered as the person would, from what they said."""

from mi.evidence.records.mind import AutoAnswerOutput
from mi.kernel.messages import text
from mi.mind.answering import Chosen, choose
from mi.mind.asked_before import find_answer
from mi.mind.asked_questions import AskedQuestion, read_questions
from mi.mind.language import in_context, questions_in
from mi.mind.prompt import Prompt, Section, bullets
from mi.mind.sections import case_sections, cited
from mi.mind.views import Case

_INSTRUCTION = """\
Answer the agent's questions on the person's behalf, only from the values, preferences, facts and evidence
below, and cite the ids that carry the answer in cited_ids. What THE PERSON ANSWERED BEFORE holds for every question
that means the same, in whatever words, and for nothing else. An answer nothing carries must not be given: set
needs_user_input and phrase one short question to the person; then hands_answer_input is what you believe they would
say, with your confidence in it, and is not sent. should_answer is false when the agent asked nothing that needs an
answer."""


def asked(case: Case) -> list[str]:
    """Return the questions of a batch: those the agent's own events name, else those its last message ends with."""
    return case.batch.questions or questions_in(case.batch.last_message)


def _sections(case: Case) -> list[Section]:
    planned = Section("CHECKS PLANNED", case.planned_checks, 0.3)
    answered = Section("THE PERSON ANSWERED BEFORE", cited(case.person.answered()), 1)
    return [*case_sections(case), planned, answered, Section("QUESTIONS", bullets(asked(case)), 1)]


def _rules(case: Case) -> AutoAnswerOutput:
    questions = read_questions(asked(case), case.batch.last_message)
    if not questions:
        return AutoAnswerOutput(notes=text("plan.nothing-asked", case.language))
    chosen = [(question, _choose(question, case)) for question in questions]
    message = case.batch.last_message
    unanswered = [in_context(question.text, message) for question, answer in chosen if answer is None]
    found = [answer for _, answer in chosen if answer is not None]
    ids = list(dict.fromkeys(said.id for answer in found for said in answer.said))
    if unanswered:
        return AutoAnswerOutput(
            needs_user_input=True,
            ask_user_question=unanswered[0],
            unanswered_questions=unanswered,
            cited_ids=ids,
            notes=text("plan.uncovered", case.language),
        )
    reply = "\n".join(_with_quotes(answer) for answer in found)
    return AutoAnswerOutput(should_answer=True, confidence=0.7, hands_answer_input=reply, cited_ids=ids)


def _choose(question: AskedQuestion, case: Case) -> Chosen | None:
    """Return what the person said to this question before, or what their values choose; of both, the later word."""
    told = question._replace(text=in_context(question.text, case.batch.last_message))  # as it was kept
    valued, answered = choose(question, case.person.thoughts()), find_answer(told, case.person.answers)
    if valued is None or answered is None or valued.reply == answered.reply:
        return answered or valued
    return max((valued, answered), key=lambda one: max(said.said_at for said in one.said))


def _with_quotes(answer: Chosen) -> str:
    """Return an answer with the words it rests on."""
    told = [f"“{said.text}”" for said in answer.said if not said.asked]
    answered = [
        f"The person was asked “{' '.join(said.asked.split())}” before and answered: “{said.text}”."
        for said in answer.said
        if said.asked
    ]
    quotes = [f"The person has said: {' '.join(told)}"] if told else []
    return " ".join([answer.reply, *quotes, *answered, "Go by that."])


auto_answer_to_hands = Prompt("auto_answer_to_hands", AutoAnswerOutput, _INSTRUCTION, _sections, _rules)
