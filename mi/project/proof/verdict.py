"""The verdict over MI's own runs of a check: at the base, at the end, and with judges or code of the base."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from mi.kernel.language import compiled, patterns
from mi.project.proof.comparison import Comparison, compare
from mi.project.proof.results import COMMAND, Source, TestResults
from mi.project.proof.task_tests import asks_to_remove, changes_behaviour, find_spoken_tests

ReasonKind = Literal[
    # these stand against the proof
    "broken",
    "vanished",
    "new_red",
    "spoken_red",
    "still_red",
    "changed_judge",
    "not_noticed",
    "work_unnoticed",
    "fewer_tests",
    "failures_over_zero",
    "error_over_passes",
    "bad_report",
    "unmet",
    # without these there is none to be had
    "no_base",
    "nothing_passed",
    # these are only named
    "red_before",
    "red_command_before",
    "flaky",
    "weaker",
]
Run = Literal["base", "final", "base_judges", "new_on_base", "without_work"]
_SHOWN = 4  # functions that are named
_NAMED = ("red_before", "red_command_before", "flaky", "weaker")


class ChangedJudge(Protocol):
    """A judge of the work that the run changed."""

    @property
    def path(self) -> str: ...

    @property
    def item(self) -> str: ...

    @property
    def how(self) -> str: ...

    @property
    def asked_for(self) -> bool: ...


class ProofReason(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that speaks against a proof, or is named beside it."""

    kind: ReasonKind
    tests: list[str] = []
    run: Run = "final"
    detail: str = ""  # of a report's problem: what it names; of a changed judge: its path
    problem: str = ""  # of a bad report: its kind

    @property
    def blocks(self) -> bool:
        return self.kind not in _NAMED


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What the runs show; `proved` is None where no proof can be had."""

    f2p: list[str] = []
    p2p: list[str] = []
    p2f: list[str] = []
    vanished: list[str] = []
    new: list[str] = []
    flaky: list[str] = []
    red_before: list[str] = []
    proved: bool | None = None
    reasons: list[ProofReason] = []
    source: Source = "report"  # the weakest that a run was read from


def judge_proof(
    base: TestResults,
    final: TestResults,
    *,
    with_base_judges: TestResults | None = None,
    new_on_base: TestResults | None = None,
    unnoticed: Sequence[str] = (),
    about_change: Sequence[str] = (),
    changed_judges: Sequence[ChangedJudge] = (),
    task: str = "",
) -> Verdict:
    """Return the verdict over the run at the base and the one of the final tree.

    `with_base_judges` is the final code under the judges of the base, where one was changed; `new_on_base` are the new
    tests on the code of the base, where the task changes behaviour; `unnoticed` are functions whose work these tests
    do not miss; `about_change` are the tests of what changed, by the words in their files.
    """
    seen = compare(base, final)
    runs = [run for run in (base, final, with_base_judges) if run is not None]
    impossible = list(_find_no_proof(base, final, task))
    spoken = find_spoken_tests(task, {**base.outcomes, **final.outcomes}, seen.red_before, base.failed)
    still = [] if spoken else _find_still_red(seen, task, about_change)
    reasons = impossible or [
        *_find_against_final(base, final, seen, task, changed_judges),
        *([ProofReason(kind="spoken_red", tests=spoken)] if spoken else ()),
        *([ProofReason(kind="still_red", tests=still)] if still else ()),
        *(_find_against_judges(base, with_base_judges, seen, changed_judges) if with_base_judges else ()),
        *(_find_not_noticed(new_on_base) if new_on_base else ()),
        *([_say_unnoticed(seen.new, unnoticed)] if unnoticed else ()),
        *_find_named(base, final, [test for test in seen.red_before if test not in (*spoken, *still)], runs),
    ]
    return Verdict(
        f2p=seen.f2p,
        p2p=seen.p2p,
        p2f=seen.p2f,
        vanished=seen.vanished,
        new=seen.new,
        flaky=_flaky(runs),
        red_before=seen.red_before,
        proved=None if impossible else not any(reason.blocks for reason in reasons),
        reasons=reasons,
        source=_weakest(runs),
    )


def _find_still_red(seen: Comparison, task: str, about_change: Sequence[str]) -> list[str]:
    """Return the tests of what changed that were red and are, where a task mends something and no test shows that."""
    mends = compiled(patterns().mending).search(task) and changes_behaviour(task)
    if not mends or seen.f2p or seen.new:
        return []
    return [test for test in seen.red_before if test in about_change]


def find_turned_red(base: TestResults, results: TestResults) -> list[str]:
    """Return the tests that turned red since the base, which deserve another run by themselves."""
    seen = compare(base, results)
    return [test for test in (*seen.p2f, *seen.new_red) if test in results.outcomes and not test.startswith(COMMAND)]


def _find_no_proof(base: TestResults, final: TestResults, task: str) -> Iterator[ProofReason]:
    """Yield why nothing can be compared: no base, or an environment in which no test ever passes.

    Where the task speaks of the very tests that fail, that is no matter of the environment.
    """
    if base.problem is not None:
        yield ProofReason(kind="no_base", run="base", problem=base.problem.kind, detail=base.problem.detail)
    elif not base.passed and not final.passed and not find_spoken_tests(task, base.outcomes, base.failed):
        yield ProofReason(kind="nothing_passed", tests=base.failed)


def _find_against_final(
    base: TestResults, final: TestResults, seen: Comparison, task: str, changed: Sequence[ChangedJudge]
) -> Iterator[ProofReason]:
    yield from _find_bad_run(base, final, "final")
    if seen.p2f:
        yield ProofReason(kind="broken", tests=seen.p2f)
    removed = [judge for judge in changed if judge.asked_for and judge.how == "removed"]
    gone = [
        test
        for test in seen.vanished
        if not asks_to_remove(task, test, seen.new)
        and not any(_held(judge, test) for judge in removed)
        and not _has_other_cases(test, base, final, changed)
    ]
    if gone and final.problem is None:
        yield ProofReason(kind="vanished", tests=gone)
    if seen.new_red:
        yield ProofReason(kind="new_red", tests=seen.new_red)
    if final.count < base.count and final.source != "report" and final.problem is None:
        yield ProofReason(kind="fewer_tests", detail=f"{final.count} < {base.count}")


def _find_bad_run(base: TestResults, results: TestResults, run: Run) -> Iterator[ProofReason]:
    """Yield why the outcomes of a run cannot be believed as they are."""
    if results.problem is not None:
        yield ProofReason(kind="bad_report", run=run, problem=results.problem.kind, detail=results.problem.detail)
    elif base.source == "report" != results.source:
        yield ProofReason(kind="bad_report", run=run, problem="missing")
    if results.disagreement and results.disagreement != base.disagreement:
        yield ProofReason(kind=results.disagreement, run=run, tests=results.failed, detail=str(results.exit_code))


def _find_against_judges(
    base: TestResults, results: TestResults, final: Comparison, changed: Sequence[ChangedJudge]
) -> Iterator[ProofReason]:
    """Yield what is worse under the judges of the base than under those of the final tree, unless it was asked for."""
    unasked = list(dict.fromkeys(judge.path for judge in changed if not judge.asked_for))
    if changed and not unasked:
        return
    yield from _find_bad_run(base, results, "base_judges")
    asked = [judge.path for judge in changed if judge.asked_for]
    known = {*final.not_green}
    red = [] if results.problem else compare(base, results).not_green
    if worse := [test for test in red if test not in known and not _is_in(test, asked)]:
        yield ProofReason(kind="changed_judge", run="base_judges", tests=worse, detail=", ".join(unasked))


def _held(judge: ChangedJudge, test: str) -> bool:
    """Return whether a test stood in a judge: in its file, under its name."""
    file, *names = [part.partition("[")[0] for part in test.split("::")]
    return judge.path.endswith(file) and (not judge.item or names[-1:] == [re.split(r" > |\.", judge.item)[-1]])


def _has_other_cases(test: str, base: TestResults, final: TestResults, changed: Sequence[ChangedJudge]) -> bool:
    """Return whether a test was one case of many, and the change that was asked for left as many of them."""
    name, _, case = test.partition("[")
    if not case or not any(judge.asked_for and judge.how == "changed" and _held(judge, test) for judge in changed):
        return False
    before, now = (sum(one.startswith(f"{name}[") for one in run.outcomes) for run in (base, final))
    return now >= before


def _is_in(test: str, paths: Iterable[str]) -> bool:
    return any(test == path or test.startswith(f"{path}::") for path in paths)


def _find_not_noticed(results: TestResults) -> Iterator[ProofReason]:
    """Yield that the new tests pass on the code of the base; not to compile there counts as noticing."""
    if results.problem is not None and results.problem.kind in ("stopped", "could_not_start", "too_large"):
        yield ProofReason(
            kind="bad_report", run="new_on_base", problem=results.problem.kind, detail=results.problem.detail
        )
    elif not results.failed and (results.passed or results.exit_code == 0):
        yield ProofReason(kind="not_noticed", run="new_on_base", tests=results.passed)


def _say_unnoticed(new: list[str], functions: Sequence[str]) -> ProofReason:
    return ProofReason(kind="work_unnoticed", run="without_work", tests=new, detail=", ".join(functions[:_SHOWN]))


def _find_named(
    base: TestResults, final: TestResults, red_before: list[str], runs: Sequence[TestResults]
) -> Iterator[ProofReason]:
    if red_before:
        yield ProofReason(kind="red_before", tests=red_before)
    if final.disagreement and final.disagreement == base.disagreement:
        yield ProofReason(kind="red_command_before", detail=str(final.exit_code))
    if flaky := _flaky(runs):
        yield ProofReason(kind="flaky", tests=flaky)
    if (source := _weakest(runs)) != "report":
        yield ProofReason(kind="weaker", detail=source)


def _flaky(runs: Sequence[TestResults]) -> list[str]:
    return list(dict.fromkeys(test for run in runs for test in run.flaky))


def _weakest(runs: Sequence[TestResults]) -> Source:
    order: tuple[Source, ...] = ("report", "output", "exit_code")
    return max((run.source for run in runs), key=order.index)
