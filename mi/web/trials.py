"""Other values tried on past runs, beside the page: judging their decisions again takes longer than a look."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.kernel import ids
from mi.kernel.home import Home
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.kinds import Scope
from mi.web.view import PageRequest

if TYPE_CHECKING:  # the whole loop of a run, which the page needs only to try values
    from mi.app.what_if import Flip, ReplayCost, WhatIf
    from mi.autopilot.what_if import DecisionOutcome, ImaginedValues
    from mi.mind.mind import Mind

ABOUT = "values"
RUNS = 20
_SHOWN = 100  # decisions that would have been others


class TrialWish(NamedTuple):
    """What is to be tried: a change of the values, on how many runs of each project, judged by whom."""

    change: Literal["add", "change", "drop"]
    text: str
    scope: Scope
    claim_id: str = ""  # of the value that is changed or dropped
    whole: str = ""  # all values of the scope after it; '' where something is only added
    runs: int = RUNS
    configured: bool = False  # the configured Mind judges, not the rules
    is_agreed: bool = False  # the person saw what asking it costs


class TrialOutcome(NamedTuple):
    """What was or would be decided, with the words of what that rests on."""

    kind: str
    text: str
    cited: list[dict[str, str]]


class TrialFlip(NamedTuple):
    """A decision that would have been another one."""

    run_id: str
    event_id: str
    ts: str
    task: str
    was: TrialOutcome
    would: TrialOutcome


class Trial(NamedTuple):
    """A change of the values and what it would have changed; while it is judged, nothing of that."""

    wish: TrialWish
    id: str = ""  # what the person saw is what they save, though another window tried something else since
    is_over: bool = False
    mind: str = "rules"
    cost: "ReplayCost | None" = None  # of asking a model that was not asked yet
    runs: int = 0
    decisions: int = 0
    unlike: int = 0
    flips: tuple[TrialFlip, ...] = ()
    more: int = 0
    failed: str = ""


def begin_trial(request: PageRequest, roots: list[str], wish: TrialWish) -> None:
    """Begin to judge past runs again, in the place of the former trial; `roots` are the projects' folders."""
    home, trial, project = request.context.home, Trial(wish, ids.make_id("try")), request.query.get("project", "")
    request.work.forget(ABOUT, project)
    request.work.begin(ABOUT, project, request.language, lambda: _judge(home, roots, trial), True, trial)


def find_trial(request: PageRequest) -> Trial | None:
    """Return the latest trial of the project that is looked at, until it is saved or given up."""
    deed = request.work.find(ABOUT, request.query.get("project", ""))
    trial = deed.result if deed else None
    return trial._replace(is_over=deed.is_over, failed=deed.failed) if deed and isinstance(trial, Trial) else None


def forget_trial(request: PageRequest) -> None:
    """Give a trial up."""
    request.work.forget(ABOUT, request.query.get("project", ""))


def _judge(home: Home, roots: list[str], trial: Trial) -> Trial:
    """Return the trial with what came of it, over all projects that are meant."""
    from mi.app.what_if import imagine_values
    from mi.autopilot.what_if import ImaginedValues

    wish = trial.wish
    adds, said = wish.change == "add", wish.text if wish.change == "add" else wish.whole
    imagined = imagine_values(said, wish.scope, adds) if said else ImaginedValues([], wish.scope, adds)
    for root in roots:
        context = HomeContext(home, root)
        try:
            trial = _judge_project(context, imagined, trial)
        finally:
            context.close()
    return trial


def _judge_project(context: HomeContext, imagined: "ImaginedValues", trial: Trial) -> Trial:
    from mi.app.what_if import WhatIf, build_judge

    if not os.path.exists(context.project_home.evidence):
        return trial
    wish, mind = trial.wish, build_judge(context, trial.wish.configured)
    asked = WhatIf(context, imagined, wish.runs)
    if mind.name != "rules" and not wish.is_agreed:
        return trial._replace(mind=mind.name, cost=_add_cost(trial.cost, asked.measure(mind.name)))
    return _add_found(context, imagined, trial, asked, mind)


def _add_cost(known: "ReplayCost | None", more: "ReplayCost") -> "ReplayCost":
    if known is None:
        return more
    usd = None if known.cost_usd is None or more.cost_usd is None else known.cost_usd + more.cost_usd
    return more._replace(calls=known.calls + more.calls, characters=known.characters + more.characters, cost_usd=usd)


def _add_found(context: HomeContext, imagined: "ImaginedValues", trial: Trial, asked: "WhatIf", mind: "Mind") -> Trial:
    found = asked.compare(mind)
    room = max(_SHOWN - len(trial.flips), 0)
    return trial._replace(
        mind=mind.name,
        runs=trial.runs + found.runs,
        decisions=trial.decisions + found.decisions,
        unlike=trial.unlike + found.unlike,
        flips=(*trial.flips, *_list_flips(context, imagined, found.flips[:room])),
        more=trial.more + max(len(found.flips) - room, 0),
    )


def _list_flips(context: HomeContext, imagined: "ImaginedValues", flips: "list[Flip]") -> Iterator[TrialFlip]:
    from mi.app.what_if import cite_outcome

    thoughts = build_thoughts(context).read("effective")

    def tell(outcome: "DecisionOutcome") -> TrialOutcome:
        return TrialOutcome(outcome.kind, outcome.text, cite_outcome(thoughts, imagined, outcome))

    for flip in flips:
        start, end = flip.batch.start, flip.batch.end
        yield TrialFlip(start.run_id, end.event_id, end.ts, start.task, tell(flip.was), tell(flip.would))
