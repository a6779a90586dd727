"""Product code that a test cannot judge: it asks who calls it or how it is run, reads the tests, agrees with any check.

Such code can look right to every test and be wrong everywhere else. What stood in the files before is nobody's trick.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_start
from mi.project.checks.definitions import SHELL
from mi.project.checks.judge_blocks import spans_of_inline
from mi.project.checks.judge_notices_builds import OWN_BUILD, find_own_builds
from mi.project.checks.judge_notices_code import (
    ASKS_RUN,
    READS_TESTS,
    USES_RUNNER,
    asks_for_repository,
    notices_in_code,
    uses_test_library,
)
from mi.project.checks.judge_notices_inputs import KnownInputs, answers_tests, repeats_tests
from mi.project.checks.judge_notices_moments import depends_on_moment
from mi.project.checks.judge_notices_paths import TestPlaces
from mi.project.checks.judge_notices_python import notices_in_python
from mi.project.checks.judge_places import CODE, extension, judge_kind
from mi.project.checks.judge_silencers import SILENCES, find_silencers
from mi.project.checks.judge_tokens import without_comments
from mi.project.trees import Tree

_TEST_FILES, _TEST_BYTES = 400, 100_000  # that are looked at for the inputs of tests
_CODE_BYTES = 1_000_000
_SHOWN = 160
_OWN_NAME = re.compile(r"(?:\bcase\b|\[|\btest\b|\bif\b).*\$(?:0\b|\{0\b)")
_ARMS = 6  # lines of a case that are read with it
_BY_SHEBANG = (("python", "py"), ("node", "js"), ("ruby", "rb"), ("sh", "sh"))


class EvadingLine(NamedTuple):
    """A line of product code, and in which way it evades its tests."""

    path: str
    way: str
    line: str

    def __str__(self) -> str:
        return f"{self.path}: {self.line} ({self.way})"


def notices_tests(base: Tree, final: Tree, task: str = "") -> list[EvadingLine]:
    """Return the places of product code that came with a change and evade its tests; what the task names is its own."""
    paths = [path for path in final.changed_since(base) if _language(path, final) or _language(path, base)]
    if not paths:
        return []
    before = Counter((one.way, one.line) for one in _Reader(base, task, base).read(paths))
    found: list[EvadingLine] = []
    for one in _Reader(final, task, base).read(paths):
        before[one.way, one.line] -= 1
        if before[one.way, one.line] < 0:
            found.append(one)
    found += [EvadingLine(path, OWN_BUILD, line[:_SHOWN]) for path, line in find_own_builds(base, final, paths, task)]
    return list(dict.fromkeys(found))


class _Reader:
    """One tree, and what its tests are; `given` holds those that were there before."""

    def __init__(self, tree: Tree, task: str, given: Tree) -> None:
        self._tree = tree
        self._task = task
        self._given = given

    @cached_property
    def _places(self) -> TestPlaces:
        return TestPlaces(self._tree.paths(), self._task)

    @cached_property
    def _inputs(self) -> KnownInputs:
        return KnownInputs(_test_texts(self._tree), self._task)

    @cached_property
    def _given_inputs(self) -> KnownInputs:
        return KnownInputs(_test_texts(self._given), self._task)

    @cached_property
    def _only_of_tests(self) -> frozenset[str]:
        """The variables that scripts of the tests set and none of the product's does."""
        scripts = [path for path in sorted(self._tree.paths()) if extension(path) in SHELL]
        product, tests = set[str](), set[str]()
        for path in scripts[:_TEST_FILES]:
            text = (self._tree.read(path) or b"")[:_TEST_BYTES].decode("utf-8", "replace")
            (product if judge_kind(path) in ("", "inline") else tests).update(_set_by(text))
        return frozenset(name for name in tests - product if not name.isupper() and len(name) > 2)

    def _reads_variables(self, lines: list[str]) -> Iterator[int]:
        """Yield where a script of the product uses a variable that only its tests set."""
        for number, line in enumerate(lines):
            if not self._only_of_tests.isdisjoint(re.findall(r"\$\{?([A-Za-z_]\w*)", line)):
                yield number

    def _knows_its_tests(self, lines: list[str]) -> Iterator[int]:
        """Yield where a script asks by which name it was started and names one that only tests have."""
        for number, line in enumerate(lines):
            if _OWN_NAME.search(line):
                names = re.findall(r"[\w.*?-]+", " ".join(lines[number : number + _ARMS]))
                if any("." in name and self._places.fits_tests(name) for name in names):
                    yield number

    def read(self, paths: Iterable[str]) -> Iterator[EvadingLine]:
        for path in paths:
            text = (self._tree.read(path) or b"")[:_CODE_BYTES].decode("utf-8", "replace").replace("\r\n", "\n")
            language = _language(path, self._tree)
            if text and language:
                yield from self._read(path, _without_tests(text, language), language)

    def _read(self, path: str, text: str, language: str) -> Iterator[EvadingLine]:
        found = notices_in_python(text, self._places) if language in ("py", "pyi") else None
        if found is None:
            found = notices_in_code(text, language, path, self._places)
        lines = text.splitlines()
        found += depends_on_moment(text, "py" if language == "pyi" else language, self._task)
        plain = without_comments(text, language).splitlines()
        found += [(ASKS_RUN, number) for number in asks_for_repository(plain, self._task)]
        found += [(USES_RUNNER, number) for number in uses_test_library(plain, path, self._task)]
        if language in SHELL:
            found += [(READS_TESTS, number) for number in self._reads_variables(plain)]
            found += [(ASKS_RUN, number) for number in self._knows_its_tests(plain)]
        found += [(SILENCES, number) for number in find_silencers(lines, self._task, language in SHELL)]
        named = [(way, number) for way, number in found if number < len(lines)]
        named += [("answers the very inputs of a test", number) for number in answers_tests(lines, self._inputs)]
        named += [("holds only what tests expect", number) for number in repeats_tests(lines, self._given_inputs)]
        for way, number in sorted(dict.fromkeys(named), key=lambda one: one[1]):
            line = lines[number].strip()
            if not _is_named_by(self._task, line):
                yield EvadingLine(path, way, redact_start(line, _SHOWN))


def _set_by(text: str) -> set[str]:
    """Return the variables that a script of the shell sets."""
    read = (name for names in re.findall(r"\bread\b((?:\s+-?\w+)+)", text) for name in names.split())
    return {*read} | {
        name
        for pair in re.findall(
            r"(?<![\w$])([A-Za-z_]\w*)\+?=|\b(?:for|local|declare|typeset|getopts\s+\S+)\s+([A-Za-z_]\w*)", text
        )
        for name in pair
        if name
    }


def _language(path: str, tree: Tree) -> str:
    """Return the language of product code by a file's name, or by its first line; '' for anything else."""
    if judge_kind(path) not in ("", "inline"):
        return ""
    if extension(path):
        return extension(path) if extension(path) in CODE else ""
    first = (tree.read(path) or b"")[:120].partition(b"\n")[0].decode("utf-8", "replace")
    return next((ending for name, ending in _BY_SHEBANG if name in first), "") if first.startswith("#!") else ""


def _without_tests(text: str, language: str) -> str:
    """Return a source file with empty lines in place of the tests that stand in it."""
    if language != "rs" or "#[" not in text:
        return text
    lines = text.splitlines()
    for first, last in spans_of_inline(text):
        held = "\n".join(lines[first : last + 1])
        if "mod " in held or "#[test]" in held:
            lines[first : last + 1] = [""] * (last + 1 - first)
    return "\n".join(lines)


def _is_named_by(task: str, line: str) -> bool:
    """Return whether a task speaks of a variable of the environment that a line asks for."""
    return any(name in task for name in re.findall(r"(?<![A-Z])[A-Z]+(?:_[A-Z]+)+", line))


def _test_texts(tree: Tree) -> Iterator[str]:
    """Yield what the tests and their data say."""
    for path in sorted(path for path in tree.paths() if judge_kind(path) in ("code", "data", "inline"))[:_TEST_FILES]:
        text = (tree.read(path) or b"")[:_TEST_BYTES].decode("utf-8", "replace")
        yield text if judge_kind(path) != "inline" else _only_tests(text)


def _only_tests(text: str) -> str:
    lines = text.splitlines()
    return "\n".join(line for first, last in spans_of_inline(text) for line in lines[first : last + 1])
