"""Why: what a decision, an event, a run or a claim rests on, as a graph and in words; and taking it back."""

import os
from collections.abc import Callable, Iterator
from functools import partial

from mi.app.home_context import HomeContext
from mi.app.undo import Undoing, UndoPreview, preview_retraction, retract_thought
from mi.app.why import WhyReader, build_graph, explain, find_home_of, list_run_grounds
from mi.evidence.run_story import RunStory, read_story
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.kinds import kind_of
from mi.learning.why import Ground, Why
from mi.web.pictures.why_graph import GraphPicture, draw, draw_downwards
from mi.web.plain_words import say_plainly, say_record
from mi.web.view import PageRequest, PageView, identify

_MOST_CITING = 50  # who cites what would be taken back
_GROUNDS = 60  # in words


class WhyModel(NamedTuple):
    """One thing, what it rests on, and what undoing it would change where that was asked for."""

    ref: str
    kind: str
    is_thought: bool
    said: str
    status: str
    ts: str
    project: str
    run_id: str  # that an event is of
    picture: GraphPicture
    narrow: GraphPicture  # the same in a window that has no room for it
    why: Why | None
    grounds: list[Ground]
    more_grounds: int
    story: RunStory | None
    can_undo: bool
    preview: UndoPreview | None
    more_citing: int
    seen: str


def _show(request: PageRequest) -> WhyModel:
    context, ref = request.context, request.params["ref"]
    project_id = find_home_of(context, ref, _index_quietly)
    word, say = (partial(one, language=request.language) for one in (say_plainly, say_record))
    reader = WhyReader(context, project_id, _index_quietly, word, say)
    graph = build_graph(reader, ref)
    story = read_story(reader.logs[0], ref, context.evidence_index, _index_quietly) if ref.startswith("run_") else None
    why = _explain(reader, ref, request.language)
    own = list_run_grounds(story, reader.read_stores()) if story else []
    grounds = list({one.id: one for one in (*reversed(why.grounds if why else []), *reversed(own))}.values())[::-1]
    root, event = graph.nodes[0], reader.find_event(ref) if ref.startswith("ev_") else None
    picture = draw(graph, _make_say_role(request.language), word)
    wants_undo = request.query.get("undo") and root.status != "retracted"
    preview = _preview(request, project_id, ref) if wants_undo else None
    return WhyModel(
        ref,
        say_plainly(root.kind, request.language),
        kind_of(ref) is not None,
        root.text,
        root.status,
        event.head.ts if event else story.started if story else "",
        _find_names(context).get(project_id, project_id),
        event.head.run_id if event and event.head.run_id.startswith("run_") else "",
        picture,
        draw_downwards(graph, picture),
        why,
        [reader.put_words(one) for one in grounds[:_GROUNDS]],
        max(0, len(grounds) - _GROUNDS),
        story,
        root.status != "retracted",
        preview._replace(reach=preview.reach[:_MOST_CITING]) if preview else None,
        max(0, len(preview.reach) - _MOST_CITING) if preview else 0,
        identify(preview),
    )


def _explain(reader: WhyReader, ref: str, language: str) -> Why | None:
    """Return what a thing rests on; of a run, what its latest decision does."""
    if not ref.startswith(("run_", "cli_")):
        return explain(reader, ref, language)
    made = reader.list_decisions(ref)
    latest = next((event for event in made if event.head.kind != "run_end"), made[0] if made else None)
    return explain(reader, latest.head.event_id, language) if latest else None


def _make_say_role(language: str) -> Callable[[str], str]:
    return lambda role: text("why.role-" + role.replace("_", "-"), language)


def _find_names(context: HomeContext) -> dict[str, str]:
    return {one.project_id: os.path.basename(root) for root, one in context.known_projects.roots.items()}


def _preview(request: PageRequest, project_id: str, ref: str) -> UndoPreview:
    context = _at_project(request.context, project_id)
    if kind_of(ref):
        return preview_retraction(context, ref, _index_quietly)
    return Undoing(context, _index_quietly).preview(ref)


def _undo(request: PageRequest) -> Iterator[str]:
    ref = request.params["ref"]
    project_id = find_home_of(request.context, ref, _index_quietly)
    context, found = _at_project(request.context, project_id), _preview(request, project_id, ref)
    request.require_seen(found)
    if kind_of(ref):
        event_id = retract_thought(context, ref, request.read("words"))
        yield text("web.retracted", request.language, ref=ref, event_id=event_id)
        return
    undoing = Undoing(context, _index_quietly)
    if found.restores:
        event_ids, key = undoing.restore(found.ref)["event_ids"], "redo.done"
    else:
        event_ids, key = undoing.take_back(found.ref), "undo.done"
    if not event_ids:
        raise UsageError("nothing-left-to-undo", ref=ref)
    yield text(key, request.language, ref=found.ref, count=len(found.changes), event_id=" ".join(event_ids))


def _at_project(context: HomeContext, project_id: str) -> HomeContext:
    """Return the context of the project that something is of; what holds for all is changed from anywhere."""
    if project_id in ("", context.project.project_id):
        return context
    for root, known in context.known_projects.roots.items():
        if known.project_id == project_id and os.path.isdir(root):
            return context.at(root)
    raise NotFound("unknown-project", value=project_id, known="-")


def _index_quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is: the page waits for the answer."""


VIEW = PageView(_show, "knowledge", {"undo": _undo})
