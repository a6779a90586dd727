"""What a team wrote down in this project: found by words, listed where it must be known, and whether it binds."""

import os
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.recall import build_recall

if TYPE_CHECKING:
    from mi.knowledge.search.backend import Query
    from mi.knowledge.search.documents import Document
    from mi.knowledge.search.team import TeamText
    from mi.project.committed import CommittedFiles
    from mi.project.trust import Trusted

FOLDERS = (".nexus", "persona")
_LONGEST = 600  # characters of one text that are told


def build_team_files(context: HomeContext) -> "TeamFiles":
    """Return the team's files of a context, as they were committed when it was opened."""
    return context.open_once(TeamFiles)


class TeamFiles:
    """Team files bind as committed, in a repository that the person trusts; elsewhere they are a teammate's words."""

    def __init__(self, context: HomeContext) -> None:
        self._context = context
        self._root = context.project.root
        self.unseen = 0  # how many more must be known than were looked at

    def pin(self) -> None:
        """Let bind only what is committed at this moment: an agent that works from now on may commit, too."""
        if self.is_trusted:
            _ = self._committed

    def find_binding(self, documents: "Iterable[Document]") -> frozenset[str]:
        """Return the ids of those that are rules here, and not only somebody's words."""
        from mi.knowledge.search.team import TEAMMATE, find_path

        trusted = self.is_trusted
        return frozenset(
            one.id
            for one in documents  # what belongs to no project is of the person's own persona
            if one.kind != TEAMMATE and (not one.project_id or (trusted and self._committed.holds(find_path(one))))
        )

    def list_binding(self) -> "list[Document]":
        """Return what must be known whatever is asked: rules and principles, then the most salient cards."""
        known = self.list_always_known()
        binding = self.find_binding(known)
        return [one for one in known if one.id in binding]

    def list_always_known(self) -> "list[Document]":
        """Return the same whether it binds here or not; where a team has no files nothing is opened for it."""
        if not self._is_there:
            return []
        from mi.knowledge.search.team import MOST_BINDING

        index, queries = build_recall(self._context).index, self._always_known()
        found = [hit.document for hit in index.newest(*queries)]
        self.unseen = index.count(*queries) - MOST_BINDING if len(found) > MOST_BINDING else 0
        return found[:MOST_BINDING]

    def _always_known(self) -> "list[Query]":
        """Return what finds them: rules and principles, then cards, the most salient first."""
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.team import CARD, MOST_BINDING, PRINCIPLE, RULE, list_always_tags

        project_id = self._context.project.project_id
        wanted = Query((), (CARD,), project_id, limit=MOST_BINDING + 1)
        cards = [wanted._replace(tags=(tag,)) for tag in list_always_tags()]
        return [*(wanted._replace(kinds=(kind,)) for kind in (PRINCIPLE, RULE)), *cards]

    def find(self, query: str, limit: int) -> "list[TeamText]":
        """Return what binds whatever is asked, then what a question brings to mind, salient cards first."""
        from mi.kernel.secrets import redact_start
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.team import ON_MATCH, TEAM, TeamText, find_kind, find_salience, tell_author
        from mi.knowledge.search.words import compact

        asked, project_id = compact(query), self._context.project.project_id
        hits = (
            build_recall(self._context).search(Query(asked.tokens, TEAM, project_id, limit=limit, text=asked.raw))
            if asked.tokens
            else []
        )
        matched = sorted((hit.document for hit in hits), key=lambda one: find_salience(one) < ON_MATCH)
        told = [*{one.id: one for one in (*self.list_binding(), *matched)}.values()][:limit]
        binding = self.find_binding(told)
        return [
            TeamText(
                os.path.relpath(one.id, self._root) if os.path.isabs(one.id) else one.id,
                *(one.kind, find_kind(one), one.id in binding),
                " ".join(redact_start(tell_author(one), _LONGEST).split()),
            )
            for one in told
        ]

    def stamp(self, shown: Iterable[str] = ()) -> int:
        """Return what changes whenever something that must be known could: the files, and the person's trust.

        Those that are `shown` are looked at themselves.
        """
        from mi.app.recall import list_team_producers
        from mi.knowledge.search.sources import look_again
        from mi.knowledge.search.team import BINDING

        look_again(shown)
        trust = self._trust
        producers = list_team_producers(self._context, self._root, self._context.project.project_id)
        ends = [one.end() for one in producers if not one.kinds.isdisjoint(BINDING)]
        return hash((*ends, trust.team, *trust.unbound))

    def list_newest(self, count: int) -> "list[Document]":
        """Return what the team wrote down last."""
        if not count or not self._is_there:
            return []
        from mi.knowledge.search.backend import Query
        from mi.knowledge.search.team import TEAM

        query = Query((), TEAM, self._context.project.project_id, limit=count)
        return [hit.document for hit in build_recall(self._context).index.newest(query)]

    @property
    def is_trusted(self) -> bool:
        """Return whether the person lets this repository's files bind."""
        return self._trust.team

    def list_unbound(self) -> list[str]:
        """Return the files that a run committed and that wait for the person's yes."""
        return sorted({*self._trust.unbound.values()})

    @property
    def _trust(self) -> "Trusted":
        from mi.project.trust import Trusted, read_trust

        return read_trust(self._context.project_home.trust) or Trusted()

    @property
    def _is_there(self) -> bool:
        folders = (*(os.path.join(self._root, name) for name in FOLDERS), self._context.home.path("persona"))
        folders = (*folders, self._context.home.teammates)
        return bool(self._context.config.persona.root) or any(map(os.path.isdir, folders))

    @cached_property
    def _committed(self) -> "CommittedFiles":
        """Return what can bind: as committed, while a run works where it began; nothing that a run brought itself."""
        from mi.project.committed import CommittedFiles, read_committed

        trusted = self._trust
        base = trusted.at_work.get(self._root, {"HEAD": "HEAD"}).get("HEAD")
        found = read_committed(self._root, FOLDERS, base) if base else {}
        return CommittedFiles(self._root, {path: blob for path, blob in found.items() if blob not in trusted.unbound})
