"""Health: what doctor finds, what was noticed, what agents did that they may not; mend what can be mended."""

import os
from collections.abc import Iterator

from mi.app.costs import find_root
from mi.app.inbox import look_at_inbox
from mi.kernel.errors import UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.examination import EXAMINER, Examination, HealthFinding, SeenViolation
from mi.web.view import PageRequest, PageView

_REPAIR = "mi repair"  # what it mends is shown apart, with the button
_PATIENCE_S = 1.0  # that a person waits for what they asked for; what takes longer goes on by itself


class ShownViolation(NamedTuple):
    """What an agent did that it may not, and in which project."""

    project: str
    seen: SeenViolation


class HealthModel(NamedTuple):
    """What the latest look found."""

    latest: Examination | None
    is_going: bool
    problems: list[HealthFinding]
    others: list[HealthFinding]
    mends: int
    noticed: list[str]
    violations: list[ShownViolation]
    chosen: dict[str, str]
    projects: list[tuple[str, str]]


def _show(request: PageRequest) -> HealthModel:
    context, root = request.context, _choose_root(request)
    latest, is_going = EXAMINER.find(context.home, root, request.language)
    findings = [one for one in latest.findings if one.fix != _REPAIR] if latest else []
    order = {"fail": 0, "warn": 1}
    problems = sorted((one for one in findings if one.level in order), key=lambda one: order[one.level])
    roots = [one for one in context.known_projects.roots if os.path.isdir(one)]
    own = (text("web.own-folder", request.language), "")
    named = [(os.path.basename(one), one) for one in roots]
    noticed = [one.question for one in look_at_inbox(context).items if one.kind == "notification"]
    return HealthModel(
        latest,
        is_going,
        problems,
        [one for one in findings if one.level not in order],
        sum(one.mends for one in latest.damage) if latest else 0,
        noticed,
        [_describe(request, one) for one in (latest.violations if latest else [])],
        {"root": root},
        [(root, name) for name, root in (own, *named)],
    )


def _choose_root(request: PageRequest) -> str:
    """Return the project's folder that the address names, one that the home knows; '' is where the page was begun."""
    root = request.query.get("root", "")
    if root and root not in request.context.known_projects.roots:
        raise UsageError("unknown-project", value=root, known=", ".join(request.context.known_projects.roots) or "-")
    return root


def _describe(request: PageRequest, one: SeenViolation) -> ShownViolation:
    root = find_root(request.context, one.project_id) if one.project_id else ""
    return ShownViolation(os.path.basename(root) or one.project_id, one)


def _repair(request: PageRequest) -> Iterator[str]:
    root = _choose_root(request)
    before, _ = EXAMINER.find(request.context.home, root, request.language)
    thread = EXAMINER.begin(request.context.home, root, request.language, mends=True)
    thread.join(_PATIENCE_S)
    yield text("web.mending" if thread.is_alive() else "web.mended", request.language)
    for one in before.damage if before else []:
        if one.mends:
            yield one.text


def _look_again(request: PageRequest) -> Iterator[str]:
    thread = EXAMINER.begin(request.context.home, _choose_root(request), request.language)
    thread.join(_PATIENCE_S)
    yield text("web.being-examined" if thread.is_alive() else "web.examined-now", request.language)


VIEW = PageView("health", "/health", _show, "inbox", {"repair": _repair, "look": _look_again})
