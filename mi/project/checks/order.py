"""The order in which the checks of a project are asked for: first what its people would type."""

import os

from mi.project.checks.forms import plain_forms
from mi.project.checks.runner import Argv, Check, Runner
from mi.project.checks.runners import BY_NAME

OWN = "mi checks"  # the source of what the person set
SHARED = ".mi/checks.toml"
GUIDES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", "CONTRIBUTING.rst", "CONTRIBUTING")
_BY_LOCK_FILE = frozenset("uv poetry pdm pipenv hatch rye pixi".split())  # run a program in a project's environment
_RANKS = ("person", "guide", "CI", "recipe", "manifest", "runner")


def rank(check: Check) -> int:
    """Return how near a check is to what the project's people would type; 0 is the person's own word."""
    if check.source in (OWN, SHARED):
        return 0
    if os.path.basename(check.source) in GUIDES:
        return 1
    if ".github/workflows/" in check.source or check.source.endswith(".gitlab-ci.yml"):
        return 2
    runner = _runner(check)
    if runner and runner.by_recipe:
        return 4 if runner.name in ("script", "bun") else 3
    return 4 if check.argv[0] in _BY_LOCK_FILE else 5


def origin(check: Check) -> str:
    """Return who names a check, in one word for people."""
    return _RANKS[rank(check)]


def is_declared(check: Check) -> bool:
    """Return whether the project's people wrote the check down; else it is only what the files suggest."""
    runner = _runner(check)
    return rank(check) < 4 or runner is None or not runner.language or is_recipe(check)


def is_recipe(check: Check) -> bool:
    """Return whether what a check runs stands in a file of its folder."""
    runner = _runner(check)
    return runner is not None and runner.by_recipe


def plain_words(check: Check) -> Argv:
    """Return the words of a check's call in its plain form."""
    forms = plain_forms(check.argv)
    return forms[0].words if forms else check.argv


def _runner(check: Check) -> Runner | None:
    return BY_NAME.get(plain_words(check)[0])
