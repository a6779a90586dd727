"""Races, put together: begun by the person, looked at by whoever asks, settled by the person's choice."""

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.app.queue import QueuedOptions, build_queue
from mi.app.report import build_report
from mi.evidence.reader import read_at
from mi.evidence.records.race import Race, Racer
from mi.evidence.records.run import Marks, RunUsage
from mi.fleet.queue import OPEN_STATES, QueuedTask
from mi.fleet.race import RaceEntry, enter_run, rank_entries
from mi.fleet.work_trees import plan_tree
from mi.kernel import ids
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.jsontext import encode
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import hide_credentials

if TYPE_CHECKING:
    from mi.kernel.log_view import Progress

_MOST_RACERS = 16


class RaceStanding(NamedTuple):
    """A race as it stands: its runs, the one that is proposed first."""

    race: Race
    entries: list[RaceEntry]

    @property
    def picked(self) -> str:
        """Return the run that was brought over."""
        return next((entry.run_id for entry in self.entries if entry.merged_into), "")

    @property
    def goes_on(self) -> bool:
        """Return whether a run is yet to end; one that waits for an answer has ended for now."""
        return any(entry.state in ("queued", "running") for entry in self.entries)

    @property
    def proposed(self) -> RaceEntry | None:
        """Return the run that is proposed, once all have ended; None when none is done."""
        return None if self.goes_on or not self.entries[0].is_done else self.entries[0]


def start_race(
    context: HomeContext, task: str, agents: Sequence[str], number: int | None, is_detached: bool = False
) -> tuple[Race, list[str]]:
    """Queue a task as often as wanted, the agents in turn; return the race, and which secrets were taken out of it.

    `is_detached`: each run has a worker of its own, which the caller begins.
    """
    from mi.agents.choose import choose_agent, open_hands
    from mi.agents.registry import AGENTS

    words, hidden = hide_credentials(task.strip())
    names = list(dict.fromkeys(agents)) or [""]
    count = max(2, len(names)) if number is None else number
    if not max(2, len(names)) <= count <= _MOST_RACERS:
        raise UsageError("race-number", value=count, least=max(2, len(names)), most=_MOST_RACERS)
    for name in names:
        if agents and not name.strip():
            raise UsageError("unknown-agent", name=name, known=", ".join(AGENTS))
        choose_agent(context.config, name)
    for name in names:  # says which one is not there
        open_hands(choose_agent(context.config, name), context.home, context.notices)
    project, queue = context.use_project(), build_queue(context)
    plan_tree(context.home, project, "run_", words)  # says where no work tree can be made
    racers = [Racer(run_id=ids.make_run_id(), agent=names[turn % len(names)]) for turn in range(count)]
    race = Race(id=ids.make_id("race"), task=words, racers=racers)
    written = context.open_project_log().append(race, sync=True)
    options = encode(QueuedOptions(worktree=True, detached=is_detached)).decode()
    queue.put(
        QueuedTask(racer.run_id, words, project.project_id, project.main_root, racer.agent, options=options)
        for racer in racers
    )
    return written, hidden


def read_race(context: HomeContext, ref: str, progress: "Progress") -> RaceStanding:
    """Return the race of an id or of one of its runs; without any, the latest of the project."""
    race = _find_race(context, ref, progress)
    entries = [_enter(context, racer, progress) for racer in race.racers]
    return RaceStanding(race, rank_entries(entries))


def refuse_second_pick(context: HomeContext, run_id: str, progress: "Progress") -> None:
    """Raise MiError where another run of the same race was brought over; NotFound for one of no race."""
    standing = read_race(context, run_id, progress)
    if standing.picked not in ("", run_id):
        raise MiError("race-picked", picked=standing.picked, race=standing.race.id, run=run_id)


def _find_race(context: HomeContext, ref: str, progress: "Progress") -> Race:
    own = context.project.project_id
    projects = dict.fromkeys([own, *(context.home.project_ids() if ref else ())])
    for log in (context.home.project(one).evidence for one in projects):
        for race in reversed([*_read_races(context, log, progress)]):
            if not ref or ref == race.id or any(racer.run_id == ref for racer in race.racers):
                return race
    raise NotFound("no-such-race" if ref else "no-race", ref=ref, root=context.main_root)


def _read_races(context: HomeContext, log: str, progress: "Progress") -> Iterator[Race]:
    for offset in context.evidence_index.all_of(log, ["race"], progress) if os.path.exists(log) else ():
        event = read_at(log, offset)
        record = event.record() if event else None
        if isinstance(record, Race):
            yield record


def _enter(context: HomeContext, racer: Racer, progress: "Progress") -> RaceEntry:
    """Return how a run stands by its log; while it is open in the queue, by that."""
    job = build_queue(context).find(racer.run_id) if os.path.exists(context.home.queue) else None
    try:
        found = enter_run(build_report(context, racer.run_id, progress, is_short=True), racer.agent)
    except NotFound:  # it has not begun
        found = RaceEntry(run_id=racer.run_id, agent=racer.agent, state="cancelled", marks=Marks(), spent=RunUsage())
    return replace(found, state=job.state) if job and job.state in OPEN_STATES else found
