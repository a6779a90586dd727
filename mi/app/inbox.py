"""All that waits for the person: of the logs of every project, and of the teams' personas."""

import os
import shlex
from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.app.team import build_persona
from mi.evidence.inbox import InboxItem, LocatedItem, list_waiting, number_items, sort_items
from mi.evidence.inbox_numbers import number_all
from mi.kernel.errors import StorageError
from mi.kernel.log_view import Progress


def build_inbox(context: HomeContext, progress: Progress) -> list[LocatedItem]:
    """Return all that waits, newest first, each with its number; the log is brought up to date in the index."""
    roots = find_roots(context)
    asked = list_waiting(context.home, context.evidence_index, roots, progress)
    found = sort_items([*map(LocatedItem, _list_proposals(context)), *asked])
    if not found and not os.path.exists(context.home.inbox_numbers):
        return found
    wanted = [one.item.ids or [one.item.id] for one in reversed(found)]  # the oldest gets the lowest number
    return number_items(found, number_all(context.home, wanted, context.notices))


def find_roots(context: HomeContext) -> dict[str, str]:
    """Return where each known project lies, by its id."""
    return {known.project_id: root for root, known in context.known_projects.roots.items()}


def _list_proposals(context: HomeContext) -> Iterator[InboxItem]:
    """Candidates for cards that nobody has reviewed yet, of every persona that the home knows."""
    own = context.config.persona.root
    shared = os.path.abspath(os.path.expanduser(own)) if own else context.home.path("persona")
    places = {
        os.path.join(root, "persona"): (root, known.project_id) for root, known in context.known_projects.roots.items()
    }
    for folder, (root, project_id) in (places | {shared: ("", "")}).items():
        if not os.path.isdir(folder):
            continue
        from mi.persona.proposals import list_pending

        at = f"-C {shlex.quote(root)} " if root else ""
        try:
            found = list_pending(build_persona(context)._replace(root=folder, project=root))
        except StorageError:
            continue  # a link leads out of its project: `mi persona` says so there
        for one in found:
            yield InboxItem(
                id=one.name,
                kind="proposal",
                question=one.proposal.title,
                run_id="",
                project_id=project_id,
                project=os.path.basename(root),
                project_root=root,
                ts=f"{one.proposal.date}T00:00:00.000Z",
                answer_with=f"mi {at}proposal review {shlex.quote(one.name)} --verdict accept --by human",
            )
