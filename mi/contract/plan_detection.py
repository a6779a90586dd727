"""R2: whether a text or a declared plan sequences more than one actionable step. Pure, and never by single words."""

import re
from collections.abc import Sequence
from functools import cache

from mi.governance.words import list_items
from mi.kernel.amounts import read_numerals
from mi.kernel.language import Patterns, compiled, each_language, one_of, patterns
from mi.tasks.tinytasks import skip_fences

_MAX_CHARS, _MAX_LINE = 40_000, 2000  # a plan that begins later than this is not what a text is about
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+(\S.*)$")
_LETTERED = r"^[ \t]*(?:([①-⑳])[ \t]*|{opening}?((?-i:[a-h])){closing}[ \t]+)\S"
_NUMBERED = r"^[ \t]*(?:(\d{{1,3}})[.)][ \t]+|(\d{{1,3}}){mark}[ \t]*|{opening}(\d{{1,3}}){closing}[ \t]*)\S"
_INLINE = r"{opening}(\d){closing}[ \t]*\S"  # (1) … (2) … within a sentence
_BOX = r"^[ \t]*+(?:(?:[-*+]|\d{{1,3}}(?:[.)]|{mark}))[ \t]*+)?\[[ x]\][ \t]++\S"


def count_steps(text: str) -> int:
    """Return how many actionable steps a text sequences; 0 or 1 means that it needs no task list."""
    prose = _prose(text)
    return max(
        _ordered(prose),
        *map(_inline, prose.splitlines()),
        _announced(prose),
        sum(_marked(_BOX).match(line) is not None for line in prose.splitlines()),
        len({one[one.lastindex or 0].lower() for one in compiled(patterns().step).finditer(prose)}),
        _sequenced(prose),
    )


def _prose(text: str) -> str:
    """Return what the text says itself, without fenced code."""
    lines = tuple(text[:_MAX_CHARS].splitlines())
    return "\n".join(lines[number][:_MAX_LINE] for number in skip_fences(lines))


def list_steps(title: str, subtasks: Sequence[str]) -> int:
    """Return how many steps a declared task has: its subtasks, else what its title sequences."""
    return max(len([subtask for subtask in subtasks if subtask.strip()]), count_steps(title), 1)


def _ordered(prose: str) -> int:
    best = 0
    run = 0
    for line in prose.splitlines():
        number = _number(line)
        if number is None:
            continue
        run = run + 1 if number == run + 1 else int(number == 1)
        best = max(best, run)
    return best


def _inline(line: str) -> int:
    """Count `1. … 2. … 3. …` in one line, unless it is a choice, or told of what is done."""
    known = patterns()
    told = (known.choice, known.past, known.report)
    return 0 if any(compiled(one).search(line) for one in told) else len(list_items(line))


def _number(line: str) -> int | None:
    if match := _marked(_NUMBERED).match(line):
        return int(match[match.lastindex or 0])
    if match := _marked(_LETTERED).match(line):
        return ord(match[1]) - ord("①") + 1 if match[1] else ord(match[2]) - ord("a") + 1
    for known in each_language():
        begins = rf"[ \t]*(?:{known.numbered_line})(?:\s|{one_of(*known.colons, *known.commas, *':,')})*\S"
        if known.numerals and (match := compiled(begins).match(line)):
            return read_numerals(match[match.lastindex or 0], known.numerals)
    return None


@cache
def _marked(expression: str) -> re.Pattern[str]:
    """Return an expression compiled with the marks of all languages in their places."""
    known = patterns()
    marks = {"opening": known.opening_brackets, "closing": known.closing_brackets, "mark": known.list_marks}
    return compiled(expression.format(**{name: one_of(*some) for name, some in marks.items()}))


def _announced(prose: str) -> int:
    announces, report = compiled(patterns().announces_steps), compiled(patterns().report)
    count, announced, best = 0, False, 0
    for line in prose.splitlines():
        if not line.strip():
            continue
        if _BULLET.match(line):
            count += announced
        else:
            announced, count = announces.search(line.rstrip()) is not None and not report.search(line), 0
        best = max(best, count)
    return best


def _sequenced(prose: str) -> int:
    """Count `First … then …`: the beginning and what follows, in one paragraph, about what is to be done."""
    best = 0
    for paragraph in re.split(r"\n[ \t]*\n", prose):
        for known in each_language():
            if not compiled(known.past).search(paragraph):  # told, not planned
                best = max(best, _begun(paragraph, known), _intended(paragraph, known))
    return best


def _begun(paragraph: str, known: Patterns) -> int:
    """Count `First …` and those that follow."""
    first = compiled(known.first).search(paragraph)
    return 1 + len(compiled(known.then).findall(paragraph, first.end())) if first else 0


def _intended(paragraph: str, known: Patterns) -> int:
    """`I will …`, and how many that follow; or what is numbered within the sentence, unless it is a choice."""
    meant = compiled(known.intent).search(paragraph)
    if meant is None:
        return 0
    numbers = [int(one) for one in _marked(_INLINE).findall(paragraph, meant.end())]
    is_choice = compiled(known.choice).search(paragraph)
    counted = len(numbers) if numbers == list(range(1, len(numbers) + 1)) and not is_choice else 0
    return max(1 + len(compiled(known.then_do).findall(paragraph, meant.end())), counted)
