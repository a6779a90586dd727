"""`mi answer`, and `mi inbox dismiss`: the person's word on what waits."""

import os
import shlex
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from mi.app.answers import keep_given_answer
from mi.app.home_context import HomeContext
from mi.app.learning import build_knowledge
from mi.app.permission_words import open_always
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress, shorten_gist
from mi.cli.waiting_item import find_meant, find_waiting
from mi.evidence.answers import AnswerWatch, ReadAnswer, lacks_option, name_options, read_answer
from mi.evidence.inbox import InboxItem, LocatedItem
from mi.evidence.records.run import KeptAnswer, Question, UserInput
from mi.evidence.records.thoughts import AnswerKept
from mi.evidence.secret_words import hand_over, hide_secrets
from mi.governance.session_words import Reach, read_permission
from mi.kernel.consent import refuses
from mi.kernel.errors import MiError, UsageError
from mi.kernel.home import ProjectHome
from mi.kernel.secrets import redact


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
        _refuse_unanswerable(out, found.item, text)
    shown = [_answer_one(context, args, out, found, text) for found, text in meant]
    if args.json:
        out.json(shown[0] if len(shown) == 1 else shown)
    return 0


def _refuse_unanswerable(out: Output, item: InboxItem, said: str) -> None:
    if item.kind == "suggestion":
        _read_yes_or_no(item, said)
        return
    if not item.answer_with.startswith("mi answer "):
        way = {"kind": out.word(item.kind), "command": item.answer_with}
        raise MiError("answered-otherwise", id=item.number or item.id, **way)
    _refuse_unclear(item, said)
    _read_opening(item, read_answer(item.options, item.said, said))


def _answer_one(context: HomeContext, args: Args, out: Output, found: LocatedItem, text: str) -> dict[str, Any]:
    """Store the answer to one thing that waits, say what follows, and return it for programs."""
    if found.item.kind == "suggestion":
        return _settle(context, args, out, found, _read_yes_or_no(found.item, text))
    choice = read_answer(found.item.options, found.item.said, text)
    opens = _read_opening(found.item, choice)
    trust = _find_trust(context, found.item)
    stored = store(context, found, UserInput(answer=choice.text, by="terminal", opens=opens, once=args.once))
    if trust is not None:
        return _settle_trust(context, args, out, found, trust, choice.text)
    if opens == "always":
        open_always(context, found.item.call, found.item.project_root, stored[0])
    kept = keep_given_answer(context, found.item.project_id, stored[0])
    queued = _wake(context, found.item, stored[0])
    safe = redact(text)
    outcome, proposal = _about_tasks(context, found.item, safe), _about_capture(context, found.item, safe)
    if args.json:
        shown = {"event_id": stored[0].event_id, "question_id": stored[0].question_id, "tasks": outcome}
        goes_on = "" if _name_stop(found.item, stored[0]) else _find_living(context, found)
        answered = {"question": found.item.question, "answer": stored[0].answer, "goes_on": goes_on}
        more = ({"proposal": proposal} if proposal else {}) | ({"kept": kept.claim_id} if kept else {})
        return shown | answered | more | ({"queued": queued} if queued else {})
    _say_answered(out, found.item, choice.text)
    _say_limit(out, found.item, choice.text)
    if found.item.call:
        out.say("hook.opens-" + (opens or "nothing"), operation=found.item.call.operation)
    if kept:
        say_kept(out, kept)
    _say_what_follows(context, out, found, stored[0], queued)
    if outcome:
        out.say("tasks.answer-" + outcome)
    if proposal:
        out.say("inbox.proposed", path=proposal)
    return {}


def _refuse_unclear(item: InboxItem, said: str) -> None:
    """Refuse what names no option or does not say how far a limit is raised, while whoever said it is there."""
    if item.limit is None:
        if lacks_option(item.options, said):
            shown, key = name_options(item.options), "not-an-option" if len(item.options) == 1 else "no-such-option"
            raise UsageError(key, id=item.number or item.id, value=shorten_gist(said, 100), options=shown)
        return
    from mi.autopilot.limit_answers import read_wish

    if read_wish(said, item.limit) is None:
        raise UsageError("unclear-limit", value=shorten_gist(said, 100), unit=item.limit.name)


def _say_limit(out: Output, item: InboxItem, said: str) -> None:
    """Say what a limit becomes by an answer."""
    if item.limit is None:
        return
    from mi.autopilot.limit_answers import Raise, read_wish
    from mi.autopilot.limits import name_limit

    wish = read_wish(said, item.limit)
    if isinstance(wish, Raise):
        raised = item.limit if wish.to is None else msgspec.structs.replace(item.limit, value=wish.to)
        shown = out.text("limit.none") if wish.to is None else name_limit(raised, out.language)
        out.say("inbox.limit-becomes", limit=shown)


def say_kept(out: Output, kept: AnswerKept | KeptAnswer) -> None:
    """Say that an answer holds for the next time, and how to take that back."""
    out.say("answer.kept", text=shorten_gist(kept.text, 200), claim_id=kept.claim_id, event_id=kept.event_id)


def store(
    context: HomeContext, found: LocatedItem, word: UserInput, watch: AnswerWatch | None = None
) -> list[UserInput]:
    """Store a word on something that waits, once for each time it was asked; MiError if another one came first."""
    item = found.item
    ids = item.ids or [item.id]
    with (watch or AnswerWatch(found.log, ids, found.size)).settle() as earlier:
        if earlier is not None:
            shown = {"question": shorten_gist(earlier.question, 100), "answer": shorten_gist(earlier.answer, 100)}
            raise MiError("answered-before", id=item.number or item.id, ts=earlier.ts, **shown)
        hidden = hide_secrets(word)
        if hidden.answer != word.answer:
            _hand_over(context, found, ids, word.answer)
        writer = context.evidence_writer(found.log)
        said = [msgspec.structs.replace(hidden, question=item.question, question_id=one) for one in ids]
        return [writer.append(one, sync=True) for one in said]


def _hand_over(context: HomeContext, found: LocatedItem, ids: list[str], said: str) -> None:
    """Give a secret on to the run that waits for the answer, before that sees it; where none does, it goes nowhere."""
    living = _find_living(context, found)
    for one in ids if living else ():
        hand_over(context.home.project(found.item.project_id), one, said)
    context.notices.add("secret-answer" if living else "secret-answer-dropped", found.log)


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


def _read_opening(item: InboxItem, choice: ReadAnswer) -> Reach | Literal[""]:
    """Return what an answer to a call's question opens; words of one's own are a no with what to do instead."""
    if item.call is None:
        return ""
    match choice.key:
        case "once" | "session" | "always":
            return choice.key
    if choice.text.casefold() in ("once", "session", "always"):
        options = " | ".join(option.key for option in item.options) or "yes | no"
        raise UsageError("not-an-option", id=item.number or item.id, value=choice.text, options=options)
    return read_permission(choice.text, [option.key for option in item.options]) or ""


def _say_answered(out: Output, item: InboxItem, answer: str) -> None:
    number = f"{item.number} " if item.number else ""
    out.say(
        "inbox.answered", number=number, question=shorten_gist(item.question, 200), answer=shorten_gist(answer, 200)
    )


def _wake(context: HomeContext, item: InboxItem, word: UserInput) -> list[str]:
    """Queue the next stretch of the runs that asked, as far as they are in the queue; return those."""
    if item.waiting != "run":
        return []
    from mi.app.queue import find_detached, wake_runs

    queued = wake_runs(context, item.run_ids, stops=bool(_name_stop(item, word)))
    for run_id in find_detached(context, queued):
        from mi.app.worker import detach_worker

        detach_worker(context, run_id)
    return queued


def _say_what_follows(
    context: HomeContext, out: Output, found: LocatedItem, word: UserInput, queued: list[str]
) -> None:
    """Say of each run that asked whether it goes on, else the command with which it does."""
    item = found.item
    if item.waiting != "run":
        return
    living, stops = _find_living(context, found), _name_stop(item, word)
    flag = "--max-" + item.limit.name.partition("_")[0] if item.limit else ""
    for run_id in item.run_ids:
        command = name_resume(item.project_root, run_id)
        if item.project_root and not os.path.isdir(item.project_root):
            out.say("inbox.folder-gone", run_id=run_id, root=item.project_root)
        elif stops:
            out.say(stops, run_id=run_id, command=command, flag=flag)
        elif run_id in queued:
            from mi.app.queue import has_worker

            out.say("queue.goes-on" if has_worker(context) else "queue.goes-on-later", run_id=run_id)
        elif run_id == living:
            out.say("inbox.goes-on", run_id=run_id)
        elif not _is_done(context, found.log, run_id):
            out.say("inbox.resume-with", command=command)


def _name_stop(item: InboxItem, word: UserInput) -> str:
    """Return the text that says why a run stays stopped after a word; '' where the word lets it go on."""
    if word.dismissed:
        return "inbox.asks-anew"
    if item.limit is not None:
        from mi.autopilot.limit_answers import Refusal, read_wish

        return "inbox.limit-stays" if isinstance(read_wish(word.answer, item.limit), Refusal) else ""
    return "inbox.stops" if item.about == "risk" and refuses(word.answer) else ""


def name_resume(root: str, run_id: str) -> str:
    """Return the command that goes on with one run, from wherever the person is."""
    at = f"-C {shlex.quote(root)} " if root else ""
    return f"mi {at}run --resume {run_id}"


def _find_living(context: HomeContext, found: LocatedItem) -> str:
    """Return the run that asked and still goes on, so that it hears the answer; '' when none does."""
    from mi.autopilot.run_lock import find_running

    if found.item.waiting != "run" or not found.item.project_id:
        return ""
    asked = found.item.run_ids or [found.item.run_id]
    living = (run.owner.run_id for run in find_running(context.home, found.item.project_id))
    return next((run_id for run_id in living if run_id in asked), "")


def _is_done(context: HomeContext, log: str, run_id: str) -> bool:
    from mi.evidence.latest import whole_run

    run = whole_run(log, run_id, context.evidence_index, lambda done, total: None)
    return run is None or run["status"] == "done"


def dismiss(context: HomeContext, args: Args) -> int:
    """Close something that waits without an answer to it."""
    out = Output(context.language)
    found = find_waiting(context, out, args.ref)
    item = found.item
    if item.kind == "suggestion":
        shown = _settle(context, args, out, found, False)
        if args.json:
            out.json(shown)
        return 0
    if not found.log:
        raise MiError("answered-otherwise", id=args.ref, kind=out.word(item.kind), command=item.answer_with)
    stored = store(context, found, UserInput(dismissed=True, why=args.why.strip(), by="terminal"))
    queued = _wake(context, item, stored[0])
    _about_tasks(context, item, "")  # whoever asked may ask again
    _about_capture(context, item, "")
    if args.json:
        out.json({"event_id": stored[0].event_id, "question_id": stored[0].question_id, "dismissed": True})
    else:
        out.say("inbox.dismissed", number=item.number or item.id, question=shorten_gist(item.question, 200))
        _say_what_follows(context, out, found, stored[0], queued)
    return 0


def _read_yes_or_no(item: InboxItem, said: str) -> bool:
    from mi.learning.answering import read_wish

    wanted = read_wish(said)
    if wanted is None:
        raise UsageError("yes-or-no", id=item.id, value=said)
    return wanted


def _settle(context: HomeContext, args: Args, out: Output, found: LocatedItem, wanted: bool) -> dict[str, Any]:
    """Take a yes or no to a suggestion, whichever project it waits in, and return it for programs."""
    from mi.learning import answering

    item = found.item
    progress = Progress(out, "progress.indexing")
    suggested = answering.find(found.log, context.evidence_index, item.id, progress, context.notices)
    settle = answering.apply if wanted else answering.dismiss
    stored = settle(build_knowledge(context, item.project_id), suggested, lambda: context.evidence_writer(found.log))
    if not args.json:
        key = "suggestion.applied" if wanted else "suggestion.dismissed"
        out.say(key, id=item.id, claims=" ".join(stored.applied_claim_ids), event_id=stored.event_id)
    names = ("event_id", "suggestion_id", "decision", "applied_claim_ids")
    return {name: getattr(stored, name) for name in names}


def _find_trust(context: HomeContext, item: InboxItem) -> Question | None:
    """Return the question, if it is whether MI may run some commands."""
    from mi.app.trust import find_question

    return find_question(context, item.project_id, item.id) if item.about == "trust" else None


def _settle_trust(
    context: HomeContext, args: Args, out: Output, found: LocatedItem, asked: Question, word: str
) -> dict[str, Any]:
    """Let MI run, or let bind, what the question names, or not; return it for programs."""
    from mi.app.trust import store_answer
    from mi.cli.prompts import is_yes

    agreed = is_yes(word)
    store_answer(context, found.item.project_id, asked, agreed)
    if not args.json:
        begin = "trust.bound-" if asked.team_files else "trust.answered-"
        paths = ", ".join(asked.team_files.values())
        out.say(begin + ("yes" if agreed else "no"), commands=", ".join(asked.commands), paths=paths)
    told = {"question_id": asked.id, "commands": asked.commands, "trusted": agreed}
    return told | ({"team_files": [*asked.team_files.values()]} if asked.team_files else {})


def _about_tasks(context: HomeContext, item: InboxItem, text: str) -> str:
    """Return what the answer does to the tasks of the project whose agent asked."""
    from mi.contract.proposals import apply_answer

    outcomes = [
        apply_answer(place.contract, asked, text, context.notices)
        for place in _projects(context)
        if os.path.isdir(place.contract)
        for asked in item.ids or [item.id]
    ]
    return next((outcome for outcome in outcomes if outcome), "")


def _projects(context: HomeContext) -> list[ProjectHome]:
    return [context.home.project(one) for one in context.home.project_ids()]


def _about_capture(context: HomeContext, item: InboxItem, text: str) -> str:
    """Return the proposal that the answer makes of a suggestion to keep what was said.

    '' when it is about something else.
    """
    from mi.review.captures import take_up

    for place in _projects(context):
        made = take_up(place.captures, item.id, text, context.notices) if os.path.exists(place.captures) else None
        if made:
            context.evidence_writer(place.evidence).append(made, sync=True)
            return made.path
    return ""
