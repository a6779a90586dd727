"""Which of the things that wait a person means: by number, by id, or the only one there is."""

import re

from mi.app.home_context import HomeContext
from mi.app.inbox import build_inbox
from mi.app.item_answers import explain_gone
from mi.cli.output import Output, Progress
from mi.evidence.answers import read_answer
from mi.evidence.inbox import InboxItem, LocatedItem
from mi.kernel.consent import agrees, declines
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.safe_text import shorten_gist

_NUMBERED = re.compile(r"#?(?P<ref>\d+)(?:\s*[:.,)]\s*|\s+|(?=[A-Za-z]\s*$)|$)(?P<text>.*)", re.DOTALL)
_NUMBER = re.compile(r"(?:^|(?<=[\s,;]))#?(?P<ref>\d+)(?:[:.)]\s*|(?=\s|[A-Za-z](?:[\s,;]|$)|$))")
_ID = re.compile(r"[a-z]{1,4}_[\w-]+")
_NAMED = 4  # questions in one line


def find_meant(context: HomeContext, out: Output, words: list[str]) -> list[tuple[LocatedItem, str]]:
    """Return what a person answers and their answers: `1 B`, `1B`, `#1: B`, `1 B 2 yes`, or `B` where one thing waits.

    Words in quotes are one answer, whatever numbers are in them.
    """
    waiting = build_inbox(context, Progress(out, "progress.indexing"))
    said = " ".join(words).strip()
    numbered = _NUMBERED.fullmatch(said)
    first, *rest = words
    if several := [] if any(" " in word for word in rest) else _find_several(waiting, said):
        return several
    if numbered is not None and (limit := _find_limit(context, waiting, numbered["ref"], said)):
        return [(limit, said)]
    if numbered is not None:
        ref, text = numbered["ref"], numbered["text"].strip()
    elif _ID.fullmatch(first) or any(first in (one.item.id, *one.item.ids) for one in waiting):
        ref, text = first, " ".join(rest).strip()
    else:
        return [(_find_only(waiting, said), said)]
    if not text:
        raise UsageError("empty-answer", id=ref)
    return [(_pick(context, out, waiting, ref), text)]


def _find_several(waiting: list[LocatedItem], said: str) -> list[tuple[LocatedItem, str]]:
    """Return each thing that is answered by its number, where all answers take an option or say yes or no; else none.

    UsageError where only the first ones do: the rest may belong to them, or answer another question.
    """
    by_number = {str(one.item.number): one for one in waiting if one.item.number}
    places = [found for found in _NUMBER.finditer(said) if found["ref"] in by_number]
    refs = [found["ref"] for found in places]
    if len(refs) < 2 or places[0].start() or len({*refs}) < len(refs):
        return []
    ends = [*(found.start() for found in places[1:]), len(said)]
    answers = [said[found.end() : end].strip(" ,;") for found, end in zip(places, ends, strict=True)]
    meant = [(by_number[one], answer) for one, answer in zip(refs, answers, strict=True)]
    clear = [_is_clear(found.item, answer) for found, answer in meant]
    if all(clear):
        return meant
    if clear[0]:
        raise UsageError("answer-each", value=shorten_gist(said, 100), id=refs[0], other=refs[clear.index(False)])
    return []


def _is_clear(item: InboxItem, answer: str) -> bool:
    """Return whether an answer can be nothing but one: it takes an option, or is a bare yes or no."""
    return bool(read_answer(item.options, item.said, answer).key) or agrees(answer) or declines(answer)


def _find_limit(context: HomeContext, waiting: list[LocatedItem], ref: str, said: str) -> LocatedItem | None:
    """Return the one thing that waits where it is a limit, and the number is how far to raise it: `5 more`."""
    from mi.autopilot.limit_answers import read_wish

    found = [one for one in waiting if one.item.answer_with.startswith("mi answer ")]
    limit = found[0].item.limit if len(found) == 1 else None
    is_amount = limit and _read_ref(context, ref) == [ref] and read_wish(said, limit) is not None
    return found[0] if is_amount else None


def _find_only(waiting: list[LocatedItem], said: str) -> LocatedItem:
    """Return the one thing that can be answered; UsageError names them where there are several."""
    found = [one for one in waiting if one.item.answer_with.startswith("mi answer ")]
    if not found:
        raise NotFound("nothing-waits", id=shorten_gist(said, 100))
    if len(found) > 1:
        named = "; ".join(f"{one.item.number} {shorten_gist(one.item.question, 60)}" for one in found[:_NAMED])
        more = f" +{len(found) - _NAMED}" if len(found) > _NAMED else ""
        raise UsageError("which-question", value=shorten_gist(said, 60), questions=named + more)
    return found[0]


def find_waiting(context: HomeContext, out: Output, ref: str) -> LocatedItem:
    """Return what waits under a number or an id; NotFound says what became of it."""
    return _pick(context, out, build_inbox(context, Progress(out, "progress.indexing")), ref)


def _pick(context: HomeContext, out: Output, waiting: list[LocatedItem], ref: str) -> LocatedItem:
    ids = _read_ref(context, ref)
    for one in waiting:
        if not {one.item.id, *one.item.ids}.isdisjoint(ids):
            return one
    raise explain_gone(context, ref, ids, Progress(out, "progress.indexing"))


def _read_ref(context: HomeContext, ref: str) -> list[str]:
    """Return the ids that a number stands for, or has stood for within a day; any other reference is an id itself."""
    from mi.evidence.inbox_numbers import read_numbers

    number = int(ref) if ref.isdecimal() and len(ref) < 10 else 0
    holder = read_numbers(context.home, context.notices).who(number)
    return holder.ids if holder else [ref]
