"""What functions give before and after a change that keeps behaviour, by real Python and Node."""

from pathlib import Path

import pytest

from mi.project.proof.same_results import find_changed_results
from mi.project.trees import FolderTree
from tests.project.proof.test_uses import PACKAGE, RunsInFolder

SIMPLIFY = "Simplify read_price without changing what it does."
PY = (
    "def read_price(text):\n    if text == 'free':\n        return 0\n    if text.endswith('k'):\n"
    "        return float(text[:-1]) * 1000\n    return float(text)\n"
)
GRADE = (
    "def grade(points, bonus):\n    if points > 90:\n        return 'A'\n"
    "    return 'B' if points - bonus > 50 else 'C'\n"
)
TABLE = "RATES = {'EUR': 1, 'USD': 2}\n\n\ndef rate(name):\n    return RATES[name]\n"
CHECKED = (
    "def share(price, parts):\n    if parts < 1:\n        raise ValueError('no parts')\n    return price / parts\n"
)
JS = (
    "export function readPrice(text) {\n  if (text === 'free') {\n    return 0;\n  }\n  if (text.endsWith('k')) {\n"
    "    return Number(text.slice(0, -1)) * 1000;\n  }\n  return Number(text);\n}\n"
)
KIND = (
    "export function size(kind) {\n  switch (kind) {\n"
    "    case 'small': return 1;\n    case 'large': return 9;\n  }\n}\n"
)


def told(tmp_path: Path, name: str, before: str, after: str, task: str = SIMPLIFY) -> tuple[list[str], int]:
    for folder, text in (("base", before), ("final", after)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(text)
        (tmp_path / folder / "package.json").write_text(PACKAGE)
    base, final = (FolderTree(str(tmp_path / folder)) for folder in ("base", "final"))
    runs = RunsInFolder({id(base): tmp_path / "base", id(final): tmp_path / "final"})
    return find_changed_results(task, base, final, "python3 -m pytest", runs), runs.count


@pytest.mark.req("judge.proof.same-results")
@pytest.mark.parametrize(
    ("name", "before", "after", "first"),
    [
        ("shop.py", PY, "def read_price(text):\n    return float(text[:-1]) * 1000 if text[-1] == 'k' else "
         "float(text)\n",
         "`read_price('free')` raises ValueError, and gave 0 before"),
        ("shop.py", GRADE, GRADE.replace("> 90", ">= 90"), "`grade(90, 100)` gives 'A', and gave 'C' before"),
        ("shop.py", TABLE, "def rate(name):\n    return 1 if name == 'EUR' else 3\n",
         "`rate('USD')` gives 3, and gave 2 before"),
        ("shop.py", CHECKED, "def share(price, parts):\n    return price / parts if parts else 0\n",
         "`share(100, 0)` gives 0, and raised ValueError before"),
        ("shop.js", JS, "export const readPrice = (text) => (text.endsWith('k') ? Number(text.slice(0, -1)) * 1000 : "
         "Number(text));\n", "`readPrice('free')` gives NaN, and gave 0 before"),
        ("shop.js", KIND, "export function size(kind) {\n  return kind === 'small' ? 1 : undefined;\n}\n",
         "`size('large')` gives undefined, and gave 9 before"),
    ],
)  # fmt: skip
def test_a_case_that_got_lost_is_told(tmp_path: Path, name: str, before: str, after: str, first: str) -> None:
    assert first in told(tmp_path, name, before, after)[0]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("shop.py", PY, "FREE = {'free': 0}\n\n\ndef read_price(text):\n    if text in FREE:\n"
         "        return FREE[text]\n"
         "    many = 1000 if text.endswith('k') else 1\n    return many * float(text.removesuffix('k'))\n"),
        ("shop.py", GRADE, "def grade(points, bonus):\n    over = points - bonus > 50\n"
         "    return 'A' if points > 90 else 'B' if over else 'C'\n"),
        ("shop.py", CHECKED, "def share(price, parts):\n    if not parts >= 1:\n"
         "        raise ValueError(f'{parts} parts')\n"
         "    return (1 / parts) * price\n"),
        ("shop.py", "def kinds(a):\n    return {a, 'x', 'y'} if a == 'z' else set()\n",
         "def kinds(a):\n    found = {'y', 'x'}\n    return found | {a} if a == 'z' else set()\n"),
        ("shop.py", "def key(a):\n    return object() if a == 'z' else 1\n",
         "def key(a):\n    return 1 if a != 'z' else object()\n"),
        ("shop.js", JS, "const FREE = 'free';\n\nexport function readPrice(text) {\n  if (text === FREE) return 0;\n"
         "  return text.endsWith('k') ? 1000 * Number(text.slice(0, -1)) : Number(text);\n}\n"),
        ("shop.js", KIND, "const SIZES = { small: 1, large: 9 };\n\n"
         "export function size(kind) {\n  return SIZES[kind];\n}\n"),
    ],
)  # fmt: skip
def test_an_honest_refactoring_is_silent(tmp_path: Path, name: str, before: str, after: str) -> None:
    seen, runs = told(tmp_path, name, before, after)
    assert seen == []
    assert runs == 2


@pytest.mark.parametrize(
    ("before", "after", "task"),
    [
        (GRADE, GRADE.replace("> 90", ">= 90"), "Let grade give 'A' from 90 points on."),
        (GRADE, GRADE.replace("> 90", ">= 90"), "Simplify grade, and fix it: 90 points are an A."),
        (GRADE, GRADE.replace("points, bonus", "points, extra").replace("- bonus", "- extra"), SIMPLIFY),
        ("import random\n\n\ndef pick(a):\n    return random.random() if a == 1 else 2\n",
         "import random\n\n\ndef pick(a):\n    return 2 if a != 1 else random.random()\n", SIMPLIFY),
        ("def save(a):\n    open('x', 'w').write(a)\n    return a == 'x'\n",
         "def save(a):\n    return a == 'x'\n", SIMPLIFY),
    ],
)  # fmt: skip
def test_nothing_is_run_where_behaviour_may_change_or_more_than_the_arguments_counts(
    tmp_path: Path, before: str, after: str, task: str
) -> None:
    assert told(tmp_path, "shop.py", before, after, task) == ([], 0)
