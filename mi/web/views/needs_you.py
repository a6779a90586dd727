"""Needs you: all that waits for the person, in all projects; the first view."""

from collections.abc import Iterator
from typing import Literal

from mi.app.handoffs import settle_handoff
from mi.app.home_context import HomeContext
from mi.app.inbox import build_inbox, look_at_inbox, say_default
from mi.app.item_answers import answer_item, check_answer, describe_outcome, dismiss_item, explain_gone
from mi.app.mined_facts import list_unconfirmed, settle_facts
from mi.app.proposals import review_proposal
from mi.app.thoughts import build_thoughts
from mi.evidence.inbox import InboxItem, LocatedItem
from mi.evidence.records.questions import QuestionOption
from mi.kernel.errors import UsageError
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.web.view import PageRequest, PageView, identify

# What settles a thing that is no question, by its kind; the reason is said in words.
_CHOICES = {"facts": ("confirm", "drop"), "proposal": ("accept", "reject"), "handoff": ("accept", "reject")}
_MOST_CITED = 5
_FACTS = 20  # of a group that are shown at once


class WaitingCard(NamedTuple):
    """One thing that waits, as the page shows it."""

    item: InboxItem
    options: list[QuestionOption]
    says_more: bool  # the agent's own words are more than the question
    default: str
    cited: list[tuple[str, str]]  # the values that almost answered: id and text, '' where it is not known
    facts: list[tuple[str, str]]  # that a group is of, as far as it is shown: id and text
    can_answer: bool
    can_dismiss: bool
    choices: tuple[str, ...]  # ways to settle what is no question
    takes_words: bool
    command: str  # the way to settle it where the page has none
    seen: str  # tells what is shown from what it may become


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
    found = [one for one in waiting.items if chosen in ("", one.project_id)]
    shown = sorted(found, key=lambda one: (one.kind == "notification", not one.waiting))  # what is held up comes first
    cards = [_make_card(one, request) for one in shown]
    return WaitingModel(cards, waiting.complete, projects, chosen)


def _make_card(item: InboxItem, request: PageRequest) -> WaitingCard:
    can_answer, choices = item.answer_with.startswith("mi answer "), _CHOICES.get(item.kind, ())
    return WaitingCard(
        item,
        item.options if can_answer else [],
        item.kind != "facts" and " ".join(item.said.split()) not in ("", " ".join(item.question.split())),
        say_default(item, request.language),
        _find_cited(request.context, item),
        _list_facts(request.context, item) if item.kind == "facts" else [],
        can_answer,
        item.kind not in _CHOICES and not item.is_elsewhere,
        choices,
        item.kind in ("proposal", "handoff") or (can_answer and len(item.options) != 1 and item.kind != "suggestion"),
        "" if can_answer or choices else item.answer_with,
        identify(*_list_shown(item)),
    )


def _list_shown(item: InboxItem) -> tuple[object, ...]:
    """Return what an answer is an answer to; of facts each stands for itself, and more of them may come."""
    return (item.kind, *(() if item.kind == "facts" else (item.question, item.said, item.options, item.call)))


def _find_cited(context: HomeContext, item: InboxItem) -> list[tuple[str, str]]:
    """Return the values that almost answered; one that was taken back since is known by its id alone."""
    wanted = item.would.cited_ids[:_MOST_CITED] if item.would else []
    if not wanted:
        return []
    stores = build_thoughts(context).read_project(item.project_id)
    found = [(one, stores.get(one)) for one in wanted]
    return [(name, str(one.raw.get("text") or "") if one else "") for name, one in found]


def _list_facts(context: HomeContext, item: InboxItem) -> list[tuple[str, str]]:
    return [(one.id, str(one.raw.get("text") or "")) for one in list_unconfirmed(context, item.project_id, _FACTS)]


def _answer(request: PageRequest) -> Iterator[str]:
    found = _find(request)
    said = request.read("choice") or request.read("words")
    check_answer(found.item, said, request.language)
    once = request.read("keep") == "once"
    outcome = answer_item(request.context, found, said, "page", once, _index_quietly)
    yield from describe_outcome(request.context, outcome, request.language)


def _dismiss(request: PageRequest) -> Iterator[str]:
    found = _find(request)
    outcome = dismiss_item(request.context, found, request.read("words"), "page", _index_quietly)
    yield from describe_outcome(request.context, outcome, request.language)


def _settle(request: PageRequest) -> Iterator[str]:
    item, choice = _find(request).item, request.read("choice")
    if choice not in _CHOICES.get(item.kind, ()):
        raise UsageError("not-an-option", id=item.number or item.id, value=choice, options="|".join(_CHOICES))
    context = request.context.at(item.project_root) if item.project_root else request.context
    if item.kind == "facts":
        settled = settle_facts(context, _read_facts(request), is_true=choice == "confirm")
        yield text("claim.confirm" if choice == "confirm" else "claim.drop", request.language, count=len(settled))
    elif item.kind == "proposal":
        verdict: Literal["accept", "reject"] = "accept" if choice == "accept" else "reject"
        done = review_proposal(context, item.id, verdict, request.read("words"))
        details = {"status": done.decided.proposal.status, "card": done.card_id or "-"}
        yield text("proposal.decided", request.language, name=done.decided.name, **details)
    else:
        status: Literal["accepted", "rejected"] = "accepted" if choice == "accept" else "rejected"
        moved = settle_handoff(context, item.id, status, request.read("words"))
        yield text("handoff.now", request.language, id=moved.id, status=moved.status, receiver=moved.receiver)


def _read_facts(request: PageRequest) -> list[str]:
    """Return the facts that the person saw: what came since, or had no room, is not settled with them."""
    seen = request.read("facts").split()
    if not seen:
        raise UsageError("argument-needs-value", name="facts", hint="mi claim confirm --help")
    return seen


def _find(request: PageRequest) -> LocatedItem:
    """Return what a form is about, as long as it is what the person saw."""
    item_id = request.read("item")
    for one in build_inbox(request.context, _index_quietly):
        if item_id and item_id in (one.item.id, *one.item.ids):
            request.require_seen(*_list_shown(one.item))
            return one
    raise explain_gone(request.context, item_id, [item_id], _index_quietly)


def _index_quietly(done: int, total: int) -> None:
    """Say nothing of how far the index is: the page waits for the answer."""


VIEW = PageView(_show, "inbox", {"answer": _answer, "dismiss": _dismiss, "settle": _settle})
