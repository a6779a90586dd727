"""Deployment in a project: what a machine can check is checked, what the human said is kept with the commit."""

import http.client
import itertools
import os
import re
import shlex
import subprocess
import time
from collections.abc import Iterator, Mapping
from typing import get_args

from mi.evidence.reader import read_back
from mi.evidence.records.governed import CheckItem, Deploy
from mi.governance.deployment import HUMAN_ITEMS, ChecklistItem, TestResult, build_checklist, check_after, open_items
from mi.kernel import git
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices
from mi.project.checks.recognition import detect

_TESTS_S = 1800.0
_SMOKE_S = 30.0
_HEALTH_S = 15.0
_LOOKED_AT = 5_000  # events, newest first
_SKIPPED = re.compile(r"\b[1-9]\d* (?:tests? )?skipped\b|\bskipped=[1-9]|\bskipped: [1-9]|# skip(?:ped)? [1-9]", re.I)
_NO_TESTS = re.compile(r"\bno tests ran\b|\bRan 0 tests\b|\bno tests? found\b|\bcollected 0 items\b", re.I)
_LOG_ERROR = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|PANIC)\b|^Traceback |\bpanic:|\bunhandled exception\b", re.I | re.M)
_LOG_BYTES = 1 << 20


class Checked(NamedTuple):
    """A checklist at a commit, and what is still open."""

    items: list[ChecklistItem]
    commit: str

    @property
    def open(self) -> list[str]:
        return open_items(self.items)

    def record(self, step: str) -> Deploy:
        shown = [CheckItem(item=item.name, done=item.done, detail=item.detail) for item in self.items]
        outcome = "open: " + ", ".join(self.open) if self.open else "complete"
        return Deploy(step=step, outcome=outcome, commit=self.commit, checklist=shown)


def check(root: str, log: str, said: Mapping[str, str], tests_command: str, notices: Notices) -> Checked:
    """Return the six items now: tests are run, git is asked, what the human said at this commit before still holds."""
    commit, uncommitted = _look_at_git(root)
    before = next((one for one in _list_checks(log, notices) if commit and one.commit == commit), None)
    given = _list_said(before) | {name: text for name, text in said.items() if text}
    return Checked(build_checklist(run_tests(root, tests_command), uncommitted, given), commit)


def look(root: str, log: str, notices: Notices) -> Checked:
    """Return the six items as they stand, running nothing: tests as the latest check of this very state saw them."""
    commit, uncommitted = _look_at_git(root)
    before = next((one for one in _list_checks(log, notices) if commit and one.commit == commit), None)
    states = {item.item: item for item in before.checklist} if before else {}
    is_same = uncommitted == 0 and "clean" in states and states["clean"].done
    tests = states["tests"].detail if is_same and "tests" in states else "unknown"
    known: tuple[TestResult, ...] = get_args(TestResult)
    seen: TestResult = next((one for one in known if one == tests), "unknown")
    return Checked(build_checklist(seen, uncommitted, _list_said(before)), commit)


def _look_at_git(root: str) -> tuple[str, int | None]:
    """Return the commit, and how many files differ from it; None where git cannot tell."""
    commit = git.run(root, "rev-parse", "--verify", "-q", "HEAD").output.strip()
    status = git.run(root, "status", "--porcelain=v1", "--untracked-files=normal")
    return commit, len(status.output.splitlines()) if status.code == 0 else None


def _list_checks(log: str, notices: Notices) -> Iterator[Deploy]:
    """Yield the checklists that were gone through, the latest first."""
    for event in itertools.islice(read_back(log, notices), _LOOKED_AT):
        record = event.record() if event.head.kind == "deploy" else None
        if isinstance(record, Deploy) and record.step == "check":
            yield record


def _list_said(check: Deploy | None) -> dict[str, str]:
    """Return what the human said in a check."""
    items = check.checklist if check else []
    return {item.item: item.detail for item in items if item.done and item.item in HUMAN_ITEMS}


def find_rollback_plan(log: str, notices: Notices) -> str:
    """Return what the latest checklist says to run when the deployment fails; '' when none was written."""
    latest = next(_list_checks(log, notices), None)
    return _list_said(latest).get("rollback", "")


def run_tests(root: str, command: str) -> TestResult:
    """Run the project's tests; a command that runs none, or skips some, has not passed."""
    tests = [one.text for one in detect(root) if one.kind == "test" and not one.folder]
    command = command or (tests[0] if tests else "")
    if not command:
        return "unknown"
    code, output = _run(command, root, _TESTS_S)
    if code is None or (code == 0 and _NO_TESTS.search(output)):
        return "unknown"
    return "failed" if code else "skipped" if _SKIPPED.search(output) else "passed"


def _run(command: str, root: str, timeout_s: float) -> tuple[int | None, str]:
    try:
        done = subprocess.run(
            shlex.split(command) or [""],  # blanks alone are no command
            cwd=root,
            capture_output=True,
            timeout=timeout_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None, ""
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


class DeploymentHealth(NamedTuple):
    """What to look at after a deployment."""

    url: str = ""
    expected: int = 200
    smoke: str = ""
    log: str = ""


class DeploymentObservation(NamedTuple):
    """What was seen after a deployment, and how long looking took."""

    items: list[ChecklistItem]
    seconds: float

    @property
    def open(self) -> list[str]:
        return open_items(self.items)


def look_after(root: str, wanted: DeploymentHealth) -> DeploymentObservation:
    """Return the health endpoint, the smoke test and the log, each within its time."""
    began = time.monotonic()
    status = fetch_http_status(wanted.url) if wanted.url else None
    code = _run(wanted.smoke, root, _SMOKE_S)[0] if wanted.smoke else None
    smoke = None if code is None else code == 0
    errors = log_errors(os.path.join(root, wanted.log)) if wanted.log else None
    return DeploymentObservation(check_after(status, wanted.expected, smoke, errors), time.monotonic() - began)


def fetch_http_status(url: str) -> int | None:
    """Return the status code of a GET; None when there was no answer."""
    import urllib.error
    import urllib.request

    if not url.startswith(("http://", "https://")):
        return None
    try:
        with urllib.request.urlopen(url, timeout=_HEALTH_S) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        with error:
            return int(error.code)
    except (OSError, ValueError, http.client.HTTPException):
        return None


def log_errors(path: str) -> int | None:
    """Return how many lines of a log's end speak of an error; None when it cannot be read."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.path.getsize(path) - _LOG_BYTES))
            text = file.read(_LOG_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    return sum(1 for line in text.splitlines() if _LOG_ERROR.search(line))
