"""Health: what doctor finds, what was noticed, what agents did that they may not; mend what can be mended."""

import os
from collections.abc import Iterator

from mi.app.costs import find_root
from mi.app.inbox import look_at_inbox
from mi.kernel.errors import UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.examination import (
    ABOUT,
    Examination,
    HealthFinding,
    Mendable,
    SeenViolation,
    begin_examination,
    find_examination,
)
from mi.web.view import PageRequest, PageView, identify

_REPAIR = "mi repair"  # what it mends is shown apart, with the button
_OF_PROJECT = ("project", "setup", "team", "nexus", "trees")  # what doctor looks at in one project alone
_PATIENCE_S = 1.0  # that a person waits for what they asked for; what takes longer goes on by itself
_LOOK_S = 15.0  # for a look that goes on to end, before something is mended


class ShownViolation(NamedTuple):
    """What an agent did that it may not, and in which project."""

    project: str
    seen: SeenViolation


class ShownFinding(NamedTuple):
    """What doctor says, and which project it is about."""

    project: str
    finding: HealthFinding


class ShownDamage(NamedTuple):
    """What is broken, and in which project."""

    project: str
    damage: Mendable


class HealthModel(NamedTuple):
    """What the latest look found."""

    latest: Examination | None
    is_going: bool
    problems: list[ShownFinding]
    others: list[HealthFinding]
    damage: list[ShownDamage]
    mends: int
    seen: str
    noticed: list[tuple[str, str]]  # project and words
    violations: list[ShownViolation]
    chosen: dict[str, str]
    projects: list[tuple[str, str]]


def _show(request: PageRequest) -> HealthModel:
    context, root = request.context, _choose_root(request)
    latest, is_going = find_examination(request, root)
    findings = [one for one in latest.findings if one.fix != _REPAIR] if latest else []
    order = {"fail": 0, "warn": 1}
    problems = sorted((one for one in findings if one.level in order), key=lambda one: order[one.level])
    roots = [one for one in context.known_projects.roots if os.path.isdir(one)]
    own = (text("web.own-folder", request.language), "")
    named = [(os.path.basename(one), one) for one in roots]
    noticed = [
        (one.project or one.project_id, one.question)
        for one in look_at_inbox(context).items
        if one.kind == "notification"
    ]
    return HealthModel(
        latest,
        is_going,
        [ShownFinding(_name_project(request, root, one.text, one.area), one) for one in problems],
        [one for one in findings if one.level not in order],
        [ShownDamage(_name_project(request, root, one.text), one) for one in (latest.damage if latest else [])],
        sum(one.mends for one in latest.damage) if latest else 0,
        identify(latest.damage if latest else []),
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


def _name_project(request: PageRequest, looked_at: str, said: str, area: str = "") -> str:
    """Return the project that a line is about: one whose folder or id it names, else where doctor looked."""
    roots = request.context.known_projects.roots
    named = [root for root, one in roots.items() if root in said or one.project_id in said]
    if not named and area not in _OF_PROJECT:
        return text("web.all-projects", request.language)
    return os.path.basename(max(named, key=len) if named else looked_at or request.context.project.root)


def _describe(request: PageRequest, one: SeenViolation) -> ShownViolation:
    root = find_root(request.context, one.project_id) if one.project_id else ""
    return ShownViolation(os.path.basename(root) or one.project_id, one)


def _repair(request: PageRequest) -> Iterator[str]:
    """Mend what was shown, once a look that goes on is over."""
    root = _choose_root(request)
    request.work.wait(ABOUT, root, _LOOK_S)
    latest, _ = find_examination(request, root)
    damage = latest.damage if latest else []
    request.require_seen(damage)
    wanted = [one for one in damage if one.mends]
    if not begin_examination(request, root, wanted):
        yield text("web.being-examined", request.language)
        return
    yield text("web.mended" if request.work.wait(ABOUT, root, _PATIENCE_S) else "web.mending", request.language)
    yield from (one.text for one in wanted)


def _look_again(request: PageRequest) -> Iterator[str]:
    root = _choose_root(request)
    begin_examination(request, root)
    is_over = request.work.wait(ABOUT, root, _PATIENCE_S)
    yield text("web.examined-now" if is_over else "web.being-examined", request.language)


VIEW = PageView(_show, f"inbox {ABOUT}", {"repair": _repair, "look": _look_again})
