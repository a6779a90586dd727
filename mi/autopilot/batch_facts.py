"""From what Hands returned and what the work tree shows: the batch as a Mind is shown it, with its three marks."""

import os
import time
from collections.abc import Collection
from typing import NamedTuple

import msgspec

from mi.agents.events import AgentEnd, AgentUsage, Command, Denied, Event, FileChange, ToolCall
from mi.agents.process import AgentProcess, ProcessLimits
from mi.agents.protocol import BatchResult, Observer
from mi.agents.signals import StopFlag
from mi.autopilot.judge_facts import judge_facts
from mi.autopilot.state import EarlierProof
from mi.evidence.records.hands import RepoObservation, TranscriptObservation
from mi.evidence.records.run import Marks
from mi.governance.commands import risk_signal
from mi.kernel import git
from mi.mind.language import claims_done
from mi.mind.views import BatchView, ChangeSize, SeenCommand, unsettled
from mi.project.change import describe_change
from mi.project.checks.outcome import could_not_start, ran_nothing
from mi.project.checks.recognition import Check, ran_check
from mi.project.worktree import TreeChange, WatchStep, WorktreeWatch

# What running a check leaves behind is no change of the work.
_BY_PRODUCTS = (
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    "node_modules",
    ".hypothesis",
    "target",
    ".coverage",
)
_CHECK_S = 1800.0
_EXCERPT = 2400  # characters of what commands printed that a judgement is shown
_OUTPUT = 300
_UNITS = 200  # changed files that an observation names
_MACHINE_READABLE = (Command, ToolCall, FileChange, AgentUsage, AgentEnd)  # plain text gives messages and nothing else


class CommandMoment(NamedTuple):
    """When a command ran, by the wall clock, and what came after it by the agent's own events."""

    started: float
    ended: float
    change_followed: bool = False
    command_followed: bool = False

    @property
    def latest_harmless_change(self) -> float:
        """Return until when a file may have changed for this command to have seen it.

        What a check writes itself is harmless. When another command followed, the two cannot be told apart.
        """
        return self.started if self.command_followed else self.ended


class BatchClock(Observer):
    """Notes when each command of a batch ran, and passes everything on to whoever watches."""

    def __init__(self, watcher: Observer, stop: StopFlag, token_limit: int | None) -> None:
        self.started = time.time()
        self.thread_id = ""
        self._watcher = watcher
        self._stop = stop
        self._token_limit = token_limit
        self._begun: dict[str, float] = {}
        self._moments: dict[str, CommandMoment] = {}

    def line(self, stream: str, text: str) -> None:
        self._watcher.line(stream, text)

    def event(self, event: Event) -> None:
        now = time.time()
        if isinstance(event, Command) and event.state == "started":
            self._begun[event.id] = now
            self._mark(command_followed=True)
        elif isinstance(event, Command):
            self._moments[event.id] = CommandMoment(self._begun.get(event.id, now), now)
        elif isinstance(event, FileChange):
            self._mark(change_followed=True)
        elif isinstance(event, AgentUsage) and not event.is_total and self._is_over(event):
            self._stop.request("limit: tokens")
        self._watcher.event(event)

    def _mark(self, **followed: bool) -> None:
        self._moments = {name: moment._replace(**followed) for name, moment in self._moments.items()}

    def _is_over(self, usage: AgentUsage) -> bool:
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
        return self._token_limit is not None and tokens > self._token_limit

    def moment(self, command: Command) -> CommandMoment:
        """Return when a command of this batch ran."""
        return self._moments.get(command.id, CommandMoment(self.started, self.started, change_followed=True))


class SeenBatch(NamedTuple):
    """A batch that ended, beside what the work tree shows and what could be proved before it."""

    task: str
    sent: str
    result: BatchResult
    clock: BatchClock
    watch: WorktreeWatch
    step: WatchStep
    checks: list[Check]
    before: EarlierProof
    accepted_judges: Collection[str] = ()  # changes of judges that the person said yes to


def batch_view(seen: SeenBatch) -> BatchView:
    """Return the batch as facts. A check proves something only when no file of the work changed after it."""
    task, result, watch, step = seen.task, seen.result, seen.watch, seen.step
    commands = _Looking(seen).commands()
    failed = unsettled(commands, [] if step.latest.files else seen.before.unsettled)
    judges = judge_facts(task, step.total, watch, seen.accepted_judges)
    passed = any(command.is_check and command.after_last_change and command.exit_code == 0 for command in commands)
    still = seen.before.verified and not step.latest.files
    files = sorted({*step.total.files, *step.latest.files})
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
        changed_judges=judges.ways,
        judges_shown=judges.shown,
        judge_ids=judges.ids,
        removed_as_asked=judges.removed_as_asked,
        check_passed=(passed or still) and not failed,
        changed_now=bool(step.latest.files),
        questions=[question.text for question in result.questions],
        errors=[*result.observed.errors, *([result.error] if result.error else [])],
        risk_signals=[
            *levels,
            *(
                f"tests: {way}"
                for way, path in zip(judges.ways, judges.paths, strict=True)
                if path in step.latest.files
            ),
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
            verified=_is_proved(passed or still, failed, judges.ways),
        ),
        change=_size(step.latest, watch.root),
    )


def _is_proved(passed: bool, failed: list[SeenCommand], changed_judges: list[str]) -> bool:
    """Return whether the mark `verified` holds: one check passed, none stands failed, no judge was changed unasked."""
    return passed and not failed and not changed_judges


def _size(change: TreeChange, root: str) -> ChangeSize:
    """Return the change in change units; without a diff each file is one."""
    if not change.diff:
        files = [file for file in change.files if not _is_by_product(file)]
        return ChangeSize(units=len(files), dirs=len({os.path.dirname(file) for file in files}))
    weighed = describe_change(change, "", root)
    counted = weighed.counted
    return ChangeSize(units=counted.units, lines=counted.lines, dirs=counted.dirs, flags=list(weighed.flags))


class _Looking:
    """Looks at the commands of a batch beside what the work tree shows."""

    def __init__(self, seen: SeenBatch) -> None:
        self._clock = seen.clock
        self._checks = seen.checks
        self._events = seen.result.events
        self._files = seen.step.latest.files
        self._changed = frozenset(seen.step.total.files)
        self._watch = seen.watch
        self._denied = {event.id for event in seen.result.events if isinstance(event, Denied)}
        self._root = seen.watch.root
        self._changed_at = _last_change(self._files, self._root)

    def commands(self) -> list[SeenCommand]:
        """Return the commands of the batch that ended, in their order."""
        return [self._look_at(event) for event in self._events if isinstance(event, Command) and event.state == "ended"]

    def _look_at(self, command: Command) -> SeenCommand:
        """Return a command, whether it is a check, and whether anything of the work changed after it."""
        # Its result is text that a command may print, too: only with the client's own word it was refused.
        if command.refused and command.id in self._denied:
            return SeenCommand(command=command.text, exit_code=None, refused=True)
        moment = self._clock.moment(command)
        ran = ran_check(command.text, self._checks, self._root, self._changed)
        counts = not command.refused and not ran_nothing(command.output)
        if (
            ran is None
            or not counts
            or not self._is_work(ran.folder)
            or could_not_start(command.exit_code, command.output)
        ):
            return SeenCommand(command=command.text, exit_code=command.exit_code)
        changed_at = _last_change(self._files, self._root, ran.logs) if ran.logs else self._changed_at
        harmless_until = moment.latest_harmless_change if ran.leaves_alone else moment.started
        return SeenCommand(
            command=command.text,
            exit_code=command.exit_code,
            is_check=True,
            after_last_change=not moment.change_followed and changed_at <= harmless_until,
            kind=ran.check.kind,
            selection=list(ran.selection),
        )

    def _is_work(self, folder: str) -> bool:
        """Return whether a folder is a part of the work: one that git ignores and the agent made may hold anything."""
        made = any(file.startswith(folder + "/") for file in self._changed)
        return not folder or made or self._watch.had_folder(folder)


def _last_change(files: list[str], root: str, logs: Collection[str] = ()) -> float:
    """Return when the latest of the changed files was changed; for one that is gone, when its folder was."""
    times = [0.0]
    for file in files:
        if _is_by_product(file) or os.path.basename(file) in logs:
            continue
        path = os.path.join(root, file)
        while not os.path.lexists(path) and len(path) > len(root):
            path = os.path.dirname(path)
        try:
            # A file that is moved here keeps its own time of writing; the time of its last change of state is new.
            times.append(os.lstat(path).st_ctime)
        except OSError:
            continue
    return max(times)


def _is_by_product(file: str) -> bool:
    return any(part in _BY_PRODUCTS for part in file.split("/")) or file.endswith(".pyc")


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
    return msgspec.structs.replace(batch, commands=commands, unsettled=failed, marks=marks, check_passed=passed)


def _transcript(result: BatchResult) -> str:
    """Return the latest commands with the end of what they printed."""
    commands = [event for event in result.events if isinstance(event, Command) and event.state == "ended"]
    printed = [(command.text, command.output.strip()) for command in commands if command.output.strip()]
    return "\n".join(f"$ {line}\n{output[-_OUTPUT:]}" for line, output in printed[-8:])[-_EXCERPT:]


def _tools(result: BatchResult) -> list[str]:
    return [event.name for event in result.events if isinstance(event, ToolCall) and event.state == "ended"]


def repository(root: str, checks: list[Check], changed: list[str]) -> RepoObservation:
    """Return the state of the repository after a batch, bounded in time and size."""
    seen = git.observe(root)
    tests = [check.command for check in checks if check.kind == "test"]
    return RepoObservation(
        project_root=root,
        stack_hints=list(dict.fromkeys(check.source for check in checks)),
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
