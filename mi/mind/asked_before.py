"""Knowing a question again that the person has answered before, in whatever words, and what their answer says to it.

Every doubt is a question to the person: another object, another set of options, a deed turned round, two answers that
disagree. What cannot be taken back is never answered with yes.
"""

import re
from functools import lru_cache
from itertools import permutations
from typing import Literal, NamedTuple

from mi.kernel.consent import begins_with_yes, refuses
from mi.kernel.language import compiled, one_of, patterns
from mi.mind.answering import AskedQuestion, Chosen, choose, is_irreversible, read_questions
from mi.mind.language import content_words
from mi.mind.views import AnsweredBefore, CitableText, Person

_SHARED = 0.65  # of the fewer words of two questions: so many in common are about the same …
_COVERED = 0.5  # … when they are so many of the other's, too
_ALIKE = 0.75  # of all words of two choices whose options are read differently
_MOST_OPTIONS = 5
_AWAY = {"take out", "leave out"}
_ADD = "add"  # whoever wants something and names no deed wants it to be there
_RANKED = 12  # earlier answers that a Mind is shown
# A name of something in the code: in backquotes, with an underscore, a path, a capital inside, or a file's ending.
_NAME = re.compile(
    r"`([^`]+)`|(\b\w+(?:_\w+)+\b|[\w.-]*/[\w./-]+|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b[\w-]+\.[a-z]{1,4}\b)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_MARK = re.compile(r"^\W*(?:option\s+)?(?P<mark>\d{1,2}|[A-Za-z])\s*(?:$|[).:,]\s*)", re.IGNORECASE)


class Guess(NamedTuple):
    """What the person would probably say; '' when nothing tells."""

    reply: str = ""
    confidence: float = 0.0
    said: tuple[CitableText, ...] = ()


class KnownQuestion(NamedTuple):
    """A question as it is compared with another."""

    kind: Literal["choice", "wish", "fact", "open"]
    words: frozenset[str]  # that tell what it is about, without those of its options
    options: tuple[frozenset[str], ...]
    deeds: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    turned: bool


def find_answer(question: AskedQuestion, answers: list[AnsweredBefore]) -> Chosen | None:
    """Return what an earlier answer of the person says to a question; None when none does, or they disagree."""
    known = [one for one in answers if is_same(read_stored(one.question), question)]
    exact = [one for one in known if is_same_text(one.question, question.text)]
    found = exact[-1:] or known
    replies = {one.id: reply for one in found if (reply := _reply_of(one, question))}
    if len(replies) != len(found) or len(set(replies.values())) != 1:
        return None
    return Chosen(
        replies[found[0].id], tuple(CitableText(id=one.id, text=one.text, said_at=one.said_at) for one in found[-2:])
    )


def guess(question: AskedQuestion, person: Person) -> Guess:
    """Return what most of the person's words that say anything to a question come to."""
    votes = [(found, 0.6) for one in person.thoughts() if (found := choose(question, [one])) is not None]
    for one in person.answers:
        near = _same_subject(read_known(read_stored(one.question)), read_known(question))
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
    asked = frozenset[str]().union(*(_all_words(one) for one in questions))
    scored = [(len(asked & _all_words(read_stored(one.question))), number) for number, one in enumerate(answers)]
    return [answers[number] for _, number in sorted(scored, reverse=True)[:_RANKED]]


def read_stored(question: str) -> AskedQuestion:
    """Return a question that was kept as a text, with its options on lines of their own where it listed any."""
    return _read_stored(question)


@lru_cache(maxsize=1024)
def _read_stored(question: str) -> AskedQuestion:
    return next(iter(read_questions([question], question)), AskedQuestion(question, ()))


def is_same(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether an earlier question (`one`) means the same as another."""
    if is_same_text(one.text, other.text) and len(one.options) == len(other.options):
        return True
    before, now = read_known(one), read_known(other)
    if not before.names <= now.names or before.numbers != now.numbers:
        return False
    if before.kind == now.kind == "choice":
        paired = _pair_up(one.options, other.options) is not None and _same_subject(before, now, one.options)
        return paired or _same_words(one, other)
    if {before.kind, now.kind} == {"choice", "open"}:
        return _near(before.words, now.words)
    if before.kind != now.kind or before.turned != now.turned or not _same_deed(before, now):
        return False
    return _near(before.words, now.words)


def _same_words(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether two choices are told in nearly the same words, wherever one option ends and the next begins."""
    mine, theirs = _told_in(one), _told_in(other)
    return len(one.options) == len(other.options) and len(mine & theirs) >= _ALIKE * len(mine | theirs)


def _told_in(question: AskedQuestion) -> set[str]:
    text = _canonical(" ".join([question.text, *question.options]))
    for words in patterns().deeds.values():
        text = compiled(words).sub(" ", text)
    return _telling_words(text)


def _same_deed(one: KnownQuestion, other: KnownQuestion) -> bool:
    """Return whether two questions are about the same deed: one in common, and none that does away with something."""
    if one.kind == "open" and not (one.deeds and other.deeds):
        return True
    return bool(one.deeds & other.deeds) and one.deeds & _AWAY == other.deeds & _AWAY


def is_same_text(one: str, other: str) -> bool:
    """Return whether two questions are told in the very same words."""
    return _plain(one) == _plain(other)


# what a question is about


@lru_cache(maxsize=1024)
def read_known(question: AskedQuestion) -> KnownQuestion:
    """Return what of a question is compared."""
    known = patterns()
    choice = len(question.options) > 1
    kind = "choice" if choice else _kind_of(question.text)
    rest = _without_options(question) if choice else compiled(known.asks_leave).sub(" ", question.text)
    names = {name for found in _NAME.findall(rest) if (name := _name_of(found))}
    bare = _NAME.sub(lambda found: found[0] if not _name_of(found.groups("")) else " ", rest)
    one_meaning = _canonical(bare)
    told = {deed for deed, words in known.deeds.items() if compiled(words).search(one_meaning)}
    for words in known.deeds.values():
        one_meaning = compiled(words).sub(" ", one_meaning)
    return KnownQuestion(
        kind,
        frozenset(_telling_words(one_meaning)),
        _told_apart(question.options) if choice else (),
        frozenset(told or ({_ADD} if kind == "wish" else ())),
        frozenset(names),
        frozenset(_NUMBER.findall(bare)),
        not choice and compiled(known.negation).search(rest.lower()) is not None,
    )


def _telling_words(text: str) -> set[str]:
    """Return the words that tell what is asked, without those that only ask; where no blank parts words, by parts."""
    asking = patterns().asking_words
    unparted = sorted((word for word in asking if not word.isascii()), key=len, reverse=True)
    rest = compiled("|".join(map(re.escape, unparted))).sub(" ", text)
    found = content_words(rest) - content_words(" ".join(asking)) - set(asking)
    return {word for word in found if len(word) > 1 or not word.isascii()}


def _kind_of(text: str) -> Literal["wish", "fact", "open"]:
    known = patterns()
    if compiled(known.open_question).search(text):
        return "open"
    wishes = compiled(known.asks_leave).search(text) or compiled(known.is_wanted).search(text)
    return "wish" if wishes else "fact"


def _without_options(question: AskedQuestion) -> str:
    text = question.text
    for option in sorted(question.options, key=len, reverse=True):
        text = text.replace(option, " ")
    return text


def _name_of(found: tuple[str, ...]) -> str:
    """Return the name in the code that a match is; '' where it is one of the words that have a meaning of their own."""
    name = next(filter(None, found), "").casefold()
    return "" if any(compiled(words).fullmatch(name) for words in patterns().same_words.values()) else name


def _canonical(text: str) -> str:
    """Return a text in which whatever means the same is said in one way."""
    meanings = patterns().same_words
    expression = "|".join(f"({words})" for words in meanings.values())
    tokens = [f" {key.replace(' ', '')} " for key in meanings]
    return compiled(expression).sub(lambda found: tokens[(found.lastindex or 1) - 1], text)


def _all_words(question: AskedQuestion) -> frozenset[str]:
    known = read_known(question)
    return known.words.union(*known.options, known.deeds)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


# comparing


def _near(one: frozenset[str], other: frozenset[str]) -> bool:
    shared = len(one & other)
    if not shared:
        return False
    return shared >= _SHARED * min(len(one), len(other)) and shared >= _COVERED * max(len(one), len(other))


def _same_subject(one: KnownQuestion, other: KnownQuestion, options: tuple[str, ...] = ()) -> bool:
    """Return whether two choices between the same options are about the same.

    One that says nothing else may be, unless the options are mere numbers.
    """
    if not one.words or not other.words:
        return one.words == other.words or not any(_NUMBER.fullmatch(option.strip()) for option in options)
    return len(one.words & other.words) >= 0.5 * min(len(one.words), len(other.words))


def _told_apart(options: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Return the words of each option that are not of all of them: by meaning, or else as they are written."""
    found: list[frozenset[str]] = []
    for read in (lambda text: content_words(_canonical(text)), content_words, lambda text: set(_plain(text).split())):
        each = [frozenset(read(option)) for option in options]
        found = [one - frozenset.intersection(*each) for one in each]
        if all(found) and len(set(found)) == len(found):
            break
    return tuple(found)


def _pair_up(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return for every option of a question its counterpart among those of another; None unless each has one."""
    if len(one) != len(other) or len(one) > _MOST_OPTIONS:
        alike = [_plain(option) for option in one] == [_plain(option) for option in other]
        return tuple(range(len(one))) if alike else None
    mine, theirs = _told_apart(one), _told_apart(other)
    ways = [
        way
        for way in permutations(range(len(theirs)))
        if all(_overlap(words, theirs[at]) for words, at in zip(mine, way, strict=True))
    ]
    return ways[0] if len(ways) == 1 else None


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and len(one & other) >= 0.5 * min(len(one), len(other))


# what an answer says


def _reply_of(known: AnsweredBefore, question: AskedQuestion) -> str:
    """Return an earlier answer as the reply to a question: the counterpart of the option that it chose then."""
    before = read_stored(known.question)
    pairs = _pair_up(before.options, question.options) if min(len(before.options), len(question.options)) > 1 else None
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
    return is_irreversible(f"{question.options[vote]} {_without_options(question)}")


def find_vote(answer: str, question: AskedQuestion) -> int | None:
    """Return the option that an answer chooses: by its mark, or by words that only this option has."""
    marked = find_marked(answer, question)
    if marked is not None:
        return marked
    plain = [_plain(option) for option in question.options]
    if _plain(answer) in plain:
        return plain.index(_plain(answer))
    said = _affirmed(answer)
    raw, meant = content_words(said) | set(_plain(said).split()), content_words(_canonical(said))
    for words in (raw, meant):
        chosen = [number for number, option in enumerate(_told_apart(question.options)) if option & words]
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
    return _near(frozenset(content_words(_canonical(one))), frozenset(content_words(_canonical(other))))


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
