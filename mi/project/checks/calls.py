"""Whether a call of a check's program runs the check: options that only look, and words that bend it, are seen here."""

import re

from mi.project.checks.runner import Argv
from mi.project.checks.runners import BY_NAME, RUNNERS

_LOOKING = frozenset(
    "--version -V --help -h help --collect-only --co --no-run --dry-run --list --listTests --fixtures --markers"
    " --print-config --showConfig --show-config --init --setup-plan --setup-only --cache-show --list-tests"
    " --exit-zero --list-sessions --listenvs --show-only".split()
)
# Set before a command, these change what an interpreter does, whatever it runs.
_INTERPRETERS = "PYTHONHOME|BASH_ENV|ENV|LD_PRELOAD|JAVA_TOOL_OPTIONS|RUBYOPT|NODE_PATH|PERL5OPT|PHPRC"
_OBEYED = "|".join([_INTERPRETERS, *(runner.obeys for runner in RUNNERS if runner.obeys)])
_ENVIRONMENT = re.compile(
    rf"(?:{_OBEYED})\+?=.*|NODE_OPTIONS\+?=.*(?:--require|-r|--import|--loader|--experimental-loader)\b.*", re.DOTALL
)


def bends_by_environment(settings: Argv) -> bool:
    """Return whether one of these `NAME=value` is a variable that a runner obeys."""
    return any(_ENVIRONMENT.fullmatch(setting) for setting in settings)


def runs_it(form: Argv) -> bool:
    """Return whether a call, in its plain form, runs the check as defined.

    A part of the tests is still a run of them.
    """
    runner, words = BY_NAME.get(form[0]), form[1:]
    if _LOOKING.intersection(words):
        return False
    if runner is None:
        return True
    bent = any(re.fullmatch(runner.bent_by, word) for word in words) if runner.bent_by else False
    return not bent and not (runner.bends and runner.bends(words))
