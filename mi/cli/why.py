"""`mi why`: what a decision rested on, and where a claim comes from."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from mi.app.home_context import HomeContext
from mi.cli import thoughts
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, count
from mi.cli.output import Output, Progress, show_waiting
from mi.cli.run_story import print_story
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad

_MOST_LINES = 15  # about a run
_OTHER_LINES = 4  # what the decision comes to, what a Mind chose, how much is not shown, where it is recorded

if TYPE_CHECKING:
    from mi.evidence.records.thoughts import WhyTrace
    from mi.evidence.run_story import RunStory
    from mi.knowledge.thoughts.stores import CombinedStores
    from mi.learning.why import Ground, Why


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi why", "Why MI did something: the recorded thoughts it rested on.", "mi why last")
    last = group.add("last", "the latest decision of this project", "mi why last --json", _last)
    last.add_argument("run_id", nargs="?", metavar="run", default="", help="the run that is meant; else the latest")
    event = group.add("event", "any recorded event", "mi why event ev_…", _event)
    event.add_argument("ref", metavar="event_id", help="the event's id")
    claim = group.add("claim", "a claim: where it comes from, what became of it", "mi why claim cl_…", _claim)
    claim.add_argument("ref", metavar="claim_id", help="the claim's id")
    claim.add_argument(
        "--scope", choices=["project", "global", "effective"], default="effective", help="default: effective"
    )
    for one in (last, event, claim):
        one.add_argument("--top-k", type=count, metavar="N", help="claims to consider (default: the config's)")
        thoughts.add_as_of(one)
        add_cd(one)
        add_json(one)
    return group.parser


def _last(context: HomeContext, args: Args) -> int:
    from mi.app.run_names import find_run_id
    from mi.app.tree_run import find_tree_run
    from mi.app.why import find_decision
    from mi.evidence.latest import find_latest_run
    from mi.evidence.run_story import read_story

    log = context.project_home.evidence
    run_id = find_run_id(context, args.run_id) or find_tree_run(context)
    latest = find_latest_run(log, context.evidence_index, context.notices, run_id)
    if args.run_id and latest is None:
        raise NotFound("not-a-run", run_id=args.run_id, path=log)
    found = find_decision(log, latest.run_id if latest else "", context)
    if found is None:
        raise NotFound("nothing-decided", path=log)
    progress = Progress(Output(context.language), "progress.indexing")
    story = read_story(log, latest.run_id, context.evidence_index, progress) if latest else None
    return _explain_event(context, args, found.fields(), story)


def _event(context: HomeContext, args: Args) -> int:
    if not args.ref.startswith("ev_"):
        raise UsageError("wrong-kind", ref=args.ref, kind="event")
    progress = Progress(Output(context.language), "progress.indexing")
    for log in (context.project_home.evidence, context.home.evidence):
        event = context.evidence_index.find(log, args.ref, progress)
        if event is not None:
            return _explain_event(context, args, event.fields())
    raise NotFound("unknown-event", ref=args.ref)


def _explain_event(context: HomeContext, args: Args, event: dict[str, Any], story: "RunStory | None" = None) -> int:
    from mi.learning.why import explain_event, find_moment, quote_event

    out = Output(context.language)
    moment, as_of_ts = find_moment(event, thoughts.parse_moment(args))
    stores = thoughts.open_reading(context, out, "effective", moment)
    why = explain_event(event, stores, as_of_ts, _count_claims(context, args), context.language)
    return _answer(context, out, args, why, partial(quote_event, event), stores, story)


def _claim(context: HomeContext, args: Args) -> int:
    from mi.kernel import clock
    from mi.learning.why import explain_claim

    out = Output(context.language)
    moment = thoughts.parse_moment(args)
    stores = thoughts.open_reading(context, out, args.scope, moment)
    claim = thoughts.require(context, args, stores, "claim")
    as_of_ts = clock.now() if moment is None else clock.format_ms(moment)
    top_k = _count_claims(context, args)
    why = explain_claim(claim, stores, as_of_ts, top_k, context.language)
    return _answer(context, out, args, why, lambda: str(claim.raw.get("text") or ""), stores)


def _count_claims(context: HomeContext, args: Args) -> int:
    """Return how many claims a reason is looked for among."""
    return context.config.runtime.thought_db.why_trace.top_k if args.top_k is None else int(args.top_k)


def _answer(
    context: HomeContext,
    out: Output,
    args: Args,
    why: "Why",
    quote: Callable[[], str],
    stores: "CombinedStores",
    story: "RunStory | None" = None,
) -> int:
    from mi.app.why import WhyReader, list_run_grounds
    from mi.learning.why import choose_claims

    reader = WhyReader(context, context.project.project_id, Progress(out, "progress.indexing"), out.word)
    event = _trace(context, out, why, quote, stores)
    context.note_last()
    output = event.output or why.output
    grounds = [reader.put_words(one) for one in why.grounds]
    of_run = [reader.put_words(one) for one in list_run_grounds(story, stores)] if story else []
    if args.json:
        target = {"target_type": why.target.target_type, "id": why.target.id}
        fields = {"event_id": event.event_id, "target": target, "as_of_ts": why.as_of_ts, "state": event.state}
        fields |= {"output": output, "chosen_claim_ids": choose_claims(event), "dropped_ids": event.dropped_ids}
        fields |= {"written_edge_ids": event.written_edge_ids}
        told = {"run": story.show() | {"grounds": [one._asdict() for one in of_run]}} if story else {}
        out.json(fields | {"grounds": [one._asdict() for one in grounds]} | told)
        return 0
    hidden = 0
    if story:
        room = max(0, _MOST_LINES - _OTHER_LINES - print_story(out, story, with_reasons=True))
        grounds = [one for one in grounds if one.id not in {known.id for known in of_run}]
        hidden = max(0, len(of_run) + len(grounds) - room)
        of_run, grounds = of_run[:room], grounds[: max(0, room - len(of_run))]
        _print_grounds(out, of_run)
    if event.state == "ok" or not why.grounds:
        out.line(str(output["explanation"]))
    else:  # the recorded explanation names the ids that follow
        key = "why.these" if output["status"] == "ok" else "why.only-in-view-these"
        out.say(key, id=why.target.id, count=len(why.grounds))
    if event.state == "ok":
        out.say("why.chosen", ids=" ".join(choose_claims(event)) or "-", confidence=output["confidence"])
    _print_grounds(out, grounds)
    if hidden:
        out.say("why.more", more=hidden, id=why.target.id)
    key = {"ok": "why.recorded-model", "error": "why.recorded-failed"}.get(event.state, "why.recorded")
    if event.event_id:
        out.say(key, event_id=event.event_id, time=why.as_of_ts, edges=len(event.written_edge_ids))
    return 0


def _print_grounds(out: Output, grounds: "list[Ground]") -> None:
    for one in grounds:
        mark = f"  [{one.status}]" if one.status not in ("", "active") else ""
        role = out.text("why.role-" + one.role.replace("_", "-"))
        out.line(f"  {pad(role, 14)} {one.id}  " + shorten_gist(one.text, 90) + mark)


def _trace(
    context: HomeContext, out: Output, why: "Why", quote: Callable[[], str], stores: "CombinedStores"
) -> "WhyTrace":
    """Return the answer as it was recorded; without a model nothing is searched, no project made known."""
    from mi.mind.choose import name_agent_and_mind

    _, name = name_agent_and_mind(context.config)
    if name == "rules":
        return _record(context, why)
    from mi.app.learning import build_mind
    from mi.app.recall import build_recall
    from mi.app.thoughts import build_thoughts
    from mi.learning.mind_calls import Recorded
    from mi.learning.why_trace import Reach, trace

    mind = build_mind(context)
    if mind.name == "rules":  # the one that is asked for cannot be used
        return _record(context, why)
    writer = context.open_agent_log()
    reach = Reach(stores, build_recall(context).find_earlier_thoughts, build_thoughts(context).own)
    settings = context.config.runtime.thought_db.why_trace
    with show_waiting(out, mind.name):
        return trace(
            why, quote(), Recorded(mind, writer), reach, settings, lambda record: writer.append(record, sync=True)
        )


def _record(context: HomeContext, why: "Why") -> "WhyTrace":
    """Record the answer of the rules where the project has a log."""
    log = context.project_home.evidence
    return context.evidence_writer(log).append(why.record(), sync=True) if os.path.exists(log) else why.record()
