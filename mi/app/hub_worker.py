"""A worker of the hub's queue: each run has a home of its own in the worker's, with only what was sent with it."""

import errno
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from mi.agents.choose import resolve_provider
from mi.agents.registry import VENDORS
from mi.app.home_context import HomeContext
from mi.app.worker import ChildRun, HomeWorkerPlace, Tell
from mi.fleet.hub_claim import HubClaim, keep_claim, read_claim
from mi.fleet.work_trees import find_trees_folder
from mi.hub.connection import connect_home
from mi.hub.patient_queue import PatientQueue, as_queue
from mi.hub.run_records import HeldRun, find_held
from mi.hub.state import HubState
from mi.kernel import clock, files, jsonl
from mi.kernel.config.load import read_raw
from mi.kernel.config.types import Config
from mi.kernel.errors import NotFound
from mi.kernel.home import Home, make_dirs
from mi.kernel.jsontext import encode
from mi.kernel.programs import find_on_path

if TYPE_CHECKING:
    from mi.fleet.queue import ClaimRules, JobClaim, QueuedJob

_BACK_OFF_S = 10.0  # after a job that others may be able to work on
_OWN = ("notify", "persona", "hub")  # settings that are about this home's person
# Nothing is learned in a home that nobody asks later.
_NO_LEARNING: dict[str, dict[str, bool]] = {
    "thought_db": {"auto_mine": False, "auto_materialize_nodes": False},
    "workflows": {"auto_mine": False},
    "preference_mining": {"auto_mine": False},
}


class HubWorkerPlace(HomeWorkerPlace):
    """What a worker of the hub's queue needs beside it."""

    def __init__(self, context: HomeContext, state: HubState, tell: Tell, hubs: PatientQueue, only: str = "") -> None:
        super().__init__(context, tell, only, as_queue(hubs))
        self._patient = hubs
        self._state = state
        self._children: dict[str, ChildRun] = {}
        self._left: set[str] = set()  # remotes that this machine cannot clone
        self._waits_until = 0.0

    def find_log(self, job: "QueuedJob") -> str:
        place = find_run_home(self._context.home, job.run_id)
        return os.path.join(place, "projects", job.task.project_id, "evidence.jsonl")

    def find_rules(self) -> "ClaimRules":
        rules = super().find_rules()
        rules = rules._replace(held={**list_missing_agents(self._context.config), **rules.held})
        return rules._replace(most=0) if time.monotonic() < self._waits_until else rules

    def start(self, claim: "JobClaim") -> ChildRun:
        held = self._patient.ask(lambda: self._find_held(claim.job.run_id))
        if held is None:  # another worker was faster than our heartbeat
            raise OSError(errno.ESRCH, os.strerror(errno.ESRCH), claim.job.run_id)
        place = make_run_home(self._context, claim, held)
        self.note_start(claim)
        own = {"MI_HOME": place, "MI_WORKTREES": find_trees_folder(self._context.home)}
        self._children[claim.job.run_id] = child = ChildRun(place, claim, place, os.environ | own)
        return child

    def _find_held(self, run_id: str) -> HeldRun | None:
        with connect_home(self._context.home, self._state) as connection:
            return find_held(connection, run_id, self._state.home_id)

    def tell(self, what: str, job: "QueuedJob", reason: str = "") -> None:
        child = self._children.pop(job.run_id, None) if what != "begins" else None
        if what == "left":
            self._waits_until = time.monotonic() + _BACK_OFF_S
            is_new = job.task.root not in self._left
            self._left.add(job.task.root)
            if not is_new:
                return
        elif child is not None:
            for line in child.list_words():
                sys.stderr.write(f"mi: {line}\n")
        super().tell(what, job, reason)


def list_missing_agents(config: Config) -> dict[str, str]:
    """Return the agents that this machine does not have: their tasks are left to others; '' is one without a name."""
    hands = config.hands
    missing = [agent.name for agent in VENDORS if not (getattr(hands, agent.name).path or find_on_path(agent.name))]
    missing += ["cli"] if not hands.cli.exec else []
    missing += ["replay"] if not hands.replay.file else []
    try:
        resolve_provider(config)
    except NotFound:
        missing.append("")
    return dict.fromkeys(missing, "not here")


def find_run_home(home: Home, run_id: str) -> str:
    """Return the home of a run of the hub's queue, in that of its worker."""
    return home.path("hub", "runs", run_id)


def make_run_home(context: HomeContext, claim: "JobClaim", held: HeldRun) -> str:
    """Make the home of a run, or take it up where nobody else had the run since; return its place.

    It has the worker's settings and what its person trusts, and nothing that they value, remember or know.
    """
    place, project_id = find_run_home(context.home, claim.job.run_id), claim.job.task.project_id
    home = Home(place)
    known = read_claim(home, context.notices)
    if known.task is not None and known.epoch < held.epoch - 1:
        _set_aside(context.home, place, claim.job.run_id, known.epoch)
        known = HubClaim()
    make_dirs(os.path.join(place, "projects", project_id))
    for name in ("trust.json", "checks.toml"):
        kept = files.read_bytes(os.path.join(context.home.project(project_id).root, name))
        if kept is not None:
            files.write_atomic(os.path.join(place, "projects", project_id, name), kept)
    files.write_atomic(home.config, encode(_choose_settings(context)))
    new = HubClaim(
        task=claim.job.task,
        token=claim.token,
        member=held.member,
        epoch=held.epoch,
        worker_home=context.home.root,
        ready=known.ready,
        begins_anew=known.begins_anew,
    )
    keep_claim(home, new, context.notices)
    return place


def _choose_settings(context: HomeContext) -> dict[str, Any]:
    """Return the worker's settings without what is about its person."""
    raw = read_raw(context.home.config)
    kept = {name: value for name, value in raw.items() if name not in _OWN}
    runtime = kept.get("runtime")
    runtime = dict(runtime) if isinstance(runtime, dict) else {}
    for name, off in _NO_LEARNING.items():
        former = runtime.get(name)
        runtime[name] = (former if isinstance(former, dict) else {}) | off
    return kept | {"runtime": runtime}


def _set_aside(home: Home, place: str, run_id: str, epoch: int) -> None:
    """Move the home of an earlier claim away: others went on with the run since, from what the hub had."""
    kept_in = f"{place}.{epoch}"
    os.rename(place, kept_in)
    said = {
        "ts": clock.now(),
        "run_id": run_id,
        "epoch": epoch,
        "home": kept_in,
        "reason": "another worker had the run",
    }
    jsonl.append(home.path("hub", "aside.jsonl"), encode(said))
