"""What the files that define a project's checks promise to run: make targets, scripts, settings of test runners."""

import os
import re

from mi.kernel.shell.outcome import decisive_commands
from mi.project.checks.runners import RUNNERS

_RUNNER = re.compile("|".join(f"^(?:{runner.in_recipe})" for runner in RUNNERS if runner.in_recipe))

_CONFIGURING = re.compile(
    rf"(?:^|/)(?:{'|'.join(runner.configured_by for runner in RUNNERS if runner.configured_by)})$"
)
RUNNER_MODULES = frozenset(module for runner in RUNNERS for module in runner.shadowed_by)


def configures_runner(path: str) -> bool:
    """Return whether a file tells a runner how to run."""
    return bool(_CONFIGURING.search(path))


def promises(path: str, text: str) -> dict[str, str]:
    """Return what each check that a file defines runs, or what a runner's setting is, by a name for people."""
    file = os.path.basename(path)
    found: dict[str, str] = {}
    for runner in RUNNERS:
        if runner.promises and file in runner.defined_in:
            found |= runner.promises(file, text)
    return found


def runners(recipe: str) -> list[str]:
    """Return the commands of a recipe that are known to run tests or lints, with their words, if failures count."""
    return [command for command in commands(recipe) if _RUNNER.search(command)]


def commands(recipe: str) -> list[str]:
    """Return the commands of a recipe whose failure makes it fail."""
    lines = [line.strip() for line in recipe.splitlines()]
    found = [one for line in lines if not line.startswith("-") for one in decisive_commands(line.lstrip("@+"))]
    return [" ".join(one.argv) for one in found]
