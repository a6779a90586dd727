"""Every runner of checks, declared once; the order is that in which a project's checks are named."""

from mi.project.checks.runners import compiled, node, python, recipes, scripted

RUNNERS = (*python.RUNNERS, *node.RUNNERS, *recipes.RUNNERS, *compiled.RUNNERS, *scripted.RUNNERS)
BY_NAME = {runner.name: runner for runner in RUNNERS}
COMMON_NAMES = {name: runner.name for runner in RUNNERS for name in runner.also}
