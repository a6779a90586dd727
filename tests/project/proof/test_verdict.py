"""The verdict: what became of each test between two runs, and whether that proves the work."""

from typing import Any, NamedTuple

import msgspec
import pytest

from mi.kernel.language import LANGUAGES
from mi.project.proof.comparison import compare
from mi.project.proof.results import Outcome, ReportProblem, TestResults, settle_flaky
from mi.project.proof.task_tests import asks_to_remove, changes_behaviour
from mi.project.proof.verdict import ProofReason, ReasonKind, Verdict, find_turned_red, judge_proof
from mi.project.proof.words import tell_agent, tell_person

_LETTERS: dict[str, Outcome] = {"+": "passed", "-": "failed", "s": "skipped"}


class Judge(NamedTuple):
    path: str
    asked_for: bool = False
    item: str = ""
    how: str = "changed"


def run(text: str = "", exit_code: int | None = None, **more: Any) -> TestResults:
    """Results from `+a -b sc`: a passed, b failed, c was skipped; the exit code fits unless it is given."""
    outcomes = {f"t.py::{word[1:]}": _LETTERS[word[0]] for word in text.split()}
    code = int("failed" in outcomes.values()) if exit_code is None else exit_code
    return TestResults(**({"outcomes": outcomes, "source": "report", "exit_code": code} | more))


def stopped() -> TestResults:
    return TestResults(source="report", problem=ReportProblem("stopped"))


def kinds(verdict: Verdict) -> list[ReasonKind]:
    return [reason.kind for reason in verdict.reasons if reason.blocks]


def names(tests: list[str]) -> str:
    return " ".join(test.rpartition("::")[2] for test in tests)


@pytest.mark.req("judge.verdict.forms")
def test_every_test_is_told_by_what_became_of_it() -> None:
    base = run("+kept -mended +broke +gone -gone_red +now_skipped -still sleeps swoken swoken_red sout")
    final = run("+kept +mended -broke snow_skipped -still sleeps +woken -woken_red +fresh -fresh_red snever")
    found = compare(base, final)
    assert names(found.p2p) == "kept"
    assert names(found.f2p) == "mended"
    assert names(found.p2f) == "broke"
    assert names(found.vanished) == "gone gone_red now_skipped out"
    assert names(found.red_before) == "still"
    assert names(found.new) == "woken woken_red fresh fresh_red"
    assert names(found.new_red) == "woken_red fresh_red"


def results(outcomes: dict[str, Outcome]) -> TestResults:
    return TestResults(outcomes=outcomes, source="report", exit_code=int("failed" in outcomes.values()))


def test_a_file_that_could_not_be_imported_speaks_for_its_tests() -> None:
    whole = results({"a.py::one": "passed", "a.py::two": "passed"})
    torn = results({"a.py": "failed"})
    found = compare(torn, whole)
    assert (found.f2p, found.new, found.vanished) == (["a.py::one", "a.py::two"], [], [])
    found = compare(whole, torn)
    assert (found.p2f, found.new_red, found.vanished) == (["a.py::one", "a.py::two"], [], [])


def test_a_command_without_tests_is_told_by_its_exit_code() -> None:
    red = TestResults(outcomes={"$ make test": "failed"}, exit_code=2)
    green = TestResults(outcomes={"$ make test": "passed"}, exit_code=0)
    assert compare(red, green).f2p == ["$ make test"]
    assert compare(green, red).p2f == ["$ make test"]
    found = compare(red, run("+a"))
    assert (found.f2p, found.new, found.vanished) == (["$ make test"], ["t.py::a"], [])
    assert compare(run("+a"), green).vanished == ["t.py::a"]
    assert judge_proof(green, green).proved is True
    assert judge_proof(green, red).proved is False


GREEN = run("+a +b")
PROVED: list[ReasonKind] = []


@pytest.mark.req("judge.verdict.proved", "judge.verdict.red-before", "judge.report.agreement")
@pytest.mark.parametrize(
    ("base", "final", "task", "expected"),
    [
        (GREEN, GREEN, "", PROVED),
        (run("+a -b"), GREEN, "", PROVED),
        (GREEN, run("+a +b +c"), "", PROVED),
        (GREEN, run("+a -b"), "", ["broken"]),
        (GREEN, run("+a"), "", ["vanished"]),
        (GREEN, run("+a sb"), "", ["vanished"]),
        (run("+a -b"), run("+a"), "", ["vanished"]),
        (GREEN, run("+a"), "Remove the flag, nobody sets it.", ["vanished"]),
        (run("+a +test_old_parser"), run("+a"), "Remove `old_parser`, nobody calls it.", PROVED),
        (run("+a +test_old_parser"), run("+a"), "Remove `new_parser`.", ["vanished"]),
        (run("+test_foo"), run("+test_bar"), "Rename foo to bar", PROVED),
        (run("+test_foo"), run("+test_other"), "Rename foo to bar", ["vanished"]),
        (GREEN, run("+a +b -c"), "", ["new_red"]),
        (run("+a -b"), run("+a -b"), "", PROVED),
        (run("+a -test_b"), run("+a -test_b"), "Fix test_b", ["spoken_red"]),
        (run("+a -test_b -test_c"), run("+a +test_b -test_c"), "Fix the failing test test_b", PROVED),
        (run("+a -b -c"), run("+a +b -c"), "Fix the failing tests", ["spoken_red"]),
        (run("+a -b -c"), run("+a +b -c"), "让失败的测试通过", ["spoken_red"]),
        (run("+a -total -warm"), run("+a +total -warm"), "Fix total: its tests fail.", PROVED),
        (run("+a -total -warm"), run("+a +total -warm"), "修复 total：它的测试失败了。", PROVED),
        (run("+a -total -warm"), run("+a +total -warm"), "Sort out the failing tests of total.", PROVED),
        (run("+a -total -warm"), run("+a -total +warm"), "Fix total: its tests fail.", ["spoken_red"]),
        (run("+a +total -sums"), run("+a +total -sums"), "Fix total: its tests fail.", ["spoken_red"]),
        (run("+a -b"), run("+a -b"), "Fix the cap so that the tests pass.", ["spoken_red"]),
        (run("+a -b"), run("+a -b"), "Add tax; the other tests pass already.", PROVED),
        (GREEN, run("+a -b", 0), "", ["failures_over_zero", "broken"]),
        (run("+a -b"), run("+a -b", 0), "", ["failures_over_zero"]),
        (run("+a -b", 0), run("+a -b", 0), "", PROVED),
        (GREEN, run("+a +b", 1), "", ["error_over_passes"]),
        (run("+a +b", 1), run("+a +b", 1), "", PROVED),
        (GREEN, stopped(), "", ["bad_report"]),
        (GREEN, TestResults(source="report", exit_code=5, problem=ReportProblem("no_tests")), "", ["bad_report"]),
        (run("+a", source="output", count=30), run("+a", source="output", count=29), "", ["fewer_tests"]),
        (run("+a", source="output", count=30), run("+a", source="output"), "", ["fewer_tests"]),
        (run("+a", source="output", count=30), run("+a +b"), "", PROVED),
    ],
)
def test_verdict_over_the_final_tree(
    base: TestResults, final: TestResults, task: str, expected: list[ReasonKind]
) -> None:
    verdict = judge_proof(base, final, task=task)
    assert kinds(verdict) == expected
    assert verdict.proved is (not expected)


def test_a_test_that_the_task_speaks_of_is_not_called_no_part_of_it() -> None:
    verdict = judge_proof(run("+c -test_a -b"), run("+c -test_a -b"), task="Fix test_a")
    assert [(reason.kind, reason.tests) for reason in verdict.reasons] == [
        ("spoken_red", ["t.py::test_a"]),
        ("red_before", ["t.py::b"]),
    ]


@pytest.mark.req("judge.verdict.red-before")
def test_what_was_red_and_is_red_is_named_without_blocking() -> None:
    verdict = judge_proof(run("+a -b"), run("+a -b"))
    assert verdict.proved is True
    assert [(reason.kind, reason.tests) for reason in verdict.reasons] == [("red_before", ["t.py::b"])]


@pytest.mark.req("judge.verdict.no-base")
@pytest.mark.parametrize(
    ("base", "final", "expected"),
    [
        (stopped(), GREEN, "no_base"),
        (TestResults(source="report", exit_code=127, problem=ReportProblem("could_not_start")), GREEN, "no_base"),
        (run("-a -b"), run("-a -b"), "nothing_passed"),
    ],
)
def test_without_a_base_there_is_no_proof_and_no_blame(
    base: TestResults, final: TestResults, expected: ReasonKind
) -> None:
    verdict = judge_proof(base, final)
    assert verdict.proved is None
    assert [reason.kind for reason in verdict.reasons] == [expected]


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (Judge("tests/t.py", asked_for=True, item="b", how="removed"), PROVED),
        (Judge("t.py", asked_for=True, how="removed"), PROVED),
        (Judge("t.py", item="b", how="removed"), ["vanished"]),
        (Judge("t.py", asked_for=True, item="c", how="removed"), ["vanished"]),
        (Judge("u.py", asked_for=True, item="b", how="removed"), ["vanished"]),
        (Judge("t.py", asked_for=True, item="b"), ["vanished"]),
    ],
)
def test_what_vanished_with_a_judge_that_was_to_go_is_not_missed(judge: Judge, expected: list[ReasonKind]) -> None:
    assert kinds(judge_proof(GREEN, run("+a"), changed_judges=[judge])) == expected


def test_tests_that_could_not_be_imported_at_the_base_are_proof_enough() -> None:
    verdict = judge_proof(results({"a.py": "failed"}), results({"a.py::one": "passed"}))
    assert verdict.proved is True
    assert verdict.f2p == ["a.py::one"]


@pytest.mark.req("judge.verdict.base-judges")
@pytest.mark.parametrize(
    ("with_base_judges", "judges", "expected"),
    [
        (run("+a +b"), [Judge("t.py")], PROVED),
        (run("+a -b"), [Judge("t.py")], ["changed_judge"]),
        (run("+a"), [Judge("conftest.py")], ["changed_judge"]),
        (run("+a -b"), [Judge("t.py", asked_for=True)], PROVED),
        (run("+a -b"), [Judge("t.py", asked_for=True), Judge("setup.cfg")], PROVED),
        (run("+a -b"), [Judge("u.py", asked_for=True), Judge("t.py")], ["changed_judge"]),
        (run("+a +b -old"), [Judge("t.py")], ["changed_judge"]),
        (stopped(), [Judge("t.py")], ["bad_report"]),
        (stopped(), [Judge("t.py", asked_for=True)], PROVED),
        (run("+a +b", 3), [Judge("t.py")], ["error_over_passes"]),
    ],
)
def test_verdict_under_the_judges_of_the_base(
    with_base_judges: TestResults, judges: list[Judge], expected: list[ReasonKind]
) -> None:
    verdict = judge_proof(run("+a -b"), GREEN, with_base_judges=with_base_judges, changed_judges=judges)
    assert kinds(verdict) == expected
    assert verdict.proved is (not expected)


def test_a_changed_judge_is_named_with_the_tests_that_fail_without_the_change() -> None:
    verdict = judge_proof(GREEN, GREEN, with_base_judges=run("+a -b"), changed_judges=[Judge("t.py"), Judge("u.cfg")])
    (reason,) = verdict.reasons
    assert (reason.tests, reason.detail) == (["t.py::b"], "t.py, u.cfg")


@pytest.mark.req("judge.verdict.new-on-base")
@pytest.mark.parametrize(
    ("new_on_base", "expected"),
    [
        (run("-c"), PROVED),
        (run("+c -d"), PROVED),
        (run("+c +d"), ["not_noticed"]),
        (run("+c +d", 1), ["not_noticed"]),
        (results({"t.py": "failed"}), PROVED),
        (TestResults(source="output", exit_code=101, problem=ReportProblem("no_tests")), PROVED),
        (TestResults(source="report", exit_code=0, problem=ReportProblem("no_tests")), ["not_noticed"]),
        (TestResults(source="report", exit_code=127, problem=ReportProblem("could_not_start")), ["bad_report"]),
        (stopped(), ["bad_report"]),
    ],
)
def test_new_tests_must_notice_the_change(new_on_base: TestResults, expected: list[ReasonKind]) -> None:
    assert kinds(judge_proof(GREEN, run("+a +b +c +d"), new_on_base=new_on_base)) == expected


@pytest.mark.req("judge.verdict.flaky")
def test_a_test_that_passes_by_itself_is_flaky_and_green() -> None:
    final = run("+a -b -c")
    assert find_turned_red(GREEN, final) == ["t.py::b", "t.py::c"]
    settled = settle_flaky(final, [run("-b -c"), run("+b -c")])
    assert (settled.failed, settled.flaky, settled.exit_code) == (["t.py::c"], ["t.py::b"], 1)
    settled = settle_flaky(settled, [run("+c")])
    verdict = judge_proof(GREEN, settled)
    assert verdict.proved is True
    assert verdict.flaky == ["t.py::b", "t.py::c"]


def test_flakiness_does_not_hide_an_exit_code_that_contradicts() -> None:
    settled = settle_flaky(run("+a -b", 0), [run("+b")])
    assert settled.exit_code == 0
    assert judge_proof(GREEN, run("+a -b", 0)).proved is False


def test_what_was_red_at_the_base_is_not_run_again() -> None:
    assert find_turned_red(run("+a -b"), run("+a -b -c")) == ["t.py::c"]


@pytest.mark.req("judge.verdict.behaviour")
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("Fix the rounding in calc.py", True),
        ("Add a --json flag and tests for it", True),
        ("Add a retry option with tests", True),
        ("Add missing unit tests for the parser and fix the bug they reveal", True),
        ("写一个加法函数并添加测试", True),
        ("Please add tests for the parser", False),
        ("Refactor the parser and add a test", False),
        ("Rename `foo` to `bar`", False),
        ("为解析器补充测试", False),
        ("重构解析器", False),
        ("Speed up the loader", False),
        ("Turn the two tests of discount into one parametrized test.", False),
        ("Rework the parser so that all its cases pass", True),
        ("Make Counter safe for use by several goroutines at once.", False),
        ("Make the cache thread-safe, with a test.", False),
        ("修复缓存的竞态", False),
        ("Add a benchmark for Total.", False),
        ("Run the jobs in parallel.", True),
    ],
)
def test_which_tasks_change_behaviour(task: str, expected: bool) -> None:
    assert changes_behaviour(task) is expected


@pytest.mark.parametrize(
    ("task", "test", "new", "expected"),
    [
        ("Delete test_old.", "t.py::test_old", [], True),
        ("Delete test_old.", "t.py::test_older", [], False),
        ("Delete tests/test_a.py", "tests/test_a.py::test_x", [], True),
        ("删除 `legacy_mode`", "t.py::TestCalls::test_legacy_mode_off[1]", [], True),
        ("Move the tests to tests/unit", "tests/a.py::test_x", ["tests/unit/a.py::test_x"], True),
        ("Add a flag", "tests/a.py::test_x", ["tests/unit/a.py::test_x"], False),
        ("Rename parseLine to readLine", "p.test.js::parseLine > trims", ["p.test.js::readLine > trims"], True),
    ],
)
def test_which_tests_a_task_lets_go(task: str, test: str, new: list[str], expected: bool) -> None:
    assert asks_to_remove(task, test, new) is expected


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tell", [tell_agent, tell_person])
def test_every_reason_has_words(tell: Any, language: str) -> None:
    for kind in ReasonKind.__args__:  # type: ignore[attr-defined]
        reason = ProofReason(
            kind=kind, tests=[f"t.py::test_{at}" for at in range(8)], detail="output", problem="stopped"
        )
        said = tell(reason, language)
        assert "{" not in said
        assert "\n" not in said
        assert ("test_4" in said) == ("test_0" in said)
        assert "test_5" not in said


def test_a_verdict_can_be_stored_and_read() -> None:
    verdict = judge_proof(run("+a -b"), run("+a -b +c"))
    assert msgspec.json.decode(msgspec.json.encode(verdict), type=Verdict) == verdict


@pytest.mark.req("judge.verdict.still-red")
@pytest.mark.parametrize(
    ("final", "task", "expected"),
    [
        ("+a -fee", "Fix the cap of fee.", ["still_red"]),
        ("+a +fee", "Fix the cap of fee.", []),
        ("+a -fee +cap", "Fix the cap of fee.", []),
        ("+a -fee", "Refactor fee.", []),
        ("+a -fee", "Add a receipt.", []),
    ],
)
def test_a_test_of_what_is_mended_does_not_stay_red_where_nothing_else_shows_it(
    final: str, task: str, expected: list[ReasonKind]
) -> None:
    verdict = judge_proof(run("+a -fee"), run(final), task=task, about_change=["t.py::fee"])
    assert kinds(verdict) == expected
    assert kinds(judge_proof(run("+a -fee"), run(final), task=task)) == []


@pytest.mark.req("judge.verdict.cases")
@pytest.mark.parametrize(
    ("final", "judge", "expected"),
    [
        ("+fee[2] +fee[3]", Judge("t.py", True, "fee"), []),
        ("+fee[2]", Judge("t.py", True, "fee"), ["vanished"]),
        ("+fee[2] +fee[3]", Judge("t.py", False, "fee"), ["vanished"]),
        ("+fee[2] +fee[3]", Judge("t.py", True, "other"), ["vanished"]),
    ],
)
def test_a_test_whose_change_is_asked_for_may_have_other_cases(
    final: str, judge: Judge, expected: list[ReasonKind]
) -> None:
    assert kinds(judge_proof(run("+fee[1] +fee[2]"), run(final), changed_judges=[judge])) == expected
