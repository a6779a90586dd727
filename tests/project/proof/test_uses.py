"""Uses of what a task asks for, by real Python and Node in a folder that holds the tree."""

import subprocess
from pathlib import Path

import pytest

from mi.project.proof.uses import find_unmet
from mi.project.trees import FolderTree, Tree
from mi.testing.judge_bench.workspace import environment
from tests.real.installed import go_environment, rust_environment

PY = "def discount(price, percent):\n    return price - price * percent / 100\n"
PY_MENDED = "def discount(price, percent):\n    return price - price * min(percent, 100) / 100\n"
JS = "export function discount(price, percent) {\n  return price - (price * percent) / 100;\n}\n"
PACKAGE = '{"type": "module"}\n'
COMPLAINT = "discount(100, 150) returns -50. More than 100 percent must give 0. Fix it."


class RunsInFolder:
    """Runs a command where the tree lies."""

    def __init__(self, folders: dict[int, Path]) -> None:
        self._folders = folders
        self.count = 0

    def run_command(self, tree: Tree, command: str, data: bytes = b"", alone: bool = False) -> bytes:
        self.count += 1
        folder = self._folders[id(tree)]
        out = folder.parent / f"{folder.name}.out"
        subprocess.run(
            ["bash", "-c", f"{command} {out}"], cwd=folder, input=data, check=False, timeout=60, env=environment()
        )
        return out.read_bytes() if out.exists() else b""


def unmet_of(
    tmp_path: Path, before: dict[str, str], after: dict[str, str], task: str, *names: str
) -> tuple[list[str], int]:
    trees = []
    for name, texts in (("base", before), ("final", before | after)):
        for path, text in texts.items():
            file = tmp_path / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        trees.append(FolderTree(str(tmp_path / name)))
    base, final = trees
    runs = RunsInFolder({id(base): tmp_path / "base", id(final): tmp_path / "final"})
    return find_unmet(task, names, base, final, "python3 -m pytest", runs), runs.count


@pytest.mark.req("judge.parts.examples")
@pytest.mark.parametrize(
    ("before", "after", "task", "unmet"),
    [
        ({"shop.py": PY}, {"shop.py": PY + "\n\ndef clamp(percent):\n    return min(percent, 100)\n"}, COMPLAINT,
         ["`discount(100, 150)` still gives -50.0"]),
        ({"shop.py": PY}, {"shop.py": PY_MENDED}, COMPLAINT, []),
        ({"shop.py": PY}, {"shop.py": PY + "x = 1\n"}, "discount(100, 150) must give 0.",
         ["`discount(100, 150)` gives -50.0, not 0"]),
        ({"shop.py": PY}, {"shop.py": PY_MENDED}, "discount(100, 150) must give 0.", []),
        ({"shop.py": PY}, {"slug.py": "def slug(text):\n    return text.lower()\n"},
         "Add slug: `slug('A b')` gives `a-b`.", ["`slug('A b')` gives 'a b', not a-b"]),
        ({"shop.py": PY}, {"slug.py": "def slug(text):\n    return text.lower().replace(' ', '-')\n"},
         "Add slug: `slug('A b')` gives `a-b`.", []),
        ({"src/shop/__init__.py": "", "src/shop/price.py": "from . import rates\n\n" + PY, "src/shop/rates.py": ""},
         {"src/shop/rates.py": "x = 1\n"}, COMPLAINT, ["`discount(100, 150)` still gives -50.0"]),
        ({"shop.py": PY}, {"shop.py": "def discount(price, percent):\n    raise KeyError\n"},
         "discount(100, 150) must give 0.", ["`discount(100, 150)` raises KeyError, not 0"]),
        ({"shop.py": PY}, {"shop.py": "import not_installed_here\n" + PY}, "discount(100, 150) must give 0.", []),
        ({"shop.py": PY}, {"shop.py": PY_MENDED}, "discount(100, 10) returns 90, and that stays; fix the rest.", []),
        ({"shop.py": PY, "a.py": PY}, {"b.py": "x = 1\n"}, "discount(100, 150) must give 0.", []),
        ({"shop.py": PY}, {"shop.py": PY_MENDED}, "Add pair: discount(100, 10) gives 90.0 and so on.", []),
        ({"shop.js": JS, "package.json": PACKAGE}, {"shop.js": JS + "export const x = 1;\n"}, COMPLAINT,
         ["`discount(100, 150)` still gives -50"]),
        ({"shop.js": JS, "package.json": PACKAGE}, {"shop.js": JS.replace("* percent", "* Math.min(percent, 100)")},
         COMPLAINT, []),
        ({"a.js": "exports.x = 1;\n"},
         {"a.js": "async function pair(a) { return [a, a]; }\nmodule.exports = { pair };\n"},
         "Add pair: `pair('x')` gives `['x', 'x']`.", []),
        ({"a.js": "exports.x = 1;\n"}, {"a.js": "function pair(a) { return [a]; }\nmodule.exports = { pair };\n"},
         "Add pair: `pair('x')` gives `['x', 'x']`.", ["`pair('x')` gives [ 'x' ], not ['x', 'x']"]),
    ],
)  # fmt: skip
def test_stated_examples_hold(
    tmp_path: Path, before: dict[str, str], after: dict[str, str], task: str, unmet: list[str]
) -> None:
    assert unmet_of(tmp_path, before, after, task)[0] == unmet


@pytest.mark.req("judge.parts.used")
@pytest.mark.parametrize(
    ("after", "unmet"),
    [
        ({"shop.py": "def tax(price):\n    return price\n\n\ndel tax\n"}, ["`tax` cannot be imported"]),
        ({"shop.py": "def tax(price):\n    return price\n\n\nglobals().pop('tax')\n"}, ["`tax` cannot be imported"]),
        ({"shop.py": "def tax(price):\n    return price\n\n\ntax = None\n"}, ["`tax` cannot be imported"]),
        ({"shop.py": "def tax(price):\n    return price\n"}, []),
        (
            {"shop.py": "def tax(price):\n    return price\n\n\ndel tax\n", "a.py": "def tax(price):\n    return 1\n"},
            [],
        ),
        ({"shop.py": "import not_installed_here\n\n\ndef tax(price):\n    return price\n"}, []),
        ({"shop.py": "raise SystemExit\n\n\ndef tax(price):\n    return price\n"}, []),
        (
            {"shop.mjs": "function tax(p) { return p; }\nexport const total = () => tax(1);\n"},
            ["`tax` cannot be imported"],
        ),
        ({"shop.mjs": "export default function tax(p) { return p; }\n"}, []),
        ({"shop.cjs": "function tax(p) { return p; }\nmodule.exports = { tax };\n"}, []),
    ],
)
def test_what_was_asked_for_can_be_imported(tmp_path: Path, after: dict[str, str], unmet: list[str]) -> None:
    assert unmet_of(tmp_path, {"README.md": ""}, after, "Add `tax(price)`.", "tax")[0] == unmet


@pytest.mark.req("judge.parts.used")
def test_what_needs_no_use_costs_nothing(tmp_path: Path) -> None:
    assert unmet_of(tmp_path, {"shop.py": PY}, {"shop.py": PY_MENDED}, "Fix discount.") == ([], 0)
    wanted = unmet_of(tmp_path / "x", {"shop.py": PY}, {"shop.py": PY_MENDED}, "discount(100, 150) must give 0.")
    assert wanted == (
        [],
        1,
    )  # the base is only run where the words leave open whether they tell what was or what is wanted


CRATE = {
    "Cargo.toml": '[package]\nname = "my-shop"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/lib.rs": "pub fn a() {}\n",
}
TAX_RS = "pub fn tax(price: i64) -> i64 {\n    price\n}\n"
DIST = "Add a target `dist` to the Makefile that packs shop.sh into out.tar."
TAX = "Add `tax(price)`."


@pytest.mark.req("judge.parts.used")
@pytest.mark.parametrize(
    ("before", "after", "task", "unmet"),
    [
        ({"shop.sh": "x\n"}, {"Makefile": "dist:\n\tls\n"}, DIST, ["`make dist` does not make out.tar"]),
        ({"shop.sh": "x\n"}, {"Makefile": "dist:\n\ttouch out.tar\n"}, DIST, ["`make dist` does not make out.tar"]),
        ({"shop.sh": "x\n"}, {"Makefile": "dist:\n\ttar cf out.tar shop.sh\n"}, DIST, []),
        ({"shop.sh": "x\n"}, {"Makefile": "dist:\n\tfalse\n"}, DIST, []),  # it may need what is not here
        ({"shop.sh": "x\n"}, {"Makefile": "dist:\n\tls\n"}, "Add a target `dist` that lists shop.sh.", []),
        ({"go.mod": "module a.b/c\n\ngo 1.19\n", "a.go": "package c\n"},
         {"tax.go": "//go:build never\n\npackage c\n\nfunc Tax(a int) int { return a }\n"}, "Add `Tax(price)`.",
         ["`Tax` is not in the package"]),
        ({"go.mod": "module a.b/c\n\ngo 1.19\n", "a.go": "package c\n"},
         {"tax.go": "package c\n\nfunc Tax(a int) int { return a }\n"}, "Add `Tax(price)`.", []),
        (CRATE, {"src/tax.rs": TAX_RS, "src/lib.rs": '#[cfg(feature = "x")]\npub mod tax;\n'}, TAX,
         ["`tax` cannot be used from outside of the crate"]),
        (CRATE, {"src/tax.rs": TAX_RS, "src/lib.rs": "pub mod tax;\n"}, TAX, []),
        (CRATE, {"src/tax.rs": TAX_RS, "src/lib.rs": "mod tax;\npub use tax::tax;\n"}, TAX, []),
        (CRATE, {"src/lib.rs": TAX_RS}, TAX, []),
        (CRATE, {"src/lib.rs": TAX_RS + "fn broken( {}\n"}, TAX, []),
    ],
)  # fmt: skip
def test_what_was_asked_for_is_used_by_commands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: dict[str, str],
    after: dict[str, str],
    task: str,
    unmet: list[str],
) -> None:
    for variable, value in (rust_environment() | go_environment()).items():
        monkeypatch.setenv(variable, value)
    name = "Tax" if "Tax" in task else "tax"
    assert unmet_of(tmp_path, before, after, task, name)[0] == unmet
