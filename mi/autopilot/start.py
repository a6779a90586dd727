"""Starting and resuming runs: the lock, the watch over the work tree, the first record."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import msgspec

from mi.agents.signals import stop_on_signals
from mi.autopilot.loop import Loop
from mi.autopilot.outcomes import GO_ON, Next, SendNext
from mi.autopilot.resume import Resumed, end_orphan
from mi.autopilot.run_lock import read_owner, run_lock
from mi.autopilot.run_parts import RunParts
from mi.autopilot.run_times import keep_run_times
from mi.autopilot.state import RunState
from mi.evidence.records.run import BatchEnd, KnownCheck, RunEnd, RunStart
from mi.evidence.secret_words import take_over
from mi.kernel import git
from mi.kernel.consent import refuses
from mi.kernel.home import ProjectHome
from mi.mind.views import BatchView
from mi.project.checks.judge_places import CODE, extension, judge_kind, shadows_module
from mi.project.checks.own import read_own
from mi.project.checks.recognition import Check, detect
from mi.project.left_out import KeepRules
from mi.project.snapshots import remove_old_snapshots
from mi.project.worktree import SnapshotNet, WorktreeWatch

_TREES_KEPT = 50  # of runs that may still be resumed, and as many of those that are done


def drive_run(
    parts: RunParts,
    state: RunState,
    resumed: Resumed | None = None,
    tell: Callable[[RunEnd], None] = lambda end: None,
) -> RunEnd:
    """Run a task from its beginning, or go on with one that stopped; return how it ended.

    A batch that had ended is judged, never run again. `tell` hears of the end before anything is learned from it.
    """
    root = parts.project.root
    lock = parts.place.find_run_lock(root)
    with (
        parts.door.open() as door,
        run_lock(lock, state.run_id, parts.notices, door, root),
        keep_run_times(parts.home, lock, state.run_id),
        parts.guard_team(),
        stop_on_signals(parts.stop),
    ):
        checks = resumed.checks if resumed else _find_checks(parts)
        loop = Loop(parts, state, checks)
        loop.recorder.append(_first_record(parts, state, checks, resumed is not None), sync=True)
        parts.thoughts.refresh_strategy()
        if resumed and resumed.cut is not None:
            end_orphan(parts.home.path(resumed.cut.transcript_path))
            loop.recorder.append(BatchEnd(outcome="cut", hands_transcript_ref=resumed.cut.transcript_path), sync=True)
        folder, net = _tree_folder(parts.place, state.run_id), _open_net(parts, state.run_id)
        with WorktreeWatch(parts.project.root, folder, _keeps, net) as watch:
            with _proving(parts, watch):
                end = loop.run(watch, partial(_go_on, loop, resumed, watch) if resumed and resumed.began else None)
            if net is not None:
                remove_old_snapshots(parts.project.root, parts.place.snapshots)
            if end.status == "done":
                watch.shrink()
        tell(end)
        loop.learn(end)
        return end


def _find_checks(parts: RunParts) -> list[Check]:
    """Return what the person set as the project's checks, and what its files tell of."""
    own = read_own(parts.project.root, parts.place.checks, parts.notices)
    return [*own.checks, *detect(parts.project.root)]


@contextmanager
def _proving(parts: RunParts, watch: WorktreeWatch) -> Iterator[None]:
    if parts.prover is None:
        yield
        return
    parts.prover.begin(watch)
    try:
        yield
    finally:
        parts.prover.close()


def _first_record(parts: RunParts, state: RunState, checks: list[Check], is_resumed: bool) -> RunStart:
    return RunStart(
        task=state.task,
        project_root=parts.project.root,
        hands=parts.hands.name,
        mind=parts.mind.name,
        resumed_from=state.run_id if is_resumed else "",
        checks=[
            KnownCheck(kind=check.kind, argv=list(check.argv), source=check.source, folder=check.folder)
            for check in checks
        ],
        limits=state.own_limits,
        list_task=state.list_task,
        base_commit=git.run(parts.project.root, "rev-parse", "-q", "--verify", "HEAD").output.strip(),
        uncommitted=len(git.list_uncommitted(parts.project.root)),
        agent=parts.agent,
        main_root=parts.project.linked_to,
        branch=git.find_branch(parts.project.root) if parts.project.linked_to else "",
    )


def _go_on(loop: Loop, resumed: Resumed, watch: WorktreeWatch) -> Next:
    """Return how a resumed run goes on: by the person's answer, by judging the last batch, or with the work."""
    paused = loop.pause.on_resume()
    if paused is not None:
        return paused
    case = loop.batches.case_of(_as_it_is_now(resumed.judge, watch)) if resumed.judge else None
    question = resumed.question
    if case and question is None and (said := loop.take_words()):
        return said
    if question is None:
        return loop.decide(case, resumed.risk_settled) if case else SendNext(GO_ON)
    answer = take_over(loop.parts.place, question.id) or resumed.answer or loop.recorder.ask_again(question)
    if answer is None:
        return loop.blocked("end.question-waits")
    match question.about:
        case "rules" | "review":  # whichever rule asked will find the answer when its turn comes
            return loop.decide(case, resumed.risk_settled) if case else SendNext(GO_ON)
        case "next" if case:
            return loop.after_user(case, answer)
        case "risk" if refuses(answer):
            return loop.blocked("end.risk-refused")
        case "risk" if case:
            return loop.decide(case, risk_settled=True)
        case "judges" if case:
            return loop.after_judges(case, answer)
        case "strategy" if case and case.project.testless_strategy is None:
            return loop.after_strategy(case, answer) or loop.decide(loop.batches.case_of(case.batch), risk_settled=True)
        case "strategy" if case:
            return loop.decide(case, risk_settled=True)
    return SendNext(answer)


def _as_it_is_now(batch: BatchView, watch: WorktreeWatch) -> BatchView:
    """Return a batch that is judged again; what was verified is not where somebody changed the work since."""
    if not watch.moved():
        return batch
    watch.settle()
    marks = msgspec.structs.replace(batch.marks, verified=False)
    return msgspec.structs.replace(batch, marks=marks, check_passed=False)


def _keeps(path: str) -> bool:
    """Return whether the first contents of a file are needed to see whether a judge changed, or code evades one."""
    return bool(judge_kind(path) or shadows_module(path, frozenset()) or extension(path) in CODE)


def _open_net(parts: RunParts, run_id: str) -> SnapshotNet | None:
    """Return how the work tree is kept before each batch; None where it is not."""
    config = parts.snapshot
    if not config.enabled:
        return None
    return SnapshotNet(run_id, parts.place.snapshots, KeepRules(config.max_file, config.secrets))


def _tree_folder(place: ProjectHome, run_id: str) -> str:
    """Return where the run's first snapshot is kept, so that a resumed run still knows what it changed."""
    folder = place.path("trees")
    living = {read_owner(lock).run_id for lock in place.list_run_locks()}  # the lock of this run is among them
    older = sorted(set(os.listdir(folder)) - living) if os.path.isdir(folder) else []
    open_runs = [name for name in older if os.path.exists(os.path.join(folder, name, "index"))]
    done = [name for name in older if name not in open_runs]  # these take no place of those that wait
    for name in (*open_runs[:-_TREES_KEPT], *done[:-_TREES_KEPT]):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    return os.path.join(folder, run_id)
