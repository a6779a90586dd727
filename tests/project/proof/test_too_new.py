"""Python that a project's oldest supported one cannot run."""

from pathlib import Path

import pytest

from mi.project.proof.too_new import find_too_new
from mi.project.trees import FolderTree
from tests.project.proof.running import write

SAID = {
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.8,<4"\n',
    "setup.cfg": "[options]\npython_requires = >=3.8\n",
    "setup.py": 'setup(\n    name="shop",\n    python_requires="~=3.8",\n)\n',
}
POETRY = '[tool.poetry.dependencies]\npython = "^3.8"\n'


def see(tmp_path: Path, manifest: dict[str, str], before: str, after: str, path: str = "shop.py") -> list[str]:
    trees = [
        FolderTree(str(write(tmp_path / name, manifest | {path: text}))) for name, text in (("b", before), ("f", after))
    ]
    return find_too_new(*trees)


@pytest.mark.req("judge.proof.too-new")
@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("match 1:\n    case _:\n        pass\n", "Pattern matching"),
        ("with (open('a') as a, open('b') as b):\n    pass\n", "Parenthesized context managers"),
        ("try:\n    pass\nexcept* OSError:\n    pass\n", "Exception groups"),
        ("import tomllib\n", "tomllib needs Python 3.11"),
        ("from functools import cache\n", "functools.cache needs Python 3.9"),
        ("import itertools\nx = itertools.pairwise([])\n", "itertools.pairwise needs Python 3.10"),
        ("x = 'ab'.removeprefix('a')\n", "removeprefix needs Python 3.9"),
        ("def f(x: list[int]):\n    pass\n", "list[…] needs Python 3.9"),
        ("def f() -> int | None:\n    pass\n", "X | Y in an annotation needs Python 3.10"),
    ],
)
def test_what_is_too_new_is_named(tmp_path: Path, code: str, what: str):
    for number, (name, text) in enumerate([*SAID.items(), ("pyproject.toml", POETRY)]):
        [found] = see(tmp_path / str(number), {name: text}, "", code)
        assert found.startswith("shop.py:")
        assert what in found
        assert "(Python 3.8)" in found


@pytest.mark.req("judge.proof.too-new")
@pytest.mark.parametrize(
    ("manifest", "before", "after", "path"),
    [
        ({}, "", "match 1:\n    case _:\n        pass\n", "shop.py"),
        ({"pyproject.toml": '[project]\nrequires-python = ">=3.11"\n'}, "", "import tomllib\n", "shop.py"),
        (SAID, "", "try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib\n", "shop.py"),
        (SAID, "", "import sys\n\nif sys.version_info >= (3, 11):\n    import tomllib\n", "shop.py"),
        (SAID, "", "from __future__ import annotations\n\n\ndef f(x: list[int] | None):\n    pass\n", "shop.py"),
        (SAID, "from functools import cache\n", "from functools import cache\n\nx = cache\n", "shop.py"),
        (SAID, "", "if (n := 3) > 2:\n    pass\n", "shop.py"),
        (SAID, "", "x = {1} | {2}\n", "shop.py"),
        (SAID, "", "import tomllib\n", "tests/test_shop.py"),
        (SAID, "", "this is no Python\n", "shop.py"),
    ],
)
def test_what_the_oldest_runs_is_no_matter(
    tmp_path: Path, manifest: dict[str, str], before: str, after: str, path: str
):
    assert see(tmp_path, manifest, before, after, path) == []
