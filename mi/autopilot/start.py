"""Starting and resuming runs: the lock, the watch over the work tree, the first and the last record."""

import os
from functools import partial

from mi.agents.signals import stop_on_signals
from mi.autopilot.batch_facts import keeps
from mi.autopilot.loop import Loop
from mi.autopilot.outcomes import Next, SendNext
from mi.autopilot.resume import GO_ON, Resumed, end_orphan
from mi.autopilot.run_lock import run_lock
from mi.autopilot.run_parts import RunParts
from mi.autopilot.state import RunState
from mi.evidence.records.run import BatchEnd, KnownCheck, RunEnd, RunStart
from mi.kernel import git
from mi.kernel.consent import refuses
from mi.kernel.home import ProjectHome
from mi.project.checks.recognition import detect
from mi.project.worktree import WorktreeWatch

_TREES_KEPT = 4  # of runs that may still be resumed


def start(session: RunParts, task: str, thread_id: str = "") -> RunEnd:
    """Run a task from its beginning; returns the run's last record."""
    state = RunState(task=task, run_id=session.evidence.run_id, next_input=task, thread_id=thread_id)
    return _drive(session, state, resumed=None)


def go_on(session: RunParts, resumed: Resumed) -> RunEnd:
    """Go on with a run that stopped; a batch that had ended is judged, never run again."""
    return _drive(session, resumed.state, resumed)


def _drive(session: RunParts, state: RunState, resumed: Resumed | None) -> RunEnd:
    place = session.home.project(session.project.project_id)
    with run_lock(place.run_lock, state.run_id, session.notices), stop_on_signals(session.stop):
        checks = resumed.checks if resumed else detect(session.project.root)
        loop = Loop(session, state, checks)
        began = RunStart(
            task=state.task,
            project_root=session.project.root,
            hands=session.hands.name,
            mind=session.mind.name,
            resumed_from=state.run_id if resumed else "",
            checks=[
                KnownCheck(kind=one.kind, argv=list(one.argv), source=one.source, folder=one.folder) for one in checks
            ],
            uncommitted=len(git.observe(session.project.root).status.splitlines()),
        )
        loop.diary.append(began, sync=True)
        session.thoughts.refresh_strategy()
        if resumed and resumed.cut is not None:
            end_orphan(session.home.path(resumed.cut.transcript_path))
            loop.diary.append(BatchEnd(outcome="cut", hands_transcript_ref=resumed.cut.transcript_path), sync=True)
        with WorktreeWatch(session.project.root, _tree_folder(place, state.run_id), keeps) as watch:
            end = loop.run(watch, partial(_beginning, loop, resumed) if resumed and resumed.began else None)
            if end.status == "done":
                watch.forget()
            return end


def _beginning(loop: Loop, resumed: Resumed) -> Next:
    """How a resumed run goes on: with the person's answer, by judging the last batch, or by going on with the work."""
    case = loop.working.case_of(resumed.judge) if resumed.judge else None
    question = resumed.question
    if question is None:
        return loop.decide(case, resumed.risk_settled) if case else SendNext(GO_ON)
    answer = resumed.answer or loop.diary.ask_again(question)
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
        case "strategy" if case and case.project.testless_strategy is None:
            return loop.after_strategy(case, answer) or loop.decide(loop.working.case_of(case.batch), risk_settled=True)
        case "strategy" if case:
            return loop.decide(case, risk_settled=True)
    return SendNext(answer)


def _tree_folder(place: ProjectHome, run_id: str) -> str:
    """Where the run's first snapshot is kept, so that a resumed run still knows what it changed."""
    import shutil

    folder = place.path("trees")
    older = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in [name for name in older if name != run_id][:-_TREES_KEPT]:
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    return os.path.join(folder, run_id)
