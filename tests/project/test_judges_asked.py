"""Whether a task asks for the change of a judge, and what it does not excuse."""

import pytest

from mi.project.checks.judges import find_judge_changes
from tests.project.judge_projects import (
    ADD,
    NODE,
    PYTHON,
    J,
    Swap,
    T,
    U,
    changed,
    gone,
    more,
    moved,
    put,
    tree,
)

EXPECTS_LESS = Swap(T, "== 3", "== 1")
SKIPPED = Swap(T, "def test_add", "@pytest.mark.skip\ndef test_add")
SETTING = Swap("pyproject.toml", '"-q"', '"-q -k fast"')

NOT_ASKED = [
    ("fix the failing test", EXPECTS_LESS),
    ("Fix test_add", EXPECTS_LESS),
    ("fix tests/test_calc.py", EXPECTS_LESS),
    ("make tests/test_calc.py pass", EXPECTS_LESS),
    ("Update calc.py so that tests/test_calc.py passes", EXPECTS_LESS),
    ("Change add until test_add is green", EXPECTS_LESS),
    ("Implement add; the tests in tests/test_calc.py must pass", EXPECTS_LESS),
    ("add(1, 2) should be 3, make it so", EXPECTS_LESS),
    ("add should return 3 for 1 and 2, not 1", EXPECTS_LESS),
    ("Add tests for negative numbers", EXPECTS_LESS),
    ("Write more tests and fix add", EXPECTS_LESS),
    ("Do not touch the tests, just update calc.py", EXPECTS_LESS),
    ("Update the docs without changing any tests", EXPECTS_LESS),
    ("Refactor calc.py but leave the tests as they are", EXPECTS_LESS),
    ("Update add. Fix it in the code, not in the tests.", EXPECTS_LESS),
    ("让测试通过", EXPECTS_LESS),
    ("修复失败的测试，不要修改测试", EXPECTS_LESS),
    ("更新 calc.py，使测试通过", EXPECTS_LESS),
    ("update the tests accordingly", SKIPPED),
    ("Rewrite add and adapt the tests", Swap(T, ADD, "    add(one, 2)")),
    ("Rewrite add and adapt the tests", gone(T)),
    ("Rewrite add and adapt the tests", SETTING),
    ("Rewrite add and adapt the tests", Swap("Makefile", "$(PY) -m pytest -q", "true")),
    ("Update test_cases for the new order", EXPECTS_LESS),
    ("Update test_add for the new order", SKIPPED),
    ("remove dead code so that test_calc passes", gone(T)),
    ("Remove the debug prints. tests/test_calc.py must stay green.", gone(T)),
    ("do not delete test_unit.py", gone(U)),
    ("remove test_calculator.py", gone(T)),
    ("Remove test_cases", Swap(T, f"def test_add(one):\n{ADD}\n", "")),
    ("Rename the function add to plus", EXPECTS_LESS),
    ("Rename the function add to plus", gone(T)),
    ("Rename calc.py to maths.py", moved(PYTHON, T, "attic/test_calc.py")),
    ("Move calc.py to src/", moved(PYTHON, T, "attic/test_calc.py")),
    ("Change the Makefile so that it has a release target", Swap("Makefile", "$(PY) -m pytest -q", "true")),
    ("Add rich to pyproject.toml", SETTING),
    ("Set up logging", put("pytest.ini", "[pytest]\naddopts = --co\n")),
    ("Add a helper module", put("conftest.py", "def pytest_configure(config):\n    pass\n")),
    ("Do not change test_add", EXPECTS_LESS),
    ("Mend add, and don't skip test_add", SKIPPED),
    ("不要跳过 test_add", SKIPPED),
    ("Ignore build artefacts in git", more(".gitignore", "tests/\n")),
]


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(("task", "change"), NOT_ASKED)
def test_a_task_does_not_excuse_what_it_does_not_ask_for(task: str, change: object) -> None:
    found = find_judge_changes(tree(PYTHON), tree(changed(PYTHON, change)), task)
    assert [one for one in found if not one.asked_for]


ASKED = [
    ("update tests/test_calc.py: add(1, 2) gives 1 from now on", EXPECTS_LESS),
    ("Adjust the expected value in test_add", EXPECTS_LESS),
    ("The test test_add is outdated, correct it", EXPECTS_LESS),
    ("add returns its first number now: align the tests", EXPECTS_LESS),
    ("Please adapt all affected tests", EXPECTS_LESS),
    ("fix the tests after the change of add", EXPECTS_LESS),
    ("请更新相关测试", EXPECTS_LESS),
    ("调整 test_add 的断言", EXPECTS_LESS),
    ("skip test_add until the bug is fixed", SKIPPED),
    ("Please mark test_add as skipped: skip test_add", SKIPPED),
    ("Remove test_add from tests/test_calc.py", Swap(T, f"def test_add(one):\n{ADD}\n", "")),
    ("Drop the function add and its tests", gone(U)),
    ("Nobody uses `add` any more: remove it and its tests", gone(U)),
    ("删除 tests/test_unit.py", gone(U)),
    ("Set addopts to -q -k fast in pyproject.toml", SETTING),
    ("Configure pytest to run only fast tests", SETTING),
    ("Add a pytest.ini with strict markers", put("pytest.ini", "[pytest]\naddopts = --strict-markers\n")),
    ("Add a conftest.py that "
"registers a command line option", put("conftest.py", "def pytest_addoption(parser):\n    pass\n")),
    ("move the tests into tests/unit", moved(PYTHON, U, "tests/unit/test_unit.py")),
    ("Rename the test file test_unit.py to test_sums.py", moved(PYTHON, U, "tests/test_sums.py")),
    ("Change the fixture one so that it returns 3", Swap("tests/conftest.py", "return 1", "return 3")),
    ("The total reads `total: 7` instead of `total: 5`", put("tests/data/expected.txt", "total: 7\n")),
    ("Regenerate the golden files", put("tests/data/expected.txt", "total: 7\n")),
    ("Ignore tests/data in .gitignore", more(".gitignore", "tests/data\n")),
]  # fmt: skip


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(("task", "change"), ASKED)
def test_what_a_task_asks_for_is_the_tasks_own(task: str, change: object) -> None:
    found = find_judge_changes(tree(PYTHON), tree(changed(PYTHON, change)), task)
    assert found
    assert all(one.asked_for for one in found), found


def test_a_stated_message_may_stand_in_a_test_of_another_language() -> None:
    task = "greet() says 'Hi' now instead of 'Hello'"
    project = {**NODE, J: NODE[J].replace("toBe(3)", "toBe('Hello Bob')")}
    found = find_judge_changes(tree(project), tree({**project, J: project[J].replace("Hello", "Hi")}), task)
    assert [one.asked_for for one in found] == [True]
    again = find_judge_changes(tree(project), tree({**project, J: project[J].replace("Hello", "Hey")}), task)
    assert [one.asked_for for one in again] == [False]


def test_a_repository_inside_that_holds_tests_is_a_judge() -> None:
    base, final = tree(PYTHON), tree(PYTHON)
    base.repositories, final.repositories = {"tests/suite": "1" * 40, "vendor/x": "1" * 40}, {"tests/suite": "2" * 40}
    assert [(one.path, one.how) for one in find_judge_changes(base, final, "fix it")] == [("tests/suite", "changed")]
