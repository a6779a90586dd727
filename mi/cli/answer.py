"""`mi answer`, and `mi inbox dismiss`: the person's word on what waits."""

from collections.abc import Callable
from typing import Any

from mi.app.answers import keep_given_answer
from mi.app.home_context import HomeContext
from mi.app.item_answers import (
    ItemOutcome,
    answer_item,
    check_answer,
    describe_outcome,
    dismiss_item,
    find_living,
    name_stop,
    store,
)
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress
from mi.cli.waiting_item import find_meant, find_waiting
from mi.evidence.answers import AnswerWatch, read_answer
from mi.evidence.inbox import LocatedItem
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import KeptAnswer
from mi.evidence.records.thoughts import AnswerKept
from mi.kernel.consent import agrees
from mi.kernel.errors import MiError
from mi.kernel.safe_text import shorten_gist


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command("mi answer", "Answer a question that waits.", "mi answer 1 B", _answer, person_only=True)
    built.add_argument(
        "id", metavar="number", help="its number or id, from `mi inbox`; not needed where one thing waits"
    )
    built.add_argument(
        "text", nargs="*", metavar="answer", help="your answer: an option's letter or text, or your own words"
    )
    built.add_argument(
        "--once", action="store_true", help="this one time only: the answer is not kept for the same question"
    )
    add_json(built)
    return built


def _answer(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    meant = find_meant(context, out, [args.id, *args.text])
    for found, text in meant:  # before the first of them is answered
        check_answer(found.item, text, out.language)
    shown = []
    for found, text in meant:
        outcome = answer_item(context, found, text, "terminal", args.once, Progress(out, "progress.indexing"))
        shown.append(_show(context, args, out, outcome))
    if args.json:
        out.json(shown[0] if len(shown) == 1 else shown)
    return 0


def _show(context: HomeContext, args: Args, out: Output, outcome: ItemOutcome) -> dict[str, Any]:
    """Say what came of a word, and return it for programs."""
    if not args.json:
        for line in describe_outcome(context, outcome, out.language):
            out.line(line)
        return {}
    if outcome.settled is not None:
        names = ("event_id", "suggestion_id", "decision", "applied_claim_ids")
        return {name: getattr(outcome.settled, name) for name in names}
    if outcome.trust is not None:
        asked = outcome.trust
        told = {"question_id": asked.id, "commands": asked.commands, "trusted": agrees(outcome.answer)}
        return told | ({"team_files": [*asked.team_files.values()]} if asked.team_files else {})
    if outcome.sent is not None:
        item = outcome.found.item
        told = {"question_id": item.id, "question": item.question, "answer": outcome.answer}
        return told | {"asked_by": item.asked_by, "machine": item.machine, "state": outcome.sent.state}
    assert outcome.stored is not None  # whatever is no suggestion is stored
    return _list_answered(context, outcome, outcome.stored)


def _list_answered(context: HomeContext, outcome: ItemOutcome, given: UserInput) -> dict[str, Any]:
    item = outcome.found.item
    shown = {"event_id": given.event_id, "question_id": given.question_id}
    if given.dismissed:
        return shown | {"dismissed": True}
    goes_on = "" if name_stop(item, given) else find_living(context, outcome.found)
    answered = {"question": item.question, "answer": given.answer, "goes_on": goes_on}
    more = ({"proposal": outcome.proposal} if outcome.proposal else {}) | (
        {"kept": outcome.kept.claim_id} if outcome.kept else {}
    )
    queued = {"queued": [*outcome.queued]} if outcome.queued else {}
    return shown | {"tasks": outcome.tasks} | answered | more | queued


def say_kept(out: Output, kept: AnswerKept | KeptAnswer) -> None:
    """Say that an answer holds for the next time, and how to take that back."""
    out.say("answer.kept", text=shorten_gist(kept.text, 200), claim_id=kept.claim_id, event_id=kept.event_id)


def answer_in_place(context: HomeContext, out: Output, question: Question, is_over: Callable[[], bool]) -> bool:
    """Ask a person who watches a run what it asks, and store what they say; False when they leave it waiting."""
    from mi.autopilot.asking import AtTerminal
    from mi.evidence.inbox import read_item

    log = context.project_home.evidence
    watch = AnswerWatch.over(log, question.id, context.notices)
    said = AtTerminal(out.text, is_over).ask(question, watch)
    if said is None:
        return watch.look() is not None
    item = read_item(question, context.project.project_id, context.project.root)
    assert item is not None  # it is a question
    answer = read_answer(question.options, question.said, said).text
    try:
        stored = store(context, LocatedItem(item, log), UserInput(answer=answer, by="terminal"), watch)
    except MiError as error:  # somebody was faster
        out.line(error.line(out.language))
        return True
    kept = keep_given_answer(context, item.project_id, stored[0])
    if kept:
        say_kept(out, kept)
    return True


def dismiss(context: HomeContext, args: Args) -> int:
    """Close something that waits without an answer to it."""
    out = Output(context.language)
    progress = Progress(out, "progress.indexing")
    found = find_waiting(context, out, args.ref)
    shown = _show(context, args, out, dismiss_item(context, found, args.why, "terminal", progress))
    if args.json:
        out.json(shown)
    return 0
