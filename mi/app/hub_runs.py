"""Runs at the hub: those that members share, and those of its queue."""

import os
from collections.abc import Iterable
from typing import Any

from mi.app.home_context import HomeContext
from mi.app.hub import open_hub
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.named_tuple import NamedTuple


class SharedRun(NamedTuple):
    """A run that somebody shares, as far as the hub knows it."""

    member: str
    run_id: str
    status: str
    project: str
    task: str
    branch: str
    reason: str
    ts: str


_RUNS = """SELECT home.member, record.body FROM mi_hub.record JOIN mi_hub.log ON log.id = record.log
    JOIN mi_hub.home ON home.id = log.home
    WHERE record.reach = 'run' AND record.kind IN ('run_start', 'run_end') AND record.run IN (
        SELECT run FROM mi_hub.record WHERE reach = 'run' AND kind = 'run_start' ORDER BY written DESC LIMIT %s
    ) ORDER BY record.written, record.seq"""

# Row-level security says which: those of this member, those that their workers have, those that they may take.
_QUEUED = """SELECT member, run, state, root, task, reason,
    to_char(changed AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    FROM mi_hub.job WHERE state NOT IN ('outside', 'cancelled') ORDER BY changed DESC LIMIT %s"""
_STATES = {"stopped": "interrupted"}  # as runs are said to stand


def list_shared_runs(context: HomeContext, limit: int) -> list[SharedRun]:
    """Return the runs that this member may see, the latest first: those that are shared, and those of the queue."""
    from mi.hub.connection import connect_home

    home, state = open_hub(context)
    with connect_home(home, state) as connection:
        rows = connection.execute(_RUNS, (limit,)).fetchall()
        queued = [_read_job(*row) for row in connection.execute(_QUEUED, (limit,)).fetchall()]
    shared = [run for run in _fold_runs(rows) if (run.member, run.run_id) not in {run[:2] for run in queued}]
    return sorted([*shared, *queued], key=lambda run: run.ts, reverse=True)[:limit]


def _read_job(member: str, run_id: str, state: str, root: str, task: str, reason: str, ts: str) -> SharedRun:
    project = os.path.basename(root.rstrip("/")).removesuffix(".git")
    return SharedRun(member, run_id, _STATES.get(state, state), project, task, "", reason, ts)


def _fold_runs(rows: list[tuple[str, str]]) -> Iterable[SharedRun]:
    found: dict[tuple[str, str], SharedRun] = {}
    for member, body in rows:
        try:
            raw = decode_stored(body.encode(), dict[str, Any])
        except BadJson:
            continue
        key = (str(member), str(raw.get("run_id") or ""))
        found[key] = _fold_run(found.get(key), key, raw)
    return found.values()


def _fold_run(known: SharedRun | None, key: tuple[str, str], raw: dict[str, Any]) -> SharedRun:
    """Return what is known of a run after one more of its records."""
    member, run_id = key
    run = known or SharedRun(member, run_id, "running", "", "", "", "", "")
    told = {name: str(raw.get(name) or "") for name in ("ts", "task", "branch", "reason", "status", "project_root")}
    if raw.get("kind") == "run_end":
        return run._replace(status=told["status"] or "failed", reason=told["reason"], ts=told["ts"])
    return run._replace(
        status="running", project=told["project_root"], task=told["task"], branch=told["branch"], ts=told["ts"]
    )
