"""The runs of a proof: checks in scratch copies of a tree, read by their reports, those of the base kept."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from secrets import token_hex
from shlex import quote

import msgspec

from mi.kernel import files
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact_end, redact_start
from mi.project.checks.runner import Check
from mi.project.left_out import LeftOut
from mi.project.proof.copies import Copy, CopyRules, Scratch, make_copy, remove_copy
from mi.project.proof.planted import PLANTED
from mi.project.proof.reports import instrument, read_results
from mi.project.proof.results import ReportProblem, TestResults, found_no_module, settle_flaky
from mi.project.proof.sandbox import StopSource, run_in_copy
from mi.project.proof.writes import is_watched
from mi.project.snapshots import DAYS
from mi.project.trees import GitTree, Tree

_COMMAND_S = 60.0  # that a use of what was asked for may take
_FORMAT = "2"  # of kept results; a change makes old ones unknown


class RunSettings(NamedTuple):
    """How checks are run for a proof."""

    environ: Mapping[str, str]  # MI's own at its start, nothing of the agent's
    seconds: float = 900.0
    network: bool = True
    rules: CopyRules = CopyRules()
    prepare: tuple[str, ...] = ()  # commands that make what the tests need, at the project's root before each run


class CopiedRuns:
    """Runs checks on copies of trees.

    `kept` is a folder for the results of bases, `turn` lets one base run at a time.
    """

    def __init__(
        self,
        base: GitTree,
        scratch: Scratch,
        kept: str,
        settings: RunSettings,
        left_out: Sequence[LeftOut] = (),
        turn: Callable[[], AbstractContextManager[object]] | None = None,
        say: Callable[[str, str], None] = lambda name, command: None,
        stop: StopSource | None = None,
    ) -> None:
        self._base = base
        self._scratch = scratch
        self._kept = kept
        self._settings = settings
        self._left_out = left_out
        self._turn = turn
        self._say = say
        self._stop = stop
        self._from_folder: set[str] = set()  # checks that find the project only with their folder on Python's path

    def run_base(self, check: Check) -> TestResults:
        """Return how a check ends on the base: by what is kept of that very tree, command and environment, else now."""
        path = self._path(check)
        known = self._recall(path, check)
        if known is not None:
            return known
        with self._turn() if self._turn else nullcontext():
            results = self._find_modules(check, self.run("base", self._base, check))
        if results.problem is None or results.problem.kind != "stopped":
            _keep(path, results)
        return results

    def _find_modules(self, check: Check, results: TestResults) -> TestResults:
        """Return the results of a base; where no test file could be imported, as `python -m` would have run it."""
        if not found_no_module(results):
            return results
        self._from_folder.add(check.command)
        again = self.run("base", self._base, check)
        if again.problem is None and not found_no_module(again):
            return msgspec.structs.replace(again, from_folder=True)
        self._from_folder.discard(check.command)
        return results

    def _recall(self, path: str, check: Check) -> TestResults | None:
        known = _read(path)
        if known is not None and known.from_folder:
            self._from_folder.add(check.command)
        return known

    def settle_base(self, check: Check) -> TestResults:
        """Return the base again, with what was red in it while the agent worked beside it run by itself; kept, too."""
        path = self._path(check, "-settled")
        known = self._recall(path, check)
        if known is not None:
            return known
        results = self.run_base(check)
        if not results.failed or results.problem is not None:
            return results
        settled = settle_flaky(results, [again := self.run("base_again", self._base, check, results.failed)])
        if again.problem is None:
            _keep(path, settled)
        return settled

    def run(self, name: str, tree: Tree, check: Check, tests: Sequence[str] = ()) -> TestResults:
        """Return how a check ends on a tree; with `tests`, only these are wanted."""
        self._say(name, check.command)
        copy = make_copy(tree, self._scratch, self._settings.rules, self._left_out, self._base)
        if copy.problem:
            return TestResults(problem=ReportProblem("could_not_start", copy.problem))
        try:
            return self._run_in(copy, tree, check, tests, goes_on=name == PLANTED)
        finally:
            remove_copy(copy)

    def run_command(self, tree: Tree, command: str, data: bytes = b"", alone: bool = False) -> bytes:
        """Return what a command, given data on its input, wrote to the file that is its last word; b'' without one.

        `alone`: it may reach nobody else, whatever the person said about the network.
        """
        copy = make_copy(tree, self._scratch, self._settings.rules, self._left_out, self._base)
        if copy.problem:
            return b""
        given, written = (os.path.join(copy.reports, f"{token_hex(8)}.json") for _ in range(2))
        files.write_atomic(given, data, sync=False)
        line = f"{command} {quote(written)} < {quote(given)}"
        if self._settings.prepare:
            line = _after_preparing(self._settings.prepare, os.path.join(copy.reports, ".not-prepared"), "", line)
        try:
            run_in_copy(copy, line, "", {}, _COMMAND_S, not alone and self._settings.network, self._stop)
            return files.read_bytes(written) or b""
        finally:
            remove_copy(copy)

    def _run_in(self, copy: Copy, tree: Tree, check: Check, tests: Sequence[str], goes_on: bool = False) -> TestResults:
        settings, inside = self._settings, os.path.relpath(copy.root, copy.top)
        place = os.path.join(copy.folder, inside, check.folder)
        judges = [os.path.normpath(os.path.join(inside, path)) for path in tree.paths() if is_watched(path)]
        environ = dict(settings.environ)
        if check.command in self._from_folder:
            path = [os.path.join(copy.root, check.folder), *filter(None, [environ.get("PYTHONPATH")])]
            environ["PYTHONPATH"] = os.pathsep.join(path)
        told = instrument(check.text, place, copy.reports, list(tests) or None, environ, goes_on)
        mark = os.path.join(copy.reports, ".not-prepared")
        line, folder = told.command, check.folder
        if settings.prepare:
            line, folder = _after_preparing(settings.prepare, mark, check.folder, told.command), ""
        ended = run_in_copy(
            copy, line, folder, told.env, settings.seconds, settings.network, self._stop, watched=judges
        )
        failed = os.fsdecode(files.read_bytes(mark) or b"")
        problem = ReportProblem("stopped", ended.problem) if ended.problem else None
        if failed and not problem:
            problem = ReportProblem("not_prepared", f"`{failed}`: {_last_line(ended.output)}")
        if problem:
            return TestResults(problem=problem, output_tail=redact_end(ended.output, 2000))
        results = read_results(told, ended.exit_code, ended.output)
        return msgspec.structs.replace(results, written=list(ended.written))

    def _path(self, check: Check, kind: str = "") -> str:
        """Return where results of the base are kept: by what they depend on; of the environment what finds programs."""
        settings = self._settings
        shown = [settings.environ.get(name, "") for name in ("PATH", "VIRTUAL_ENV", "PYTHONPATH", "NODE_PATH")]
        facts = [_FORMAT, self._base.root, self._base.tree_id, check.command, str(settings.network), *shown]
        needs = [str(list(said)) for said in (settings.prepare, *settings.rules)]
        key = sha256("\0".join([*facts, *needs]).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        return os.path.join(self._kept, f"{key}{kind}.json")


def _after_preparing(prepare: Sequence[str], mark: str, folder: str, command: str) -> str:
    """Return a line for the shell that runs a check after what makes its copy ready; `mark` names what failed."""
    steps = [f"(\n{step}\n) || {{ printf %s {quote(step)} > {quote(mark)}; exit 1; }}" for step in prepare]
    return "\n".join([*steps, f"cd {quote('./' + folder)} || exit", command])


def _last_line(output: str) -> str:
    lines = output.strip().splitlines()
    return redact_start(lines[-1].strip(), 300) if lines else ""


def _keep(path: str, results: TestResults) -> None:
    """Keep the results of a base, and no longer those that are older than the snapshots of their tree."""
    files.write_atomic(path, msgspec.json.encode(results), sync=False)
    oldest = time.time() - DAYS * 86400
    with os.scandir(os.path.dirname(path)) as entries:
        old = [entry.path for entry in entries if entry.stat().st_mtime < oldest]
    for one in old:
        files.remove_if_there(one)


def _read(path: str) -> TestResults | None:
    data = files.read_bytes(path)
    try:
        return decode(data, TestResults) if data else None
    except BadJson:
        return None
