"""Judges that a task asks to reshape: what says the same in another form is the task's own, what says less is not."""

import pytest

from mi.project.checks.judges import find_judge_changes
from tests.project.judge_projects import NODE, PYTHON, Change, Files, J, Swap, changed, gone, put, tree

TWO = {
    **PYTHON,
    "tests/test_two.py": "from calc import add\n\n\ndef test_small():\n    assert add(10, 20) == 30\n\n\n"
    "def test_large():\n    assert add(100, 200) == 300\n",
}
TABLE = (
    "import pytest\n\nfrom calc import add\n\n\n"
    "@pytest.mark.parametrize(('a', 'b', 'c'), [(10, 20, 30), (100, 200, 300)])\n"
    "def test_add_two(a, b, c):\n    assert add(a, b) == c\n"
)
UNIT = {
    "calc.py": "def add(a, b):\n    return a\n",
    "tests/test_two.py": "import unittest\n\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n"
    "    def test_small(self):\n        self.assertEqual(add(10, 20), 30)\n\n"
    "    def test_large(self):\n        self.assertEqual(add(100, 200), 300)\n",
}
SUBTESTS = (
    "import unittest\n\nfrom calc import add\n\n\nclass AddTest(unittest.TestCase):\n"
    "    def test_all(self):\n"
    "        for a, b, c in ((10, 20, 30), (100, 200, 300)):\n            with self.subTest(a=a):\n"
    "                self.assertEqual(add(a, b), c)\n"
)
JEST = {
    **NODE,
    J: "const { add } = require('@/calc');\n\ntest('small', () => {\n  expect(add(10, 20)).toBe(30);\n});\n\n"
    "test('large', () => {\n  expect(add(100, 200)).toBe(300);\n});\n",
}
EACH = (
    "const { add } = require('@/calc');\n\ntest.each([[10, 20, 30], [100, 200, 300]])('%d and %d', (a, b, c) => {\n"
    "  expect(add(a, b)).toBe(c);\n});\n"
)
GO = {
    "go.mod": "module calc\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a }\n",
    "calc_test.go": 'package calc\n\nimport "testing"\n\nfunc TestSmall(t *testing.T) {\n\tif Add(10, 20) != 30 {\n'
    '\t\tt.Error("small")\n\t}\n}\n\n'
    'func TestLarge(t *testing.T) {\n\tif Add(100, 200) != 300 {\n\t\tt.Error("large")\n\t}\n}\n',
}
GO_TABLE = (
    'package calc\n\nimport "testing"\n\n'
    "func TestAdd(t *testing.T) {\n\tfor _, c := range []struct {\n\t\ta, b, want int\n"
    '\t\tname       string\n\t}{{10, 20, 30, "small"}, {100, 200, 300, "large"}} {\n\t\tif Add(c.a, c.b) != c.want {\n'
    "\t\t\tt.Error(c.name)\n\t\t}\n\t}\n}\n"
)
RUST = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\n',
    "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a\n}\n",
    "tests/two.rs": "#[test]\nfn small() {\n    assert_eq!(calc::add(10, 20), 30);\n}\n\n"
    "#[test]\nfn large() {\n    assert_eq!(calc::add(100, 200), 300);\n}\n",
}
RUST_TABLE = (
    "#[test]\nfn adds() {\n    for (a, b, c) in [(10, 20, 30), (100, 200, 300)] {\n"
    "        assert_eq!(calc::add(a, b), c);\n    }\n}\n"
)
SMALL_ALONE, LARGE_ALONE = (
    TWO["tests/test_two.py"].split("\n\n\ndef test_large")[0] + "\n",
    ("from calc import add\n\n\ndef test_large():\n    assert add(100, 200) == 300\n"),
)
RECIPE = {**PYTHON, "Makefile": "test:\n\t@sh tests/run.sh\n\nlint:\n\t@sh -n calc.sh\n", "tests/run.sh": "pytest\n"}
LINTED = put("Makefile", "test: lint\n\t@sh tests/run.sh\n\nlint:\n\t@sh -n calc.sh\n")

RESHAPED: list[tuple[Files, str, Change]] = [
    (TWO, "Turn the two tests of add into one parametrized test.", put("tests/test_two.py", TABLE)),
    (TWO, "Parametrize the tests in tests/test_two.py.", put("tests/test_two.py", TABLE)),
    (TWO, "把 test_two.py 里的两个测试合并成一个参数化测试。", put("tests/test_two.py", TABLE)),
    (TWO, "Split tests/test_two.py: each of its tests into a file of its own.",
     {**gone("tests/test_two.py"), "tests/test_small.py": SMALL_ALONE, "tests/test_large.py": LARGE_ALONE}),
    (UNIT, "Merge both tests of AddTest into one test with subtests.", put("tests/test_two.py", SUBTESTS)),
    (UNIT, "Convert the unittest classes to pytest tests.", put("tests/test_two.py", TABLE)),
    (JEST, "Collapse the tests of add into one table with test.each.", put(J, EACH)),
    (GO, "Rewrite the tests of Add as one table-driven test.", put("calc_test.go", GO_TABLE)),
    (RUST, "Fold both tests into one loop over cases.", put("tests/two.rs", RUST_TABLE)),
    (RECIPE, "Let make test run the lint first.", LINTED),
    (RECIPE, "`make test` should also run the lint.", LINTED),
    (RECIPE, "Add the lint to make test.", LINTED),
    (RECIPE, "让 make test 先运行 lint。", LINTED),
    (NODE, "Have the test script run the build first.",
     Swap("package.json", "jest --ci", "npm run build && jest --ci")(NODE)),
]  # fmt: skip

SAYS_LESS: list[tuple[Files, str, Change]] = [
    (TWO, "Turn the two tests of add into one parametrized test.",
     put("tests/test_two.py", TABLE.replace(", (100, 200, 300)", ""))),
    (TWO, "Turn the two tests of add into one parametrized test.",
     put("tests/test_two.py", TABLE.replace("300", "100"))),
    (TWO, "Turn the two tests of add into one parametrized test.",
     put("tests/test_two.py", TABLE.replace("assert add(a, b) == c", "add(a, b)"))),
    (TWO, "Turn the two tests of add into one parametrized test.",
     put("tests/test_two.py", TABLE.replace("@pytest", "@pytest.mark.skip\n@pytest", 1))),
    (TWO, "Fix add: its tests fail.", put("tests/test_two.py", TABLE)),
    (TWO, "Refactor calc.py. Do not change the tests.", put("tests/test_two.py", TABLE)),
    (JEST, "Collapse the tests of add into one table with test.each.",
     put(J, EACH.replace("expect(add(a, b)).toBe(c)", "add(a, b)"))),
    (GO, "Rewrite the tests of Add as one table-driven test.",
     put("calc_test.go", GO_TABLE.replace("{100, 200, 300, ", "{1, 2, 1, "))),
    (RECIPE, "Let make test run the lint first.", put("Makefile", "test: lint\n\nlint:\n\t@sh -n calc.sh\n")),
    (RECIPE, "Let make test run the lint first.",
     put("Makefile", "test: lint\n\tcp right.sh calc.sh\n\t@sh tests/run.sh\n\nlint:\n\t@sh -n calc.sh\n")),
    (RECIPE, "make test must pass.", LINTED),
    (RECIPE, "Fix add: make test fails.", LINTED),
]  # fmt: skip


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(("project", "task", "change"), RESHAPED)
def test_what_says_the_same_in_another_form_is_the_tasks_own(project: Files, task: str, change: Change) -> None:
    found = find_judge_changes(tree(project), tree(changed(project, change)), task)
    assert [one for one in found if not one.asked_for] == []


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(("project", "task", "change"), SAYS_LESS)
def test_no_reshaping_excuses_what_says_less(project: Files, task: str, change: Change) -> None:
    found = find_judge_changes(tree(project), tree(changed(project, change)), task)
    assert [one for one in found if not one.asked_for]
