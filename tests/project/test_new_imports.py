"""Code that loads what a fresh clone of the project does not have."""

from pathlib import Path

import pytest

from mi.project.checks.new_imports import find_unfound_imports
from tests.project.judge_projects import Files, tree

PYTHON = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["PyYAML", "python-dateutil"]\n',
    "shop/__init__.py": "",
}
NODE = {"package.json": '{"name": "shop", "dependencies": {"left-pad": "1"}}', "src/a.js": "export const one = 1;\n"}


def unfound(root: Path, before: Files, after: Files, ignored: Files | None = None) -> list[str]:
    for path, text in (ignored or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text or "")
    return [one.missing for one in find_unfound_imports(tree(before), tree({**before, **after}), str(root))]


@pytest.mark.req("judge.parts.reaches-others")
@pytest.mark.parametrize(
    ("before", "path", "code", "name"),
    [
        (PYTHON, "shop/a.py", "import packaging\n", "packaging"),
        (PYTHON, "shop/a.py", "def f():\n    from packaging.version import Version\n", "packaging"),
        ({"requirements.txt": "", "a.py": ""}, "a.py", "import numpy as np\n", "numpy"),
        (NODE, "src/b.js", "import pad from 'right-pad';\n", "right-pad"),
        (NODE, "src/b.js", "const { x } = require('@scope/pad/inner');\n", "@scope/pad"),
        (NODE, "src/b.ts", "export { x } from 'right-pad';\n", "right-pad"),
    ],
)
def test_a_package_that_no_manifest_names_is_open(
    tmp_path: Path, before: Files, path: str, code: str, name: str
) -> None:
    assert unfound(tmp_path, before, {path: code}) == [f"`{name}` is imported in {path}, and no manifest names it"]


@pytest.mark.parametrize(
    ("before", "path", "code"),
    [
        (PYTHON, "shop/a.py", "import yaml, dateutil.parser, json, shop.b\nfrom . import c\n"),
        (PYTHON, "shop/a.py", "try:\n    import packaging\nexcept ImportError:\n    packaging = None\n"),
        (PYTHON, "shop/a.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import packaging\n"),
        (PYTHON, "tests/test_a.py", "import packaging\n"),
        ({**PYTHON, "b.py": "import packaging\n"}, "shop/a.py", "import packaging\n"),  # as it was done before
        ({"a.py": ""}, "a.py", "import numpy\n"),  # nothing here names packages
        ({"pyproject.toml": "[tool.ruff]\n"}, "a.py", "import numpy\n"),
        ({**PYTHON, "uv.lock": 'name = "packaging"\n'}, "shop/a.py", "import packaging\n"),
        (NODE, "src/b.js", "import pad from 'left-pad/x';\nimport fs from 'node:fs';\nimport path from 'path';\n"),
        (
            NODE,
            "src/b.js",
            "import x from './a.js';\nimport y from '@/a';\nimport z from '#a';\nimport 'https://x.y/z';\n",
        ),
        (NODE, "src/b.ts", "import type { X } from 'right-pad';\n// import 'other-pad';\n"),
        (NODE, "src/b.js", "let pad;\ntry { pad = require('right-pad'); } catch { pad = null; }\n"),
        ({**NODE, "tsconfig.json": '{"paths": {"shared/*": ["x/*"]}}'}, "src/b.ts", "import x from 'shared/y';\n"),
    ],
)
def test_a_package_that_is_named_or_may_be_missing_is_not(tmp_path: Path, before: Files, path: str, code: str) -> None:
    assert unfound(tmp_path, before, {path: code}) == []


@pytest.mark.req("judge.parts.reaches-others")
@pytest.mark.parametrize(
    ("before", "path", "code", "ignored"),
    [
        (PYTHON, "shop/a.py", "from lib.sums import add_up\n", "lib/sums.py"),
        (PYTHON, "shop/a.py", "from .sums import add_up\n", "shop/sums.py"),
        (PYTHON, "shop/a.py", "from shop import sums\n", "shop/sums.py"),
        (PYTHON, "shop/a.py", "RATES = open('data/rates.csv').read()\n", "data/rates.csv"),
        (NODE, "src/b.js", "import { x } from './own/sums.js';\n", "src/own/sums.js"),
        (NODE, "src/b.js", "const { x } = require('./sums');\n", "src/sums.js"),
    ],
)
def test_a_file_that_git_ignores_is_open(tmp_path: Path, before: Files, path: str, code: str, ignored: str) -> None:
    told = f"{path} needs `{ignored}`, which git ignores: it is no part of the project"
    assert unfound(tmp_path, before, {path: code}, {ignored: "x"}) == [told]


@pytest.mark.parametrize(
    ("before", "path", "code", "ignored", "text"),
    [
        (PYTHON, "shop/a.py", "from .prices_pb2 import Price\n", "shop/prices_pb2.py", "# DO NOT EDIT\n"),
        ({**PYTHON, "Makefile": "parser.py: p.g\n"}, "shop/a.py", "from .parser import p\n", "shop/parser.py", ""),
        (PYTHON, "shop/a.py", "from . import local_settings\n", "shop/local_settings.py", ""),
        (PYTHON, "shop/a.py", "try:\n    open('a/b.csv')\nexcept OSError:\n    pass\n", "a/b.csv", ""),
        (NODE, "src/b.js", "import x from '../dist/x.js';\n", "dist/x.js", ""),
    ],
)  # fmt: skip
def test_what_is_made_private_or_optional_may_be_ignored(
    tmp_path: Path, before: Files, path: str, code: str, ignored: str, text: str
) -> None:
    assert unfound(tmp_path, before, {path: code}, {ignored: text}) == []
