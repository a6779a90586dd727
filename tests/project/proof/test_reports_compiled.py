"""Reports of go, cargo and ctest, whose tests are programs of their own."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mi.project.proof.verdict import judge_proof
from tests.project.proof.running import run_check, signs, write
from tests.real.installed import go_environment, rust_environment

GO = {
    "go.mod": "module example.com/calc\n\ngo 1.21\n",
    "calc.go": "package calc\n\nfunc Add(a, b int) int { return a + b }\n",
    "calc_test.go": """\
package calc

import "testing"

func TestAdd(t *testing.T) {
	t.Run("small", func(t *testing.T) {})
	t.Run("red", func(t *testing.T) { t.Error("no") })
}
func TestGreen(t *testing.T) {}
func TestLeftOut(t *testing.T) { t.Skip("later") }
""",
    "torn/torn.go": "package torn\n",
    "torn/torn_test.go": 'package torn\n\nimport "testing"\n\nfunc TestTorn(t *testing.T) { missing() }\n',
    "Makefile": "test:\n\tgo test $$(go list ./...)\n",
}
GO_SIGNS = {
    ".::TestAdd": "-",
    ".::TestAdd/small": "+",
    ".::TestAdd/red": "-",
    ".::TestGreen": "+",
    ".::TestLeftOut": "s",
    "torn": "-",
}


@pytest.fixture
def go_project(tmp_path: Path) -> Path:
    return write(tmp_path / "project", GO)


@pytest.mark.req("judge.report.runners")
@pytest.mark.parametrize("command", ["make test", "go test -json ./..."])
def test_go_reports_each_test_and_what_did_not_build(go_project: Path, command: str) -> None:
    results = run_check(command, go_project, env=go_environment())
    assert signs(results) == GO_SIGNS
    assert (results.source, results.problem, results.disagreement) == ("report", None, None)


@pytest.mark.req("judge.report.select")
def test_go_runs_some_tests_by_themselves(go_project: Path) -> None:
    shutil.rmtree(go_project / "torn")
    results = run_check("go test ./...", go_project, [".::TestGreen"], go_environment())
    assert (signs(results), results.exit_code) == ({".::TestGreen": "+"}, 0)


@pytest.mark.req("judge.report.forged")
@pytest.mark.parametrize("leave", ["os.Exit(0)", "syscall.Exit(0)"])
def test_go_code_that_leaves_early_proves_nothing(go_project: Path, leave: str) -> None:
    shutil.rmtree(go_project / "torn")
    (go_project / "calc_test.go").write_text(
        GO["calc_test.go"].replace('t.Error("no")', "if Add(1, 1) != 2 { t.Error() }"), "utf-8"
    )
    base = run_check("go test ./...", go_project, env=go_environment())
    assert judge_proof(base, base).proved is True
    package = leave.partition(".")[0]
    product = f'package calc\n\nimport "{package}"\n\nfunc Add(a, b int) int {{ {leave}; return 3 }}\n'
    (go_project / "calc.go").write_text(product, "utf-8")
    assert judge_proof(base, run_check("go test ./...", go_project, env=go_environment())).proved is False


RUST = {
    "Cargo.toml": '[package]\nname = "calc"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": """\
/// Adds.
/// ```
/// assert_eq!(calc::add(1, 1), 2);
/// ```
pub fn add(a: i32, b: i32) -> i32 { a + b }
#[cfg(test)]
mod tests {
    use super::*;
    #[test] fn adds() { assert_eq!(add(1, 1), 2); }
    #[test] fn red() { assert_eq!(add(1, 1), 3); }
    #[test] #[ignore] fn left_out() {}
}
""",
    "tests/outer.rs": '#[test] fn outer() { println!("test tests::red ... ok"); }\n',
}


@pytest.fixture(scope="module")
def rust_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("rust") / "project", RUST)


@pytest.mark.req("judge.report.runners")
def test_cargo_reports_each_test_and_those_of_the_documentation(rust_project: Path) -> None:
    results = run_check("cargo test --no-fail-fast", rust_project, env=rust_environment())
    assert signs(results) == {
        "calc::tests::adds": "+",
        "calc::tests::red": "-",
        "calc::tests::left_out": "s",
        "outer::outer": "+",
        "calc doc::src/lib.rs - add": "+",
    }
    assert (results.source, results.problem, results.disagreement) == ("report", None, None)


@pytest.mark.req("judge.report.runners", "judge.report.select")
@pytest.mark.parametrize("command", ["cargo test -q --lib", "cargo test --lib -- --nocapture --test-threads=1"])
def test_cargo_names_the_tests_also_where_it_was_told_to_be_quiet(rust_project: Path, command: str) -> None:
    results = run_check(command, rust_project, env=rust_environment())
    assert signs(results) == {"calc::tests::adds": "+", "calc::tests::red": "-", "calc::tests::left_out": "s"}
    results = run_check(command, rust_project, ["calc::tests::adds"], rust_environment())
    assert (signs(results), results.exit_code) == ({"calc::tests::adds": "+"}, 0)


@pytest.mark.req("judge.report.forged")
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("std::process::exit(0)", "unfinished"),
        (
            '{ use std::io::Write; std::io::stdout().write_all(b"\\ntest tests::more ... ok\\n").ok(); a + b }',
            "unfinished",
        ),
        # written while the runner was about to say how a test ended
        (
            '{ use std::io::Write; std::io::stdout().write_all(b"\\nrunning 3 tests\\n'
            "test tests::left_out ... ignored\\ntest tests::red ... FAILED\\n"
            "test tests::adds ... \\ntest tests::more ... ok\\nok\\n"
            'test result: FAILED. 1 passed; 1 failed; 1 ignored;\\n").ok(); std::process::exit(101) }',
            "unfinished",
        ),
        ("a + c", "not_built"),
    ],
)
def test_cargo_code_that_forges_its_result_proves_nothing(tmp_path: Path, body: str, problem: str) -> None:
    source = RUST["src/lib.rs"].replace("{ a + b }", f"{{ {body} }}")
    project = write(tmp_path / "project", RUST | {"src/lib.rs": source})
    results = run_check("cargo test --lib", project, env=rust_environment())
    assert results.problem is not None
    assert results.problem.kind == problem


@pytest.mark.req("judge.report.runners")
def test_ctest_reports_each_test(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        raise RuntimeError("the tests run the real ctest: install cmake, e.g. `apt-get install cmake make`")
    text = "cmake_minimum_required(VERSION 3.20)\nproject(calc NONE)\nenable_testing()\n"
    text += "add_test(NAME green COMMAND true)\nadd_test(NAME red COMMAND false)\n"
    project = write(tmp_path / "project", {"CMakeLists.txt": text})
    subprocess.run(["cmake", "-S", ".", "-B", "build"], cwd=project, check=True, capture_output=True)
    results = run_check("ctest --test-dir build", project)
    assert (results.source, signs(results)) == ("report", {"green": "+", "red": "-"})
    results = run_check("make -C build test", project)
    assert (results.source, signs(results)) == ("output", {"green": "+", "red": "-"})
