"""Which trees are run for a proof, and what they lead to; the runs themselves are scripted here."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from mi.project.checks.runner import Check
from mi.project.proof.proving import ProofCase, ProofResult, prove
from mi.project.proof.results import Outcome, ReportProblem, TestResults
from mi.project.trees import FolderTree, Tree

CHECK = Check("test", ("pytest",), "pyproject.toml")
CODE = "def add(a, b):\n    return a\n"
MENDED = "def add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
MORE = TEST + "\n\ndef test_zero():\n    assert add(0, 0) == 0\n"
BENT = TEST.replace("== 3", "== 1")
RED: dict[str, Outcome] = {"test_calc.py::test_add": "failed"}
GREEN: dict[str, Outcome] = {"test_calc.py::test_add": "passed"}
NEW: dict[str, Outcome] = {"test_calc.py::test_zero": "passed"}


def results(outcomes: dict[str, Outcome], problem: ReportProblem | None = None) -> TestResults:
    code = 1 if "failed" in outcomes.values() else 0
    return TestResults(outcomes=outcomes, source="report", exit_code=code, problem=problem)


class Scripted:
    """Gives out results by the name of a run, and remembers what each run was about."""

    def __init__(self, base: TestResults, **runs: list[TestResults]) -> None:
        self.base = base
        self.runs = runs
        self.seen: list[tuple[str, dict[str, str], list[str]]] = []

    def run_base(self, check: Check) -> TestResults:
        return self.base

    def run(self, name: str, tree: Tree, check: Check, tests: Sequence[str] = ()) -> TestResults:
        files = {path: (tree.read(path) or b"").decode() for path in sorted(tree.paths())}
        self.seen.append((name, files, list(tests)))
        return self.runs[name].pop(0)

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.seen]


@pytest.fixture
def trees(tmp_path: Path) -> "tuple[Path, Path]":
    for name in ("base", "final"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "calc.py").write_text(CODE if name == "base" else MENDED)
        (tmp_path / name / "test_calc.py").write_text(TEST)
    return tmp_path / "base", tmp_path / "final"


def judge(trees: tuple[Path, Path], runs: Scripted, task: str = "fix add") -> ProofResult:
    return prove(ProofCase(task, FolderTree(str(trees[0])), FolderTree(str(trees[1])), [CHECK]), runs)


@pytest.mark.req("judge.proof.trees")
def test_with_no_judge_changed_one_run_of_the_final_tree_is_enough(trees: tuple[Path, Path]) -> None:
    runs = Scripted(results(RED), final=[results(GREEN)])
    proof = judge(trees, runs)
    assert proof.proved is True
    assert runs.names == ["final"]
    assert proof.checks[0].verdict.f2p == ["test_calc.py::test_add"]


@pytest.mark.req("judge.proof.trees")
def test_a_changed_judge_is_put_back_for_a_run_of_its_own(trees: tuple[Path, Path]) -> None:
    (trees[1] / "test_calc.py").write_text(BENT)
    (trees[1] / "calc.py").write_text(CODE + "# nothing\n")
    runs = Scripted(results(RED), final=[results(GREEN)], base_judges=[results(RED)])
    proof = judge(trees, runs)
    assert proof.proved is False
    assert [reason.kind for reason in proof.reasons if reason.blocks] == ["changed_judge"]
    name, files, _ = runs.seen[1]
    assert (name, files["test_calc.py"], files["calc.py"]) == ("base_judges", TEST, CODE + "# nothing\n")


@pytest.mark.req("judge.proof.trees", "judge.proof.new-tests-notice")
@pytest.mark.parametrize(("on_base", "proved"), [("failed", True), ("passed", False)])
def test_new_tests_are_run_on_the_code_of_the_base(trees: tuple[Path, Path], on_base: Outcome, proved: bool) -> None:
    (trees[1] / "test_calc.py").write_text(MORE)
    new = results({"test_calc.py::test_zero": on_base})
    runs = Scripted(results(RED), final=[results(GREEN | NEW)], new_on_base=[new])
    assert judge(trees, runs, "Let add handle zero").proved is proved
    name, files, tests = runs.seen[-1]
    assert (name, files["calc.py"], files["test_calc.py"]) == ("new_on_base", CODE, MORE)
    assert tests == ["test_calc.py::test_zero"]


@pytest.mark.req("judge.proof.new-tests-notice")
@pytest.mark.parametrize(("without", "proved"), [("failed", True), ("passed", False)])
def test_new_tests_are_run_without_the_work_they_are_to_test(
    trees: tuple[Path, Path], without: Outcome, proved: bool
) -> None:
    (trees[1] / "calc.py").write_text(CODE + "\n\ndef clamp(a):\n    return max(a, 0)\n")
    (trees[1] / "test_calc.py").write_text(MORE)
    unloaded = results({"test_calc.py": "failed"})
    runs = Scripted(
        results(GREEN),
        final=[results(GREEN | NEW)],
        new_on_base=[unloaded],
        without_work=[results({"test_calc.py::test_zero": without})],
    )
    proof = judge(trees, runs, "add(-1, 0) returns -1 and must give 0. Fix it.")
    assert proof.proved is proved
    name, files, tests = runs.seen[-1]
    assert (name, files["calc.py"]) == ("without_work", CODE + "\ndef clamp(a):\n    return max(a, 0)\n")
    assert tests == ["test_calc.py::test_zero"]
    assert [(one.kind, one.detail) for one in proof.reasons] == ([] if proved else [("work_unnoticed", "add")])


@pytest.mark.parametrize("task", ["Refactor add", "Add tests for add"])
def test_where_behaviour_stays_new_tests_need_not_fail_before(trees: tuple[Path, Path], task: str) -> None:
    (trees[1] / "test_calc.py").write_text(MORE)
    runs = Scripted(results(GREEN), final=[results(GREEN | NEW)])
    assert judge(trees, runs, task).proved is True
    assert runs.names == ["final"]


@pytest.mark.req("judge.proof.reruns")
def test_what_turned_red_is_run_again_by_itself_and_may_be_flaky(trees: tuple[Path, Path]) -> None:
    runs = Scripted(results(GREEN), final=[results(RED)], final_again=[results(RED), results(GREEN)])
    proof = judge(trees, runs, "make add faster")
    assert proof.proved is True
    assert proof.checks[0].verdict.flaky == ["test_calc.py::test_add"]
    assert [tests for _, _, tests in runs.seen] == [[], ["test_calc.py::test_add"], ["test_calc.py::test_add"]]


@pytest.mark.req("judge.proof.no-base")
def test_a_base_that_cannot_be_collected_gives_no_proof(trees: tuple[Path, Path]) -> None:
    runs = Scripted(results({}, ReportProblem("no_tests", "pytest")))
    proof = judge(trees, runs)
    assert proof.proved is None
    assert runs.names == []


@pytest.mark.req("judge.proof.trees")
def test_new_tests_inside_a_source_file_of_rust_are_run_on_the_code_of_the_base(tmp_path: Path) -> None:
    code, mended = (f"pub fn add(a: i64, b: i64) -> i64 {{\n    {gives}\n}}\n" for gives in ("a", "a + b"))
    body = "    #[test]\n    fn zero() {\n        assert_eq!(super::add(0, 0), 0);\n    }\n"
    held = f"#[cfg(test)]\nmod tests {{\n{body}}}\n"
    for name, text in (("base", code), ("final", f"{mended}\n{held}")):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "lib.rs").write_text(text)
    new: dict[str, Outcome] = {"calc::tests::zero": "passed"}
    runs = Scripted(results({}), final=[results(new)], new_on_base=[results(new)])
    proof = judge((tmp_path / "base", tmp_path / "final"), runs, "add(1, 2) gives 1. Fix it, with a test.")
    seen = {name: files["src/lib.rs"] for name, files, _ in runs.seen}
    assert mended not in seen["new_on_base"]
    assert code in seen["new_on_base"]
    assert held in seen["new_on_base"]
    assert [reason.kind for reason in proof.reasons if reason.blocks] == ["not_noticed"]
