"""All that waits for the person: of the logs of every project, and of the teams' personas."""

import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from mi.app.home_context import HomeContext
from mi.app.mined_facts import MOST, list_unconfirmed
from mi.app.team import build_persona
from mi.evidence.inbox import InboxItem, LocatedItem, list_waiting, number_items, sort_items
from mi.evidence.inbox_numbers import number_all, read_numbers
from mi.kernel import clock
from mi.kernel.errors import MiError, StorageError
from mi.kernel.log_view import Progress
from mi.kernel.messages import say_again, text, word
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line, make_printable

if TYPE_CHECKING:
    from mi.persona.members import Role
    from mi.persona.place import PersonaView


def build_inbox(context: HomeContext, progress: Progress) -> list[LocatedItem]:
    """Return all that waits, newest first, each with its number; the log is brought up to date in the index."""
    asked, _ = list_waiting(context.home, context.evidence_index, find_roots(context), context.notices, progress)
    others = [*_list_others(context), *_list_mined(context, MOST)]
    found = sort_items([*others, *asked])
    if not found and not os.path.exists(context.home.inbox_numbers):
        return found
    wanted = [one.item.ids or [one.item.id] for one in reversed(found)]  # the oldest gets the lowest number
    try:
        numbers = number_all(context.home, wanted, context.notices)
    except (OSError, StorageError):  # a home that cannot be written: what has no number yet is told by its id
        numbers = read_numbers(context.home, context.notices)
    return number_items(found, numbers)


_DEFAULTS = (  # what happens if nobody answers
    "question.run-waits",
    "question.trust-waits",
    "question.team-waits",
    "question.proposal-waits",
    "question.tasks-waits",
    "question.capture-waits",
    "hook.default",
    "speaker.default",
    "seal.default",
)
_NAMED = 3  # projects in one line
_BLOCKERS = 20  # runs that others wait for, and of those that wait
_GLANCE = 20  # facts of a project that a look counts: each is weighed by all that it rests on


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
    asked, complete = list_waiting(context.home, context.evidence_index, find_roots(context), context.notices)
    others = [*_list_others(context), *_list_mined(context, _GLANCE)]
    found = sort_items([*others, *asked])
    numbered = number_items(found, read_numbers(context.home, context.notices)) if found else []
    return Waiting([one.item for one in numbered], complete)


def say_default(item: InboxItem, language: str) -> str:
    """Return what happens if nobody answers; whoever asked may speak another language."""
    return say_again(item.default, _DEFAULTS, language)


def find_roots(context: HomeContext) -> dict[str, str]:
    """Return where each known project lies, by its id."""
    return {known.project_id: root for root, known in context.known_projects.roots.items()}


def _list_others(context: HomeContext) -> Iterator[LocatedItem]:
    """Yield what waits in no log of this home: of personas, of the queue, and of homes elsewhere."""
    yield from _list_team_items(context)
    yield from _list_blockers(context)
    if os.path.exists(context.home.hub_questions):
        from mi.app.hub_questions import list_elsewhere

        yield from list_elsewhere(context)


def _list_team_items(context: HomeContext) -> Iterator[LocatedItem]:
    """Yield what waits in every persona that the home knows."""
    own = context.config.persona.root
    shared = os.path.abspath(os.path.expanduser(own)) if own else context.home.path("persona")
    places = {
        os.path.join(root, "persona"): (root, known.project_id) for root, known in context.known_projects.roots.items()
    }
    for folder, (root, project_id) in (places | {shared: ("", "")}).items():
        if not os.path.isdir(folder):
            continue
        persona = build_persona(context)._replace(root=folder, project=root)
        at = f"mi -C {shlex.quote(root)} " if root else "mi "
        place = {"project_id": project_id, "project": os.path.basename(root), "project_root": root}
        for item in _list_of_persona(context, persona, at):
            yield LocatedItem(msgspec.structs.replace(item, **place))


def _list_mined(context: HomeContext, most: int) -> Iterator[LocatedItem]:
    """Yield the facts of each project that agents' work left and nothing confirmed, as one group."""
    for project_id, root in find_roots(context).items():
        waiting = list_unconfirmed(context, project_id, most)
        if not waiting:
            continue
        at, language = shlex.quote(root), context.quiet_language
        said = " · ".join(f"{one.id} {fit_one_line(redact(str(one.raw.get('text') or '')), 100)}" for one in waiting)
        item = InboxItem(
            id=f"facts-{project_id}",
            kind="facts",
            question=text(
                "inbox.facts" if len(waiting) < most else "inbox.facts-more", language, count=len(waiting), at=at
            ),
            said=said,
            ts=str(waiting[0].raw.get("asserted_ts") or ""),
            answer_with=f"mi -C {at} claim confirm",
            project_id=project_id,
            project=os.path.basename(root),
            project_root=root,
        )
        yield LocatedItem(item)


def _list_blockers(context: HomeContext) -> Iterator[LocatedItem]:
    """Yield the runs that ended without being done while queued tasks wait for them."""
    if not os.path.exists(context.home.queue):
        return
    from mi.app.queue import build_queue

    try:
        found = build_queue(context).blockers(_BLOCKERS)
    except MiError:
        return  # what is wrong with the queue is said where it is shown
    roots, language = find_roots(context), context.quiet_language
    for job, waiting in found:
        is_outside = job.state == "outside"
        root = roots.get(job.task.project_id, job.task.root)
        how = [word(job.reason if is_outside else job.state, language), "" if is_outside else job.reason]
        said = {"run_id": job.run_id, "how": fit_one_line(redact(": ".join(filter(None, how))), 200)}
        way = f"mi -C {shlex.quote(root)} run --resume {job.run_id}" if is_outside else f"mi queue retry {job.run_id}"
        item = InboxItem(
            id=job.run_id,
            kind="run",
            question=text("inbox.blocker", language, count=len(waiting), example=waiting[0].run_id, **said),
            said=" · ".join(f"{one.run_id} {fit_one_line(redact(one.task), 100)}" for one in waiting[:_BLOCKERS]),
            run_id=job.run_id,
            task=job.task.task,
            ts=clock.format_ms(int(job.changed * 1000)),
            answer_with=way,
            project_id=job.task.project_id,
            project=os.path.basename(root),
            project_root=root,
        )
        yield LocatedItem(item)


def _list_of_persona(context: HomeContext, persona: "PersonaView", at: str) -> list[InboxItem]:
    """Return the candidates for cards that nobody has reviewed yet, and what was handed to the person."""
    from mi.app.members import find_own_member, read_members

    try:
        members = read_members(persona)
    except MiError:
        members = []  # a table that cannot be read, or a link that leads out: `mi persona lint` says so
    own = find_own_member(context, members)
    return [*_list_proposals(persona, at, own or "human"), *_list_handoffs(persona, at, members, own)]


def _list_proposals(persona: "PersonaView", at: str, own: str) -> list[InboxItem]:
    from mi.persona.proposals import list_pending

    try:
        found = list_pending(persona)
    except StorageError:
        return []  # a link leads out of its project: `mi persona` says so there
    return [
        InboxItem(
            id=one.name,
            kind="proposal",
            question=one.proposal.title,
            said=one.body,
            ts=f"{one.proposal.date}T00:00:00.000Z",
            answer_with=f"{at}proposal review {shlex.quote(one.name)} --verdict accept --by {shlex.quote(own)}",
        )
        for one in found
    ]


def _list_handoffs(persona: "PersonaView", at: str, members: "list[Role]", own: str) -> list[InboxItem]:
    """Return the tasks that were sent to the person and that they neither took on nor gave back.

    Where nobody can tell which human they are, those that were sent to any.
    """
    from mi.persona.handoffs import list_open
    from mi.persona.members import is_human

    try:
        sent = [one for one in list_open(persona) if one.status == "sent"]
    except MiError:
        return []  # a link that leads out of its project: `mi persona` says so there
    found = [one for one in sent if one.receiver == own or (not own and is_human(members, one.receiver))]
    return [
        InboxItem(
            id=one.id,
            kind="handoff",
            question=f"{one.sender} → {one.receiver}: {one.task}",
            said=one.context,
            ts=one.timestamp,
            answer_with=f"{at}handoff accept {one.id} --member {shlex.quote(one.receiver)}",
        )
        for one in found
    ]
