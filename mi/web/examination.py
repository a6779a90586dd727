"""Looking whether all is well, beside the page: it reads whole logs and starts programs, which takes a while."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.app.merge_repair import find_merge_damage
from mi.contract.diagnostics import violations
from mi.evidence.damage import Damage, find_damage
from mi.evidence.records.governed import Violation
from mi.kernel import clock
from mi.kernel.errors import MiError, from_os_error
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

_FRESH_S = 60.0  # after this it is looked again, when somebody looks at the page
_DOCTOR_S = 60.0
_MOST_VIOLATIONS = 50


class HealthFinding(NamedTuple):
    """One thing that doctor says."""

    area: str
    level: str
    text: str
    fix: str


class Mendable(NamedTuple):
    """One thing that is broken, in words, and whether `mi repair` mends it."""

    text: str
    mends: bool


class SeenViolation(NamedTuple):
    """What an agent did that it may not, and in which project."""

    project_id: str
    violation: Violation


class Examination(NamedTuple):
    """What was found, and when."""

    ts: str
    findings: list[HealthFinding]
    damage: list[Mendable]
    violations: list[SeenViolation]
    failed: str = ""  # why doctor itself could not look


class Examiner:
    """Keeps the latest look at each home and project; one at a time is made of each."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Examination] = {}
        self._going: dict[tuple[str, str], threading.Thread] = {}

    def find(self, home: Home, root: str, language: str) -> tuple[Examination | None, bool]:
        """Return the latest look and whether another one goes on; what is old is looked at again."""
        with self._lock:
            known = self._known.get((home.root, root))
            is_fresh = known is not None and clock.parse(clock.now()) - clock.parse(known.ts) < _FRESH_S
        if not is_fresh:
            self.begin(home, root, language)
        return known, (home.root, root) in self._going

    def begin(self, home: Home, root: str, language: str, *, mends: bool = False) -> threading.Thread:
        """Begin to look, or to mend what can be mended and then look; the same one if it goes on already."""
        key = (home.root, root)
        with self._lock:
            going = self._going.get(key)
            if going is not None and not mends:
                return going
            thread = threading.Thread(target=self._work, args=(key, language, mends, going), daemon=True)
            self._going[key] = thread
        thread.start()
        return thread

    def _work(self, key: tuple[str, str], language: str, mends: bool, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        try:
            made = _examine(Home(key[0]), key[1], language, mends)
        except (MiError, OSError) as error:
            line = (error if isinstance(error, MiError) else from_os_error(error)).line(language)
            made = Examination(clock.now(), [], [], [], line)
        with self._lock:
            self._known[key] = made
            if self._going.get(key) is threading.current_thread():
                del self._going[key]


EXAMINER = Examiner()


def _examine(home: Home, root: str, language: str, mends: bool) -> Examination:
    context = HomeContext(home, root or None)
    try:
        if mends:
            for one in _list_damage(context):
                if one.mend:
                    one.mend()
        damage = [
            Mendable(text(f"repair.{one.key}", language, path=one.path, **one.details), one.mend is not None)
            for one in _list_damage(context)
        ]
        findings, failed = _ask_doctor(home, root)
        return Examination(clock.now(), findings, damage, _list_violations(context), failed)
    finally:
        context.close()


def _list_damage(context: HomeContext) -> list[Damage]:
    return [*find_damage(context.home), *find_merge_damage(context)]


def _ask_doctor(home: Home, root: str) -> tuple[list[HealthFinding], str]:
    """Return what the command finds, which knows the rooms above this one too; or why it could not."""
    where = ["-C", root] if root else []
    words = [sys.executable, "-m", "mi", "--home", home.root, *where, "doctor", "--json"]
    try:
        done = subprocess.run(words, capture_output=True, timeout=_DOCTOR_S, stdin=subprocess.DEVNULL, check=False)
        told = decode(done.stdout, dict)["findings"]
    except BadJson as error:
        return [], done.stderr.decode("utf-8", "replace").strip() or str(error)
    except (subprocess.TimeoutExpired, KeyError, OSError) as error:
        return [], str(error)
    return [HealthFinding(one["area"], one["level"], one["text"], one["fix"]) for one in told], ""


def _list_violations(context: HomeContext) -> list[SeenViolation]:
    """Return the latest of all projects, the newest first."""
    found = [
        SeenViolation(project_id, one)
        for project_id, log in _list_logs(context.home)
        for one in violations(log, _MOST_VIOLATIONS, context.notices)
    ]
    return sorted(found, key=lambda one: one.violation.ts, reverse=True)[:_MOST_VIOLATIONS]


def _list_logs(home: Home) -> Iterator[tuple[str, str]]:
    logs = [("", home.evidence), *((one, home.project(one).evidence) for one in home.project_ids())]
    yield from ((project_id, log) for project_id, log in logs if os.path.exists(log))
