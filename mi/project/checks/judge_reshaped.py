"""Judges that a task asks to reshape: tests that say the same in another form, recipes that do more than before."""

import re
from collections import Counter

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_comparison import code_items, text_of
from mi.project.checks.judge_differences import JudgeChange
from mi.project.checks.judge_items import JudgeItem
from mi.project.checks.judge_places import judge_kind
from mi.project.trees import Tree

_VALUE = re.compile(r"(?<!\\)(?:\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')|`[^`]*`|(?<![\w.])\d+(?:\.\d+)?")
_ASSERTS = re.compile(
    r"\b(?:assert\w*|expect|should|require|t\.(?:Error|Fatal)f?|verify|fail)\b|XCTAssert|EXPECT_|ASSERT_"
)
_LEFT_OUT = re.compile(r"(?i)\bskip|xfail|\btodo\b|\bx(?:it|test|describe)\b|ignore|disabled|pending|\bonly\b|failing")
_NEEDS = "needs "
_RECIPE = ("make ", "just ", "script ", "task ")


def with_reshaped(changes: list[JudgeChange], base: Tree, final: Tree, task: str) -> list[JudgeChange]:
    """Return the changes, with those as asked for that only reshape what the task wants reshaped."""
    if all(one.asked_for for one in changes) or compiled(patterns().tests_stay).search(task):
        return changes
    found = [one._replace(asked_for=one.asked_for or _grows_as_asked(one, base, task)) for one in changes]
    if not compiled(patterns().reshapes_tests).search(task):
        return found
    was = {
        path: code_items(path, text_of(base.read(path))) for path in {one.path for one in found if _is_code(one.path)}
    }
    came = _came(base, final)
    return [one._replace(asked_for=one.asked_for or _goes_on(one, was.get(one.path, []), came)) for one in found]


# tests


def _is_code(path: str) -> bool:
    return judge_kind(path) in ("code", "inline")


def _came(base: Tree, final: Tree) -> list[JudgeItem]:
    """Return the tests and tables that are new or not what they were."""
    found: list[JudgeItem] = []
    for path in filter(_is_code, final.changed_since(base)):
        before = {item.text for item in code_items(path, text_of(base.read(path)))}
        found += [item for item in code_items(path, text_of(final.read(path))) if item.text not in before]
    return found


def _goes_on(change: JudgeChange, was: list[JudgeItem], came: list[JudgeItem]) -> bool:
    """Return whether every test that is gone, or is another now, is told again by what came."""
    if not _is_code(change.path) or _LEFT_OUT.search(change.after) or not any(_asserts(item) for item in came):
        return False
    gone = [item for item in was if change.item in ("", item.name) or item.name.startswith(f"{change.item}.")]
    tests = [item for item in gone if item.is_test]
    if not tests:  # what stood around them goes with them
        return bool(gone) and change.how == "removed" and not any(_values(item) for item in gone)
    return all(any(_tells(item, other) for other in came) for item in tests)


def _asserts(item: JudgeItem) -> bool:
    return bool(_ASSERTS.search(item.shown)) and not _LEFT_OUT.search(item.shown)


def _tells(test: JudgeItem, other: JudgeItem) -> bool:
    """Return whether the values of a test stand together in another: its inputs beside what they give."""
    wanted, there = _values(test), _values(other)
    if not wanted or _LEFT_OUT.search(other.shown):
        return False
    size, sought = len(wanted), Counter(wanted)
    return any(Counter(there[at : at + size]) == sought for at in range(len(there) - size + 1))


def _values(item: JudgeItem) -> list[str]:
    """Return the values that an item speaks of, in their order, its own title apart."""
    title = re.split(r" > |\.", item.name)[-1].partition(" ")[2] or item.name
    found = [value.strip("\"'`") for value in _VALUE.findall(item.shown)]
    return [value for value in found if value not in (title, item.name)]


# recipes


def _grows_as_asked(change: JudgeChange, base: Tree, task: str) -> bool:
    """Return whether a recipe does all that it did, and what it does more is what the task speaks of."""
    if change.how != "changed" or not change.item.startswith(_RECIPE):
        return False
    before, after = _steps(change.item, change.before), _steps(change.item, change.after)
    rest = iter(after)
    kept = all(step in rest for step in before)  # in their order
    known = text_of(base.read(change.path))  # what another recipe did already is named by its target alone
    new = [step for step in after if step not in before and (step.startswith(_NEEDS) or step not in known)]
    return kept and _is_to_grow(change.item, task) and bool(new) and all(_is_spoken_of(step, task) for step in new)


def _steps(item: str, text: str) -> list[str]:
    """Return what a recipe runs one after the other, each only where the one before it succeeded."""
    return [step.strip() for step in re.split(r"\n|&&", text.removeprefix(f"{item} = "))]


def _is_to_grow(item: str, task: str) -> bool:
    own = re.escape(item.partition(" ")[2])
    name = rf"`?(?:{re.escape(item)}|(?<=`)\w+ (?:run )?{own}(?=`)|(?:the )?`?{own}`? (?:target|recipe|script|task))`?"
    return compiled(patterns().grows.replace("NAME", f"(?:{name})")).search(task) is not None


def _is_spoken_of(step: str, task: str) -> bool:
    """Return whether a task names what a step runs: the target that it needs, or a word of its own."""
    said = {word.lower() for word in re.findall(r"[\w-]{3,}", task)}
    if step.startswith(_NEEDS):
        return step.removeprefix(_NEEDS).lower() in said
    return not said.isdisjoint(word.lower() for word in re.findall(r"[\w-]{3,}", step))
