"""Knowledge: all that is known by one search, narrowed; confirm, correct, take back, hand to the team."""

import os
from collections.abc import Iterator
from datetime import date, timedelta
from typing import get_args

from mi.app.costs import find_root
from mi.app.home_context import HomeContext
from mi.app.knowledge import GROUPS, TRUSTS, KnowledgeEntry, KnowledgeWish, find_knowledge
from mi.app.mined_facts import settle_facts
from mi.app.remember import write_down
from mi.app.thoughts import build_thoughts
from mi.app.undo import retract_at
from mi.kernel import clock
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.search.team import Kind
from mi.knowledge.thoughts.editor import ThoughtEditor, supersede
from mi.knowledge.thoughts.kinds import kind_of
from mi.web.plain_words import say_plainly
from mi.web.view import PageRequest, PageView, read_number

REACHES = ("", "mine", "team")
SPANS = ("", "7", "30", "365")  # days
KINDS: tuple[str, ...] = get_args(Kind)
_SHOWN = 25
_MOST_PAGES = 1000


class ShownKnowledge(NamedTuple):
    """Something known, where it belongs and what can be done with it."""

    entry: KnowledgeEntry
    project: str
    place: str  # of acts: a project's id, or `global`
    can_change: bool
    can_correct: bool
    can_share: bool


class KnowledgeModel(NamedTuple):
    """What was found, and how it was asked for."""

    shown: list[ShownKnowledge]
    chosen: dict[str, str]
    page: int
    has_more: bool
    choices: list[tuple[str, str, list[tuple[str, str]]]]  # label, name in the address, pairs of value and words
    kinds: tuple[str, ...]
    is_narrowed: bool


def _show(request: PageRequest) -> KnowledgeModel:
    context, query = request.context, request.query
    chosen = {name: query.get(name, "") for name in ("q", "kind", "reach", "trust", "days", "project", "old")}
    choices = _list_choices(request)
    for _, name, options in choices:
        if chosen[name] not in dict(options):
            known = ", ".join(value for value, _ in options if value)
            raise UsageError("no-such-choice", name=name, value=repr(chosen[name]), known=known, hint="mi search")
    page = min(read_number(query.get("page", ""), 1), _MOST_PAGES)
    wish = KnowledgeWish(
        chosen["q"],
        chosen["kind"],
        chosen["reach"],
        chosen["trust"],
        _find_first_day(chosen["days"]),
        chosen["project"],
        bool(chosen["old"]),
    )
    found = find_knowledge(context, wish, (max(page, 1) - 1) * _SHOWN, _SHOWN)
    shown = [_make_shown(context, one, request.language) for one in found.entries]
    is_narrowed = any(value for name, value in chosen.items() if name != "q")
    return KnowledgeModel(shown, chosen, max(page, 1), found.has_more, choices, KINDS, is_narrowed)


def _list_choices(request: PageRequest) -> list[tuple[str, str, list[tuple[str, str]]]]:
    language = request.language
    everything = ("", text("web.all-states", language))
    ids = request.context.home.project_ids()
    names = [(one, os.path.basename(find_root(request.context, one)) or one) for one in ids]
    spans = [(one, text("web.span-days", language, count=one)) for one in SPANS[1:]]
    reaches = [(one, text(f"web.reach-{one}", language)) for one in REACHES[1:]]
    return [
        (
            text("web.kind", language),
            "kind",
            [everything, *((one, text(f"web.group-{one}", language)) for one in GROUPS)],
        ),
        (text("web.reach", language), "reach", [everything, *reaches]),
        (
            text("web.trust", language),
            "trust",
            [everything, *((one, text(f"web.trust-{one}", language)) for one in TRUSTS)],
        ),
        (text("web.span", language), "days", [(everything[0], text("web.span-all", language)), *spans]),
        (text("web.project", language), "project", [("", text("web.all-projects", language)), *names]),
    ]


def _find_first_day(days: str) -> str:
    return (date.fromisoformat(clock.now()[:10]) - timedelta(days=int(days))).isoformat() if days else ""


def _make_shown(context: HomeContext, entry: KnowledgeEntry, language: str) -> ShownKnowledge:
    one = entry.document
    root = find_root(context, one.project_id) if one.project_id else ""
    is_thought = one.kind in ("claim", "node") and not entry.corrected_by
    name = os.path.basename(root) or one.project_id or say_plainly("global", language)
    can_change = is_thought and (not one.project_id or os.path.isdir(root))
    can_share = can_change and bool(root)
    return ShownKnowledge(
        entry, name, one.project_id or "global", can_change, can_change and one.kind == "claim", can_share
    )


def _at_place(request: PageRequest) -> HomeContext:
    """Return the context of the project that a form names; of what holds everywhere, the page's own."""
    place = request.read("place")
    if place == "global":
        return request.context
    root = find_root(request.context, place)
    if not root or not os.path.isdir(root):
        raise NotFound("unknown-project", value=place, known=", ".join(request.context.known_projects.roots) or "-")
    return request.context.at(root)


def _edit(request: PageRequest) -> tuple[ThoughtEditor, str]:
    scope = "global" if request.read("place") == "global" else "project"
    return build_thoughts(_at_place(request)).edit(scope), scope


def _confirm(request: PageRequest) -> Iterator[str]:
    settled = settle_facts(_at_place(request), [request.read("id")], is_true=True)
    yield text("claim.confirm", request.language, count=len(settled))


def _correct(request: PageRequest) -> Iterator[str]:
    editor, scope = _edit(request)
    event_id, new = supersede(editor, request.read("id"), request.read("words"))
    fields = {"ref": request.read("id"), "claim_id": new.claim_id, "scope": scope, "event_id": event_id}
    yield text("thoughts.superseded", request.language, **fields)


def _retract(request: PageRequest) -> Iterator[str]:
    editor, scope = _edit(request)
    ref = request.read("id")
    event_id = retract_at(editor, ref, kind_of(ref) or "claim", request.read("reason"))
    yield text("thoughts.retracted", request.language, ref=ref, scope=scope, event_id=event_id)


def _share(request: PageRequest) -> Iterator[str]:
    """Write a thought into the team's files, as `mi remember --team` does."""
    context, kind = _at_place(request), request.read("kind")
    if kind not in KINDS:
        raise UsageError("no-such-choice", name="kind", value=repr(kind), known=", ".join(KINDS), hint="mi remember")
    thought = build_thoughts(context).read("effective").get(request.read("id"))
    if thought is None or not thought.stands:
        raise NotFound("unknown-thought", ref=request.read("id"), scope="project", kind="claim")
    said = "\n".join(part for part in (thought.raw.get("title"), thought.raw.get("text")) if part)
    name = "-".join(request.read("name").lower().split())
    kept = write_down(context, kind, said, name)  # type: ignore[arg-type]  # it is one of them
    fields = {"kind": kind, "path": kept.path, "id": kept.name}
    yield text("remember.proposed" if kept.is_proposal else "remember.team", request.language, **fields)


VIEW = PageView(
    _show,
    "knowledge",
    {"confirm": _confirm, "correct": _correct, "retract": _retract, "share": _share},
)
