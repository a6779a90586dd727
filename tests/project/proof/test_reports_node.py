"""Reports of jest, vitest, mocha and Node's own runner, reached through npm."""

import json
from pathlib import Path

import pytest

from mi.project.proof.verdict import judge_proof
from tests.project.proof.running import run_check, signs, write
from tests.real.installed import JEST, MOCHA, VITEST, installed

BODY = """
describe("calc", () => {
  it("adds", () => assert.equal(1 + 1, 2));
  it("is red", () => assert.equal(1, 2));
  it.skip("is left out", () => {});
});
"""
FILES = {
    "jest": ("calc.test.js", 'const assert = require("assert");' + BODY),
    "vitest": ("calc.test.ts", 'import assert from "node:assert"; import { describe, it } from "vitest";' + BODY),
    "mocha": ("test/calc.js", 'const assert = require("assert");' + BODY),
    "node": ("calc.test.js", 'const assert = require("assert"); const { describe, it } = require("node:test");' + BODY),
}
SCRIPTS = {"jest": "jest", "vitest": "vitest run", "mocha": "mocha", "node": "node --test"}
PACKAGES = {"jest": JEST, "vitest": VITEST, "mocha": MOCHA}


def make_project(folder: Path, runner: str, script: str = "", files: dict[str, str] | None = None) -> Path:
    own = dict([FILES[runner]]) if files is None else files
    package = {"name": "calc", "version": "1.0.0", "scripts": {"test": script or SCRIPTS[runner]}}
    write(folder, own | {"package.json": json.dumps(package)})
    if runner in PACKAGES:
        (folder / "node_modules").symlink_to(installed(PACKAGES[runner]), target_is_directory=True)
    return folder


@pytest.mark.req("judge.report.runners")
@pytest.mark.parametrize("runner", FILES)
def test_each_runner_reports_each_test(tmp_path: Path, runner: str) -> None:
    file = FILES[runner][0]
    results = run_check("npm test", make_project(tmp_path / "project", runner))
    assert signs(results) == {
        f"{file}::calc::adds": "+",
        f"{file}::calc::is red": "-",
        f"{file}::calc::is left out": "s",
    }
    assert (results.source, results.problem, results.disagreement) == ("report", None, None)


def test_a_script_that_sets_node_options_itself_is_reported(tmp_path: Path) -> None:
    script = "NODE_OPTIONS=--experimental-vm-modules jest"
    results = run_check("npm test", make_project(tmp_path / "project", "jest", script))
    assert (results.source, len(results.outcomes)) == ("report", 3)


@pytest.mark.req("judge.report.select")
@pytest.mark.parametrize("runner", FILES)
def test_some_tests_are_run_by_themselves(tmp_path: Path, runner: str) -> None:
    test = f"{FILES[runner][0]}::calc::is red"
    assert signs(run_check("npm test", make_project(tmp_path / "project", runner), only=[test])) == {test: "-"}


def test_mocha_reports_from_a_process_of_its_own_and_a_hook_that_fails_speaks_for_its_group(tmp_path: Path) -> None:
    text = 'describe("hooked", () => { before(() => { throw new Error("no") }); it("never", () => {}) });'
    project = make_project(tmp_path / "project", "mocha", "mocha --expose-gc", {"test/a.js": text})
    assert signs(run_check("npm test", project)) == {"test/a.js::hooked": "-"}


def test_a_file_that_cannot_be_loaded_is_reported(tmp_path: Path) -> None:
    for runner in ("jest", "node"):
        project = make_project(tmp_path / runner, runner, files={"a.test.js": 'require("./not-there");'})
        assert signs(run_check("npm test", project)) == {"a.test.js": "-"}


ATTACKS = {
    "leaves with exit code 0": "process.exit(0)",
    "kills itself softly": "process.reallyExit(0)",
    "sets the exit code at the end": 'process.on("exit", () => { process.exitCode = 0; process.reallyExit(0) })',
}


@pytest.mark.req("judge.report.forged")
@pytest.mark.parametrize("runner", ["mocha", "node"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_code_that_forges_its_result_proves_nothing(tmp_path: Path, runner: str, attack: str) -> None:
    file, text = FILES[runner]
    base = run_check(
        "npm test", make_project(tmp_path / "base", runner, files={file: text.replace("(1, 2)", "(2, 2)")})
    )
    assert judge_proof(base, base).proved is True
    forged = text.replace("() => assert.equal(1, 2)", f"() => {{ {ATTACKS[attack]}; assert.equal(1, 2) }}")
    final = run_check("npm test", make_project(tmp_path / "final", runner, files={file: forged}))
    assert judge_proof(base, final).proved is False, final
