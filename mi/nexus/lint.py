"""Checking a task list before it is worked on: conflicts, missing checks, exceptions that do not hold."""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from mi.kernel.errors import NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.nexus import extensions, pairing
from mi.nexus.state import Fields, Task, Tasks, is_given
from mi.nexus.store import Store
from mi.nexus.targets import find_common, find_targets

_HOW = ("architect", "designer", "postdoc", "strategist")
_MAKERS = ("engineer", "writer")
_PARALLEL = 3  # independent artifacts from which splitting is worth its price
_LIKE_EXCEPTION = re.compile(r"(?<![\w.])(docs_only(?:\.\w+)?|same_file_\w+|generated_\w+)(?![\w.]*\w)")


class LintFinding(NamedTuple):
    """What does not hold; `rule` names its text in the catalogue (`lint.<rule>`)."""

    rule: str
    tasks: tuple[int, ...]
    detail: str = ""

    def fields(self) -> dict[str, Any]:
        return {"rule": self.rule, "tasks": list(self.tasks), "detail": self.detail}


def lint(store: Store) -> list[LintFinding]:
    """Return everything that is wrong with the tasks of a repository; NotFound without tasks."""
    found = store.tasks()
    if found is None:
        raise NotFound("nx-no-tasks")
    return list(find_problems(found, extensions.read_task_fields(store)))


def find_problems(found: Tasks, added: dict[str, Fields]) -> Iterator[LintFinding]:
    """Yield the findings in the order in which they hurt."""
    yield from _unknown_deps(found)
    yield from _overlaps(found, added)
    for pair in pairing.find_missing(found, added):
        yield LintFinding("pair-" + pair.checker, (pair.task.id,))
    for task in found.tasks:
        yield from _of_one(found, task, added)
    yield from _split(found, added)


def _unknown_deps(found: Tasks) -> Iterator[LintFinding]:
    known = {task.id for task in found.tasks}
    for task in found.tasks:
        unknown = sorted(set(task.deps) - known)
        if unknown:
            yield LintFinding("unknown-dep", (task.id,), ", ".join(str(one) for one in unknown))


def _overlaps(found: Tasks, added: dict[str, Fields]) -> Iterator[LintFinding]:
    """Tasks that would change one file side by side; one after the other they may."""
    before = _ancestors(found)
    open_tasks = [task for task in found.tasks if task.status != "completed" and task.owner not in pairing.CHECKERS]
    for one, other in combinations(open_tasks, 2):
        shared = find_common(find_targets(one, added), find_targets(other, added))
        if shared and one.id not in before[other.id] and other.id not in before[one.id]:
            yield LintFinding("overlap", (one.id, other.id), ", ".join(shared))


def _ancestors(found: Tasks) -> dict[int, set[int]]:
    """Return for each task the tasks that come before it, however far."""
    deps = {task.id: set(task.deps) for task in found.tasks}
    before: dict[int, set[int]] = {}
    for task_id in deps:
        reached, todo = set[int](), list(deps[task_id])
        while todo:
            one = todo.pop()
            if one not in reached:
                reached.add(one)
                todo += deps.get(one, set())
        before[task_id] = reached
    return before


def _of_one(found: Tasks, task: Task, added: dict[str, Fields]) -> Iterator[LintFinding]:
    named = pairing.find_exceptions(task)
    for like in _LIKE_EXCEPTION.findall(task.context):
        if like not in pairing.EXCEPTIONS:
            yield LintFinding("unknown-exception", (task.id,), like)
    if task.owner in _MAKERS and not pairing.has_acceptance(task):
        yield LintFinding("no-acceptance", (task.id,))
    if task.owner == "researcher" and pairing.find_checks(found, task):
        yield LintFinding("researcher-checked", (task.id,))
    if "same_file_bundle" in named and not _said(task.approach):
        yield LintFinding("bundle-approach", (task.id,))
    if task.owner == "writer":
        yield from _of_docs(found, task, named, added)


def _of_docs(found: Tasks, task: Task, named: list[str], added: dict[str, Fields]) -> Iterator[LintFinding]:
    docs = [name for name in named if name in pairing.DOCS]
    if not docs:
        if pairing.is_docs(task, added):
            yield LintFinding("exception-missing", (task.id,))
        return
    reviewers = [one for one in pairing.find_checks(found, task) if one.owner == "reviewer"]
    if len(reviewers) != 1:
        yield LintFinding("docs-one-reviewer", (task.id,), str(len(reviewers)))
    targets = find_targets(task, added)
    if any(not path.endswith(".md") for path in targets):
        yield LintFinding("docs-not-md", (task.id,), ", ".join(path for path in targets if not path.endswith(".md")))
    if "docs_only.coherent" in docs and not _said(task.approach):
        yield LintFinding("coherence-claim", (task.id,))
    if "docs_only.independent" in docs and len(targets) > 1:
        yield LintFinding("docs-one-file", (task.id,), ", ".join(targets))


def _split(found: Tasks, added: dict[str, Fields]) -> Iterator[LintFinding]:
    """Work that was cut into too few pieces to be worth it, and a question put to one kind of adviser twice."""
    before = _ancestors(found)
    groups: dict[tuple[str, int], list[Task]] = {}
    for task in found.tasks:
        if isinstance(task.owner, str) and isinstance(task.plan_issue, int) and task.status != "completed":
            groups.setdefault((task.owner, task.plan_issue), []).append(task)
    for (owner, _), group in groups.items():
        ids = tuple(task.id for task in group)
        if owner in _HOW and len(group) > 1:
            yield LintFinding("how-split", ids, owner)
        apart = all(
            not before[one.id] & {other.id} and not before[other.id] & {one.id} for one, other in combinations(group, 2)
        )
        placed = all(find_targets(task, added) for task in group)
        if owner in _MAKERS and 1 < len(group) < _PARALLEL and apart and placed and not _independent(group):
            yield LintFinding("few-parallel", ids, owner)


def _independent(group: list[Task]) -> bool:
    return all("docs_only.independent" in pairing.find_exceptions(task) for task in group)


def _said(value: Any) -> bool:
    return is_given(value) and bool(str(value).strip())
