"""Whoever has something to find by its words: the logs and stores of a home, and what projects keep themselves."""

import os
from collections.abc import Iterator

from mi.kernel.home import Home, ProjectHome
from mi.knowledge.search.documents import Producer
from mi.project.known import KnownProjects


def of_home(home: Home) -> Iterator[Producer]:
    """The producers of the global part and of every project that the home knows."""
    from mi.knowledge.search.sources import WorkflowOverrides, records, snapshots, workflow_files
    from mi.knowledge.thoughts.search_documents import producers

    projects = home.project_ids()
    for one in projects:
        overlay = home.project(one).overlay
        yield WorkflowOverrides(overlay, home.relative(overlay), one)
    places: list[tuple[str, Home | ProjectHome]] = [("", home), *((one, home.project(one)) for one in projects)]
    for project_id, place in places:
        log = home.relative(place.evidence)
        yield from producers(home, place.thoughts, project_id)
        yield workflow_files(place.workflows, home.relative(place.workflows), project_id)
        yield snapshots(place.evidence, log, project_id)
        yield records(place.evidence, log, project_id)


def of_workspaces(home: Home, configured_persona: str, known_projects: KnownProjects, here: str) -> Iterator[Producer]:
    """What projects keep in their own folders: memory files, history, the cards of a team."""
    from mi.nexus.documents import producers
    from mi.persona.documents import cards

    yield cards(home.path("persona"), "persona", "")
    if configured_persona:
        yield cards(configured_persona, "persona-of-config", "")
    roots = {root: known.project_id for root, known in known_projects.roots.items()}
    if here not in roots and os.path.isdir(os.path.join(here, ".nexus")):
        roots[here] = known_projects.open(here).project_id  # a fresh clone brings what its team remembered
    for root, project_id in roots.items():
        yield cards(os.path.join(root, "persona"), f"persona:{root}", project_id, within=root)
        yield from producers(root, project_id)
