"""The witness of a change: what it lays out, what it runs, and what it keeps of it."""

import os
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.runner import Check
from mi.project.proof import base_checks, check_runs
from mi.project.proof.check_runs import CopiedRuns, RunSettings
from mi.project.proof.copies import Copy, close_scratch, make_copy, open_scratch
from mi.project.proof.proving import ProofCase, prove
from mi.project.proof.sandbox import own_environment
from mi.project.proof.witness import Witness, WitnessPlace
from mi.project.trees import GitTree, Tree
from tests.conftest import git
from tests.project.proof.running import BIN, write

TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.mark.req("judge.proof.trees")
def test_the_files_of_the_base_are_laid_out_once_however_often_a_run_is_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for path, content in {"calc.py": "def add(a, b):\n    return a\n", "test_calc.py": TEST, "pytest.ini": ""}.items():
        (root / path).write_text(content)
    git(root, "init", "-q")
    base = write_tree(root)
    (root / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    final = write_tree(root)
    copied: list[str] = []

    def make(tree: Tree, *args: object) -> Copy:
        copied.append(getattr(tree, "tree_id", ""))
        return make_copy(tree, *args)  # type: ignore[arg-type]

    for module in (base_checks, check_runs):
        monkeypatch.setattr(module, "make_copy", make)
    commands = [check.command for check in ProjectChecks.read(str(root)).asked_for()]
    place = WitnessPlace(
        str(tmp_path / "kept"), str(tmp_path / "lock"), frozenset(commands), RunSettings(own_environment())
    )
    witness = Witness(base, place)
    witness.run_base(["calc.py"])
    assert copied == [base.tree_id] * 2  # to read the checks, and to run them
    copied.clear()
    assert [witness.testify("mend add", final).proof.proved for _ in range(2)] == [True, True]  # type: ignore[union-attr]
    witness.close()
    assert copied.count(final.tree_id) == 2
    assert copied.count(base.tree_id) == 1  # what was red there, once more by itself


def write_tree(root: Path) -> GitTree:
    git(root, "add", "-A")
    return GitTree(str(root), git(root, "write-tree"))


@pytest.mark.req("judge.proof.trees")
def test_a_package_that_only_python_m_finds_is_found_and_so_again_from_what_is_kept(home: Home, tmp_path: Path) -> None:
    root = write(tmp_path / "flat", {"calc.py": "def add(a, b):\n    return a\n", "tests/test_calc.py": TEST})
    git(root, "init", "-q")
    base = write_tree(root)
    write(root, {"calc.py": "def add(a, b):\n    return a + b\n"})
    final = write_tree(root)
    said: list[str] = []
    [old] = write(Path(home.path("kept")), {"old.json": "{}"}).iterdir()
    os.utime(old, (0, 0))
    scratch = open_scratch(home.path("scratch"))
    for _ in range(2):
        runs = CopiedRuns(
            base,
            scratch,
            home.path("kept"),
            RunSettings(own_environment()),
            say=lambda name, command: said.append(name),
        )
        proof = prove(ProofCase("fix add", base, final, [Check("test", (f"{BIN}/pytest",), "pyproject.toml")]), runs)
        assert proof.checks[0].verdict.f2p == ["tests/test_calc.py::test_add"]
        assert proof.proved is True
    close_scratch(scratch)
    [kept] = [entry for entry in os.scandir(home.path("kept")) if not entry.name.endswith("-settled.json")]
    assert old.exists() is False
    assert kept.name.endswith(".json")
    assert said == ["base", "base", "final", "final"]
