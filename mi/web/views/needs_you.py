"""Needs you: all that waits for the person, in all projects; the first view."""

from collections.abc import Iterator

from mi.app.home_context import HomeContext
from mi.app.inbox import build_inbox, look_at_inbox, say_default
from mi.app.item_answers import answer_item, check_answer, describe_outcome, dismiss_item
from mi.evidence.inbox import InboxItem, LocatedItem
from mi.evidence.records.run import QuestionOption
from mi.kernel.errors import NotFound
from mi.kernel.named_tuple import NamedTuple
from mi.web.view import PageRequest, PageView


class WaitingCard(NamedTuple):
    """One thing that waits, as the page shows it."""

    item: InboxItem
    options: list[QuestionOption]
    says_more: bool  # the agent's own words are more than the question
    default: str
    can_answer: bool
    takes_words: bool
    command: str  # the way to settle it where the page has none


class WaitingModel(NamedTuple):
    """All that waits, of one project or of all."""

    cards: list[WaitingCard]
    complete: bool
    projects: dict[str, str]  # names by id, of all that waits
    chosen: str


def _show(request: PageRequest) -> WaitingModel:
    waiting = look_at_inbox(request.context)
    chosen = request.query.get("project", "")
    projects = {one.project_id: one.project or one.project_id for one in waiting.items if one.project_id}
    shown = [one for one in waiting.items if chosen in ("", one.project_id)]
    return WaitingModel([_make_card(one, request.language) for one in shown], waiting.complete, projects, chosen)


def _make_card(item: InboxItem, language: str) -> WaitingCard:
    can_answer = item.answer_with.startswith("mi answer ")
    return WaitingCard(
        item,
        item.options if can_answer else [],
        " ".join(item.said.split()) not in ("", " ".join(item.question.split())),
        say_default(item, language),
        can_answer,
        can_answer and len(item.options) != 1 and item.kind != "suggestion",
        "" if can_answer else item.answer_with,
    )


def _answer(request: PageRequest) -> Iterator[str]:
    found = _find(request.context, request.read("item"))
    said = request.read("choice") or request.read("words")
    check_answer(found.item, said, request.language)
    once = request.read("keep") == "once"
    outcome = answer_item(request.context, found, said, "page", once, _index_quietly)
    yield from describe_outcome(request.context, outcome, request.language)


def _dismiss(request: PageRequest) -> Iterator[str]:
    found = _find(request.context, request.read("item"))
    outcome = dismiss_item(request.context, found, request.read("words"), "page", _index_quietly)
    yield from describe_outcome(request.context, outcome, request.language)


def _find(context: HomeContext, item_id: str) -> LocatedItem:
    for one in build_inbox(context, _index_quietly):
        if item_id and item_id in (one.item.id, *one.item.ids):
            return one
    raise NotFound("nothing-waits", id=item_id)


def _index_quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is: the page waits for the answer."""


VIEW = PageView("needs_you", "/", _show, "inbox", {"answer": _answer, "dismiss": _dismiss})
