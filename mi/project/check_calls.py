"""Whether a call of a check's program runs the check: options that only look, and words that bend it, are seen here."""

import re
from itertools import pairwise

_LOOKING = frozenset(
    "--version -V --help -h help --collect-only --co --no-run --dry-run --list --listTests --fixtures --markers".split()
)
_MAKE = re.compile(
    r"-[A-Za-z]*[nqtikfCI].*|--(?:just-print|recon|question|touch|ignore-errors|keep-going|file|makefile|directory"
    r"|eval|include-dir)\b.*"
    r"|(?:SHELL|\.SHELLFLAGS|MAKEFLAGS|MAKE)=.*|\w+=(?:true|:|echo|/bin/true|/usr/bin/true|printf)?(?: .*)?"
)
_PYTEST = re.compile(r"-c|-c\S+|--config-file\b.*|-o|--override-ini\b.*|--confcutdir\b.*|--rootdir\b.*|--noconftest")
_SCRIPTS = re.compile(r"--prefix\b.*|-C|--dir\b.*|--cwd\b.*|--passWithNoTests|--if-present|--script-shell\b.*")
# Set before a command, these change what a runner does without a word on its line.
_ENVIRONMENT = re.compile(
    r"\b(?:PYTEST_ADDOPTS|PYTEST_PLUGINS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|NODE_OPTIONS|BASH_ENV)="
)


def bends_by_environment(text: str) -> bool:
    """Whether a shell text sets a variable that a runner obeys."""
    return bool(_ENVIRONMENT.search(text))


def runs_it(argv: tuple[str, ...]) -> bool:
    """Whether a call runs the check as the project defines it; a part of the tests is still a run of them."""
    program, words = argv[0].rpartition("/")[2], argv[1:]
    if _LOOKING.intersection(argv):
        return False
    if program == "make":
        return not any(_MAKE.fullmatch(word) for word in words)
    if program in ("npm", "pnpm", "yarn", "bun", "npx"):
        return not any(_SCRIPTS.fullmatch(word) for word in words)
    if program == "pytest" or words[:2] == ("-m", "pytest"):
        plugins = [name for flag, name in pairwise(words) if flag == "-p" and name[:3] != "no:"]
        return not plugins and not any(_PYTEST.fullmatch(word) for word in words)
    return True
