"""The person's word on what waits in the inbox, by whichever door it comes: checked, stored, and what follows."""

import os
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

import msgspec

from mi.app.answers import keep_given_answer
from mi.app.home_context import HomeContext
from mi.app.learning import build_knowledge
from mi.app.permission_words import open_always
from mi.evidence.answers import AnswerWatch, Door, ReadAnswer, lacks_option, name_options, read_answer
from mi.evidence.inbox import InboxItem, LocatedItem, find_logs
from mi.evidence.reader import read_at
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.thoughts import AnswerKept, LearnApplied
from mi.evidence.secret_words import hand_over, hide_secrets
from mi.governance.session_words import Reach, read_permission
from mi.kernel.consent import agrees, refuses
from mi.kernel.errors import MiError, NotFound, UsageError
from mi.kernel.home import ProjectHome
from mi.kernel.log_view import Progress
from mi.kernel.messages import text as say
from mi.kernel.messages import word
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.safe_text import shorten_gist
from mi.kernel.secrets import redact

if TYPE_CHECKING:
    from mi.app.hub_answers import SentAnswer


class ItemOutcome(NamedTuple):
    """What came of a word on something that waits."""

    found: LocatedItem
    answer: str
    stored: UserInput | None = None  # None: a suggestion was settled
    settled: LearnApplied | None = None
    trust: Question | None = None  # the question, where it was whether MI may run some commands
    opens: str = ""
    kept: AnswerKept | None = None
    tasks: str = ""
    proposal: str = ""
    queued: tuple[str, ...] = ()  # the runs that a worker takes up again
    sent: "SentAnswer | None" = None  # of a question that waits at another home


def check_answer(item: InboxItem, said: str, language: str) -> None:
    """Raise what is wrong with an answer, while whoever said it is there."""
    if not said.strip():
        raise UsageError("empty-answer", id=item.number or item.id)
    if item.kind == "suggestion":
        _read_yes_or_no(item, said)
        return
    if not item.answer_with.startswith("mi answer "):
        way = {"kind": word(item.kind, language), "command": item.answer_with}
        raise MiError("answered-otherwise", id=item.number or item.id, **way)
    _refuse_unclear(item, said)
    _read_opening(item, read_answer(item.options, item.said, said))


def answer_item(
    context: HomeContext, found: LocatedItem, said: str, by: Door, once: bool, progress: Progress, author: str = ""
) -> ItemOutcome:
    """Store a checked answer, and do what it asks for; `author`: a teammate whose word it is."""
    item = found.item
    if item.kind == "suggestion":
        return _settle(context, found, _read_yes_or_no(item, said), progress)
    choice = read_answer(item.options, item.said, said)
    if item.is_elsewhere:
        from mi.app.hub_answers import answer_elsewhere

        sent = answer_elsewhere(context, item, UserInput(answer=said.strip(), by=by, once=once))
        return ItemOutcome(found, choice.text, sent=sent)
    opens = _read_opening(item, choice)
    trust = _find_trust(context, item)
    given = store(context, found, UserInput(answer=choice.text, by=by, opens=opens, once=once, author=author))[0]
    if trust is not None:
        from mi.app.trust import store_answer

        store_answer(context, item.project_id, trust, agrees(choice.text))
        return ItemOutcome(found, choice.text, given, trust=trust)
    if opens == "always":
        open_always(context, item.call, item.project_root, given)
    kept = None if author else keep_given_answer(context, item.project_id, given)  # only the person's own word holds
    queued, safe = _wake(context, item, given), redact(said)
    tasks, proposal = _apply_to_tasks(context, item, safe), _apply_to_captures(context, item, safe)
    return ItemOutcome(found, choice.text, given, None, None, opens, kept, tasks, proposal, queued)


def dismiss_item(context: HomeContext, found: LocatedItem, why: str, by: Door, progress: Progress) -> ItemOutcome:
    """Close something that waits without an answer to it."""
    item = found.item
    if item.kind == "suggestion":
        return _settle(context, found, False, progress)
    if not found.log:
        kind = word(item.kind, context.quiet_language)
        raise MiError("answered-otherwise", id=item.number or item.id, kind=kind, command=item.answer_with)
    given = store(context, found, UserInput(dismissed=True, why=why.strip(), by=by))[0]
    queued = _wake(context, item, given)
    _apply_to_tasks(context, item, "")  # whoever asked may ask again
    _apply_to_captures(context, item, "")
    return ItemOutcome(found, "", given, queued=queued)


def store(
    context: HomeContext, found: LocatedItem, given: UserInput, watch: AnswerWatch | None = None
) -> list[UserInput]:
    """Store a word on something that waits, once for each time it was asked; MiError if another one came first."""
    item = found.item
    ids = item.ids or [item.id]
    with (watch or AnswerWatch(found.log, ids, found.size)).settle() as earlier:
        if earlier is not None:
            shown = {"question": shorten_gist(earlier.question, 100), "answer": shorten_gist(earlier.answer, 100)}
            raise MiError("answered-before", id=item.number or item.id, ts=earlier.ts, **shown)
        hidden = hide_secrets(given)
        if hidden.answer != given.answer:
            _hand_over(context, found, ids, given.answer)
        writer = context.evidence_writer(found.log)
        said = [msgspec.structs.replace(hidden, question=item.question, question_id=one) for one in ids]
        return [writer.append(one, sync=True) for one in said]


def explain_gone(context: HomeContext, ref: str, ids: list[str], progress: Progress) -> MiError:
    """Return why nothing waits under a number or an id: it was answered, closed, or never there."""
    given = next((one for one in (_find_answer(context, asked, progress) for asked in ids) if one), None)
    if given is None:
        return NotFound("nothing-waits", id=shorten_gist(ref, 100))
    question = shorten_gist(given.question, 100)
    if given.dismissed:
        why = f" ({shorten_gist(given.why, 100)})" if given.why else ""
        return NotFound("closed-before", id=ref, question=question, ts=given.ts, why=why)
    return NotFound("answered-before", id=ref, question=question, answer=shorten_gist(given.answer, 100), ts=given.ts)


def _find_answer(context: HomeContext, question_id: str, progress: Progress) -> UserInput | None:
    for _, log in find_logs(context.home):
        offset = context.evidence_index.referring(log, "user_input", question_id, progress)
        event = read_at(log, offset) if offset is not None else None
        record = event.record() if event else None
        if isinstance(record, UserInput):
            return record
    return None


def describe_outcome(context: HomeContext, outcome: ItemOutcome, language: str) -> Iterator[str]:
    """Yield, line by line, what came of a word and what follows from it."""
    item, given = outcome.found.item, outcome.stored
    if outcome.settled is not None:
        key = "suggestion.applied" if outcome.settled.decision != "dismissed" else "suggestion.dismissed"
        claims = " ".join(outcome.settled.applied_claim_ids)
        yield say(key, language, id=item.id, claims=claims, event_id=outcome.settled.event_id)
    elif outcome.trust is not None:
        asked = outcome.trust
        key = "trust.bound-" if asked.team_files else "trust.answered-"
        details = {"commands": ", ".join(asked.commands), "paths": ", ".join(asked.team_files.values())}
        yield say(key + ("yes" if agrees(outcome.answer) else "no"), language, **details)
    elif given is not None:
        yield from _describe_word(context, outcome, given, language)
    elif outcome.sent is not None:
        yield _describe_answered(outcome, language)
        where = {"who": item.asked_by, "machine": item.machine, "run_id": item.run_id}
        yield say("hub.answer-" + outcome.sent.state, language, **where, reason=outcome.sent.reason)


def _describe_word(context: HomeContext, outcome: ItemOutcome, given: UserInput, language: str) -> Iterator[str]:
    item = outcome.found.item
    question = shorten_gist(item.question, 200)
    if given.dismissed:
        yield say("inbox.dismissed", language, number=item.number or item.id, question=question)
        yield from _describe_runs(context, outcome, given, language)
        return
    yield _describe_answered(outcome, language)
    yield from _describe_limit(item, outcome.answer, language)
    if item.call:
        yield say("hook.opens-" + (outcome.opens or "nothing"), language, operation=item.call.operation)
    if outcome.kept:
        details = {"claim_id": outcome.kept.claim_id, "event_id": outcome.kept.event_id}
        yield say("answer.kept", language, text=shorten_gist(outcome.kept.text, 200), **details)
    yield from _describe_runs(context, outcome, given, language)
    if outcome.tasks:
        yield say("tasks.answer-" + outcome.tasks, language)
    if outcome.proposal:
        yield say("inbox.proposed", language, path=outcome.proposal)


def _describe_answered(outcome: ItemOutcome, language: str) -> str:
    item = outcome.found.item
    number = f"{item.number} " if item.number else ""
    shown = {"question": shorten_gist(item.question, 200), "answer": shorten_gist(outcome.answer, 200)}
    return say("inbox.answered", language, number=number, **shown)


def _describe_limit(item: InboxItem, said: str, language: str) -> Iterator[str]:
    """Yield what a limit becomes by an answer."""
    if item.limit is None:
        return
    from mi.autopilot.limit_answers import Raise, read_wish
    from mi.autopilot.limits import name_limit

    wish = read_wish(said, item.limit)
    if isinstance(wish, Raise):
        raised = item.limit if wish.to is None else msgspec.structs.replace(item.limit, value=wish.to)
        shown = say("limit.none", language) if wish.to is None else name_limit(raised, language)
        yield say("inbox.limit-becomes", language, limit=shown)


def _wake(context: HomeContext, item: InboxItem, given: UserInput) -> tuple[str, ...]:
    """Queue the next stretch of the runs that asked, as far as they are in the queue; return those."""
    if item.waiting != "run":
        return ()
    from mi.app.queue import find_detached, wake_runs

    queued = wake_runs(context, item.run_ids, stops=bool(name_stop(item, given)))
    for run_id in find_detached(context, queued):
        from mi.app.worker import detach_worker

        detach_worker(context, run_id)
    return tuple(queued)


def _describe_runs(context: HomeContext, outcome: ItemOutcome, given: UserInput, language: str) -> Iterator[str]:
    """Yield of each run that asked whether it goes on, else the command with which it does."""
    found, item = outcome.found, outcome.found.item
    if item.waiting != "run":
        return
    living, stops = find_living(context, found), name_stop(item, given)
    flag = "--max-" + item.limit.name.partition("_")[0] if item.limit else ""
    for run_id in item.run_ids:
        command = name_resume(item.project_root, run_id)
        if item.project_root and not os.path.isdir(item.project_root):
            yield say("inbox.folder-gone", language, run_id=run_id, root=item.project_root)
        elif stops:
            yield say(stops, language, run_id=run_id, command=command, flag=flag)
        elif run_id in outcome.queued:
            from mi.app.queue import has_worker_for

            goes_on = has_worker_for(context, run_id)
            yield say("queue.goes-on" if goes_on else "queue.goes-on-later", language, run_id=run_id)
        elif run_id == living:
            yield say("inbox.goes-on", language, run_id=run_id)
        elif not _is_done(context, found.log, run_id):
            yield say("inbox.resume-with", language, command=command)


def name_stop(item: InboxItem, given: UserInput) -> str:
    """Return the text that says why a run stays stopped after a word; '' where the word lets it go on."""
    if given.dismissed:
        return "inbox.asks-anew"
    if item.limit is not None:
        from mi.autopilot.limit_answers import Refusal, read_wish

        return "inbox.limit-stays" if isinstance(read_wish(given.answer, item.limit), Refusal) else ""
    return "inbox.stops" if item.about == "risk" and refuses(given.answer) else ""


def name_resume(root: str, run_id: str) -> str:
    """Return the command that goes on with one run, from wherever the person is."""
    at = f"-C {shlex.quote(root)} " if root else ""
    return f"mi {at}run --resume {run_id}"


def find_living(context: HomeContext, found: LocatedItem) -> str:
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


def _hand_over(context: HomeContext, found: LocatedItem, ids: list[str], said: str) -> None:
    """Give a secret on to the run that waits for the answer, before that sees it; where none does, it goes nowhere."""
    living = find_living(context, found)
    for one in ids if living else ():
        hand_over(context.home.project(found.item.project_id), one, said)
    context.notices.add("secret-answer" if living else "secret-answer-dropped", found.log)


def _refuse_unclear(item: InboxItem, said: str) -> None:
    """Refuse what names no option or does not say how far a limit is raised."""
    value = shorten_gist(said, 100)
    if item.limit is None:
        if lacks_option(item.options, said):
            shown, code = name_options(item.options), "not-an-option" if len(item.options) == 1 else "no-such-option"
            raise UsageError(code, id=item.number or item.id, value=value, options=shown)
        return
    from mi.autopilot.limit_answers import read_wish

    if read_wish(said, item.limit) is None:
        raise UsageError("unclear-limit", value=value, unit=item.limit.name)


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


def _read_yes_or_no(item: InboxItem, said: str) -> bool:
    from mi.learning.answering import read_wish

    wanted = read_wish(said)
    if wanted is None:
        raise UsageError("yes-or-no", id=item.id, value=said)
    return wanted


def _settle(context: HomeContext, found: LocatedItem, wanted: bool, progress: Progress) -> ItemOutcome:
    """Take a yes or no to a suggestion, whichever project it waits in."""
    from mi.learning import answering

    item = found.item
    suggested = answering.find(found.log, context.evidence_index, item.id, progress, context.notices)
    settle = answering.apply if wanted else answering.dismiss
    stored = settle(build_knowledge(context, item.project_id), suggested, lambda: context.evidence_writer(found.log))
    return ItemOutcome(found, "", settled=stored)


def _find_trust(context: HomeContext, item: InboxItem) -> Question | None:
    """Return the question, if it is whether MI may run some commands."""
    from mi.app.trust import find_question

    return find_question(context, item.project_id, item.id) if item.about == "trust" else None


def _apply_to_tasks(context: HomeContext, item: InboxItem, text: str) -> str:
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


def _apply_to_captures(context: HomeContext, item: InboxItem, text: str) -> str:
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
