"""How the rules read what an agent wrote: questions, claims of being done, words that matter; in any language."""

import re
from functools import cache

from mi.kernel.language import compiled, one_of, patterns
from mi.kernel.text import split_sentences
from mi.knowledge.search.words import tokens

_FENCE = r"```.*?(?:```|\Z)"


def _prose(message: str) -> str:
    """Return the message without its code blocks: code neither claims nor asks."""
    return re.sub(_FENCE, " ", message, flags=re.DOTALL)


def says_done(message: str) -> bool:
    """Return whether an agent claims in plain words that the work is done."""
    known = patterns()
    done, not_done = compiled(known.done), compiled(known.not_done)
    said = [one for one in split_sentences(_prose(message)) if not one.endswith(known.question_marks)]
    return any(done.search(sentence) and not not_done.search(sentence) for sentence in said)


def questions_in(message: str) -> list[str]:
    """Return the questions an agent asks at the end of its message; a question it answers itself further on is none."""
    asked: list[str] = []
    known = patterns()
    for sentence in split_sentences(_prose(message)):
        bare = sentence.strip("*_ ")
        if bare.endswith(known.question_marks) or compiled(known.question).search(bare):
            asked.append(bare)
        elif asked and len(bare) > 60:
            asked.clear()  # a longer statement after it: the agent went on by itself
    return asked


def wants_to_be_asked(value: str) -> bool:
    """Return whether a value says that the person wants to decide this themselves."""
    return bool(compiled(patterns().ask_me).search(value))


def says_lasting(text: str) -> bool:
    """Return whether a text says how things should be from now on, not only this once."""
    return bool(compiled(patterns().lasting).search(_prose(text)))


def lasting_sentences(text: str) -> list[str]:
    """Return the sentences of a text, outside its code, that say how things should be from now on."""
    return [one for one in split_sentences(_prose(text)) if compiled(patterns().lasting).search(one)]


def is_inquiry(task: str) -> bool:
    """Return whether a task asks for an answer rather than for a change: `can you fix it?` asks for a change."""
    known = patterns()
    marks = [mark for mark in known.clause_marks if mark not in known.colons]
    parts = compiled(rf"{one_of(*marks)}|\n|{known.clause_break}").split(_prose(task))
    polite = compiled(rf"^(?:{known.politeness})+")
    clauses = [polite.sub("", part.strip()).strip() for part in parts]
    if any(compiled(known.change).match(clause) for clause in clauses):
        return False
    asks = any(mark in task for mark in known.question_marks) or compiled(known.question_particle).search(task)
    return bool(asks or compiled(known.inquiry).match(clauses[0]))


def content_words(text: str) -> set[str]:
    """Return the words that carry meaning: English ones without endings, Chinese ones as pairs of characters."""
    found = [word for word in tokens(text, asked=True) if word not in _empty_words()]
    suffix = compiled(patterns().suffix)
    return {suffix.sub("", word) if len(word) > 4 and word.isascii() else word for word in found}


@cache
def _empty_words() -> frozenset[str]:
    return frozenset((*patterns().stop_words, *patterns().empty_words))
