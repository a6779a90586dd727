"""auto_answer_to_hands: the agent's question, answered as the person would, from what they said."""

from functools import cache

from mi.evidence.records.mind import AutoAnswerOutput
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text
from mi.mind.language import content_words, questions_in, wants_to_be_asked
from mi.mind.prompt import Prompt, Section, bullets
from mi.mind.sections import case_sections
from mi.mind.views import Case, CitableText

_INSTRUCTION = """\
Answer the agent's questions on the person's behalf, only from the values, preferences, facts and evidence
below, and cite the ids that carry the answer in cited_ids. An answer nothing carries must not be given: set
needs_user_input and phrase one short question to the person. should_answer is false when the agent asked
nothing that needs an answer."""


@cache
def _grave_words() -> frozenset[str]:
    """Return what leaves the machine or cannot be taken back: answered only by a value that names it."""
    return frozenset(word for one in patterns().grave_words for word in content_words(one))


def is_irreversible(question: str) -> bool:
    """Return whether it is about what leaves the machine or cannot be taken back."""
    return not _grave_words().isdisjoint(content_words(question))


def asked(case: Case) -> list[str]:
    """Return the questions of a batch: those the agent's own events name, else those its last message ends with."""
    return case.batch.questions or questions_in(case.batch.last_message)


def _sections(case: Case) -> list[Section]:
    planned = Section("CHECKS PLANNED", case.planned_checks, 0.3)
    return [*case_sections(case), planned, Section("QUESTIONS", bullets(asked(case)), 1)]


def _rules(case: Case) -> AutoAnswerOutput:
    questions = asked(case)
    if not questions:
        return AutoAnswerOutput(notes=text("plan.nothing-asked", case.language))
    carried = {question: carrier(question, case.person.everything()) for question in questions}
    unanswered = [question for question, said in carried.items() if said is None]
    found = [said for said in carried.values() if said is not None]
    if unanswered:
        return AutoAnswerOutput(
            needs_user_input=True,
            ask_user_question=unanswered[0],
            unanswered_questions=unanswered,
            cited_ids=[said.id for said in found],
            notes=text("plan.uncovered", case.language),
        )
    quotes = dict.fromkeys(said.text for said in found)
    reply = "The person has said: " + " ".join(f"“{quote}”" for quote in quotes) + " Go by that."
    ids = list(dict.fromkeys(said.id for said in found))
    return AutoAnswerOutput(should_answer=True, confidence=0.7, hands_answer_input=reply, cited_ids=ids)


def carrier(question: str, said: list[CitableText]) -> CitableText | None:
    """Return what the person said that answers a question.

    Two words of meaning in common are needed, among them what the agent would do and everything grave.
    """
    words = content_words(question)
    deed = compiled(patterns().deed).search(question)
    grave = (words & _grave_words()) | (content_words(deed[deed.lastindex or 0]) if deed else set())
    best: tuple[float, CitableText] | None = None
    for one in said:
        shared = words & content_words(one.text)
        if len(shared) < 2 or grave - shared or wants_to_be_asked(one.text):
            continue
        score = len(shared) / (len(words) or 1)
        if score >= 0.25 and (best is None or score > best[0]):
            best = (score, one)
    return best[1] if best else None


auto_answer_to_hands = Prompt("auto_answer_to_hands", AutoAnswerOutput, _INSTRUCTION, _sections, _rules)
