"""Noticing that a check itself was changed so that it proves less: its recipe, its runner's settings, its hooks."""

import os
import re
from collections.abc import Callable, Iterator

from mi.autopilot.weakening import ChangedLines, counted
from mi.project.checks.files import (
    MAKEFILES,
    commands,
    configures_runner,
    defines_checks,
    promises,
    runners,
    shadows_runner,
)

Text = Callable[[str], str | None]
# Words that make a test runner leave something out, or call nothing a success.
_NARROWING = re.compile(
    r"(?<![\w-])(?:-k|-m|--deselect|--ignore(?:-glob)?|--collect-only|--co|--lf|--last-failed|--ff|-run|-skip|--skip"
    r"|--testNamePattern|--testPathPatterns?|--testPathIgnorePatterns|-t|--grep|--fgrep|--filter|--exclude"
    r"|--passWithNoTests|--no-run|--maxfail|-p no:\w+|--continue-on-collection-errors|--suppress-no-test-exit-code)"
    r"(?![\w-])"
)
_MODULE_RUN = re.compile(r"\bpython[\d.]* -m ")
_HOOK = re.compile(
    r"\bpytest_(?:collection_modifyitems|ignore_collect|collect_file|pycollect_makeitem|runtest_\w+|pyfunc_call"
    r"|sessionfinish|cmdline_main|report_teststatus|deselected|exception_interact)\b|\bcollect_ignore(?:_glob)?\b"
    r"|\bpytest\.(?:skip|xfail|exit)\(|\bos\._exit\(|\bsys\.exit\(|\bexitstatus\b|\bunittest\.TestCase\.\w+\s*="
    r"|\bload_tests\b"
)
_RUNNER_KEY = re.compile(
    r"\b(?:testPathIgnorePatterns|testMatch|testRegex|passWithNoTests|testNamePattern|exclude|include|grep|spec|bail)\b"
)


def watches(path: str) -> bool:
    """Return whether a file may bend a check, so that its first contents have to be kept."""
    return defines_checks(path) or os.path.basename(path) == "conftest.py" or configures_runner(path)


def weakened_checks(files: list[str], diffs: list[ChangedLines], first: Text, now: Text) -> list[str]:
    """Return the files that make a check prove less than before, each with how: `Makefile: make test runs nothing`."""
    found = [f"{diff.path}: {how}" for diff in diffs for how in _hooked(diff)]
    for path in files:
        if defines_checks(path):
            found += [f"{path}: {how}" for how in _redefined(path, first, now)]
        elif shadows_runner(path) and first(path) is None and now(path) is not None:
            found.append(f"{path}: takes the place of the test runner")
    return found


def _hooked(diff: ChangedLines) -> Iterator[str]:
    if os.path.basename(diff.path) == "conftest.py" and counted(_HOOK, diff.added) > counted(_HOOK, diff.removed):
        yield "hooks into the result of the tests"
    if configures_runner(diff.path) and counted(_RUNNER_KEY, diff.added) > counted(_RUNNER_KEY, diff.removed):
        yield "leaves tests out"


def _redefined(path: str, first: Text, now: Text) -> Iterator[str]:
    before, after = first(path), now(path)
    folder, file = os.path.split(path)
    beside = [os.path.join(folder, other) for other in MAKEFILES]
    if before is None and file in MAKEFILES and any(first(other) is not None for other in beside):
        yield "takes the place of the Makefile that was there"
    known = promises(path, before or "")
    current = promises(path, after or "")
    for name in dict.fromkeys([*known, *current]):
        how = _weaker(name, known.get(name), current.get(name))
        if how:
            yield f"{name} {how}"


def _weaker(name: str, before: str | None, after: str | None) -> str:
    """Return how a check proves less than before; '' when it does not."""
    if before == after:
        return ""
    if name.startswith("pytest ") or name.endswith(" settings"):
        return _narrower_setting(name, before or "", after or "")
    if before is None:
        return ""  # a new check is believed only when it runs a known runner: that is for whoever looks for checks
    if not after or not commands(after):
        return "runs nothing whose failure counts"
    return _other_commands(before, after)


def _other_commands(before: str, after: str) -> str:
    left = commands(after)
    gone = [
        command
        for command in commands(before)
        if not any(new == command or new.startswith(command + " ") for new in left)
    ]
    if gone and len(runners(after)) < max(1, len(runners(before))):
        return "runs something else"
    return "leaves tests out" if _narrowings(after) > _narrowings(before) else ""


def _narrower_setting(name: str, before: str, after: str) -> str:
    if name == "pytest addopts":
        return "leaves tests out" if _narrowings(after) > _narrowings(before) else ""
    if name == "pytest testpaths" and not before:
        return ""  # saying where the tests are is no narrowing while nothing was said
    return "was changed"


def _narrowings(text: str) -> int:
    return len(_NARROWING.findall(_MODULE_RUN.sub("", text)))
