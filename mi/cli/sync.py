"""`mi sync`: what the person shares goes to the hub, what others share comes."""

import sys
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress, flush
from mi.kernel.errors import MiError
from mi.kernel.safe_text import make_safe, shorten_gist

if TYPE_CHECKING:
    from mi.app.hub import SyncedHome


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Push to the hub what you said for the team, and pull what the others did."
    built = command("mi sync", summary, "mi sync --dry-run", _sync, person_only=True)
    built.add_argument("--dry-run", action="store_true", help="only show what would leave")
    built.add_argument("--watch", action="store_true", help="go on until Ctrl-C, and share at once what is new")
    add_json(built)
    return built


def _sync(context: HomeContext, args: Args) -> int:
    from mi.app.hub import sync

    if args.dry_run:
        return _preview(context, args)
    if args.watch:
        return _watch(context, args)
    _tell(context, args.json, sync(context, Progress(Output(context.language), "progress.sync")))
    return 0


def _watch(context: HomeContext, args: Args) -> int:
    from mi.agents.signals import StopFlag, stop_on_signals
    from mi.app.hub import watch

    out = Output(context.language)
    if not args.json:
        out.say("sync.watching")
        flush()

    def tell(done: "SyncedHome") -> None:
        if done.pushed.records or done.pushed.aside or done.pulled or any(done.questions):
            _tell(context, args.json, done)
            flush()

    def fail(error: MiError) -> None:
        sys.stderr.write(f"mi: {error.line(context.language)}\n")

    with stop_on_signals(StopFlag()) as stop:
        watch(context, lambda: bool(stop.reason), tell, fail)
    return 130 if stop.reason == "SIGINT" else 0


def _tell(context: HomeContext, as_json: bool, done: "SyncedHome") -> None:
    out = Output(context.language)
    asked, came = done.questions.asked, done.questions.came
    fields = {**done.pushed._asdict(), "pulled": done.pulled, "asked": asked, "questions": [one.id for one in came]}
    if as_json:
        out.json(fields)
        return
    out.say("sync.done", **fields)
    if asked:
        out.say("sync.asked", count=asked)
    for one in came:
        out.say("sync.question", who=one.member, machine=one.body.machine, question=shorten_gist(one.body.text, 200))
    for line in done.questions.told:
        out.line(line)
    if done.pushed.hidden:
        out.say("sync.hidden", count=done.pushed.hidden)
    if done.pushed.aside:
        out.say("sync.aside", count=done.pushed.aside, path=context.home.hub_aside)


def _preview(context: HomeContext, args: Args) -> int:
    from mi.app.hub import preview

    out, shown = Output(context.language), preview(context)
    if args.json:
        out.json({"would_leave": [one._asdict() for one in shown]})
        return 0
    for one in shown:
        out.beside(f"{one.kind}  ", shorten_gist(make_safe(one.text), 200))
    out.say("sync.would-leave", count=len(shown))
    return 0
