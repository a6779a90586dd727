"""`mi gc`: archive and tidy up; nothing that can be read is lost."""

from mi.app import App
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output


def parser(name: str) -> Parser:
    group = Group("mi gc", "Archive and tidy up; shows first what it would do.", "mi gc thoughtdb")
    thoughts = group.add(
        "thoughtdb", "archive the Thought DB and leave out redundant lines", "mi gc thoughtdb --apply", _thoughts
    )
    thoughts.add_argument("--global", dest="only_global", action="store_true", help="the global store")
    thoughts.add_argument("--apply", action="store_true", help="do it (default: only show what would be done)")
    add_cd(thoughts)
    add_json(thoughts)
    return group.parser


def _thoughts(app: App, args: Args) -> int:
    from mi.thoughtdb import compact

    out = Output(app.language)
    store = app.global_thoughts if args.only_global else app.project_thoughts
    outcome = compact.apply(store.files) if args.apply else compact.preview(store.files)
    if args.json:
        shown = [one._asdict() for one in outcome.files]
        out.json({"applied": bool(outcome.archive), "archive": outcome.archive or None, "files": shown})
        return 0
    for one in outcome.files:
        reasons = ", ".join(f"{reason} {count}" for reason, count in one.reasons.items())
        out.say("gc.file", path=one.path, lines=one.lines, kept=one.kept, reasons=reasons or "-")
    redundant = sum(one.lines - one.kept for one in outcome.files)
    if outcome.archive:
        out.say("gc.done", count=redundant, archive=outcome.archive)
    elif redundant:
        out.say("gc.dry-run", count=redundant)
    else:
        out.say("gc.nothing")
    return 0
