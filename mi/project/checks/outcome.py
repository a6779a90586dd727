"""What a check's own output says against its exit code: to many runners, a run of no tests at all is a success."""

import re

from mi.project.checks.runners import RUNNERS

_NOTHING = re.compile("|".join(one.nothing for one in RUNNERS if one.nothing), re.IGNORECASE | re.MULTILINE)
_SOMETHING = re.compile("|".join(one.something for one in RUNNERS if one.something), re.IGNORECASE | re.MULTILINE)
_MODULES = "|".join(runner.name for runner in RUNNERS if runner.is_module)
_NOT_THERE = re.compile(rf": No module named '?(?:{_MODULES})'?$", re.MULTILINE)
# How make, just and task say that a program of a recipe is not there.
_NOT_THERE_INSIDE = re.compile(r"^g?make\b.*\*\*\* .*\bError 127$|\bexit (?:code|status):? 127$", re.MULTILINE)

# How runners count what failed, at the end of their output.
_RED = re.compile(
    r"\b(\d+) (?:failed|failures?|failing|errors?)\b|\b(?:failures|errors|failed|# fail)[=: ]+(\d+)", re.IGNORECASE
)


def count_red(output: str) -> int:
    """Return how many tests a check's output says failed; 0 where it does not say."""
    last = output[-4000:].splitlines()[-12:]
    counted = [int(first or second) for line in last for first, second in _RED.findall(line)]
    return max(counted, default=0)


def ran_nothing(output: str) -> bool:
    """Return whether the output says that there was nothing to run, and nothing else in it says that something ran."""
    return bool(_NOTHING.search(output)) and not _SOMETHING.search(output)


def could_not_start(exit_code: int | None, output: str) -> bool:
    """Return whether a program was missing: that shows nothing about the work."""
    if exit_code in (0, None):
        return False
    is_said = _NOT_THERE.search(output[:1000]) or _NOT_THERE_INSIDE.search(output[-1000:])
    return exit_code in (126, 127) or bool(is_said)
