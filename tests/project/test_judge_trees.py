"""The final tree as it is put together to be judged as at the base, and the tests that are new."""

import json

import pytest

from mi.project.checks.judges import base_judges, find_judge_changes, new_tests
from tests.project.judge_projects import (
    NODE,
    PYTHON,
    RUST,
    TASK,
    Change,
    Files,
    Swap,
    changed,
    gone,
    more,
    moved,
    put,
    tree,
)


def judged(project: Files, change: object) -> dict[str, bytes | None]:
    base, final = tree(project), tree(changed(project, change))
    return base_judges(base, final, find_judge_changes(base, final, TASK))


@pytest.mark.req("judge.base-judges")
def test_a_changed_test_file_is_the_one_of_the_base() -> None:
    path = "tests/test_calc.py"
    assert judged(PYTHON, Swap(path, "== 3", "== 1")) == {path: PYTHON[path].encode()}
    assert judged(PYTHON, gone(path)) == {path: PYTHON[path].encode()}


@pytest.mark.req("judge.in-place")
@pytest.mark.parametrize("path", ["conftest.py", "pytest.ini", "sitecustomize.py", "json.py", "GNUmakefile"])
def test_what_came_in_a_judges_place_is_left_out(path: str) -> None:
    assert judged(PYTHON, put(path, "def pytest_configure():\n    pass\n")) == {path: None}


def test_a_moved_test_stands_where_it_stood() -> None:
    old, new = "tests/test_unit.py", "attic/test_unit.py"
    assert judged(PYTHON, moved(PYTHON, old, new)) == {old: PYTHON[old].encode(), new: None}


@pytest.mark.req("judge.base-judges")
def test_a_manifest_keeps_its_product_and_gets_back_its_judges() -> None:
    change = {
        "pyproject.toml": PYTHON["pyproject.toml"].replace('"click"', '"rich"').replace('"-q"', '"--co"'),
    }
    text = (judged(PYTHON, change)["pyproject.toml"] or b"").decode()
    assert 'dependencies = ["rich"]' in text
    assert 'addopts = "-q"' in text
    assert "--co" not in text


@pytest.mark.req("judge.base-judges")
def test_a_package_keeps_its_dependencies_and_gets_back_its_scripts() -> None:
    change = {"package.json": NODE["package.json"].replace("^1.0.0", "^2.0.0").replace("jest --ci", "true")}
    package = json.loads(judged(NODE, change)["package.json"] or b"")
    assert package["dependencies"] == {"left-pad": "^2.0.0"}
    assert package["scripts"]["test"] == "jest --ci"


@pytest.mark.req("judge.inline", "judge.base-judges")
def test_tests_inside_of_code_go_back_and_the_code_stays() -> None:
    change = {
        "src/lib.rs": RUST["src/lib.rs"].replace("    a\n}", "    a + b\n}").replace("2), 3);\n    }", "2), 1);\n    }")
    }
    text = (judged(RUST, change)["src/lib.rs"] or b"").decode()
    assert "a + b" in text
    assert "add(1, 2), 3);\n    }" in text
    assert "add(1, 2), 1)" not in text


@pytest.mark.parametrize(
    ("project", "change", "found"),
    [
        (PYTHON, more("tests/test_calc.py", "\n\ndef test_x():\n    pass\n"), [("tests/test_calc.py", "test_x")]),
        (
            PYTHON,
            put("tests/test_y.py", "def test_y():\n    pass\n\n\ndef help_it():\n    pass\n"),
            [("tests/test_y.py", "test_y")],
        ),
        (PYTHON, more("calc.py", "\n\ndef test_it():\n    pass\n"), []),
        (
            RUST,
            Swap("src/lib.rs", "    #[test]\n", "    #[test]\n    fn zero() {}\n\n    #[test]\n"),
            [("src/lib.rs", "tests > zero")],
        ),
    ],
)
def test_the_tests_that_came_are_told(project: Files, change: Change, found: list[tuple[str, str]]) -> None:
    assert new_tests(tree(project), tree(changed(project, change))) == found
