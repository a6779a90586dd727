"""From what Hands returned and what the work tree shows: the batch as a Mind is shown it, with its three marks."""

from collections.abc import Collection
from hashlib import sha256

import msgspec

from mi.agents.events import AgentEnd, AgentQuestion, AgentUsage, Command, FileChange, ToolCall
from mi.agents.process import AgentProcess, ProcessLimits
from mi.agents.protocol import BatchResult
from mi.agents.signals import StopFlag
from mi.autopilot.clock import BatchClock
from mi.autopilot.command_facts import CommandReader, is_by_product
from mi.autopilot.part_evidence import account_for_parts
from mi.autopilot.state import EarlierProof
from mi.evidence.records.hands import RepoObservation, TranscriptObservation
from mi.evidence.records.run import LastSeen, Marks, VerifiedBy
from mi.governance.commands import risk_signal
from mi.kernel import git
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import Redacted, redact, redact_end
from mi.mind.language import claims_done
from mi.mind.views import BatchView, ChangeSize, SeenCommand, unsettled
from mi.project.change import describe_change
from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.file_kinds import is_prose
from mi.project.checks.recognition import Check, CheckRun
from mi.project.stack import find_stack
from mi.project.worktree import TreeChange, WatchStep, WorktreeWatch

_CHECK_S = 1800.0
_EXCERPT = 2400  # characters of what commands printed that a judgement is shown
_OUTPUT = 300
_TAIL_LINES = 6  # of the last command, that the person is shown where a run is not done
_UNITS = 200  # changed files that an observation names
_MACHINE_READABLE = (Command, ToolCall, FileChange, AgentUsage, AgentEnd)  # plain text gives messages and nothing else


class SeenBatch(NamedTuple):
    """A batch that ended, beside what the work tree shows and what could be proved before it."""

    task: str
    sent: str
    result: BatchResult
    clock: BatchClock
    watch: WorktreeWatch
    step: WatchStep
    project: ProjectChecks
    planned: list[Check]  # commands that a plan named
    before: EarlierProof
    accepted_judges: Collection[str] = ()  # changes of judges that the person said yes to
    history_moved: bool = False
    related: bool = False  # the person is content with the tests nearest to the change


class Coverage(NamedTuple):
    """What the checks that passed on the tree as it is cover of the change."""

    needed: list[Check]
    missing: list[Check]
    prose_only: bool
    proved: bool  # by them alone


def batch_view(seen: SeenBatch) -> BatchView:
    """Return the batch as facts. A check proves something only when no file of the work changed after it."""
    from mi.autopilot.judge_facts import judge_facts  # first needed here: the agent starts the sooner

    task, result, watch, step = seen.task, seen.result, seen.watch, seen.step
    reader = CommandReader(seen.clock, watch, step, seen.project, seen.planned)
    facts = reader.read(list(result.events))
    seen.project.prefer(facts.used, facts.gone)
    commands, passed = facts.commands, facts.passed
    passed += [] if step.latest.files else reader.still_passed(seen.before.passed)
    failed = unsettled(commands, [] if step.latest.files else seen.before.unsettled)
    judges = judge_facts(task, step.total, watch, seen.accepted_judges)
    files = sorted({*step.total.files, *step.latest.files})
    covered = _cover(seen, files, passed)
    shows_commands = any(isinstance(event, _MACHINE_READABLE) for event in result.events)
    # Whose commands nobody sees shows them in its text, as a shell echoes them; no sentence counts.
    ran = [command.command for command in commands if not command.refused] if shows_commands else result.shown
    levels = {signal: level for signal, level in map(risk_signal, ran) if signal}
    return BatchView(
        task=task,
        batch_input=seen.sent,
        ended=result.outcome == "ended",
        last_message=result.last_message,
        commands=commands,
        unsettled=failed,
        shows_commands=shows_commands,
        changed_files=files,
        prose_only=covered.prose_only,
        covered=[check.command for check in covered.needed if check not in covered.missing],
        uncovered=[check.command for check in covered.missing],
        changed_judges=judges.ways,
        judges_shown=judges.shown,
        judge_ids=judges.ids,
        removed_as_asked=judges.removed_as_asked,
        check_passed=covered.proved and not failed,
        parts=[*account_for_parts(task, step.total, watch), *judges.open_parts],
        history_moved=seen.history_moved,
        changed_now=bool(step.latest.files),
        questions=[_with_options(question) for question in result.questions],
        errors=[*result.observed.errors, *([result.error] if result.error else [])],
        risk_signals=[
            *levels,
            *judges.signals(step.latest.files),
        ],
        risk_levels=levels,
        diff_stat=step.latest.stat,
        transcript_excerpt=_transcript(result),
        transcript_observation=TranscriptObservation(
            event_type_counts=result.observed.event_type_counts,
            item_type_counts=result.observed.item_type_counts,
            file_paths=list(result.observed.file_paths),
            non_command_actions=_tools(result),
            errors=list(result.observed.errors),
        ),
        marks=Marks(
            ran=result.outcome == "ended",
            claimed=not result.questions and claims_done(task, result.last_message),
            verified=_is_proved(covered.proved, failed, judges.ways),
        ),
        change=_size(step.total, watch.root),
    )


def _cover(seen: SeenBatch, files: list[str], passed: list[CheckRun]) -> Coverage:
    """Return what is covered by the checks that passed on the tree as it is."""
    work = [file for file in files if not is_by_product(file)]
    still = not seen.step.latest.files
    needed = seen.project.needed(work)
    missing = seen.project.missing(work, passed, seen.related)
    prose_only = bool(work) and all(map(is_prose, work))
    whole = any(run.check.kind != "lint" and not seen.project.is_partial(run) for run in passed)
    by_plan = any(run.check.source == "planned" for run in passed)
    shown = not missing if needed else by_plan or (whole and (prose_only or not work))
    return Coverage(needed, missing, prose_only, shown or (still and seen.before.verified))


def _is_proved(passed: bool, failed: list[SeenCommand], changed_judges: list[str]) -> bool:
    """Return whether the mark `verified` holds: one check passed, none stands failed, no judge was changed unasked."""
    return passed and not failed and not changed_judges


def _size(change: TreeChange, root: str) -> ChangeSize:
    """Return the change in change units, as `mi gate diff` counts it; a file that no diff shows is one."""
    known = sha256("\n".join([*change.files, change.diff]).encode("utf-8", "replace")).hexdigest()[:12]
    weighed = describe_change(change, "", root)
    counted = weighed.counted
    return ChangeSize(
        units=counted.units,
        lines=counted.lines,
        dirs=counted.dirs,
        files=len(counted.counted),
        flags=list(weighed.flags),
        id=known,
    )


def checked_by_mi(batch: BatchView, command: str, root: str, stop: StopFlag) -> BatchView:
    """Return the batch with the result of the check that the person configured MI to run itself, if there is one.

    It is a line for the shell, like what people type, and it has the last word: what failed before it is settled.
    """
    if not command or batch.marks.verified or not batch.changed_files or stop.reason:
        return batch
    with AgentProcess(("/bin/sh", "-c", command), root, limits=ProcessLimits(wall_s=_CHECK_S), stop=stop) as process:
        ended = process.pump(lambda stream, data: None)
    code = None if ended.stopped else ended.code
    seen = SeenCommand(command=command, exit_code=code, is_check=True, after_last_change=True, kind="test")
    commands = [*batch.commands, seen]
    failed = unsettled(commands)
    marks = msgspec.structs.replace(batch.marks, verified=_is_proved(code == 0, failed, batch.changed_judges))
    passed = code == 0 and not failed
    by_mi = {"uncovered": [], "covered": [*batch.covered, *batch.uncovered]} if passed else {}
    return msgspec.structs.replace(
        batch, commands=commands, unsettled=failed, marks=marks, check_passed=passed, **by_mi
    )


def verified_by(batch: BatchView) -> VerifiedBy | None:
    """Return which check verified a batch; None when none did."""
    passed = [seen for seen in batch.commands if seen.is_check and seen.after_last_change and seen.exit_code == 0]
    return VerifiedBy(command=passed[-1].command, covers=batch.covered) if batch.marks.verified and passed else None


def last_seen(batch: BatchView, result: BatchResult) -> LastSeen | None:
    """Return the last command of a batch with how it ended and its last lines; a check goes before others."""
    ended = [seen for seen in batch.commands if not seen.refused]
    last = next((seen for seen in reversed(ended) if seen.is_check), ended[-1] if ended else None)
    if last is None:
        return None
    printed = [event.output for event in result.events if isinstance(event, Command) and event.text == last.command]
    tail = "\n".join(redact(printed[-1] if printed else "").strip().splitlines()[-_TAIL_LINES:])[-_OUTPUT:]
    return LastSeen(command=last.command, exit_code=last.exit_code, tail=tail)


def _transcript(result: BatchResult) -> Redacted:
    """Return the latest commands with the end of what they printed."""
    commands = [event for event in result.events if isinstance(event, Command) and event.state == "ended"]
    printed = [(command.text, command.output.strip()) for command in commands if command.output.strip()]
    shown = [redact(f"$ {line}") + "\n" + redact_end(output, _OUTPUT) for line, output in printed[-8:]]
    return Redacted("\n".join(shown)[-_EXCERPT:])


def _with_options(question: AgentQuestion) -> str:
    """Return a question with the answers that the agent offers, numbered."""
    offered = [f"{number}. {option}" for number, option in enumerate(question.options, 1)]
    return "\n".join([question.text, *offered])


def _tools(result: BatchResult) -> list[str]:
    return [event.name for event in result.events if isinstance(event, ToolCall) and event.state == "ended"]


def repository(root: str, checks: list[Check], changed: list[str]) -> RepoObservation:
    """Return the state of the repository after a batch, bounded in time and size."""
    seen = git.observe(root)
    tests = [check.command for check in checks if check.kind == "test"]
    return RepoObservation(
        project_root=root,
        stack_hints=find_stack(root),
        has_tests=bool(tests),
        test_hints=tests,
        git_is_repo=seen.is_repo,
        git_root=seen.root,
        git_head=seen.head,
        git_status_porcelain=seen.status,
        git_diff_stat=seen.diff_stat,
        git_diff_cached_stat=seen.cached_stat,
        change_units=changed[:_UNITS],
    )
