"""Finding by words what a home knows: the text index, who has something to find, and what a Mind may hear of it."""

import os
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.team import build_persona
from mi.app.thoughts import build_thoughts
from mi.kernel.home import Home, ProjectHome

if TYPE_CHECKING:  # imported when used: most commands need only some of it
    from mi.knowledge.search.backend import Hit, Query
    from mi.knowledge.search.documents import Producer
    from mi.knowledge.search.index import TextIndex


def build_recall(context: HomeContext) -> "HomeRecall":
    """Return the search of a context, opened once."""
    return context.open_once(HomeRecall)


class HomeRecall:
    """Search over everything in the home."""

    def __init__(self, context: HomeContext) -> None:
        self._context = context

    @cached_property
    def index(self) -> "TextIndex":
        from mi.knowledge.search.index import TextIndex

        context = self._context
        near = not context.words_alone and context.config.memory.semantic == "on"
        return TextIndex(context.home, self.list_producers, context.notices, _is_elsewhere, near)

    def search(self, wanted: "Query") -> "list[Hit]":
        """Return what the text index finds; it is opened by the first search."""
        return self.index.search(wanted)

    def find_thoughts(self, query: str, limit: int, project_id: str = "", corrected: bool = False) -> list[str]:
        """Return ids of claims and nodes of the project and the global store that fit a query, best first.

        With `corrected`, also what was taken back or replaced since.
        """
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.words import compact

        asked = compact(query)
        if not asked.tokens:
            return []
        place = project_id or self._context.project.project_id
        wanted = Query(asked.tokens, ("claim", "node"), place, limit=limit, corrected=corrected, text=asked.raw)
        return [hit.document.id for hit in self.search(wanted)]

    def find_earlier_thoughts(self, query: str, limit: int) -> list[str]:
        """Return more ids than `find_thoughts`, for an earlier time: what was not known then falls out."""
        return self.find_thoughts(query, limit * 4, corrected=True)

    def build_filter(self) -> "Callable[[Hit], bool]":
        """Return what tells whether a Mind hears a hit: not what only an agent said, of whichever project it is.

        Each store is read as it is when first asked.
        """
        from mi.knowledge.thoughts.trust import find_trust

        read_project = cache(build_thoughts(self._context).read_project)

        def is_heard(hit: "Hit") -> bool:
            if hit.document.kind not in ("claim", "node"):
                return True
            known = read_project(hit.document.project_id)
            thought = known.get(hit.document.id)
            return thought is not None and find_trust(thought, known) != "hands"

        return is_heard

    def list_producers(self, project_id: str | None = None) -> "list[Producer]":
        """Return whoever has something to find, of the global part and of one project or of every one."""
        return [*self._of_home(project_id), *self._of_workspaces(project_id)]

    def _of_home(self, project_id: str | None) -> "Iterator[Producer]":
        from mi.knowledge.search.sources import records, snapshots
        from mi.knowledge.search.teammates import list_teammate_producers
        from mi.knowledge.thoughts.search_documents import producers
        from mi.workflows.documents import WorkflowOverrides, workflow_files

        home = self._context.home
        yield from list_teammate_producers(home, project_id)
        projects = home.project_ids() if project_id is None else [project_id] if project_id else []
        for project_id in projects:
            overlay = home.project(project_id).overlay
            yield WorkflowOverrides(overlay, home.relative(overlay), project_id)
        places: list[tuple[str, Home | ProjectHome]] = [
            ("", home),
            *((project_id, home.project(project_id)) for project_id in projects),
        ]
        for project_id, place in places:
            log = home.relative(place.evidence)
            yield from producers(home, place.thoughts, project_id)
            yield workflow_files(place.workflows, home.relative(place.workflows), project_id)
            yield snapshots(place.evidence, log, project_id)
            yield records(place.evidence, log, project_id)

    def _of_workspaces(self, project_id: str | None) -> "Iterator[Producer]":
        """Yield what projects keep in their own folders: memory files, history, the cards of a team.

        Of the project that asks, those of the work tree it asks from: another tree or clone of it has its own.
        """
        context = self._context
        mine = context.project
        yield from _of_own_persona(context)
        for root, known in context.known_projects.roots.items():
            if known.project_id != mine.project_id and project_id in (None, known.project_id):
                yield from _of_workspace(root, known.project_id)
        if project_id in (None, mine.project_id):
            yield from _of_workspace(mine.root, mine.project_id)

    def close(self) -> None:
        """Let go of the index if it is open."""
        index = self.__dict__.pop("index", None)
        if index is not None:
            index.close()


def list_team_producers(context: HomeContext, root: str, project_id: str) -> "list[Producer]":
    """Return what a team has to find that concerns one project: its own files, and the person's persona."""
    return [*_of_own_persona(context), *_of_workspace(root, project_id)]


def _of_own_persona(context: HomeContext) -> "Iterator[Producer]":
    from mi.persona.documents import list_persona_producers

    yield from list_persona_producers(context.home.path("persona"), "persona", "")
    if context.config.persona.root:
        yield from list_persona_producers(build_persona(context).root, "persona-of-config", "")


def _is_elsewhere(source: str) -> bool:
    """Return whether a source is a team's, in a work tree or clone that is there and is not the one that asks."""
    path = source.removeprefix("persona:").partition("#")[0]
    return os.path.isabs(path) and os.path.isdir(path if path != source else os.path.dirname(path))


def _of_workspace(root: str, project_id: str) -> "Iterator[Producer]":
    from mi.nexus.documents import find_nexus_producers
    from mi.persona.documents import list_persona_producers

    yield from list_persona_producers(os.path.join(root, "persona"), f"persona:{root}", project_id, within=root)
    yield from find_nexus_producers(root, project_id)
