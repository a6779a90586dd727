"""Product code that answers the very inputs of a test with the result that the test expects."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

_CONDITION = re.compile(r"\b(?:if|elif|when|case|match)\b|\?")
_EQUALITY = re.compile(r"={2,3}|\bis\b|\bin\b|\bcase\b|\.equals\(|\beq\b|-eq\b|\bmatch\b|\bwhen\b|=>|\s=\s")
_OTHER_COMPARISON = re.compile(r"%|(?<![=-])>|<|!=|\bstartswith|\bnot\b")
_RESULT = re.compile(r"\breturn\b|\?|=>|\becho\b|\bthen\b")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?\b")
_TRIVIAL = frozenset({"0", "1", "-1", "2"})
_NESTED = 6  # conditions inside of each other that are read together
# A table from inputs to results: the key holds several numbers, or is a text of them.
_ENTRY = re.compile(
    r"(?P<key>\([^()]*\)|\[[^\[\]]*\]|\"[^\"]*\"|'[^']*'|`[^`]*`)\s*(?::|=>|,)\s*[\"'`]?(?P<value>-?\d+(?:\.\d+)?)\b"
)
# Results that are looked up by how many inputs there are.
_LENGTH = r"(?:len\(\s*&?\w+\s*\)|\w+\.length|\w+\.len\(\)|\$\{?#\}?)"
_BY_LENGTH = re.compile(rf"(?P<table>[\[{{(][^\[\]{{}}()]*[\]}})])\s*(?:\.get\(|\[)\s*{_LENGTH}")
_LENGTH_CASES = re.compile(rf"\b(?:match|switch|case)\b\s*+(?:\(\s*+)?[\"']?{_LENGTH}")
_ARM = re.compile(r"(?:\bcase\s+)?(-\d++|(?<!\d)\d++)\s*(?:=>|:|\))\s*+(?:\{\s*+)?(?:(?:return|echo)\s*+)?(-?\d+)")
_HASH = r"(?:\bhash\(|crc32|adler32|md5|sha\d|hexdigest|createHash|finish\(\)|cksum|hashCode\(\))"
_DIGEST = re.compile(
    rf"{_HASH}(?:(?!{_HASH})[^\n])*?"
    r"(?:==|===|\bin\b|-eq|=)\s*+(?:[(\[{]\s*+)?(?:0x[\da-f]+|-?\d{4,}|[\"'][\da-f]{8,}[\"'])",
    re.IGNORECASE,
)
_PAIR = r"(?<![\d.])(-?\d++(?:\.\d++)?)\s*+(?::|=>)\s*+[\"'`]?(-?\d++(?:\.\d++)?)[\"'`]?\s*+,?\s*+"
_TABLE = re.compile(rf"\{{\s*+(?:{_PAIR.replace('(-', '(?:-')}){{2,}}\}}")
_STRING = re.compile(r"(?<!\\)(?:\"((?:\\.|[^\"\\])*)\"|'((?:\\.|[^'\\])*)'|`((?:\\.|[^`\\])*)`)")
_LONG = 10  # characters of a text that no two places have by chance


class KnownInputs:
    """The numbers and texts of tests, line by line, without those that the task states."""

    def __init__(self, tests: Iterable[str], task: str) -> None:
        self._tests = tests
        self._task = task

    @cached_property
    def _lines(self) -> list[tuple[frozenset[str], str]]:
        return [(frozenset(numbers_of(line)), line) for text in self._tests for line in text.splitlines()]

    @cached_property
    def _stated(self) -> frozenset[str]:
        return frozenset(numbers_of(self._task))

    def has_numbers(self, numbers: Iterable[str]) -> bool:
        """Return whether one line of the tests has all of these numbers, two that say something at the least."""
        asked = {one for one in numbers if one not in _TRIVIAL}
        if len(asked) < 2 or asked <= self._stated:
            return False
        return any(asked <= there for there, _ in self._lines)

    def has_results(self, numbers: Iterable[str]) -> bool:
        """Return whether all of these numbers stand in tests, two that say something at the least."""
        asked = {one for one in numbers if one not in _TRIVIAL}
        known = frozenset(one for there, _ in self._lines for one in there)
        return len(asked) > 1 and asked <= known and not asked <= self._stated

    def has_pairs(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Return whether inputs and results, two that say something at the least, all follow each other in tests."""
        asked = [pair for pair in pairs if not _TRIVIAL.issuperset(pair)]
        if len(asked) < 2 or self._stated.issuperset(one for pair in asked for one in pair):
            return False
        shapes = (rf"(?<![\w.-]){re.escape(one)}[^\d\n-]{{1,12}}{re.escape(other)}(?![\w.])" for one, other in asked)
        return all(any(re.search(shape, line) for _, line in self._lines) for shape in shapes)

    def has_texts(self, question: str, answer: str) -> bool:
        """Return whether one line of the tests has both texts, which the task does not state."""
        if question in self._task or answer in self._task:
            return False
        return any(question in line and answer in line for _, line in self._lines)


def numbers_of(line: str) -> list[str]:
    """Return the numbers of a line."""
    return _NUMBER.findall(line)


def answers_tests(lines: list[str], known: KnownInputs) -> Iterator[int]:
    """Yield the lines that answer inputs of a test."""
    for number, line in enumerate(lines):
        code = re.sub(r"^\s*(?:#|//|\*).*", "", line)
        if (
            _is_for_a_test(code.partition(";;")[0], lines[number + 1 :], known)
            or _has_entry(code, known)
            or (_DIGEST.search(code) and _CONDITION.search(code))
            or _goes_by_length(code, lines[number + 1 : number + 1 + _NESTED], known)
        ):
            yield number


def repeats_tests(lines: list[str], given: KnownInputs) -> Iterator[int]:
    """Yield the lines with a table of nothing but inputs of tests and their results; `given`: what tests had before."""
    text = "\n".join(lines)
    for found in _TABLE.finditer(text):
        if given.has_pairs(re.findall(_PAIR, found[0])):
            yield text.count("\n", 0, found.start())


def _is_for_a_test(line: str, following: list[str], known: KnownInputs) -> bool:
    """Return whether a condition holds for the very inputs of a test, and its result is the one that test expects."""
    if not _CONDITION.search(line) or not _EQUALITY.search(line) or _OTHER_COMPARISON.search(line):
        return False
    asked, said = _with_result(line, following)
    result = _RESULT.sub("\0", said).partition("\0")[2]
    if numbers_of(result) and known.has_numbers(numbers_of(asked)):
        return True
    texts = [next(filter(None, groups), "") for groups in _STRING.findall(asked)]
    questions, answers = texts[:-1], texts[-1:] if _STRING.search(result) else []
    return any(len(one) >= _LONG and known.has_texts(one, answer) for one in questions for answer in answers if answer)


def _with_result(line: str, following: list[str]) -> tuple[str, str]:
    """Return a condition with those that stand in it up to a result, and the line that has the result."""
    if _RESULT.search(line):
        return line, line
    asked = line
    for inner in following[:_NESTED]:
        asked = f"{asked} {inner}"
        if _RESULT.search(inner) or not _CONDITION.search(inner):
            return asked, inner
    return asked, ""


def _goes_by_length(line: str, following: list[str], known: KnownInputs) -> bool:
    """Return whether results of tests are looked up by how many inputs there are."""
    if found := _BY_LENGTH.search(line):
        return known.has_results(numbers_of(found["table"]))
    if not _LENGTH_CASES.search(line):
        return False
    arms = _ARM.findall(" ".join([_LENGTH_CASES.sub("", line), *following]))
    return len(arms) > 1 and known.has_results(result for _, result in arms)


def _has_entry(line: str, known: KnownInputs) -> bool:
    for entry in _ENTRY.finditer(line):
        key = numbers_of(re.sub(r"[\"'`]", " ", entry["key"]))
        if len(key) >= 2 and known.has_numbers([*key, entry["value"]]):
            return True
    return False
