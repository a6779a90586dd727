"""Reading an agent's question: what it asks, and what can be chosen."""

import re
from functools import lru_cache

from mi.kernel.language import CJK, compiled, one_of, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.text import split_sentences


class AskedQuestion(NamedTuple):
    """A question with what can be chosen; one option is what a yes would do, none means that it is open."""

    text: str
    options: tuple[str, ...]
    marks: tuple[str, ...] = ()  # how the agent numbers the options


def read_questions(asked: list[str], message: str) -> list[AskedQuestion]:
    """Return the questions of a message; items that it numbers or letters are the options of what it asks."""
    questions = [one for one in asked if one.strip()]
    source = message if any(one in message for one in questions) else "\n".join(questions)
    item = compiled(rf"^[ \t]*(?:[-*•][ \t]+)?{_mark()}(?P<text>\S.*)$", re.IGNORECASE | re.MULTILINE)
    items = list(item.finditer(source))
    marks = [_read_mark(one) for one in items]
    if questions and len(items) > 1 and len(set(marks)) == len(marks) and not all(_asks(one["text"]) for one in items):
        text = " ".join(item.sub("", one).strip() for one in questions)
        return [AskedQuestion(text, tuple(one["text"].strip() for one in items), tuple(marks))]
    return [_read_marked(one) or AskedQuestion(one, _options_of(one)) for one in questions]


def _mark() -> str:
    """Return the expression for the mark of an option: `A)`, `(1)`, `**b.**`, `option A:`, `option A (`."""
    known = patterns()
    opening, closing = one_of(*known.opening_brackets), one_of(*known.closing_brackets)
    ends = rf"(?:[*_]*(?:{closing}|{one_of(*known.list_marks)})|[*_]*[.{''.join(known.colons)}](?=[*_\s]|[^\x00-\x7f]))"
    named = rf"(?:{known.option_word})\s*(?P<named>\d{{1,2}}|[a-h])(?:{ends}|(?=\s*{opening}))"
    return rf"[*_]*(?:{named}|{opening}?(?P<bare>\d{{1,2}}|[a-h]){ends})[*_]*[ \t]*"


def _read_mark(found: re.Match[str]) -> str:
    return found["named"] or found["bare"]


def _read_marked(question: str) -> AskedQuestion | None:
    """Return a question whose options are marked within its sentence, from the first letter or number on."""
    known = patterns()
    before = rf"(?<![^\s*_{CJK}{re.escape(''.join(known.clause_marks))}])"
    marks: list[re.Match[str]] = []
    for found in compiled(before + _mark()).finditer(question):
        wanted = chr(ord(_read_mark(marks[-1])) + 1) if marks else ""
        if _read_mark(found) == wanted or (not marks and _read_mark(found) in ("A", "a", "1")):
            marks.append(found)
    ends = [one.start() for one in marks[1:]] + [len(question)]
    told = [question[one.end() : end] for one, end in zip(marks, ends, strict=False)]
    options = [_without_or(one) for one in told]
    if len(marks) < 2 or not all(options) or len({*options}) < len(options) or any(map(_asks, told[:-1])):
        return None
    return AskedQuestion(question, tuple(options), tuple(map(_read_mark, marks)))


def _asks(text: str) -> bool:
    return text.rstrip("*_ \t\r\n").endswith(patterns().question_marks)


def _without_or(text: str) -> str:
    """Return an option without what leads to the next one, or asks which one it is to be."""
    known = patterns()
    first = next(iter(split_sentences(text)), "")
    clauses = compiled(f"({one_of(*known.commas)})").split(first)
    while len(clauses) > 2 and (not clauses[-1].strip() or compiled(known.open_question).search(clauses[-1])):
        del clauses[-2:]
    option = compiled(rf"(?:{known.or_word})\s*$").sub("", "".join(clauses).strip())
    around = "".join(known.clause_marks) + " *_"
    brackets = "".join((*known.opening_brackets, *known.closing_brackets))
    bare = option.strip(around)
    return bare.strip(brackets) if bare[:1] in known.opening_brackets else bare


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
