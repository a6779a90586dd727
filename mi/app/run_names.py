"""A run as a person names it: by its id, by the end of that, or by the branch of its work tree."""

import os
import re

from mi.app.home_context import HomeContext
from mi.kernel.errors import UsageError

_SHORT = re.compile(r"(?:mi/.*-)?([0-9a-hjkmnp-tv-z]{8})")


def is_short_name(ref: str) -> bool:
    """Return whether a name may be the end of a run's id, or the branch of its work tree."""
    return _SHORT.fullmatch(ref) is not None


def find_run_id(context: HomeContext, ref: str) -> str:
    """Return the whole id of the run that is meant, of any project; what names none is returned as it is.

    UsageError where several runs are meant.
    """
    short = _SHORT.fullmatch(ref)
    if short is None:
        return ref
    found = _list_ending(context, short[1])
    if len(found) > 1:
        raise UsageError("ambiguous-run", ref=ref, runs=", ".join(found[:5]))
    return found[0] if found else ref


def _list_ending(context: HomeContext, ending: str) -> list[str]:
    """Return the runs whose id ends so, by the logs; else by the queue: one that has not begun is told of there."""
    from mi.app.queue import build_queue
    from mi.evidence.runs import find_runs_ending

    home = context.home
    logs = [log for one in home.project_ids() if os.path.exists(log := home.project(one).evidence)]
    begun = find_runs_ending(context.evidence_index, logs, ending)
    return begun or [job.run_id for job in build_queue(context).jobs() if job.run_id.endswith(f"_{ending}")]
