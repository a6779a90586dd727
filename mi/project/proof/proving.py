"""The proof of a change: the project's checks at the base, at the end, and with judges or code of the base."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_compose import with_judges_of
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.checks.judges import JudgeChange, NewTest, base_judges, find_judge_changes, new_tests
from mi.project.checks.product_functions import is_product, text_of, words_of
from mi.project.checks.runner import Check
from mi.project.proof.comparison import compare
from mi.project.proof.planted import PLANTED, find_blind
from mi.project.proof.results import ReportProblem, TestResults, refuse_rewritten, settle_flaky
from mi.project.proof.task_tests import changes_behaviour
from mi.project.proof.verdict import ProofReason, Verdict, find_turned_red, judge_proof
from mi.project.proof.without_work import without_work
from mi.project.trees import ComposedTree, Tree

_RERUNS = 2  # of a test that turned red, by itself


class ProofCase(NamedTuple):
    """What is to be proved: a task, and the trees before and after it."""

    task: str
    base: Tree
    final: Tree
    checks: list[Check]  # that cover the change, as the base has them


class CheckRuns(Protocol):
    """Whoever runs checks on trees, where nothing of the agent's can reach them."""

    def run_base(self, check: Check) -> TestResults:
        """Return how a check ended on the tree as it was; run once, and kept."""

    def run(self, name: str, tree: Tree, check: Check, tests: Sequence[str] = ()) -> TestResults:
        """Return how a check ends on a tree; with `tests`, only these are wanted."""


class CheckProof(Struct, frozen=True, kw_only=True):
    """What one check showed."""

    command: str
    verdict: Verdict


class ProofResult(Struct, frozen=True, kw_only=True):
    """What all checks showed; `proved` is None where it could not be told."""

    proved: bool | None = None
    checks: list[CheckProof] = []
    changed_judges: list[JudgeChange] = []
    unmet: list[str] = []  # what the task asks for by name or by example and is not so, in words
    had_base_judges: bool = False  # the final code was also run with the judges of the base

    @property
    def reasons(self) -> list[ProofReason]:
        """What stands against it or is named beside it, of all checks."""
        asked = [ProofReason(kind="unmet", tests=self.unmet)] if self.unmet else []
        return [*(reason for one in self.checks for reason in one.verdict.reasons), *asked]

    @property
    def open_count(self) -> int:
        """How many tests and reports stand against it."""
        return sum(len(reason.tests) or 1 for reason in self.reasons if reason.blocks)


def prove(case: ProofCase, runs: CheckRuns) -> ProofResult:
    """Return what the checks show about a change: run at its base and at its end, each where it is needed."""
    changes = find_judge_changes(case.base, case.final, case.task)
    replaced = base_judges(case.base, case.final, changes) if changes else {}
    proofs = [
        CheckProof(command=check.command, verdict=_prove_check(case, check, runs, changes, replaced))
        for check in case.checks
    ]
    verdicts = [one.verdict.proved for one in proofs]
    proved = False if False in verdicts else None if None in verdicts or not verdicts else True
    return ProofResult(proved=proved, checks=proofs, changed_judges=changes, had_base_judges=bool(replaced))


def _prove_check(
    case: ProofCase,
    check: Check,
    runs: CheckRuns,
    changes: Sequence[JudgeChange],
    replaced: dict[str, bytes | None],
) -> Verdict:
    base = runs.run_base(check)
    if base.problem is not None:
        return judge_proof(base, base)
    final = _refuse_blind(case, check, runs, base, _run_settled("final", case.final, check, runs, base))
    with_base_judges = (
        _run_settled("base_judges", ComposedTree(case.final, replaced), check, runs, base) if replaced else None
    )
    came = _find_new(case, base, final)
    new_on_base = _run_new(case, check, runs, came, "new_on_base", {}) if came else None
    unnoticed = _find_unnoticed(case, check, runs, came, mends=not compare(base, final).f2p) if came else []
    return judge_proof(
        base,
        final,
        with_base_judges=with_base_judges,
        new_on_base=new_on_base,
        unnoticed=unnoticed,
        about_change=_find_about_change(case, base.failed),
        changed_judges=changes,
        task=case.task,
    )


def _find_about_change(case: ProofCase, red: Sequence[str]) -> list[str]:
    """Return the red tests whose files name a changed source file."""
    changed = [path for path in case.final.changed_since(case.base) if is_product(path)]
    words = {path.rpartition("/")[2].partition(".")[0] for path in changed} - {
        "__init__",
        "index",
        "mod",
        "lib",
        "main",
    }
    held = {test: test.partition("::")[0] for test in red}
    about = {path for path in case.base.paths() if is_test(path) and words & words_of(text_of(case.base, path))}
    return [test for test, file in held.items() if any(path == file or path.endswith(f"/{file}") for path in about)]


def _run_settled(name: str, tree: Tree, check: Check, runs: CheckRuns, base: TestResults) -> TestResults:
    """Return how a check ends on a tree; what turned red is run again by itself before it counts."""
    results = refuse_rewritten(runs.run(name, tree, check), base)
    for _ in range(_RERUNS):
        red = find_turned_red(base, results)
        if not red:
            break
        results = settle_flaky(results, [runs.run(f"{name}_again", tree, check, red)])
    return results


def _find_new(case: ProofCase, base: TestResults, final: TestResults) -> list[str]:
    """Return the tests that came and must notice the change; none where the task changes nothing."""
    new = [test for test in new_tests(case.base, case.final) if is_test(test.path) or judge_kind(test.path) == "inline"]
    came = [test for test in final.passed if test not in base.outcomes and any(_is_of(test, one) for one in new)]
    return came if came and changes_behaviour(case.task) else []


def _refuse_blind(case: ProofCase, check: Check, runs: CheckRuns, base: TestResults, final: TestResults) -> TestResults:
    """Return the results of a final tree, or that they say nothing: the check no longer notices tests that fail."""
    if final.problem is not None or final.exit_code != 0:
        return final
    blind = find_blind(case.base, case.final, base, final, check.folder, lambda tree: runs.run(PLANTED, tree, check))
    return replace(final, problem=ReportProblem("blind", ", ".join(blind[:5]))) if blind else final


def _run_new(
    case: ProofCase, check: Check, runs: CheckRuns, came: Sequence[str], name: str, code: dict[str, bytes | None]
) -> TestResults:
    """Return how the tests that came end on the code of the base, with some more of it in place."""
    changed = case.final.changed_since(case.base)
    tests = {path: case.final.read(path) for path in changed if is_test(path)}
    for path in changed:  # a source file of Rust may hold tests of its own
        now, before = case.final.read(path), code.get(path, case.base.read(path))
        if judge_kind(path) == "inline" and not is_test(path) and now and before:
            tests[path] = with_judges_of(path, now, before)
    return runs.run(name, ComposedTree(case.base, code | tests), check, came)


def _find_unnoticed(case: ProofCase, check: Check, runs: CheckRuns, came: Sequence[str], mends: bool) -> list[str]:
    """Return the functions whose work can be missing without that any test that came fails."""
    without = without_work(case.task, case.base, case.final, mends)
    if without is None:
        return []
    seen = _run_new(case, check, runs, came, "without_work", without.files)
    return without.missing if seen.problem is None and set(came) <= set(seen.passed) else []


def _is_of(test: str, new: NewTest) -> bool:
    """Return whether a test is in the file of a new one; where it names a package in place of a file, is that one."""
    file, *names = test.split("::")
    if extension(file):
        return file == new.path or new.path.endswith(f"/{file}") or file.endswith(f"/{new.path}")
    return names[-1:] == [new.name.rpartition(" > ")[2]]
