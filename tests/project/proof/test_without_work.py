"""The base with all that a change added but the work that its task speaks of."""

from pathlib import Path

import pytest

from mi.project.checks.definitions import definitions_of
from mi.project.proof.without_work import WithoutWork, without_work
from mi.project.trees import FolderTree

ADD = "Add a function `tax(price, rate)` that puts so many percent on top, with a test."
MEND = "discount(100, 150) returns -50 and must give 0. Fix it, with a regression test."
# a file before, what is put behind it, and the text of the new function once its work is taken out
ADDED = {
    "shop.py": (
        "def total(a):\n    return a\n",
        "\ndef tax(price, rate):\n    return price + price * rate / 100\n",
        "def tax(price, rate):\n    return price\n",
    ),
    "shop.go": (
        "package shop\n\nfunc Total(a int) int {\n\treturn a\n}\n",
        "\nfunc tax(price, rate int) int {\n\treturn price + price*rate/100\n}\n",
        "func tax(price, rate int) int {\nreturn price\n}\n",
    ),
    "src/lib.rs": (
        "pub fn total(a: i64) -> i64 {\n    a\n}\n",
        "\npub fn tax(price: i64, rate: u8) -> i64 {\n    price + price * i64::from(rate) / 100\n}\n",
        "pub fn tax(price: i64, rate: u8) -> i64 {\nreturn price;\n}\n",
    ),
    "src/shop.js": (
        "export function total(a) {\n  return a;\n}\n",
        "\nexport function tax(price, rate) {\n  return price + (price * rate) / 100;\n}\n",
        "export function tax(price, rate) {\nreturn price;\n}\n",
    ),
    "src/shop.ts": (
        "export const total = (a: number): number => a;\n",
        "\nexport const tax = (price: number, rate: number): number => price + (price * rate) / 100;\n",
        "export const tax = (price: number, rate: number): number => price;\n",
    ),
    "shop.sh": (
        "total() {\n    echo $1\n}\n",
        "\ntax() {\n    echo $(($1 + $1 * $2 / 100))\n}\n",
        'tax() {\n    echo "$1"\n}\n',
    ),
}


def look(
    folder: Path, task: str, before: dict[str, str], after: dict[str, str], mends: bool = True
) -> WithoutWork | None:
    for name, files in (("before", before), ("after", after)):
        for path, text in files.items():
            place = folder / name / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
    return without_work(task, FolderTree(str(folder / "before")), FolderTree(str(folder / "after")), mends)


@pytest.mark.req("judge.proof.new-tests-notice")
@pytest.mark.parametrize("path", ADDED)
def test_an_added_function_that_the_task_names_only_gives_back_what_it_is_given(tmp_path: Path, path: str) -> None:
    before, added, idle = ADDED[path]
    found = look(tmp_path, ADD, {path: before}, {path: before + added})
    assert found == WithoutWork({path: f"{before}\n{idle}".encode()}, ["tax"])


@pytest.mark.req("judge.proof.new-tests-notice")
@pytest.mark.parametrize("path", ADDED)
def test_a_function_to_be_mended_stays_as_it_was_beside_what_is_new(tmp_path: Path, path: str) -> None:
    before, added, _ = ADDED[path]
    old = before.replace("total", "discount").replace("Total", "discount")
    found = look(tmp_path, MEND, {path: old}, {path: old.replace("discount(a", "discount(a ") + added})
    assert found == WithoutWork({path: (old + added).encode()}, ["discount"])


def test_methods_types_and_imports_that_are_new_stand_beside_the_old_ones(tmp_path: Path) -> None:
    before = "class Cart:\n    def __init__(self):\n        self.items = []\n\n\ndef total(cart):\n    return 0\n"
    method = "\n    def add(self, item):\n        self.items.append(item)\n"
    after = "import math\n" + before.replace("\n\n\ndef", f"\n{method}\n\ndef") + "\n\nLIMIT = math.inf\n"
    found = look(tmp_path, "Add a method `Cart.add(item)`", {"shop.py": before}, {"shop.py": after})
    assert found is not None
    text = (found.files["shop.py"] or b"").decode()
    held: dict[str, object] = {}
    exec(text, held)
    assert held["Cart"]().add("x") == "x"  # type: ignore[operator]
    assert held["LIMIT"] == float("inf")
    assert found.missing == ["Cart.add"]


@pytest.mark.parametrize(
    ("task", "mends"),
    [
        ("Write a validator for what total gets, with a test.", True),  # names nothing that is new, mends nothing
        ("Fix total: its tests fail. Add a regression test.", False),  # a test of the base tells that it was mended
        ("Fix the crash on start.", True),
    ],
)
def test_where_a_task_names_no_function_to_add_or_mend_nothing_can_be_taken_out(
    tmp_path: Path, task: str, mends: bool
) -> None:
    before, added, _ = ADDED["shop.py"]
    assert look(tmp_path, task, {"shop.py": before}, {"shop.py": before + added}, mends) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "go",
            "package a\n\nfunc Two(a int) (int, error) {\n\treturn 1, nil\n}\n",
        ),  # nothing to give back by its words
        ("go", "package a\n\nfunc Close() {\n}\n"),
        ("py", "def close():\n    print('closed')\n"),  # to call it is all that a test can do
        ("rs", "pub struct Cart {\n    items: Vec<i64>,\n}\n"),
    ],
)
def test_a_function_that_gives_nothing_back_is_left_as_it_is(language: str, text: str) -> None:
    assert [one.idle for one in definitions_of(text, language)] == [""]


def test_text_that_is_no_program_defines_nothing() -> None:
    assert definitions_of("def (", "py") == []
    assert definitions_of("func (", "go") == []
