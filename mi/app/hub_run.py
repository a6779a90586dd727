"""A run of the hub's queue in the home that was made for it: its clone, what is known of it, and what is sent."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from mi.app.home_context import HomeContext
from mi.app.hub_questions import ask_waiting
from mi.app.inbox import find_roots
from mi.app.item_answers import answer_item, check_answer
from mi.app.queue import HubOrigin, read_options
from mi.app.queue_log import record_queued
from mi.app.work_trees import begin_tree, find_snapshot, open_run_context
from mi.evidence.inbox import list_waiting
from mi.fleet.clones import hold_clone, push_refs
from mi.fleet.hub_claim import HubClaim, keep_claim, read_claim
from mi.fleet.work_trees import find_trees_folder, plan_tree
from mi.hub.connection import connect_home
from mi.hub.run_feed import FedRun, RunFeed
from mi.hub.run_records import is_held, read_answers, read_records
from mi.hub.state import HubState, need_hub
from mi.kernel import clock, files, git, jsonl
from mi.kernel.errors import Blocked, MiError
from mi.kernel.home import Home, ThoughtFiles
from mi.kernel.jsontext import decode_stored, encode
from mi.kernel.messages import text
from mi.project.snapshots import END, list_snapshots, name_ref
from mi.project.tree_store import find_store
from mi.project.worktree import FIRST, LATEST, Moment

if TYPE_CHECKING:
    from mi.fleet.queue import QueuedJob
    from mi.fleet.tree_registry import WorkTree

_PATIENCE_S = 600.0  # for a hub that is away when a run has ended
_KEPT = ("batch_end", "tree_snapshot")  # what tells that the tree changed


def check_claim(context: HomeContext, run_id: str, token: str) -> None:
    """Raise Blocked unless a worker hands its claim to this process, and it still stands."""
    claim = read_claim(context.home, context.notices)
    if token and token == claim.token and claim.task is not None and claim.task.run_id == run_id:
        worker = Home(claim.worker_home)
        with connect_home(worker, need_hub(worker, context.notices)) as connection:
            if is_held(connection, token):
                return
    raise Blocked("not-claimed", run_id=run_id)


@contextmanager
def take_up(context: HomeContext, job: "QueuedJob") -> Iterator[HomeContext]:
    """Yield the place of a run that this home was made for, and send what it records until this ends.

    MiError where its remote cannot be cloned, or the hub cannot be reached.
    """
    claim = read_claim(context.home, context.notices)
    worker = Home(claim.worker_home)
    state = need_hub(worker, context.notices)
    origin = read_options(job).hub or HubOrigin()
    folder = os.path.join(find_trees_folder(context.home), "clones", job.task.project_id[:8])
    kept = ("", "") if claim.ready else (job.run_id, f"{job.run_id}-before-{claim.epoch}")
    with hold_clone(folder, origin.remote, origin.base, *kept) as top:
        there = context.at(os.path.join(top, origin.folder) if origin.folder else top)
        there.use_project()
        if not claim.ready:
            _make_ready(there, job, origin, claim, worker, state)
        _take_answers(there, worker, state, claim)
        if there.evidence_index.find(there.project_home.evidence, f"ev_{job.run_id}_1", lambda done, total: None):
            open_run_context(there, job.run_id)
        else:
            begin_tree(there, job.run_id, job.task.task, with_changes=False)
    feed = RunFeed(
        partial(connect_home, worker, state),
        there.project_home.evidence,
        FedRun(claim.member, job.run_id, claim.token),
        partial(_push_tree, there, top, job.run_id) if context.config.fleet.push else lambda records: None,
        _stop,
    )
    try:
        with feed:
            yield there
        _insist(lambda: _ask_elsewhere(there, worker, state))
    finally:
        _keep_aside(worker, context, claim, feed.refused)


def _insist(call: Callable[[], None]) -> None:
    """Do what needs the hub, as soon as it can be reached; it ends with whoever waits for this process."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return call()
        except MiError as error:
            if isinstance(error, Blocked) or time.monotonic() > until:
                return None  # the question is in what the run recorded
        time.sleep(1.0)


def _ask_elsewhere(context: HomeContext, worker: Home, state: HubState) -> None:
    """Have whoever queued the run hear what it waits for."""
    with connect_home(worker, state) as connection:
        ask_waiting(context, connection, state)


def _take_answers(context: HomeContext, worker: Home, state: HubState, claim: HubClaim) -> None:
    """Store the answers that came for the run since it asked, as if they had been given here."""
    with connect_home(worker, state) as connection:
        answers = read_answers(connection, claim.token)
    waiting, _ = list_waiting(
        context.home, context.evidence_index, find_roots(context), context.notices, lambda done, total: None
    )
    by_id = {question_id: one for one in waiting for question_id in one.item.ids}
    for given in answers:
        if (found := by_id.get(given.question_id)) is None:
            continue
        author = "" if given.member == claim.member else given.member
        with suppress(MiError):  # it is none of those that can be given: the run asks again
            check_answer(found.item, given.text, context.language)
            answer_item(context, found, given.text, "hub", given.once, lambda done, total: None, author=author)


def _stop() -> None:
    """Have the run stop in order: another worker has it now."""
    signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)


def _keep_aside(worker: Home, context: HomeContext, claim: HubClaim, refused: list[int]) -> None:
    """Note which records nobody takes any more, since another worker has the run; they stay in this home's log."""
    if not refused:
        return
    run_id = claim.task.run_id if claim.task else ""
    seqs = {"first": refused[0], "last": refused[-1]}
    kept: dict[str, Any] = {"ts": clock.now(), "run_id": run_id, "epoch": claim.epoch, **seqs}
    kept |= {"home": context.home.root, "reason": "another worker has the run"}
    jsonl.append(worker.path("hub", "aside.jsonl"), encode(kept))
    said = text("worker.aside", context.quiet_language, count=len(refused), run_id=run_id, path=context.home.root)
    sys.stderr.write(f"mi: {said}\n")


def _push_tree(context: HomeContext, top: str, run_id: str, records: list[dict[str, Any]]) -> None:
    """Push a run's snapshots after each batch, and its commit once it has one, before the hub hears of them."""
    kinds = {str(raw.get("kind") or "") for raw in records}
    own = name_ref(run_id, "")
    refs = [f"+{own}*:{own}*"] if kinds.intersection(_KEPT) else []
    commits = [str(raw.get("commit") or "") for raw in records if raw.get("kind") == "tree_work"]
    refs += [f"+{commits[-1]}:{name_ref(run_id, 'commit')}"] if commits and commits[-1] else []
    if refs and (reason := push_refs(top, *refs)):
        context.notices.add("run-not-pushed", top, reason=reason)


def _make_ready(
    context: HomeContext, job: "QueuedJob", origin: HubOrigin, claim: HubClaim, worker: Home, state: HubState
) -> None:
    """Lay down what the run was sent with and what others recorded of it; whoever is killed here begins again."""
    files.remove_if_there(context.project_home.evidence)
    files.remove_if_there(context.project_home.evidence + ".seal")
    with connect_home(worker, state) as connection:
        known = [
            decode_stored(one.body.encode(), dict[str, Any])
            for one in read_records(connection, claim.member, job.run_id)
        ]
    _keep_values(context, origin)
    record_queued(context, [job.task])
    begins_anew = False
    tree = plan_tree(context.home, context.project, job.run_id, job.task.task)
    _set_tree_aside(tree, claim.epoch)
    if known:
        lines = [encode(_settle_here(raw, tree.root, context.project.root)) for raw in known]
        jsonl.append(context.project_home.evidence, *lines, sync=True, sealed=True)
        begins_anew = not _lay_tree(context, tree, known)
    keep_claim(context.home, msgspec.structs.replace(claim, ready=True, begins_anew=begins_anew), context.notices)


def _keep_values(context: HomeContext, origin: HubOrigin) -> None:
    """Store the values that the run's owner sent with it: all that this home knows of them."""
    for raw in origin.values:
        folder = context.home.thoughts if raw.get("scope") == "global" else context.project_home.thoughts
        jsonl.append(ThoughtFiles(folder).claims, encode(raw), sealed=True)


def _settle_here(raw: dict[str, Any], root: str, main_root: str) -> dict[str, Any]:
    """Return a record of another machine as it would have been written here; no agent knows its threads here."""
    places = {"project_root": root, "main_root": main_root, "thread_id": ""}
    return raw | {name: value for name, value in places.items() if raw.get(name)}


def _set_tree_aside(tree: "WorkTree", epoch: int) -> None:
    """Move what a former claim of this home left of a run out of the way; nothing of it is lost."""
    if os.path.isdir(tree.path):
        git.run(tree.main, "worktree", "move", tree.path, f"{tree.path}-before-{epoch}")
    if git.run(tree.main, "show-ref", "--verify", "-q", f"refs/heads/{tree.branch}").code == 0:
        git.run(tree.main, "branch", "-m", tree.branch, f"{tree.branch}-before-{epoch}")


def _lay_tree(context: HomeContext, tree: "WorkTree", known: list[dict[str, Any]]) -> bool:
    """Have the run's branch and what is compared with it be as they were; False where its work cannot be had here."""
    snapshot, store = find_snapshot(tree.main, tree.run_id), find_store(tree.main)
    kept = [one for one in list_snapshots(store, tree.run_id) if one.batch_id != "base"] if store else []
    snapshot = snapshot if kept else ""
    parent = git.run(tree.main, "rev-parse", "--verify", "-q", f"{snapshot}^").output.strip() if snapshot else ""
    if parent and git.run(tree.main, "merge-base", "--is-ancestor", tree.base, parent).code == 0:
        git.run(tree.main, "update-ref", f"refs/heads/{tree.branch}", parent)
    latest = [raw for raw in known if raw.get("kind") == "tree_snapshot" and raw.get("of") == END]
    is_same = bool(latest) and latest[-1].get("commit") == snapshot
    moments = {FIRST: f"{kept[0].commit if kept else tree.base}^{{tree}}"}
    nothing = git.run(tree.main, "hash-object", "-t", "tree", "--stdin").output.strip()
    moments[LATEST] = f"{snapshot}^{{tree}}" if is_same else nothing  # then all that was verified counts no more
    for name, asked in moments.items():
        found = git.run(tree.main, "rev-parse", "--verify", "-q", asked).output.strip() or nothing
        place = context.project_home.path("trees", tree.run_id, name)
        files.write_atomic(place, encode(Moment(found)))
    worked = any(raw.get("kind") == "batch_end" for raw in known)
    return bool(snapshot) or not worked
