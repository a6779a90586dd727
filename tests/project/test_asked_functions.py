"""What a task asks of functions, of their tests when they go, and of data that it does not name."""

from pathlib import Path

import pytest

from mi.project.checks.asked_functions import find_open_functions
from mi.project.checks.judge_lost_data import find_lost_data
from mi.project.checks.judges import find_judge_changes
from mi.project.worktree import WorktreeWatch
from tests.conftest import git
from tests.project.judge_projects import Files, tree

TAX = "Add a function `tax(price, rate)` that puts so many percent on top."
MEND = "discount(100, 150) returns -50 and must give 0. Fix it."
PY = "def discount(price, percent):\n    return price - price * percent / 100\n"
CLAMP = "\n\ndef clamp(percent):\n    return min(percent, 100)\n"


def missing(task: str, before: Files, after: Files) -> list[str]:
    return [one.missing for one in find_open_functions(task, tree(before), tree({**before, **after}))]


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("shop.py", "def tax(price, rate):\n    return price\n"),
        ("shop.py", "class Shop:\n    def tax(self, price, rate):\n        return price * 1.2\n"),
        ("shop.js", "export function tax(price, rate) {\n  return price;\n}\n"),
        ("shop.ts", "export const tax = (price: number, rate: number): number => price * 1.2;\n"),
        ("shop.go", "package shop\n\nfunc tax(price, rate int) int {\n\treturn price\n}\n"),
        ("src/lib.rs", "pub fn tax(price: i64, rate: i64) -> i64 {\n    price\n}\n"),
    ],
)
def test_a_parameter_that_is_never_used_is_open(path: str, code: str) -> None:
    assert missing(TAX, {"README.md": ""}, {path: code}) == ["`tax` never uses its parameter `rate`"]


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (TAX, "def tax(price, rate):\n    return price + price * rate / 100\n"),
        (TAX, "def tax(price, rate):\n    def add():\n        return price * rate\n\n    return add()\n"),
        (TAX, "def tax(price, rate):\n    raise NotImplementedError\n"),  # of a base class; a stub passes no test
        (TAX, "def on_event(price, context):\n    return price\n"),  # no function that the task spells
        (f"{TAX} The rate is ignored for now.", "def tax(price, rate):\n    return price\n"),
        ("Let tax(100, 20) give 120.", "def tax(price, rate):\n    return price\n"),  # values are no parameters
    ],
)
def test_a_parameter_that_is_used_or_may_be_unused_is_not(task: str, code: str) -> None:
    assert missing(task, {"README.md": ""}, {"shop.py": code}) == []


@pytest.mark.req("judge.parts.added")
@pytest.mark.parametrize(
    "after",
    [
        {"shop.py": PY + CLAMP},
        {"clamp.py": CLAMP.lstrip()},
        {"shop.py": PY + CLAMP, "tests/test_clamp.py": "from shop import clamp\n"},
    ],
)
def test_a_helper_that_nothing_calls_mends_nothing(after: Files) -> None:
    assert missing(MEND, {"shop.py": PY}, after) == ["nothing was done for `discount`: nothing calls `clamp`"]


@pytest.mark.parametrize(
    ("task", "after"),
    [
        (MEND, {"shop.py": PY.replace("* percent", "* clamp(percent)") + CLAMP}),
        (MEND, {"shop.py": PY + CLAMP, "cli.py": "from shop import clamp\n\nclamp(3)\n"}),
        (MEND, {"shop.py": PY.replace("price * percent", "price * min(percent, 100)")}),
        ("Add clamp to discount's module. Fix nothing else.", {"shop.py": PY + CLAMP}),
        ("Write a validator for what discount gets.", {"shop.py": PY + CLAMP}),
    ],
)
def test_a_helper_that_is_called_or_asked_for_is_work(task: str, after: Files) -> None:
    assert missing(task, {"shop.py": PY}, after) == []


ROWS = "name,price\n" + "".join(f"item{row},{row}\n" for row in range(60))


@pytest.mark.parametrize(
    ("path", "left"),
    [
        ("data/catalogue.csv", "name,price\n"),
        ("data/catalogue.csv", ""),
        ("data/catalogue.csv", None),
        ("rows.json", "[]"),
    ],
)
def test_data_that_is_lost_on_the_way_is_named(path: str, left: str | None) -> None:
    lost = find_lost_data(tree({path: ROWS}), tree({path: left}), "Fix total: its tests fail.")
    assert [one.path for one in lost] == [path]


@pytest.mark.parametrize(
    ("path", "left", "task"),
    [
        ("data/catalogue.csv", "name,price\n", "Empty the catalogue."),
        ("data/catalogue.csv", None, "Move what is in data/ to the server."),
        ("data/catalogue.csv", None, "Convert the CSV to JSON."),
        ("data/catalogue.csv", ROWS[: len(ROWS) // 2], "Fix total."),
        ("package-lock.json", "{}\n", "Fix total."),
        ("settings.yml", None, "Fix total."),
        ("shop.py", "", "Fix total."),
    ],
)
def test_data_that_the_task_names_or_that_is_still_there_is_not(path: str, left: str | None, task: str) -> None:
    assert find_lost_data(tree({path: ROWS}), tree({path: left}), task) == []


def test_data_that_moved_is_not_lost() -> None:
    assert find_lost_data(tree({"a.csv": ROWS}), tree({"a.csv": None, "b/c.csv": ROWS}), "Fix total.") == []


SHOP = {
    "shop.py": f"{PY}\n\ndef tax(price):\n    return price\n",
    "tests/test_tax.py": "from shop import tax\n\n\ndef test_tax():\n    assert tax(1) == 1\n",
    "tests/test_both.py": "from shop import discount, tax\n\n\ndef test_both():\n    assert discount(tax(1), 0) == 1\n",
}


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(
    ("task", "path", "asked"),
    [
        ("Remove the function `tax`; nobody calls it.", "tests/test_tax.py", True),
        ("Revert the last commit; we do not want the function `tax` after all.", "tests/test_tax.py", True),
        ("删除函数 `tax`，没有人用它。", "tests/test_tax.py", True),
        ("Remove the function `tax`; nobody calls it.", "tests/test_both.py", False),  # of what stays, too
        ("Remove the function `tax`, leave the tests alone.", "tests/test_tax.py", False),
        ("Fix the function `tax`.", "tests/test_tax.py", False),
    ],
)
def test_a_test_goes_with_the_function_that_the_task_takes_away(task: str, path: str, asked: bool) -> None:
    changes = find_judge_changes(tree(SHOP), tree({**SHOP, "shop.py": PY, path: None}), task)
    assert [(one.path, one.asked_for) for one in changes] == [(path, asked)]


@pytest.mark.req("judge.asked-for")
@pytest.mark.parametrize(
    ("task", "path", "asked"),
    [
        ("Revert the last commit.", "tests/test_new.py", True),
        ("Revert the last commit.", "tests/test_old.py", False),  # it was there before that commit
        ("Go on with the last commit.", "tests/test_new.py", False),
    ],
)
def test_a_test_goes_with_the_commit_that_brought_it(repository, task: str, path: str, asked: bool) -> None:
    repo: Path = repository("project")
    for name in ("old", "new"):
        (repo / "tests").mkdir(exist_ok=True)
        (repo / f"tests/test_{name}.py").write_text("def test_it():\n    assert 1 + 1 == 2\n", "utf-8")
        git(repo, "add", "-A")
        git(repo, "commit", "-q", "-m", name)
    with WorktreeWatch(str(repo)) as watch:
        (repo / path).unlink()
        watch.step()
        assert watch.first_tree is not None
        changes = find_judge_changes(watch.first_tree, watch.last_tree, task)
    assert [(one.path, one.asked_for) for one in changes] == [(path, asked)]
