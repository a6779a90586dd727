"""Answers to agents' questions, kept as claims of the project, so that nobody asks them twice."""

from collections.abc import Callable

from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.thoughts import AnswerKept
from mi.kernel.consent import refuses
from mi.kernel.language import compiled, patterns
from mi.kernel.secrets import find_secrets
from mi.knowledge.thoughts.kinds import ANSWER
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import ThoughtStore, citing
from mi.mind.answering import is_irreversible
from mi.mind.asked_before import agree, find_marked, find_vote, is_grave
from mi.mind.asked_questions import AskedQuestion, read_stored
from mi.mind.same_question import is_same
from mi.mind.views import AnsweredBefore

_ARROW = " → "
_LOOKED_AT = 500  # the latest answers that a question is compared with
_LONGEST = 500  # characters of an answer or a question; more is no answer that holds for other times


def keep_answer(
    own: ThoughtStore, question: Question, given: UserInput, append: Callable[[AnswerKept], AnswerKept]
) -> AnswerKept | None:
    """Keep the answer as a claim of the project; None where it is not one that holds for other times.

    Answers to the same question that said otherwise are superseded.
    """
    if not question.keep or given.dismissed or given.once or not may_keep(question, given.answer):
        return None
    text, asked = write_down(question), read_question(question)
    said = _in_full(given.answer, asked)
    former = [one for one in read_answers(own) if is_same(read_stored(one.question), asked)]
    if any((one.question, one.answer) == (text, said) for one in former):
        return None  # asked by two runs at once, and answered together
    replaced = [one.id for one in former if not agree(one.answer, said, asked)]
    claim = own.new_claim(f"{text}{_ARROW}{said}", [ANSWER], given.event_id, "user", notes=text)
    record = AnswerKept(question_id=question.id, claim_id=claim.claim_id, text=claim.text, replaced=replaced)
    stored = append(record)
    own.add_claims([citing(claim, given.event_id, stored.event_id)])
    edges = [own.new_edge("supersedes", old, claim.claim_id, "", "user") for old in replaced]
    own.add_edges([citing(edge, given.event_id, stored.event_id) for edge in edges])
    return stored


def may_keep(question: Question, answer: str) -> bool:
    """Return whether an answer says how to do the work from now on.

    A yes to a permission, a risk or a budget never does, nor what was said for this one time, nor a secret.
    """
    known, asked = patterns(), read_question(question)
    if not answer.strip() or max(len(answer), len(write_down(question))) > _LONGEST:
        return False
    if find_secrets(answer) or find_secrets(write_down(question)) or compiled(known.only_once).search(answer):
        return False
    asks_back = answer.strip().endswith(known.question_marks)
    return not asks_back and (refuses(answer) or not _opens(asked, answer))


def _opens(asked: AskedQuestion, answer: str) -> bool:
    """Return whether an answer gives leave for something, or says yes to a risk or a cost."""
    known = patterns()
    is_choice = len(asked.options) > 1
    vote = find_vote(answer, asked) if is_choice else None
    chosen = asked.options[vote] if vote is not None else f"{asked.text} {answer}"
    if is_irreversible(f"{chosen} {answer}") or (vote is not None and is_grave(asked, vote)):
        return True
    if compiled(known.risky).search(chosen) or compiled(known.budget).search(f"{asked.text} {chosen}"):
        return True
    return not is_choice and compiled(known.permission).search(asked.text) is not None


def read_question(question: Question) -> AskedQuestion:
    """Return what was asked, with the options as the person was shown them."""
    listed = [one for one in question.options if one.text]  # a yes or no has none
    if len(listed) < 2:
        return read_stored(write_down(question))
    return AskedQuestion(question.text, tuple(one.text for one in listed), tuple(one.key for one in listed))


def write_down(question: Question) -> str:
    """Return a question as the claim keeps it: with the options that its own words do not name."""
    text = question.text.strip()
    missing = [one for one in question.options if one.text and one.text not in text]
    listed = [f"{one.key}) {one.text}" for one in question.options if one.text] if missing else []
    return "\n".join([text, *listed])


def _in_full(answer: str, asked: AskedQuestion) -> str:
    """Return an answer that is understood without the marks of the options: the option itself."""
    marked = find_marked(answer, asked)
    return answer.strip() if marked is None else asked.options[marked]


def read_answers(own: ThoughtStore) -> list[AnsweredBefore]:
    """Return the answers that stand in a project, oldest first, the latest of them at most."""
    return [one for claim in own.active(ANSWER)[-_LOOKED_AT:] if (one := _read_claim(claim)) is not None]


def _read_claim(claim: Claim) -> AnsweredBefore | None:
    asked, _, said = claim.text.partition(f"{claim.notes}{_ARROW}") if claim.notes else ("", "", "")
    if asked or not said:
        return None  # somebody wrote it in another way
    return AnsweredBefore(id=claim.claim_id, question=claim.notes, answer=said, said_at=claim.asserted_ts)
