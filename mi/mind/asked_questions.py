"""Reading an agent's question: what it asks, and what can be chosen."""

import re
from functools import lru_cache
from typing import NamedTuple

from mi.kernel.language import compiled, one_of, patterns

_ITEM = re.compile(r"^[ \t]*(?:[-*][ \t]*)?\(?(?P<mark>\d{1,2}|[A-Ha-h])[.):][ \t]+(?P<text>\S.*)$", re.MULTILINE)


class AskedQuestion(NamedTuple):
    """A question with what can be chosen; one option is what a yes would do, none means that it is open."""

    text: str
    options: tuple[str, ...]
    marks: tuple[str, ...] = ()  # how the agent numbers the options


def read_questions(asked: list[str], message: str) -> list[AskedQuestion]:
    """Return the questions of a message; items that it numbers or letters are the options of what it asks."""
    questions = [one for one in asked if one.strip()]
    source = message if any(one in message for one in questions) else "\n".join(questions)
    items = list(_ITEM.finditer(source))
    marks = [item["mark"] for item in items]
    if questions and len(items) > 1 and len(set(marks)) == len(marks):
        text = " ".join(_ITEM.sub("", one).strip() for one in questions)
        return [AskedQuestion(text, tuple(item["text"].strip() for item in items), tuple(marks))]
    return [AskedQuestion(one, _options_of(one)) for one in questions]


@lru_cache(maxsize=1024)
def read_stored(question: str) -> AskedQuestion:
    """Return a question that was kept as a text, with its options on lines of their own where it listed any."""
    return next(iter(read_questions([question], question)), AskedQuestion(question, ()))


def _options_of(question: str) -> tuple[str, ...]:
    known = patterns()
    text = question.strip().strip("*_ ").rstrip("".join(known.question_marks)).strip().rpartition("\n")[2]
    between = list(compiled(known.alternative).finditer(text))
    if len(between) > 1:
        return ()
    left, right = (text[: between[0].start()], text[between[0].end() :]) if between else (text, "")
    if not right or compiled(rf"^(?:{known.or_not})$").match(right.strip()):
        return () if compiled(known.open_question).search(left) else (_deed(left),)
    return _aligned(left, right, two_clauses=between[0][0].lstrip().startswith(known.commas))


def _deed(text: str) -> str:
    """Return what the agent would do, without the words that ask for leave."""
    clauses = compiled(rf"(?<=[^\d]){one_of(*patterns().semicolons, *patterns().colons)}").split(text)
    return compiled(rf"^.*?(?:{patterns().asks_leave})").sub("", clauses[-1], count=1).strip() or text


def _aligned(left: str, right: str, two_clauses: bool) -> tuple[str, ...]:
    """Return the options of `A or B`, without what stands before the first and after the last."""
    known = patterns()
    if compiled(known.open_question).search(left):  # `which one, A or B`
        left = compiled(one_of(*known.commas, *known.colons)).split(left)[-1]
    left, right = _deed(left), compiled(one_of(*known.commas)).split(right)[0].strip()
    if two_clauses and len(left.split()) > 1:
        return left, right
    starts = [one for one in compiled(known.option_start).finditer(left) if left[one.end() :].strip()]
    firsts = compiled(one_of(*known.commas)).split(left[starts[-1].end() :] if starts else left)
    begins = compiled(rf"^(?:{known.option_start})").match(right)
    right = right[begins.end() :] if begins else right
    cut = compiled(rf"(?<=\S)(?:{known.option_end})").search(right)
    return (*(one.strip() for one in firsts if one.strip()), (right[: cut.start()] if cut else right).strip())
