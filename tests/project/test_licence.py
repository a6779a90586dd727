"""How far a wish to adapt tests reaches, and what it never excuses: a test that asks for less."""

import pytest

from mi.project.checks.judge_strength import asks_for_less
from mi.project.checks.judges import find_judge_changes
from tests.project.judge_projects import tree

SHOP = (
    "def total(prices):\n    return sum(prices)\n\n\ndef discount(price, percent):\n    return price - percent\n\n\n"
    "def bill(prices):\n    return f'{total(prices)} EUR'\n"
)
PROJECT = {
    "shop.py": SHOP,
    "tests/test_total.py": "from shop import bill, total\n\n\ndef test_sum():\n    assert total([7]) == 7\n\n\n"
    "def test_bill():\n    assert bill([7]) == '7 EUR'\n",
    "tests/test_discount.py": "from shop import discount\n\n\ndef test_half():\n    assert discount(30, 50) == 15\n",
    "tests/unit/test_more.py": "from shop import discount\n\n\ndef test_none():\n    assert discount(30, 0) == 30\n",
}
CENTS = {"shop.py": SHOP.replace("sum(prices)", "sum(prices) * 100")}
SUM = {"tests/test_total.py": PROJECT["tests/test_total.py"].replace("== 7", "== 700")}
BILL = {"tests/test_total.py": PROJECT["tests/test_total.py"].replace("'7 EUR'", "'700 EUR'")}
HALF = {"tests/test_discount.py": PROJECT["tests/test_discount.py"].replace("== 15", "== -20")}
NONE = {"tests/unit/test_more.py": PROJECT["tests/unit/test_more.py"].replace("== 30", "== 31")}
LESS = {"tests/test_total.py": PROJECT["tests/test_total.py"].replace("== 7", "> 7")}


def is_licensed(task: str, *changes: dict[str, str]) -> bool:
    final = PROJECT | CENTS
    for one in changes:
        final = final | one
    found = find_judge_changes(tree(PROJECT), tree(final), task)
    assert found
    return all(one.asked_for for one in found)


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(
    ("task", "change", "licensed"),
    [
        ("total must return cents. Adapt the tests.", SUM, True),
        ("total must return cents. Adapt the tests.", BILL, True),  # by what uses it
        ("total must return cents. Adapt the tests.", HALF, False),
        ("Let `total` return cents and update all affected tests.", HALF, False),
        ("`total` 返回分。请更新相关测试。", HALF, False),
        ("`total` 返回分。请更新相关测试。", SUM, True),
        ("total must return cents. Update tests/test_total.py.", SUM, True),
        ("total must return cents. Update tests/test_total.py.", HALF, False),
        ("Cents, please. Update the tests in tests/unit.", NONE, True),
        ("Cents, please. Update the tests in tests/unit.", HALF, False),
        ("The test test_sum is outdated, correct it.", HALF, False),
        ("Cents everywhere, please. Adapt the tests.", HALF, True),  # it names no function
        ("total must return cents. Adapt the tests.", LESS, False),
        ("total must return cents. Update test_sum.", LESS, False),
        ("total must return cents. Update test_sum, loosen it.", LESS, True),
    ],
)
def test_licence_reaches_the_tests_of_what_is_named(task: str, change: dict[str, str], licensed: bool) -> None:
    assert is_licensed(task, change) is licensed


def test_new_name_that_the_code_uses_from_now_on_is_named_too() -> None:
    task = "Add a class `Money` and let the functions return it. Adapt the tests."
    money = {
        "shop.py": "class Money:\n    pass\n\n\n" + SHOP.replace("return sum(prices)", "return Money(sum(prices))")
    }
    assert is_licensed(task, SUM, money)
    assert not is_licensed(task, HALF, money)


PYTHON_LESS = [
    ("assert f(1) == 2", "assert f(1) < 3"),
    ("assert f(1) == 2", "assert f(1) != 3"),
    ("assert f(1) == 2", "assert f(1) in (2, 3)"),
    ("assert f(1) == 2", "assert f(1) is not None"),
    ("assert f(1) == 2", "assert f(1)"),
    ("assert f(1) == 2", "assert len(f(1)) == 2"),
    ("assert f(1) == 2", "assert f(1) == f(1)"),
    ("assert f(1) == 2", "assert isinstance(f(1), int)"),
    ("assert f(1) == 2", "assert f(1) > 1\n    assert f(0) == 0"),  # with another one in its place
    ("assert f(1) == 2", "assert f(1) == pytest.approx(2, abs=5)"),
    ("assert f(1) == pytest.approx(2, abs=0.1)", "assert f(1) == pytest.approx(2, abs=5)"),
    ("self.assertEqual(f(1), 2)", "self.assertTrue(f(1))"),
    ("self.assertEqual(f(1), 2)", "self.assertIn(f(1), (2, 3))"),
    ("self.assertEqual(f(1), 2)", "self.assertAlmostEqual(f(1), 2, 0)"),
    ("self.assertEqual(f(1), 2)", "self.assertNotEqual(f(1), 3)"),
]
PYTHON_SAME = [
    ("assert f(1) == 2", "assert f(1) == 200"),
    ("assert f(1) == 2", "assert f(1, x=3) == 200 * 3"),
    ("assert f(1) == 2", "assert f(1) is None"),
    ("assert f(1) == 2", "assert f(1) == pytest.approx(2.5)"),
    ("assert f(1) == 2", "with pytest.raises(ValueError):\n        f(1)"),
    ("assert f(1) == 2", "assert f(1) == 2\n    assert f(2) > 2"),
    ("assert f(1) > 2", "assert f(1) == 2"),
    ("assert f(1) == 2", "result = f(1)\n    assert result.value == 2 and result.ok"),
    ("self.assertEqual(f(1), 2)", "assert f(1) == 2"),
    ("self.assertEqual(f(1), 2)", "with self.assertRaises(ValueError):\n        f(1)"),
    ("f.assert_called_once_with(1)", "f.assert_called_once_with(2)"),
]
OTHERS = [
    ("js", "expect(f(1)).toBe(2);", "expect(f(1)).toBeTruthy();", True),
    ("js", "expect(f(1)).toBe(2);", "expect(f(1)).not.toBe(3);", True),
    ("js", "expect(f(1)).toBe(2);", "expect(f(1)).toEqual({ cents: 2 });", False),
    ("js", "assert.strictEqual(f(1), 2);", "assert.ok(f(1) > 0);", True),
    ("js", "assert.strictEqual(f(1), 2);", "assert.throws(() => f(1));", False),
    ("go", 'if F(1) != 2 { t.Error("x") }', 'if F(1) < 2 { t.Error("x") }', True),
    ("go", 'if F(1) != 2 { t.Error("x") }', 'if F(1) == 0 { t.Error("x") }', True),
    ("go", 'if F(1) != 2 { t.Error("x") }', 'if got, err := F(1); err != nil || got != 3 { t.Error("x") }', False),
    ("rs", "assert_eq!(f(1), 2);", "assert!(f(1) > 0);", True),
    ("rs", "assert_eq!(f(1), 2);", "assert_eq!(f(1), Ok(200));", False),
]


@pytest.mark.parametrize(
    ("language", "before", "after", "less"),
    [
        *(("py", before, after, True) for before, after in PYTHON_LESS),
        *(("py", before, after, False) for before, after in PYTHON_SAME),
        *OTHERS,
    ],
)
def test_another_value_is_as_much_and_a_range_is_less(language: str, before: str, after: str, less: bool) -> None:
    was, now = (f"def test_f():\n    {text}\n" if language == "py" else text for text in (before, after))
    assert asks_for_less(was, now, language) is less
