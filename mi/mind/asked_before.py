"""Knowing a question again that the person has answered before, in whatever words, and what their answer says to it.

Every doubt is a question to the person: another object, another set of options, a deed turned round, two answers that
disagree. What cannot be taken back is never answered with yes.
"""

import re

from mi.kernel.consent import begins_with_yes, refuses
from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.mind.answering import Chosen, choose, is_irreversible
from mi.mind.asked_questions import AskedQuestion, read_stored
from mi.mind.language import content_words
from mi.mind.same_question import (
    all_words,
    in_one_wording,
    is_same,
    is_same_subject,
    is_same_text,
    pair_options,
    plain_words,
    read_known,
    share_words,
    tell_apart,
    without_options,
)
from mi.mind.views import AnsweredBefore, CitableText, Person

_RANKED = 12  # earlier answers that a Mind is shown
_MARK = re.compile(r"^\W*(?:option\s+)?(?P<mark>\d{1,2}|[A-Za-z])\s*(?:$|[).:,]\s*)", re.IGNORECASE)


class Guess(NamedTuple):
    """What the person would probably say; '' when nothing tells."""

    reply: str = ""
    confidence: float = 0.0
    said: tuple[CitableText, ...] = ()


def find_answer(question: AskedQuestion, answers: list[AnsweredBefore]) -> Chosen | None:
    """Return what an earlier answer of the person says to a question; None when none does, or they disagree."""
    known = [one for one in answers if is_same(read_stored(one.question), question)]
    exact = [one for one in known if is_same_text(one.question, question.text)]
    found = exact[-1:] or known
    replies = {one.id: reply for one in found if (reply := _reply_of(one, question))}
    if len(replies) != len(found) or len(set(replies.values())) != 1:
        return None
    return Chosen(
        replies[found[0].id],
        tuple(CitableText(id=one.id, text=one.answer, said_at=one.said_at, asked=one.question) for one in found[-2:]),
    )


def guess(question: AskedQuestion, person: Person) -> Guess:
    """Return what most of the person's words that say anything to a question come to."""
    votes = [(found, 0.6) for one in person.thoughts() if (found := choose(question, [one])) is not None]
    for one in person.answers:
        near = is_same_subject(read_known(read_stored(one.question)), read_known(question))
        reply = reply_with(one.answer, question) if near else ""
        votes += [(Chosen(reply, (CitableText(id=one.id, text=one.text),)), 0.4)] if reply else []
    sums: dict[str, float] = {}
    for chosen, weight in votes:
        sums[chosen.reply] = sums.get(chosen.reply, 0.0) + weight
    best = max(sums, key=lambda reply: sums[reply], default="")
    carried = tuple(said for chosen, _ in votes if chosen.reply == best for said in chosen.said)
    return Guess(best, min(0.9, sums[best] / sum(sums.values()) * 0.7), carried) if best else Guess()


def rank(questions: list[AskedQuestion], answers: list[AnsweredBefore]) -> list[AnsweredBefore]:
    """Return the earlier answers that may bear on questions, the nearest first; of equals, the latest."""
    asked = frozenset[str]().union(*(all_words(one) for one in questions))
    scored = [(len(asked & all_words(read_stored(one.question))), number) for number, one in enumerate(answers)]
    return [answers[number] for _, number in sorted(scored, reverse=True)[:_RANKED]]


# what an answer says


def _reply_of(known: AnsweredBefore, question: AskedQuestion) -> str:
    """Return an earlier answer as the reply to a question: the counterpart of the option that it chose then."""
    before = read_stored(known.question)
    pairs = (
        pair_options(before.options, question.options) if min(len(before.options), len(question.options)) > 1 else None
    )
    vote = find_vote(known.answer, before) if pairs else None
    if pairs and vote is not None:
        return reply_with(question.options[pairs[vote]], question)
    is_named = content_words(known.answer) <= content_words(question.text) and not question.marks
    if len(question.options) > 1 and not pairs and is_named and not is_irreversible(question.text):
        return _as_sentence(known.answer)  # in their own words: the options are read differently
    return reply_with(known.answer, question)


def reply_with(answer: str, question: AskedQuestion) -> str:
    """Return an answer as the reply to a question; '' where it says nothing clear, or what cannot be taken back."""
    kind = read_known(question).kind
    if kind == "choice":
        vote = find_vote(answer, question)
        if vote is None or is_grave(question, vote):
            return ""
        mark = f"{question.marks[vote]}: " if question.marks else ""
        return f"{mark}{question.options[vote].rstrip('.')}."
    if kind != "open" and refuses(answer):
        return "No."
    if is_irreversible(question.text):
        return ""
    return "Yes." if kind != "open" and begins_with_yes(answer) else _as_sentence(answer)


def is_grave(question: AskedQuestion, vote: int) -> bool:
    """Return whether an option may stand for what cannot be taken back, by its words or by those around the options."""
    return is_irreversible(f"{question.options[vote]} {without_options(question)}")


def find_vote(answer: str, question: AskedQuestion) -> int | None:
    """Return the option that an answer chooses: by its mark, or by words that only this option has."""
    marked = find_marked(answer, question)
    if marked is not None:
        return marked
    plain = [plain_words(option) for option in question.options]
    if plain_words(answer) in plain:
        return plain.index(plain_words(answer))
    said = _affirmed(answer)
    raw, meant = content_words(said) | set(plain_words(said).split()), content_words(in_one_wording(said))
    for words in (raw, meant):
        chosen = [number for number, option in enumerate(tell_apart(question.options)) if option & words]
        if len(chosen) == 1:
            return chosen[0]
    return None


def find_marked(answer: str, question: AskedQuestion) -> int | None:
    """Return the option whose mark an answer begins with."""
    found = _MARK.match(answer)
    marks = [mark.casefold() for mark in question.marks]
    return marks.index(found["mark"].casefold()) if found and found["mark"].casefold() in marks else None


def agree(one: str, other: str, question: AskedQuestion) -> bool:
    """Return whether two answers to a question say the same."""
    mine, theirs = reply_with(one, question), reply_with(other, question)
    if mine and mine == theirs:
        return True
    if read_known(question).kind in ("choice", "wish") and mine and theirs:
        return False
    return share_words(frozenset(content_words(in_one_wording(one))), frozenset(content_words(in_one_wording(other))))


def _affirmed(answer: str) -> str:
    """Return an answer without what it speaks against."""
    known = patterns()
    clauses = compiled(one_of(*known.clause_marks)).split(answer)
    kept = []
    for clause in clauses:
        found = compiled(known.denies).search(clause)
        kept.append(clause[: found.start()] if found else clause)
    return " ".join(kept)


def _as_sentence(answer: str) -> str:
    said = answer.strip()
    return said if said.endswith(patterns().full_stops) else f"{said}."
