"""`mi sync`: what the person shares goes to the hub, what others share comes."""

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, Progress, make_safe, shorten_gist


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "Push to the hub what you said for the team, and pull what the others did."
    built = command("mi sync", summary, "mi sync --dry-run", _sync, person_only=True)
    built.add_argument("--dry-run", action="store_true", help="only show what would leave")
    add_json(built)
    return built


def _sync(context: HomeContext, args: Args) -> int:
    from mi.app.hub import sync

    if args.dry_run:
        return _preview(context, args)
    out = Output(context.language)
    done = sync(context, Progress(out, "progress.sync"))
    fields = {**done.pushed._asdict(), "pulled": done.pulled}
    if args.json:
        out.json(fields)
        return 0
    out.say("sync.done", **fields)
    if done.pushed.hidden:
        out.say("sync.hidden", count=done.pushed.hidden)
    if done.pushed.aside:
        out.say("sync.aside", count=done.pushed.aside, path=context.home.path("hub", "aside.jsonl"))
    return 0


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
