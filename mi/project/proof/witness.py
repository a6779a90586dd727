"""MI as the witness of a change: the project's own checks as they were, run on copies of the trees before and after."""

import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec
from msgspec import Struct

from mi.kernel import files, locks
from mi.kernel.errors import MiError
from mi.kernel.home import make_dirs
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.project.checks.judges import notices_tests
from mi.project.checks.own import read_own
from mi.project.checks.runner import Check
from mi.project.left_out import LeftOut
from mi.project.proof.base_checks import BaseChecks, read_base_checks
from mi.project.proof.check_runs import CopiedRuns, RunSettings
from mi.project.proof.copies import Scratch, close_scratch, open_scratch
from mi.project.proof.dependencies import (
    DependencyListing,
    compare_dependencies,
    find_beside,
    leave_asked,
    list_dependencies,
)
from mi.project.proof.proving import ProofCase, ProofResult, prove
from mi.project.proof.same_results import find_changed_results
from mi.project.proof.sandbox import StopSource
from mi.project.proof.too_new import find_too_new
from mi.project.proof.uses import find_unmet
from mi.project.trees import GitTree, Tree

_LONGEST_TURN_S = 3600.0  # that a base run waits for another of this machine


class WitnessPlace(NamedTuple):
    """Where a proof keeps what it makes, and what it may run."""

    kept: str  # a folder for the results of bases
    lock: str  # a file that lets one base run at a time
    trusted: frozenset[str]  # commands
    settings: RunSettings
    own_file: str = ""  # of the home: what the person set as this project's checks


class InstalledBefore(Struct, frozen=True):
    """What was installed beside a tree when its run began, and the further paths that were looked at."""

    listing: DependencyListing
    watched: list[str] = []


class Testimony(Struct, frozen=True, kw_only=True):
    """What was seen; with a `problem` nothing was, and it is the key of a message that says why."""

    proof: ProofResult | None = None
    notices_tests: list[str] = []  # places of the change that behave differently under test
    too_new: list[str] = []  # places that the oldest Python of the manifest cannot run
    installed: list[str] = []  # what changed in folders of dependencies since the base was taken
    problem: str = ""
    commands: list[str] = []  # that the problem is about
    seconds: float = 0.0


class Witness:
    """Proves what a change did to one base tree."""

    def __init__(
        self,
        base: GitTree,
        place: WitnessPlace,
        left_out: Sequence[LeftOut] = (),
        say: Callable[[str, str], None] = lambda name, command: None,
        stop: StopSource | None = None,
    ) -> None:
        self._base = base
        self._place = place
        self._left_out = left_out
        self._say = say
        self._stop = stop
        self._scratch: Scratch | None = None
        self._read: BaseChecks | None = None
        self._installed: DependencyListing | None = None
        self._watched: Sequence[str] = ()  # further paths beside the sources that a copy takes

    def note_installed(self, path: str = "") -> None:
        """Remember what is installed beside the tree now, so that a change of it is seen.

        `path` is a file in which this outlives the process: of a resumed run the first listing counts.
        """
        known = _read_installed(path)
        own = read_own(self._base.root, self._place.own_file, Notices())
        self._watched = known.watched if known else [*own.link, *own.copy]
        self._installed = known.listing if known else self._list_installed(self._base)
        if path and known is None:
            files.write_atomic(path, msgspec.json.encode(InstalledBefore(self._installed, list(self._watched))))

    def run_base(self, changed: Sequence[str]) -> None:
        """Run the checks that cover a change on the base, so that their results are there when they are needed.

        What fails here is said when the proof is wanted.
        """
        try:
            base = self._read_base()
            checks = base.needed(changed, self._place.trusted)
            if self._untrusted(base, checks):
                return
            runs = self._open_runs(base)
            for check in checks:
                if not (self._stop and self._stop.reason):
                    runs.run_base(check)
        except (OSError, MiError):
            return

    def testify(self, task: str, final: GitTree, names: Sequence[str] = ()) -> Testimony:
        """Return what the checks show about a tree, and what else speaks for or against it.

        `names` are those of what the task asks to add and others call.
        """
        try:
            return self._testify(task, final, names)
        except OSError as error:
            return Testimony(problem="proof.no-room", commands=[error.strerror or str(error)])

    def _testify(self, task: str, final: GitTree, names: Sequence[str]) -> Testimony:
        started = time.monotonic()
        base = self._read_base()
        checks = base.needed(final.changed_since(self._base), self._place.trusted)
        if not checks:
            return Testimony(problem="proof.no-checks")
        if untrusted := self._untrusted(base, checks):
            return Testimony(problem="proof.untrusted-now", commands=untrusted)
        runs = self._open_runs(base)
        proof = prove(ProofCase(task, self._base, final, checks), _SettledBase(runs))
        unmet = find_unmet(task, names, self._base, final, checks[0].text, runs)
        unmet += find_changed_results(task, self._base, final, checks[0].text, runs)
        if unmet:
            proof = msgspec.structs.replace(proof, proved=False, unmet=unmet)
        now = self._list_installed(final) if self._installed is not None else {}
        installed = compare_dependencies(self._installed, now) if self._installed is not None else []
        return Testimony(
            proof=proof,
            notices_tests=[str(one) for one in notices_tests(self._base, final, task)],
            too_new=find_too_new(self._base, final),
            installed=leave_asked(installed, task, self._base, final),
            seconds=round(time.monotonic() - started, 3),
        )

    def _read_base(self) -> BaseChecks:
        """Return the checks as the base has them."""
        if self._read is None:
            self._read = read_base_checks(self._base, self._open_scratch(), self._place.own_file)
        return self._read

    def _untrusted(self, base: BaseChecks, checks: Sequence[Check]) -> list[str]:
        """Return the commands that would be run and that the person has not trusted."""
        wanted = [*base.prepare, *(check.command for check in checks)]
        return [command for command in wanted if command not in self._place.trusted]

    def close(self) -> None:
        """Remove the copies."""
        if self._scratch is not None:
            close_scratch(self._scratch)
            self._scratch = self._read = None

    def _open_runs(self, base: BaseChecks) -> CopiedRuns:
        place = self._place
        return CopiedRuns(
            self._base,
            self._open_scratch(),
            place.kept,
            place.settings._replace(prepare=base.prepare, rules=base.rules),
            self._left_out,
            self._take_turn,
            self._say,
            self._stop,
        )

    def _open_scratch(self) -> Scratch:
        if self._scratch is None:
            self._scratch = open_scratch(_own_folder())
        return self._scratch

    @contextmanager
    def _take_turn(self) -> Iterator[None]:
        make_dirs(os.path.dirname(self._place.lock))
        fd = os.open(self._place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            locks.acquire(fd, self._place.lock, _LONGEST_TURN_S)
            yield
        finally:
            os.close(fd)

    def _list_installed(self, tree: Tree) -> DependencyListing:
        root = self._base.root
        return list_dependencies(root, [*find_beside(root, tree).dependencies, *self._watched])


def _read_installed(path: str) -> InstalledBefore | None:
    data = files.read_bytes(path) if path else None
    try:
        return decode(data, InstalledBefore) if data else None
    except BadJson:
        return None


def _own_folder() -> str:
    """Return a folder for scratch copies that nobody else can write to."""
    path = os.path.join(tempfile.gettempdir(), f"mi-proofs-{os.getuid()}")
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        status = os.lstat(path)
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o077:
            return tempfile.mkdtemp(prefix="mi-proofs-")
    return path


class _SettledBase:
    """Runs as they are asked for, but what was red at the base while an agent worked beside it is run again."""

    def __init__(self, runs: CopiedRuns) -> None:
        self.run = runs.run
        self.run_base = runs.settle_base
