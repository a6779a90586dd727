"""Looking whether all is well, beside the page: it reads whole logs and starts programs, which takes a while."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from mi.app.home_context import HomeContext
from mi.app.merge_repair import find_merge_damage
from mi.contract.diagnostics import violations
from mi.evidence.damage import Damage, find_damage
from mi.evidence.records.governed import Violation
from mi.kernel import clock
from mi.kernel.home import Home
from mi.kernel.jsontext import BadJson, decode
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.view import PageRequest

ABOUT = "health"
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


def find_examination(request: PageRequest, root: str) -> tuple[Examination | None, bool]:
    """Return the latest look at a project and whether another one goes on; what is old is looked at again."""
    deed = request.work.find(ABOUT, root)
    if deed is None or (deed.is_over and time.time() - deed.began > _FRESH_S):
        begin_examination(request, root)
        deed = request.work.find(ABOUT, root)
    found = deed.result if deed else None
    known = found if isinstance(found, Examination) else None
    if deed and deed.failed:
        known = (known or Examination(clock.now(), [], [], []))._replace(failed=deed.failed)
    return known, deed is not None and not deed.is_over


def begin_examination(request: PageRequest, root: str, mends: Sequence[Mendable] = ()) -> bool:
    """Begin to look, or to mend what the person saw and then look; False where a look goes on already."""
    home, language, known = request.context.home, request.language, request.work.find(ABOUT, root)
    wanted = {one.text for one in mends}

    def examine() -> Examination:
        return _examine(home, root, language, wanted)

    return request.work.begin(ABOUT, root, language, examine, may_be_left=True, known=known.result if known else None)


def _examine(home: Home, root: str, language: str, mends: set[str]) -> Examination:
    """Return what is found once the damage was mended whose words are given."""
    context = HomeContext(home, root or None)
    context.by = "page"
    try:
        for one in _list_damage(context) if mends else ():
            if one.mend and _tell(one, language) in mends:
                one.mend()
        damage = [Mendable(_tell(one, language), one.mend is not None) for one in _list_damage(context)]
        findings, failed = _ask_doctor(home, root)
        return Examination(clock.now(), findings, damage, _list_violations(context), failed)
    finally:
        context.close()


def _tell(damage: Damage, language: str) -> str:
    return text(f"repair.{damage.key}", language, path=damage.path, **damage.details)


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
