"""Whether two questions mean the same, in whatever words they are told.

Every doubt tells them apart: another object, another set of options, a deed turned round.
"""

import re
from functools import lru_cache
from itertools import permutations
from typing import Literal

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.mind.asked_questions import AskedQuestion
from mi.mind.language import content_words

_SHARED = 0.65  # of the fewer words of two questions: so many in common are about the same …
_COVERED = 0.5  # … when they are so many of the other's, too
_ALIKE = 0.75  # of all words of two choices whose options are read differently
_MOST_OPTIONS = 5
_AWAY = {"take out", "leave out"}
_ADD = "add"  # whoever wants something and names no deed wants it to be there
# A name of something in the code: in backquotes, with an underscore, a path, a capital inside, or a file's ending.
_NAME = re.compile(
    r"`([^`]+)`|(\b\w+_\w+\b|(?:(?<![\w.-])[\w.-]*)?/[\w./-]+|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|(?<![\w-])[\w-]+\.[a-z]{1,4}\b)"
)
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


class KnownQuestion(NamedTuple):
    """A question as it is compared with another."""

    kind: Literal["choice", "wish", "fact", "open"]
    words: frozenset[str]  # that tell what it is about, without those of its options
    options: tuple[frozenset[str], ...]
    deeds: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    turned: bool


def is_same(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether an earlier question (`one`) means the same as another."""
    if is_same_text(one.text, other.text) and len(one.options) == len(other.options):
        return True
    before, now = read_known(one), read_known(other)
    if not before.names <= now.names or before.numbers != now.numbers:
        return False
    if before.kind == now.kind == "choice":
        paired = pair_options(one.options, other.options) is not None and is_same_subject(before, now, one.options)
        return paired or _same_words(one, other)
    if {before.kind, now.kind} == {"choice", "open"}:
        return share_words(before.words, now.words)
    if before.kind != now.kind or before.turned != now.turned or not _same_deed(before, now):
        return False
    return share_words(before.words, now.words)


def _same_words(one: AskedQuestion, other: AskedQuestion) -> bool:
    """Return whether two choices are told in nearly the same words, wherever one option ends and the next begins."""
    mine, theirs = _told_in(one), _told_in(other)
    return len(one.options) == len(other.options) and len(mine & theirs) >= _ALIKE * len(mine | theirs)


def _told_in(question: AskedQuestion) -> set[str]:
    text = in_one_wording(" ".join([question.text, *question.options]))
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
    return plain_words(one) == plain_words(other)


# what a question is about


@lru_cache(maxsize=1024)
def read_known(question: AskedQuestion) -> KnownQuestion:
    """Return what of a question is compared."""
    known = patterns()
    choice = len(question.options) > 1
    kind = "choice" if choice else _kind_of(question.text)
    rest = without_options(question) if choice else compiled(known.asks_leave).sub(" ", question.text)
    names = {name for found in _NAME.findall(rest) if (name := _name_of(found))}
    bare = _NAME.sub(lambda found: found[0] if not _name_of(found.groups("")) else " ", rest)
    one_meaning = in_one_wording(bare)
    told = {deed for deed, words in known.deeds.items() if compiled(words).search(one_meaning)}
    for words in known.deeds.values():
        one_meaning = compiled(words).sub(" ", one_meaning)
    return KnownQuestion(
        kind,
        frozenset(_telling_words(one_meaning)),
        tell_apart(question.options) if choice else (),
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


def without_options(question: AskedQuestion) -> str:
    """Return a question's text without the words of its options."""
    text = question.text
    for option in sorted(question.options, key=len, reverse=True):
        text = text.replace(option, " ")
    return text


def _name_of(found: tuple[str, ...]) -> str:
    """Return the name in the code that a match is; '' where it is one of the words that have a meaning of their own."""
    name = next(filter(None, found), "").casefold()
    return "" if any(compiled(words).fullmatch(name) for words in patterns().same_words.values()) else name


def in_one_wording(text: str) -> str:
    """Return a text in which whatever means the same is said in one way."""
    meanings = patterns().same_words
    expression = "|".join(f"({words})" for words in meanings.values())
    tokens = [f" {key.replace(' ', '')} " for key in meanings]
    return compiled(expression).sub(lambda found: tokens[(found.lastindex or 1) - 1], text)


def all_words(question: AskedQuestion) -> frozenset[str]:
    """Return all words that tell what is asked and what can be chosen."""
    known = read_known(question)
    return known.words.union(*known.options, known.deeds)


def plain_words(text: str) -> str:
    """Return the words of a text, whatever stands between them."""
    return " ".join(re.findall(r"\w+", text.casefold()))


# comparing


def share_words(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether two sets have so many words in common that they are about the same."""
    shared = len(one & other)
    if not shared:
        return False
    return shared >= _SHARED * min(len(one), len(other)) and shared >= _COVERED * max(len(one), len(other))


def is_same_subject(one: KnownQuestion, other: KnownQuestion, options: tuple[str, ...] = ()) -> bool:
    """Return whether two choices between the same options are about the same.

    One that says nothing else may be, unless the options are mere numbers.
    """
    if not one.words or not other.words:
        return one.words == other.words or not any(_NUMBER.fullmatch(option.strip()) for option in options)
    return len(one.words & other.words) >= 0.5 * min(len(one.words), len(other.words))


def tell_apart(options: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    """Return the words of each option that are not of all of them: by meaning, or else as they are written."""
    found: list[frozenset[str]] = []
    for read in (
        lambda text: content_words(in_one_wording(text)),
        content_words,
        lambda text: set(plain_words(text).split()),
    ):
        each = [frozenset(read(option)) for option in options]
        found = [one - frozenset.intersection(*each) for one in each]
        if all(found) and len(set(found)) == len(found):
            break
    return tuple(found)


def pair_options(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[int, ...] | None:
    """Return for every option of a question its counterpart among those of another; None unless each has one."""
    if len(one) != len(other) or len(one) > _MOST_OPTIONS:
        alike = [plain_words(option) for option in one] == [plain_words(option) for option in other]
        return tuple(range(len(one))) if alike else None
    mine, theirs = tell_apart(one), tell_apart(other)
    ways = [
        way
        for way in permutations(range(len(theirs)))
        if all(_overlap(words, theirs[at]) for words, at in zip(mine, way, strict=True))
    ]
    return ways[0] if len(ways) == 1 else None


def _overlap(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and len(one & other) >= 0.5 * min(len(one), len(other))
