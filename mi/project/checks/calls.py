"""Whether a call of a check's program runs the check: options that only look, and words that bend it, are seen here."""

import re
from itertools import pairwise

_LOOKING = frozenset(
    "--version -V --help -h help --collect-only --co --no-run --dry-run --list --listTests --fixtures --markers"
    " --print-config --showConfig --show-config --init --setup-plan --setup-only --cache-show --list-tests"
    " --exit-zero --list-sessions --listenvs --show-only".split()
)
# What makes a program look only, leave everything out, go by other settings, or call a failure a success.
_BENT: dict[str, str] = {
    "make": r"-[A-Za-z]*[nqtikfCI].*|--(?:just-print|recon|question|touch|ignore-errors|keep-going|file|makefile"
    r"|directory|eval|include-dir)\b.*"
    r"|(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)=.*|\w+=(?:true|:|echo|/bin/true|/usr/bin/true|printf)?(?: .*)?",
    "script": r"-C|--dir\b.*|--cwd\b.*|--passWithNoTests|--if-present|--script-shell\b.*",
    "pytest": r"-c|-c\S+|--config-file\b.*|-o|--override-ini\b.*|--confcutdir\b.*|--rootdir\b.*|--noconftest",
    "jest": r"--rootDir\b.*|--passWithNoTests|--testRunner\b.*",
    "vitest": r"-r|--root\b.*|--dir\b.*|--passWithNoTests|list|bench|init",
    "tsc": r"--noCheck|--listFilesOnly",
    "eslint": r"-c|--config\b.*|--no-eslintrc|--no-config-lookup",
    "tox": r"--notest|-n|-l|-a|-c|--conf\b.*|devenv|list|config",
    "nox": r"-l|-f|--noxfile\b.*|--install-only",
    "ruff": r"-e|--config\b.*|--isolated",
    "go": r"-c|-n|-list\b.*|-exec\b.*|-toolexec\b.*|-overlay\b.*",
    "cargo": r"--config\b.*",
    "mvn": r"-D(?:skip\w*|maven\.test\.skip|maven\.test\.failure\.ignore|surefire\.skip\w*|testFailureIgnore)\b.*"
    r"|-fn|--fail-never|-f|--file\b.*|-v",
    "gradle": r"-m|-x|--exclude-task\b.*|-b|--build-file\b.*|-I|--init-script\b.*|-D?P?skipTests\b.*",
    "rspec": r"--failure-exit-code\b.*|--no-fail-on-\w+",
    "dotnet": r"-t",
    "ctest": r"-N|--no-tests=ignore",
}
_BENT["bun"] = _BENT["script"]
# Set before a command, these change what a runner does without a word on its line.
_ENVIRONMENT = re.compile(
    r"(?:PYTEST_ADDOPTS|PYTEST_PLUGINS|PYTHONHOME|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|BASH_ENV|ENV|LD_PRELOAD|GOFLAGS"
    r"|CARGO_TARGET_\w+_RUNNER|CARGO_BUILD_\w+|MAVEN_ARGS|MAVEN_OPTS|JAVA_TOOL_OPTIONS|GRADLE_OPTS|SPEC_OPTS|RUBYOPT"
    r"|TOX_CONFIG_FILE|npm_config_\w+|NODE_PATH|PERL5OPT|PHPRC)\+?=.*",
    re.DOTALL,
)
_NODE_OPTIONS = re.compile(r"NODE_OPTIONS\+?=.*(?:--require|-r|--import|--loader|--experimental-loader)\b.*", re.DOTALL)


def bends_by_environment(settings: tuple[str, ...]) -> bool:
    """Whether one of these `NAME=value` is a variable that a runner obeys."""
    return any(_ENVIRONMENT.fullmatch(one) or _NODE_OPTIONS.fullmatch(one) for one in settings)


def runs_it(form: tuple[str, ...]) -> bool:
    """Whether a call, in its plain form, runs the check as defined; a part of the tests is still a run of them."""
    program, words = form[0], form[1:]
    if _LOOKING.intersection(words):
        return False
    if program == "pytest":
        plugins = [name for flag, name in pairwise(words) if flag == "-p" and name[:3] != "no:"]
        if plugins or any(re.fullmatch(r"-p(?!no:).+", word) for word in words):
            return False
    pattern = re.compile(_BENT.get(program, r"(?!)"))
    return not any(pattern.fullmatch(word) for word in words)
