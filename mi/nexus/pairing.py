"""Which tasks need a second pair of eyes: decided by their owner and by what their acceptance promises."""

import re
from typing import Literal

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.nexus.state import Fields, Task, Tasks, is_given
from mi.nexus.targets import find_targets

CHECKERS = ("tester", "reviewer")
DOCS = ("docs_only.coherent", "docs_only.independent")
EXCEPTIONS = (*DOCS, "same_file_bundle", "generated_artifacts")

Checker = Literal["tester", "reviewer"]


class Pair(NamedTuple):
    """A task and the check it is owed."""

    task: Task
    checker: Checker


def find_exceptions(task: Task) -> list[str]:
    """Return the task exceptions that a task's context records."""
    return [name for name in EXCEPTIONS if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.]*\w)", task.context)]


def find_due_check(task: Task, extensions: dict[str, Fields]) -> Checker | None:
    """Return the kind of check that pairing adds to a task; None when it adds none."""
    acceptance = task.acceptance if isinstance(task.acceptance, str) else ""
    if is_docs(task, extensions) or _pure(task):
        return None
    known = patterns()
    is_runtime = compiled(known.runtime_criterion).search(acceptance)
    if task.owner == "engineer" and is_runtime:
        return "tester"
    if task.owner == "writer" and (is_runtime or compiled(known.text_criterion).search(acceptance)):
        return "reviewer"
    return None


def is_docs(task: Task, extensions: dict[str, Fields]) -> bool:
    """Return whether a task only touches documentation: it says so, or all its files are."""
    if any(name in DOCS for name in find_exceptions(task)):
        return True
    targets = find_targets(task, extensions)
    return bool(targets) and all(path.endswith(".md") for path in targets)


def _pure(task: Task) -> bool:
    said = " ".join(text for text in (task.title, task.context, task.approach) if isinstance(text, str))
    known = patterns()
    return bool(compiled(known.refactoring).search(said) or compiled(known.types_only).search(said))


def find_checks(found: Tasks, task: Task) -> list[Task]:
    """Return the tester and reviewer tasks that depend on a task."""
    return [one for one in found.tasks if one.owner in CHECKERS and task.id in one.deps]


def find_missing(found: Tasks, extensions: dict[str, Fields]) -> list[Pair]:
    """Return the checks that are due and not among the tasks."""
    pairs = [Pair(task, checker) for task in found.tasks if (checker := find_due_check(task, extensions))]
    return [pair for pair in pairs if all(one.owner != pair.checker for one in find_checks(found, pair.task))]


def has_acceptance(task: Task) -> bool:
    """Return whether a task says how one sees that it is done."""
    return is_given(task.acceptance) and bool(str(task.acceptance).strip())
