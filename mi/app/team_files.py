"""What a team wrote down in this project: found by words, listed where it must be known, and whether it binds."""

import os
from functools import cached_property
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall

if TYPE_CHECKING:
    from mi.knowledge.search.documents import Document
    from mi.knowledge.search.team import TeamText

FOLDERS = (".nexus", "persona")
_LONGEST = 600  # characters of one text that are told
_MOST = 2000  # files that can bind at once: each is looked at, so that those that have no room are counted


def build_team_files(context: HomeContext) -> "TeamFiles":
    """Return the team's files of a context, as they were committed when it was opened."""
    return context.open_once(TeamFiles)


class TeamFiles:
    """Team files bind as committed, in a repository that the person trusts; elsewhere they are a teammate's words."""

    def __init__(self, context: HomeContext) -> None:
        self._context = context
        self._root = context.project.root

    def pin(self) -> None:
        """Let bind only what is committed at this moment: an agent that works from now on may commit, too."""
        if self.is_trusted:
            _ = self._blobs

    def binds(self, document: "Document") -> bool:
        """Return whether a document is a rule here, and not only somebody's words."""
        from mi.knowledge.search.team import find_path
        from mi.project.committed import is_committed

        if not document.project_id:
            return True  # of the person's own persona
        return self.is_trusted and is_committed(self._root, find_path(document), self._blobs)

    def list_binding(self) -> "list[Document]":
        """Return what must be known whatever is asked: rules and principles, then the most salient cards."""
        return [one for one in self.list_always_known() if self.binds(one)]

    def list_always_known(self) -> "list[Document]":
        """Return the same whether it binds here or not; where a team has no files nothing is opened for it."""
        if not self._is_there:
            return []
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.team import BINDING, find_salience, is_always_known

        wanted = Query((), BINDING, self._context.project.project_id, limit=_MOST)
        found = [one for one in build_recall(self._context).index.newest(wanted) if is_always_known(one)]
        return sorted(found, key=find_salience)

    def find(self, query: str, limit: int) -> "list[TeamText]":
        """Return what binds whatever is asked, then what a question brings to mind, salient cards first."""
        from mi.kernel.secrets import redact_start
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.team import ON_MATCH, TEAM, TeamText, find_kind, find_salience
        from mi.knowledge.search.words import compact

        asked, project_id = compact(query), self._context.project.project_id
        hits = (
            build_recall(self._context).search(Query(asked.tokens, TEAM, project_id, limit=limit))
            if asked.tokens
            else []
        )
        matched = sorted((hit.document for hit in hits), key=lambda one: find_salience(one) < ON_MATCH)
        found = {one.id: one for one in (*self.list_binding(), *matched)}
        return [
            TeamText(
                os.path.relpath(one.id, self._root) if one.project_id else one.id,
                *(one.kind, find_kind(one), self.binds(one)),
                " ".join(redact_start(one.text, _LONGEST).split()),
            )
            for one in list(found.values())[:limit]
        ]

    def stamp(self) -> int:
        """Return what changes whenever something that must be known could: the files, and the person's trust."""
        from mi.app.recall import list_team_producers
        from mi.knowledge.search.team import BINDING

        producers = list_team_producers(self._context, self._root, self._context.project.project_id)
        ends = [one.end() for one in producers if not one.kinds.isdisjoint(BINDING)]
        return hash((*ends, self.is_trusted, *self.list_unbound()))

    def list_newest(self, count: int) -> "list[Document]":
        """Return what the team wrote down last."""
        if not count or not self._is_there:
            return []
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.team import TEAM

        return build_recall(self._context).index.newest(Query((), TEAM, self._context.project.project_id, limit=count))

    @property
    def is_trusted(self) -> bool:
        """Return whether the person lets this repository's files bind."""
        from mi.project.trust import read_trust

        trusted = read_trust(self._context.project_home.trust)
        return trusted is not None and trusted.team

    def list_unbound(self) -> list[str]:
        """Return the files that a run committed and that wait for the person's yes."""
        from mi.project.trust import Trusted, read_trust

        return sorted({*(read_trust(self._context.project_home.trust) or Trusted()).unbound.values()})

    @property
    def _is_there(self) -> bool:
        folders = (*(os.path.join(self._root, name) for name in FOLDERS), self._context.home.path("persona"))
        return bool(self._context.config.persona.root) or any(map(os.path.isdir, folders))

    @cached_property
    def _blobs(self) -> dict[str, str]:
        """Return what can bind: as committed, while a run works where it began; nothing that a run brought itself."""
        from mi.project.committed import read_committed
        from mi.project.trust import Trusted, read_trust

        trusted = read_trust(self._context.project_home.trust) or Trusted()
        base = trusted.at_work.get(self._root, {"HEAD": "HEAD"}).get("HEAD")
        found = read_committed(self._root, FOLDERS, base) if base else {}
        return {path: blob for path, blob in found.items() if blob not in trusted.unbound}
