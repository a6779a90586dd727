"""What runs have cost, of one project or of all that the home knows."""

import os
from collections.abc import Iterable

from mi.app.home_context import HomeContext
from mi.evidence.costs import RunCost, run_costs
from mi.kernel.log_view import Progress


def build_costs(context: HomeContext, project_ids: Iterable[str], progress: Progress) -> list[RunCost]:
    """Return every run of some projects, the oldest first."""
    found: list[RunCost] = []
    for project_id in project_ids:
        log = context.home.project(project_id).evidence
        if os.path.exists(log):
            found += run_costs(context.evidence_index, log, project_id, progress)
    return sorted(found, key=lambda one: one.run_id)


def find_root(context: HomeContext, project_id: str) -> str:
    """Return where a project is; '' when the home does not know."""
    return next((root for root, known in context.known_projects.roots.items() if known.project_id == project_id), "")
