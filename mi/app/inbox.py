"""All that waits for the person: of the logs of every project, and of the teams' personas."""

import os
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from mi.app.home_context import HomeContext
from mi.app.team import build_persona
from mi.evidence.inbox import InboxItem, LocatedItem, list_waiting, look_at_waiting, number_items, sort_items
from mi.evidence.inbox_numbers import number_all, read_numbers
from mi.kernel.errors import StorageError
from mi.kernel.log_view import Progress
from mi.kernel.messages import text
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line, make_printable


def build_inbox(context: HomeContext, progress: Progress) -> list[LocatedItem]:
    """Return all that waits, newest first, each with its number; the log is brought up to date in the index."""
    roots = find_roots(context)
    asked = list_waiting(context.home, context.evidence_index, roots, progress)
    found = sort_items([*map(LocatedItem, _list_proposals(context)), *asked])
    if not found and not os.path.exists(context.home.inbox_numbers):
        return found
    wanted = [one.item.ids or [one.item.id] for one in reversed(found)]  # the oldest gets the lowest number
    return number_items(found, number_all(context.home, wanted, context.notices))


_NAMED = 3  # projects in one line


class Waiting(NamedTuple):
    """All that waits, newest first, seen without writing; not `complete` when a log was not read to its end."""

    items: list[InboxItem]
    complete: bool

    def describe(self, language: str) -> str:
        """Return it in one line; '' when nothing waits."""
        if not self.items:
            return ""
        newest = next((one for one in self.items if one.kind != "suggestion"), self.items[0])
        projects = list(dict.fromkeys(one.project or one.project_id for one in self.items if one.project_id))
        more = f" +{len(projects) - _NAMED}" if len(projects) > _NAMED else ""
        number = f"{newest.number} " if newest.number else ""
        return text(
            "inbox.line" if len(self.items) > 1 else "inbox.line-one",
            language,
            count=len(self.items),
            projects=", ".join(projects[:_NAMED]) + more or text("inbox.no-project", language),
            newest=number + fit_one_line(make_printable(redact(newest.question)), 100),
        )


def look_at_inbox(context: HomeContext) -> Waiting:
    """Return all that waits for the person, of all projects; nothing is written, not even a number."""
    asked, complete = look_at_waiting(context.home, context.evidence_index, find_roots(context), context.notices)
    found = sort_items([*map(LocatedItem, _list_proposals(context)), *asked])
    numbered = number_items(found, read_numbers(context.home, context.notices)) if found else []
    return Waiting([one.item for one in numbered], complete)


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
