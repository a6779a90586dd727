"""Answering an agent's question from what the person said: which of its options their values clearly choose.

Every doubt is a question to the person: a value that wants to be asked, that has conditions, that speaks of something
else, or that disagrees with another one, answers nothing. What cannot be taken back is never answered with yes.
"""

from functools import cache

from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.mind.asked_questions import AskedQuestion
from mi.mind.language import content_words, wants_to_be_asked
from mi.mind.language_versions import is_missing, read_demand
from mi.mind.views import CitableText

# What a value may be about, as two sides; `Patterns.sides` has the words of each.
_OPPOSITE = {
    "dependency": "no dependency",
    "large change": "small change",
    "breaks callers": "keeps callers",
    "no test": "test",
    "fast": "readable",
    "unsafe": "safe",
    "no docs": "docs",
    "loses data": "keeps data",
}
_OPPOSITE |= {other: one for one, other in _OPPOSITE.items()}
# The sides that one deed tells without another to compare it with.
_TELL_ALONE = {"dependency", "large change", "breaks callers", "unsafe", "loses data", "no test", "no docs"}
_TELL_ALONE |= {"keeps callers", "safe", "keeps data", "test", "docs"}


class Chosen(NamedTuple):
    """What the person's word chooses."""

    reply: str
    said: tuple[CitableText, ...]


def choose(question: AskedQuestion, said: list[CitableText]) -> Chosen | None:
    """Return what the person's own words choose; None when they do not, or not clearly."""
    own = [one for one in said if one.by_person]
    if any(wants_to_be_asked(one.text) and _touches(one.text, question) for one in own):
        return None
    usable = [one for one in own if not compiled(patterns().conditional).search(one.text)]
    votes = [(vote, one) for one in usable if (vote := _vote(question, one.text)) is not None]
    chosen = {vote for vote, _ in votes}
    voters = [one for _, one in votes]
    if len(chosen) != 1 or any(_raises_doubt(one.text, question) for one in own if one not in voters):
        return None
    vote = chosen.pop()
    if _does_what_stays(question, vote):
        return None
    return Chosen(_reply(question, vote), tuple(one for _, one in votes))


# weighing an option by one value


def _vote(question: AskedQuestion, value: str) -> int | None:
    """Return the option that a value chooses; -1 is no to the only one, None that it chooses none."""
    scores = [_score(option, question, value) for option in question.options]
    if len(scores) == 1:
        return None if not scores[0] else 0 if scores[0] > 0 else -1
    if not scores:
        return None
    best = max(scores)
    leading = [number for number, score in enumerate(scores) if score == best]
    clear = len(leading) == 1 and (best > 0 or (best == 0 and max(s for s in scores if s != best) < 0))
    return leading[0] if clear else None


def _score(option: str, question: AskedQuestion, value: str) -> int:
    demand = read_demand(value)
    if demand is not None:
        return -1 if is_missing(option, demand) else 0
    return _by_side(option, question, value) or _by_name(option, question, value)


def _by_side(option: str, question: AskedQuestion, value: str) -> int:
    """Return 1 when an option is on the side that a value wants, -1 when it is on the other, 0 otherwise.

    Of several options both sides must be there: only then they are about that matter.
    """
    known = patterns()
    wanted = {side for side, words in known.wants.items() if compiled(words).search(value)}
    if any(_OPPOSITE[side] in wanted for side in wanted):
        return 0
    matters = {side: _OPPOSITE[side] for side in wanted}
    if len(question.options) > 1:
        there = set().union(*map(_sides_of, question.options))
        matters = {side: other for side, other in matters.items() if {side, other} <= there}
    on = _sides_of(option) if len(question.options) > 1 else _sides_of(option) & _TELL_ALONE
    return (1 if on & matters.keys() else 0) - (1 if on & set(matters.values()) else 0)


def _sides_of(option: str) -> set[str]:
    known = patterns()
    return {side for side in known.sides if compiled(known.sides[side]).search(option)}


def _by_name(option: str, question: AskedQuestion, value: str) -> int:
    """Return 1 when a value tells to use just this option, -1 when it forbids it, 0 when it does not name it."""
    others = set().union(*(content_words(one) for one in question.options if one != option))
    words = content_words(option) - others
    named = words & content_words(value)
    if not named or not compiled(patterns().directive).search(value):
        return 0
    affirmed, denied = _split_by_negation(value)
    forbidden = bool(named & denied) and not named & affirmed
    if len(question.options) == 1:
        return _named_deed(words, named, value, forbidden)
    if len(named) < len(words) / 2 or not _is_about(value, named, question):
        return 0
    return -1 if forbidden else 1


def _named_deed(words: set[str], named: set[str], value: str, forbidden: bool) -> int:
    """Return whether a value speaks of a deed: all that it forbids, or most of what it would take and two words."""
    if forbidden:
        return -1 if content_words(value) - _filler() <= words else 0
    return 1 if len(named) >= 2 and len(named) >= 0.6 * len(words) else 0


def _split_by_negation(value: str) -> tuple[set[str], set[str]]:
    """Return the words that a value speaks for and those that it speaks against."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    known = patterns()
    for clause in compiled(one_of(*known.clause_marks)).split(value):
        found = compiled(known.denies).search(clause)
        affirmed |= content_words(clause[: found.start()] if found else clause)
        denied |= content_words(clause[found.end() :]) if found else set()
    return affirmed, denied


def _is_about(value: str, named: set[str], question: AskedQuestion) -> bool:
    """Return whether a value that names an option speaks of what is asked: all that it limits itself to is there."""
    options = set().union(*map(content_words, question.options))
    subject = content_words(question.text) - options - _filler()
    rest = content_words(value) - options - _filler()
    limits = {word for one in compiled(patterns().limits_to).finditer(value) for word in content_words(one[0])} & rest
    if not subject:  # `pytest or unittest?` is about tests by its options alone
        return all(any(word in one for one in options) for word in rest)
    if not rest:  # it names both, or rules one out; else it may be meant for anything
        return options - named <= content_words(value) or named <= _split_by_negation(value)[1]
    return limits <= subject and bool(rest & subject)


def _filler() -> set[str]:
    return content_words(" ".join(patterns().directive_words))


def _touches(value: str, question: AskedQuestion) -> bool:
    """Return whether a value is about anything that a question speaks of."""
    asked = " ".join([question.text, *question.options])
    known = patterns()
    same = any(
        compiled(known.sides[side]).search(asked)
        and (compiled(known.sides[side]).search(value) or compiled(known.wants[other]).search(value))
        for side, other in _OPPOSITE.items()
    )
    return same or bool((content_words(value) - _filler()) & content_words(asked))


def _raises_doubt(value: str, question: AskedQuestion) -> bool:
    """Return whether a value that chooses nothing speaks of the same matter, so that it may mean something else."""
    asked = content_words(" ".join([question.text, *question.options]))
    return len((content_words(value) - _filler()) & asked) >= 2


# answering


def _does_what_stays(question: AskedQuestion, vote: int) -> bool:
    """Return whether the answer would tell the agent to do what cannot be taken back."""
    return vote >= 0 and is_irreversible(question.options[vote])


def is_irreversible(text: str) -> bool:
    """Return whether it is about what leaves the machine or cannot be taken back."""
    return not _grave_words().isdisjoint(content_words(text))


@cache
def _grave_words() -> frozenset[str]:
    return frozenset().union(*map(content_words, patterns().grave_words))


def _reply(question: AskedQuestion, vote: int) -> str:
    if vote < 0:
        return "No."
    if len(question.options) == 1:
        return "Yes."
    mark = f"{question.marks[vote]}: " if question.marks else ""
    return f"{mark}{question.options[vote].rstrip('.')}."
