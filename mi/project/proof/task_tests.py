"""What a task says about tests: which ones it speaks of, which may go, and whether new ones must notice the change."""

import os
import re
from collections.abc import Iterable, Sequence
from functools import cache

from mi.kernel.language import compiled, each_language, one_of, patterns
from mi.kernel.text import split_sentences

_NAME = re.compile(r"(?<![\w./-])[\w./-]*\w")
_TESTLIKE = re.compile(r"test|spec", re.IGNORECASE)
_COMMON = frozenset("test tests spec specs testing __tests__".split())
_LONG_TITLE = 10  # a title of words that stands in a task as it is, is meant


def find_spoken_tests(
    task: str, tests: Iterable[str], red: Sequence[str], red_before: Sequence[str] | None = None
) -> list[str]:
    """Return those of the red tests that a task says are to pass: by name, by file, or as `the failing tests`.

    A task that names one of all the tests speaks of that one, also where it calls it failing. `red_before` are the
    tests that were red when it was given; None: those that are red.
    """
    known = patterns()
    mending = [sentence for sentence in _sentences(task) if compiled(known.mending).search(sentence)]
    named = {test for test in tests if any(_names(sentence, test) for sentence in mending)}
    if named:
        return [test for test in red if test in named]
    if not compiled(known.failing_tests).search(task):
        return []
    own = _of_subject(task, red if red_before is None else red_before)
    return [test for test in red if test in own] if own else list(red)


def _of_subject(task: str, red: Sequence[str]) -> set[str]:
    """Return those of the red tests that are named after what a task says is theirs: `fix total: its tests fail`."""
    told = [name for one in compiled(patterns().tests_of).finditer(task) for name in one.groups() if name]
    things = [thing for name in told if len(thing := _snake(name.rpartition("/")[2].partition(".")[0])) > 2]
    return {test for test in red if any(re.search(rf"(?:^|_){re.escape(one)}(?:_|$)", _snake(test)) for one in things)}


def asks_to_remove(task: str, test: str, new: Sequence[str] = ()) -> bool:
    """Return whether a task asks for what made a test vanish: its removal, that of its object, or another name."""
    known = patterns()
    for sentence in _sentences(task):
        if compiled(known.take_away).search(sentence) and (_names(sentence, test) or _objects(sentence, test)):
            return True
        if compiled(known.renames).search(sentence) and any(_is_renamed(sentence, test, other) for other in new):
            return True
    return False


def changes_behaviour(task: str) -> bool:
    """Return whether new tests of a task must fail before it: no refactoring, and more than tests is asked for."""
    clauses = [clause for sentence in _sentences(task) for clause in _clauses(sentence)]
    ordering = [clause for clause in clauses if any(compiled(one.change).match(clause) for one in each_language())]
    return not all(map(_keeps, ordering or [task]))


def _keeps(clause: str) -> bool:
    known = patterns()
    return any(
        compiled(pattern).search(clause) for pattern in (known.keeps_behaviour, known.adds_tests, known.reshapes_tests)
    )


@cache
def _sentences(task: str) -> list[str]:
    return split_sentences(task)


def _clauses(sentence: str) -> list[str]:
    known = patterns()
    parts = compiled(f"{known.clause_break}|{one_of(*known.commas, *known.semicolons)}").split(sentence)
    return [compiled(rf"^(?:{known.politeness})").sub("", part.strip(" *-`\"'\t")).strip() for part in parts if part]


@cache
def _words(sentence: str) -> frozenset[str]:
    """Return the names in a sentence, also those at the end of it."""
    return frozenset(_NAME.findall(sentence))


def _names(sentence: str, test: str) -> bool:
    """Return whether a sentence names a test, a group of tests it belongs to, or its file."""
    file, *names = [part.partition("[")[0] for part in test.split("::")]
    stem = os.path.basename(file).partition(".")[0]
    spoken = _words(sentence)
    candidates = [name for name in (file, os.path.basename(file), stem, *names) if _TESTLIKE.search(name)]
    if any(name in spoken and name not in _COMMON for name in candidates):
        return True
    return any(" " in name and len(name) >= _LONG_TITLE and name in sentence for name in names)


def _objects(sentence: str, test: str) -> bool:
    """Return whether a sentence names a thing in code that the name of a test speaks of."""
    told = _snake(test)
    things = (_snake(word.rpartition(".")[2] or word) for word in _words(sentence) if _is_code(word, sentence))
    return any(len(thing) > 3 and re.search(rf"(?:^|_){re.escape(thing)}(?:_|$)", told) for thing in things)


def _is_code(word: str, sentence: str) -> bool:
    return bool(re.search(r"[_.\d]|[a-z][A-Z]", word)) or f"`{word}" in sentence or f"{word}(" in sentence


def _snake(name: str) -> str:
    return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", name)).strip("_").lower()


def _is_renamed(sentence: str, test: str, other: str) -> bool:
    """Return whether a new test is a vanished one under another name or in another place that a sentence names."""
    if test.rpartition("::")[2] == other.rpartition("::")[2]:
        return True
    old, new = _snake(test), _snake(other)
    things = [thing for word in _words(sentence) if (thing := _snake(word)) and len(thing) > 1]
    return any(before in old and old.replace(before, after) == new for before in things for after in things)
