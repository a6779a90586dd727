"""The commands of a batch beside what the work tree shows: which are checks, what they cover, and of which tree."""

import os
from collections.abc import Collection

from mi.agents.events import Command, Denied, Event
from mi.autopilot.clock import BatchClock
from mi.kernel.named_tuple import NamedTuple
from mi.mind.views import SeenCommand
from mi.project.checks.coverage import ProjectChecks
from mi.project.checks.outcome import could_not_start, count_red, ran_nothing
from mi.project.checks.places import changes_nothing
from mi.project.checks.recognition import Check, CheckRun, ran_checks
from mi.project.touched import touched_after
from mi.project.worktree import WatchStep, WorktreeWatch

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
_TAIL_LINES, _TAIL_CHARS = 15, 1500  # of what a failed check printed


class CommandFacts(NamedTuple):
    """The commands of a batch, and the checks among them."""

    commands: list[SeenCommand]
    passed: list[CheckRun]  # on the tree as it is
    used: list[str]  # checks that run here …
    gone: list[str]  # … and those whose program is not there


class CommandReader:
    """Looks at the commands of a batch beside what the work tree shows."""

    def __init__(
        self, clock: BatchClock, watch: WorktreeWatch, step: WatchStep, project: ProjectChecks, planned: list[Check]
    ) -> None:
        self._clock = clock
        self._watch = watch
        self._project = project
        self._checks = [*project.checks, *planned]
        self._files = step.latest.files
        self._changed = frozenset(step.total.files)
        self._root = watch.root
        self._changed_at = _last_change(self._files, self._root)

    def read(self, events: list[Event]) -> CommandFacts:
        """Return the commands of the batch that ended, in their order."""
        # A result is text that a command may print, too: only with the client's own word it was refused.
        denied = {event.id for event in events if isinstance(event, Denied)}
        ended = [event for event in events if isinstance(event, Command) and event.state == "ended"]
        facts = CommandFacts([], [], [], [])
        for at, command in enumerate(ended):
            if command.refused and command.id in denied:
                facts.commands.append(SeenCommand(command=command.text, exit_code=None, refused=True))
                continue
            runs = self._runs(command.text)
            seen = self._look_at(command, runs, [later.text for later in ended[at + 1 :]])
            facts.commands.append(seen)
            facts.passed.extend(runs if seen.passed else [])
            (facts.gone if seen.could_not_start else facts.used).extend(run.check.command for run in runs)
        return facts

    def still_passed(self, earlier: list[str]) -> list[CheckRun]:
        """Return checks that passed before the batch on this very tree; a change that was undone voids them, too."""
        if not earlier or touched_after(self._root, self._clock.started, is_by_product):
            return []
        return [run for text in earlier for run in self._runs(text)]

    def _runs(self, text: str) -> list[CheckRun]:
        found = ran_checks(text, self._checks, self._root, self._changed)
        return [run for run in found if self._is_work(run.folder) and not self._is_tuned(run)]

    def _is_tuned(self, run: CheckRun) -> bool:
        """Return whether a call sets a variable that code asks for only since the run changed it."""
        names = {setting.partition("=")[0].rstrip("+") for setting in run.settings}
        return any(
            name in (self._watch.text(path) or "") and name not in (self._watch.first_text(path) or "")
            for name in names
            for path in self._changed
        )

    def _look_at(self, command: Command, runs: list[CheckRun], later: list[str]) -> SeenCommand:
        """Return a command, whether it is a check, and whether anything of the work changed after it."""
        missing = could_not_start(command.exit_code, command.output)
        if not runs or command.refused or missing or ran_nothing(command.output):
            gone = bool(runs) and missing
            return SeenCommand(command=command.text, exit_code=command.exit_code, could_not_start=gone)
        tests = [run for run in runs if run.check.kind == "test"]
        first = (tests or runs)[0]
        narrowed = [word for run in tests for word in self._project.narrowing(run)]
        return SeenCommand(
            command=command.text,
            exit_code=command.exit_code,
            is_check=True,
            after_last_change=self._is_current(command, runs, later),
            kind=first.check.kind,
            selection=list(dict.fromkeys([*first.selection, *narrowed])),
            partial=any(map(self._project.is_partial, tests)),
            scope=[scope for run in runs for scope in self._project.scope(run)],
            red=count_red(command.output) if command.exit_code else 0,
            output_tail=_tail(command.output) if command.exit_code not in (0, None) else "",
        )

    def _is_current(self, command: Command, runs: list[CheckRun], later: list[str]) -> bool:
        """Return whether a check ran on the tree as it is now."""
        moment = self._clock.moment(command)
        logs = {log for run in runs for log in run.logs}
        changed_at = _last_change(self._files, self._root, logs) if logs else self._changed_at
        harmless_until = moment.latest_harmless_change if runs[-1].leaves_alone else moment.started
        if moment.change_followed or changed_at > harmless_until:
            return False
        # An event may come late: what another command did can seem to be older than the end of the check.
        quiet = all(changes_nothing(text) or self._runs(text) for text in later)
        until = moment.ended if quiet and runs[-1].leaves_alone else moment.started
        return command.exit_code != 0 or not touched_after(
            self._root, until, lambda file: is_by_product(file) or os.path.basename(file) in logs
        )

    def _is_work(self, folder: str) -> bool:
        """Return whether a folder is a part of the work: one that git ignores and the agent made may hold anything."""
        made = any(file.startswith(folder + "/") for file in self._changed)
        return not folder or made or self._watch.had_folder(folder)


def _tail(output: str) -> str:
    return "\n".join(output.strip().splitlines()[-_TAIL_LINES:])[-_TAIL_CHARS:]


def _last_change(files: list[str], root: str, logs: Collection[str] = ()) -> float:
    """Return when the latest of the changed files was changed; for one that is gone, when its folder was."""
    times = [0.0]
    for file in files:
        if is_by_product(file) or os.path.basename(file) in logs:
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


def is_by_product(file: str) -> bool:
    """Return whether a file is what running a check leaves behind."""
    return any(part in _BY_PRODUCTS for part in file.split("/")) or file.endswith(".pyc")
