"""`mi inbox` and `mi answer`: what waits for you, in all projects."""

import os
from typing import TYPE_CHECKING

import msgspec

from mi.app.home_context import HomeContext
from mi.app.learning import build_knowledge
from mi.app.team import build_persona
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress
from mi.kernel.errors import Blocked, NotFound, StorageError, UsageError
from mi.kernel.home import ProjectHome
from mi.kernel.text import fit_one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mi.evidence.inbox import InboxItem
    from mi.evidence.records.run import Question


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    if name == "inbox":
        built = command("mi inbox", "What waits for you, in all projects, newest first.", "mi inbox --json", _list)
    else:
        built = command(
            "mi answer", "Answer a question that waits.", 'mi answer qu_… "Use pytest."', _answer, person_only="in-runs"
        )
        built.add_argument("id", help="the question's id, from `mi inbox`")
        built.add_argument("text", nargs="+", help="your answer")
    add_json(built)
    return built


def _list(context: HomeContext, args: Args) -> int:
    from mi.evidence.inbox import list_waiting

    out = Output(context.language)
    asked = [one.item for one in list_waiting(context.home, context.evidence_index, Progress(out, "progress.indexing"))]
    found = sorted([*asked, *_proposals(context)], key=lambda one: one.ts, reverse=True)
    if args.json:
        out.json([msgspec.to_builtins(one) for one in found])
        return 0
    if not found:
        out.say("inbox.empty")
    for one in found:
        out.beside(f"{one.id}  {one.kind}  ", fit_one_line(one.question, 200))
        out.line(f"  → {one.answer_with}{' | no' if one.kind == 'suggestion' else ''}")
    return 0


def _proposals(context: HomeContext) -> "Iterator[InboxItem]":
    """Candidates for cards that nobody has reviewed yet, of every persona that the home knows."""
    import shlex

    from mi.evidence.inbox import InboxItem

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
                ts=f"{one.proposal.date}T00:00:00.000Z",
                answer_with=f"mi {at}proposal review {shlex.quote(one.name)} --verdict accept --by human",
            )


def _answer(context: HomeContext, args: Args) -> int:
    from mi.evidence.inbox import answer

    out = Output(context.language)
    text = " ".join(args.text)
    if args.id.startswith("ls_"):
        return _settle(context, args, out, text)
    trust = _find_trust(context, args.id)
    _refuse_agent(context, args.id, trust is not None)
    stored = answer(
        context.home, context.evidence_index, args.id, text, context.evidence_writer, Progress(out, "progress.indexing")
    )
    if trust is not None:
        return _settle_trust(context, args, out, trust)
    outcome, proposal = _about_tasks(context, args.id, text), _about_capture(context, args.id, text)
    if args.json:
        shown = {"event_id": stored.event_id, "question_id": stored.question_id, "tasks": outcome}
        out.json(shown | ({"proposal": proposal} if proposal else {}))
    else:
        out.say("inbox.answered", id=args.id, event_id=stored.event_id)
        if outcome:
            out.say("tasks.answer-" + outcome)
        if proposal:
            out.say("inbox.proposed", path=proposal)
    return 0


def _settle(context: HomeContext, args: Args, out: Output, word: str) -> int:
    """Yes or no to a suggestion, whichever project it waits in."""
    from mi.evidence.inbox import list_waiting
    from mi.learning import answering

    wanted = answering.read_wish(word)
    if wanted is None:
        raise UsageError("yes-or-no", id=args.id, value=word)
    progress = Progress(out, "progress.indexing")
    found = next(
        (one for one in list_waiting(context.home, context.evidence_index, progress) if one.item.id == args.id), None
    )
    if found is None:
        raise NotFound("nothing-waits", id=args.id)
    suggested = answering.find(found.log, context.evidence_index, args.id, progress, context.notices)
    settle = answering.apply if wanted else answering.dismiss
    stored = settle(
        build_knowledge(context, found.item.project_id), suggested, lambda: context.evidence_writer(found.log)
    )
    if args.json:
        out.json(
            {
                "event_id": stored.event_id,
                "suggestion_id": stored.suggestion_id,
                "decision": stored.decision,
                "applied_claim_ids": stored.applied_claim_ids,
            }
        )
    else:
        key = "suggestion.applied" if wanted else "suggestion.dismissed"
        out.say(key, id=args.id, claims=" ".join(stored.applied_claim_ids), event_id=stored.event_id)
    return 0


def _find_trust(context: HomeContext, question_id: str) -> "tuple[str, Question] | None":
    """Return the question about trust that waits under an id, after the project that it waits in."""
    from mi.app.trust import find_question

    found = ((project_id, find_question(context, project_id, question_id)) for project_id in context.home.project_ids())
    return next(((project_id, question) for project_id, question in found if question), None)


def _settle_trust(context: HomeContext, args: Args, out: Output, asked: "tuple[str, Question]") -> int:
    """Let MI run what the question names, or not."""
    from mi.app.trust import store_answer
    from mi.cli.prompts import is_yes

    agreed = is_yes(" ".join(args.text))
    store_answer(context, *asked, agreed)
    commands = asked[1].commands
    if args.json:
        out.json({"question_id": args.id, "commands": commands, "trusted": agreed})
    else:
        out.say("trust.answered-yes" if agreed else "trust.answered-no", commands=", ".join(commands))
    return 0


def _refuse_agent(context: HomeContext, question_id: str, is_trust: bool) -> None:
    """Raise if an agent answers what it asked itself when it ran out of tasks, or what MI may run by itself."""
    from mi.cli.speaker import by_agent

    if by_agent() and is_trust:
        raise Blocked("not-for-agents", command="mi trust")
    if by_agent():
        from mi.contract.proposals import is_about

        if any(is_about(folder, question_id, context.notices) for folder in _contracts(context)):
            raise Blocked("answer-by-agent", id=question_id)


def _about_tasks(context: HomeContext, question_id: str, text: str) -> str:
    """Return what the answer does to the tasks of the project whose agent asked."""
    from mi.contract.proposals import apply_answer

    outcomes = (apply_answer(folder, question_id, text, context.notices) for folder in _contracts(context))
    return next((outcome for outcome in outcomes if outcome), "")


def _contracts(context: HomeContext) -> list[str]:
    """Return the contract's folder of every project that has one."""
    return [place.contract for place in _projects(context) if os.path.isdir(place.contract)]


def _projects(context: HomeContext) -> list[ProjectHome]:
    return [context.home.project(one) for one in context.home.project_ids()]


def _about_capture(context: HomeContext, question_id: str, text: str) -> str:
    """Return the proposal that the answer makes of a suggestion to keep what was said.

    '' when it is about something else.
    """
    from mi.review.captures import take_up

    for place in _projects(context):
        made = take_up(place.captures, question_id, text, context.notices) if os.path.exists(place.captures) else None
        if made:
            context.evidence_writer(place.evidence).append(made, sync=True)
            return made.path
    return ""
