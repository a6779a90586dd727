"""A task that asks for tests gets some, and they say something about the code."""

import pytest

from mi.project.checks.judge_new_tests import find_missing_tests
from tests.project.judge_projects import GO, JAVA, NODE, PYTHON, RUST, SHELL, Change, Files, changed, more, put, tree

WITH = "Add `tax(price, rate)`, with a test."
CODE = put("tax.py", "def tax(a, b):\n    return a + a * b / 100\n")


def missing(project: Files, change: object, task: str = WITH) -> str:
    return find_missing_tests(task, tree(project), tree(changed(project, change)))[1]


NO_TEST = "no test was added"
ASKING = [
    WITH,
    "Add tax(), including unit tests.",
    "Write a regression test for add and mend it.",
    "Fix add. Add tests.",
    "Let add take lists. Please create new test cases.",
    "Add tax and net, each with a test",
    "添加 tax 函数，并编写单元测试。",
    "给 add 补充测试用例。",
]
ELSE = [
    "Fix add: its tests fail.",
    "Make the tests pass.",
    "Add a test target to the Makefile.",
    "Run it with tests enabled.",
    "Add type hints to the tests.",
    "Improve the speed of the tests.",
    "Add tax, but do not write tests.",
    "Add tax without adding tests.",
    "Add tax. Do not touch the tests.",
    "Remove add with its tests.",
    "修复 add，测试失败了。",
    "重写测试脚本。",
    "Test whether add works.",
]


@pytest.mark.req("judge.parts.tests")
@pytest.mark.parametrize("task", ASKING)
def test_code_without_the_test_that_was_asked_for_is_not_all(task: str) -> None:
    assert missing(PYTHON, CODE, task) == NO_TEST


@pytest.mark.parametrize("task", ELSE)
def test_a_task_that_asks_for_none_needs_none(task: str) -> None:
    assert missing(PYTHON, CODE, task) == ""


NOTHING: dict[str, tuple[Files, object]] = {
    "true is true": (PYTHON, put("tests/test_tax.py", "def test_tax():\n    assert True\n")),
    "in a class": (
        PYTHON,
        put(
            "tests/test_tax.py",
            "import unittest\n\n\nclass TaxTest(unittest.TestCase):\n"
            "    def test_tax(self):\n        self.assertEqual(1, 1)\n",
        ),
    ),
    "called and forgotten": (
        PYTHON,
        put("tests/test_tax.py", "from tax import tax\n\n\ndef test_tax():\n    tax(100, 20)\n"),
    ),
    "equal to itself": (
        PYTHON,
        put(
            "tests/test_tax.py",
            "import unittest\n\nfrom tax import tax\n\n\nclass TaxTest(unittest.TestCase):\n"
            "    def test_tax(self):\n        self.assertEqual(tax(1, 2), tax(1, 2))\n",
        ),
    ),
    "or true": (
        PYTHON,
        put("tests/test_tax.py", "from tax import tax\n\n\ndef test_tax():\n    assert tax(1, 2) == 3 or True\n"),
    ),
    "empty": (PYTHON, put("tests/test_tax.py", "def test_tax():\n    pass\n")),
    "in js": (NODE, put("src/tax.test.js", "test('tax', () => {\n  expect(true).toBe(true);\n});\n")),
    "empty in js": (NODE, put("src/tax.test.js", "it('tax', () => {});\n")),
    "in go": (
        GO,
        put(
            "tax_test.go",
            'package calc\n\nimport "testing"\n\nfunc TestTax(t *testing.T) {\n\tif false {\n'
            '\t\tt.Error("x")\n\t}\n}\n',
        ),
    ),
    "in rust": (RUST, put("tests/tax.rs", "#[test]\nfn tax() {\n    assert!(true);\n}\n")),
    "in java": (
        JAVA,
        put(
            "src/test/java/TaxTest.java",
            "class TaxTest {\n    @Test\n    void tax() {\n        assertTrue(true);\n    }\n}\n",
        ),
    ),
}


IMPORTS = "import unittest\nfrom unittest.mock import patch\n\nimport tax\n\n\n"
TAXED = "assert tax.tax(100, 20) == 120\n"
NOTHING |= {
    "never awaited": (
        PYTHON,
        put(
            "tests/test_tax.py",
            f"{IMPORTS}class TaxTest(unittest.TestCase):\n    async def test_tax(self):\n        {TAXED}",
        ),
    ),
    "of its own stand-in": (
        PYTHON,
        put(
            "tests/test_tax.py",
            f"{IMPORTS}@patch('tax.tax', return_value=120)\ndef test_tax(tax_mock):\n    {TAXED}"
            "    tax_mock.assert_called_once_with(100, 20)\n",
        ),
    ),
    "of a stand-in in a block": (
        PYTHON,
        put(
            "tests/test_tax.py",
            f"{IMPORTS}def test_tax():\n    with patch.object(tax, 'tax', return_value=120):\n        {TAXED}",
        ),
    ),
    "set by monkeypatch": (
        PYTHON,
        put(
            "tests/test_tax.py",
            f"{IMPORTS}def test_tax(monkeypatch):\n    monkeypatch.setattr(tax, 'tax', lambda *_: 120)\n    {TAXED}",
        ),
    ),
    "a tuple": (
        PYTHON,
        put("tests/test_tax.py", f"{IMPORTS}def test_tax():\n    assert (tax.tax(100, 20) == 120, 'a fifth on top')\n"),
    ),
    "asserted on the console": (
        NODE,
        put("src/tax.test.js", "test('tax', () => {\n  console.assert(tax(100, 20) === 120, 'a fifth');\n});\n"),
    ),
    "a function that is not called": (
        NODE,
        put("src/tax.test.js", "test('tax', () => {\n  assert.ok(() => tax(100, 20) === 120);\n});\n"),
    ),
    "behind a promise": (
        NODE,
        put(
            "src/tax.test.js",
            "test('tax', () => {\n  tax(-1).catch((error) => {\n    expect(error.message).toBe('no');\n  });\n});\n",
        ),
    ),
}


@pytest.mark.req("judge.parts.tests")
@pytest.mark.parametrize("way", NOTHING)
def test_a_test_that_says_nothing_is_none(way: str) -> None:
    project, change = NOTHING[way]
    assert missing(project, change) == "the new tests say nothing about the code"


ENOUGH: dict[str, tuple[Files, object]] = {
    "on the console, too": (
        NODE,
        put(
            "src/tax.test.js",
            "test('tax', () => {\n  console.assert(true);\n  assert.ok(tax(100, 20) === 120);\n});\n",
        ),
    ),
    "a function that has to throw": (
        NODE,
        put("src/tax.test.js", "test('tax', () => {\n  assert.throws(() => tax(-1), RangeError);\n});\n"),
    ),
    "assertion": (
        PYTHON,
        put("tests/test_tax.py", "from tax import tax\n\n\ndef test_tax():\n    assert tax(100, 20) == 120\n"),
    ),
    "one of two": (
        PYTHON,
        put(
            "tests/test_tax.py",
            "from tax import tax\n\n\ndef test_there():\n    assert True\n\n\ndef test_tax():\n"
            "    assert tax(1, 0) == 1\n",
        ),
    ),
    "by a helper": (
        PYTHON,
        put(
            "tests/test_tax.py",
            "from tax import tax\n\n\ndef equals(a, b):\n    assert a == b\n\n\ndef test_tax():\n"
            "    equals(tax(1, 0), 1)\n",
        ),
    ),
    "by a fixture": (PYTHON, put("tests/test_tax.py", "def test_tax(client):\n    assert client.get('/tax').ok\n")),
    "by a program": (
        PYTHON,
        put(
            "tests/test_tax.py",
            "import subprocess\n\n\ndef test_tax():\n    subprocess.run(['tax', '1'], check=True)\n",
        ),
    ),
    "one more case": (
        PYTHON,
        {
            "tests/test_calc.py": str(PYTHON["tests/test_calc.py"]).replace(
                "CASES = [(1, 2, 3)", "CASES = [(7, 2, 9), (1, 2, 3)"
            )
        },
    ),
    "one more row of data": (PYTHON, put("tests/data/cases.json", '[{"a": 1, "b": 2, "sum": 3}, {"a": 2}]\n')),
    "one more assertion": (
        PYTHON,
        {"tests/test_calc.py": str(PYTHON["tests/test_calc.py"]) + "        assert add(7, 7) == 14\n"},
    ),
    "an example": (PYTHON, put("tax.py", 'def tax(a, b):\n    """Add.\n\n    >>> tax(1, 0)\n    1\n    """\n')),
    "in js": (NODE, put("src/tax.test.js", "test('tax', () => {\n  expect(tax(100, 20)).toBe(120);\n});\n")),
    "in go": (
        GO,
        put(
            "tax_test.go",
            'package calc\n\nimport "testing"\n\nfunc TestTax(t *testing.T) {\n\tif Tax(1, 0) != 1 {\n'
            '\t\tt.Error("x")\n\t}\n}\n',
        ),
    ),
    "in rust": (RUST, put("tests/tax.rs", "#[test]\nfn tax() {\n    assert_eq!(calc::tax(1, 0), 1);\n}\n")),
    "in rust beside the code": (
        RUST,
        more(
            "src/lib.rs",
            "\n#[cfg(test)]\nmod more {\n    #[test]\n    fn tax() {\n"
            "        assert_eq!(super::tax(1, 0), 1);\n    }\n}\n",
        ),
    ),
    "in the shell": (SHELL, put("tests/test_tax.sh", '[ "$(tax 100 20)" -eq 120 ] || exit 1\n')),
}


ENOUGH |= {
    "awaited": (
        PYTHON,
        put(
            "tests/test_tax.py",
            f"{IMPORTS}class TaxTest(unittest.IsolatedAsyncioTestCase):\n"
            f"    async def test_tax(self):\n        {TAXED}",
        ),
    ),
    "with a stand-in for another": (
        PYTHON,
        put("tests/test_tax.py", f"{IMPORTS}@patch('tax.rate', return_value=20)\ndef test_tax(rate):\n    {TAXED}"),
    ),
    "of a name that a library has, too": (
        PYTHON,
        put("tests/test_tax.py", f"{IMPORTS}@patch('tax.rates.tax', return_value=20)\ndef test_tax(_):\n    {TAXED}"),
    ),
    "in a class that another is made from": (
        PYTHON,
        put(
            "tests/test_tax.py",
            f"{IMPORTS}class Cases:\n    def test_tax(self):\n        {TAXED}\n\n"
            "class TestTax(Cases):\n    rate = 20\n",
        ),
    ),
    "in a file that another imports": (
        PYTHON,
        {
            "tests/cases.py": f"{IMPORTS}def test_tax():\n    {TAXED}",
            "tests/test_all.py": "from tests.cases import *\n",
        },
    ),
    "by rules of its own": (
        {**PYTHON, "pytest.ini": "[pytest]\npython_classes = *Spec\n"},
        put("tests/test_tax.py", f"{IMPORTS}class TaxSpec:\n    def test_tax(self):\n        {TAXED}"),
    ),
    "behind a promise that is returned": (
        NODE,
        put(
            "src/tax.test.js",
            "test('tax', () => tax(-1).catch((error) => {\n  expect(error.message).toBe('no');\n}));\n"
            "test('net', () => {\n  return net(1).then((found) => expect(found).toBe(1));\n});\n",
        ),
    ),
}


@pytest.mark.parametrize("way", ENOUGH)
def test_a_test_in_any_form_is_enough(way: str) -> None:
    project, change = ENOUGH[way]
    assert missing(project, change) == ""


def test_change_of_tests_only_counts() -> None:
    change: Change = put("tests/test_tax.py", "from tax import tax\n\n\ndef test_tax():\n    assert tax(1, 0) == 1\n")
    assert missing(PYTHON, change, "Write tests for tax.") == ""


UNRUN: dict[str, Change] = {
    "class of another name": put("tests/test_tax.py", f"{IMPORTS}class Tax:\n    def test_tax(self):\n        {TAXED}"),
    "class below nothing": put(
        "tests/test_tax.py", f"{IMPORTS}class TaxTest(object):\n    def test_tax(self):\n        {TAXED}"
    ),
    "file of another name": put("tests/taxes.py", f"{IMPORTS}def test_tax():\n    {TAXED}"),
}


@pytest.mark.req("judge.parts.tests")
@pytest.mark.parametrize("way", UNRUN)
def test_a_test_that_no_runner_collects_is_not_run(way: str) -> None:
    assert missing(PYTHON, UNRUN[way]) == "the new tests are not run"


RUST_TEST = "#[test]\nfn tax_of_nothing() {\n    assert_eq!(tax(0, 20), 0);\n}\n"
IGNORED = RUST_TEST.replace("fn tax_of_nothing", '#[ignore = "slow"]\nfn tax_of_all')
SKIPPED: dict[str, tuple[Files, object]] = {
    "ignored beside another": (RUST, put("tests/tax.rs", f"use shop::tax;\n\n{RUST_TEST}\n{IGNORED}")),
    "skipped by a mark": (
        PYTHON,
        put("tests/test_tax.py", "import pytest\n\n\n@pytest.mark.skip\ndef test_tax():\n    assert tax(1, 2) == 1\n"),
    ),
    "skipped by its name": (
        NODE,
        put("src/tax.test.js", "test.skip('tax', () => {\n  expect(tax(1, 2)).toBe(1);\n});\n"),
    ),
    "skipped by an option": (
        NODE,
        put("src/tax.test.js", "test('tax', { skip: true }, () => {\n  expect(tax(1, 2)).toBe(1);\n});\n"),
    ),
    "skipped at once": (
        GO,
        put(
            "tax_test.go",
            'package shop\n\nfunc TestTax(t *testing.T) {\n\tt.Skip("slow")\n'
            "\tif Tax(1, 2) != 1 {\n\t\tt.Error(1)\n\t}\n}\n",
        ),
    ),
}


@pytest.mark.req("judge.parts.tests")
@pytest.mark.parametrize("way", SKIPPED)
def test_a_new_test_that_is_always_skipped_is_none(way: str) -> None:
    project, change = SKIPPED[way]
    assert missing(project, change) == "a new test is skipped"
    assert missing(project, change, f"{WITH} Skip the slow ones.") == ""


@pytest.mark.parametrize(
    ("project", "change"),
    [
        (
            GO,
            put(
                "tax_test.go",
                "package shop\n\nfunc TestTax(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n"
                "\tif Tax(1, 2) != 1 {\n\t\tt.Error(1)\n\t}\n}\n",
            ),
        ),
        (
            PYTHON,
            put(
                "tests/test_tax.py",
                "import pytest\n\n\n@pytest.mark.skipif(WINDOWS, reason='no')\n"
                "def test_tax():\n    assert tax(1, 2) == 1\n",
            ),
        ),
        (NODE, put("src/tax.test.js", "test('tax', { skip: false }, () => {\n  expect(tax(1, 2)).toBe(1);\n});\n")),
    ],
)
def test_a_test_that_is_skipped_under_a_condition_is_one(project: Files, change: object) -> None:
    assert missing(project, change) == ""


def test_a_skipped_test_that_only_moved_is_none_of_the_new_ones() -> None:
    before = {**RUST, "tests/old.rs": f"use shop::tax;\n\n{IGNORED}"}
    after = f"use shop::tax;\n\n{RUST_TEST}\n{IGNORED}"
    assert missing(before, put("tests/tax.rs", after)) == ""
