"""`mi gc`: making the home smaller without losing anything; a dry run unless `--apply` is said."""

import math

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, count
from mi.cli.output import Output
from mi.kernel import clock
from mi.kernel.errors import MiError

_KEEP = 20
DAYS = 30  # after which snapshots go by themselves


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi gc", "Make the home smaller; nothing is lost, a dry run comes first.", "mi gc transcripts")
    transcripts = group.add(
        "transcripts",
        "pack older transcripts into archives that stay readable",
        "mi gc transcripts --apply",
        _transcripts,
        person_only=True,
    )
    transcripts.add_argument("--apply", action="store_true", help="really archive (default: only show what would be)")
    transcripts.add_argument(
        "--keep", metavar="N", type=count, default=_KEEP, help=f"newest of each kind to leave (default {_KEEP})"
    )
    for kind in ("hands", "mind"):
        transcripts.add_argument(f"--keep-{kind}", metavar="N", type=count, help="of this kind (default: as --keep)")
    add_cd(transcripts)
    add_json(transcripts)
    snapshots = group.add(
        "snapshots",
        "remove what was kept of the work tree before each batch",
        "mi gc snapshots --days 7 --apply",
        _snapshots,
        person_only=True,
    )
    snapshots.add_argument(
        "--days", metavar="N", type=count, default=DAYS, help=f"older than so many days (default {DAYS})"
    )
    snapshots.add_argument("--run", dest="of_run", metavar="RUN", default="", help="only those of one run, however old")
    snapshots.add_argument("--apply", action="store_true", help="do it (default: only show what would be done)")
    add_cd(snapshots)
    add_json(snapshots)
    thoughts = group.add(
        "thoughtdb",
        "archive the Thought DB and leave out redundant lines",
        "mi gc thoughtdb --apply",
        _thoughts,
        person_only=True,
    )
    thoughts.add_argument("--global", dest="only_global", action="store_true", help="the global store")
    thoughts.add_argument("--apply", action="store_true", help="do it (default: only show what would be done)")
    add_cd(thoughts)
    add_json(thoughts)
    return group.parser


def _transcripts(context: HomeContext, args: Args) -> int:
    from mi.autopilot.run_lock import find_running
    from mi.evidence.archive import archive_old, find_old

    out = Output(context.language)
    hands, mind = (args.keep if one is None else one for one in (args.keep_hands, args.keep_mind))
    kept = {context.project_home.hands_transcripts: hands, context.project_home.mind_transcripts: mind}
    active = [run.owner for run in find_running(context.home, context.project.project_id)]
    until = min((clock.parse(owner.ts) for owner in active if owner.ts), default=math.inf)
    if args.apply:
        found = [old for folder, keep in kept.items() for old in archive_old(context.home, folder, keep, until)]
    else:
        found = [old for folder, keep in kept.items() for old in find_old(folder, keep, until)]
    size, packed = sum(old.size for old in found), sum(old.packed for old in found)
    if args.json:
        names = [context.home.relative(old.path) for old in found]
        out.json(
            {
                "applied": args.apply,
                "transcripts": names,
                "bytes": size,
                "archived_bytes": packed if args.apply else None,
            }
        )
        return 0
    for old in found:
        out.line(context.home.relative(old.path))
    key = "gc.nothing" if not found else "gc.archived" if args.apply else "gc.dry-run"
    out.say(key, count=len(found), size=_shown(size), packed=_shown(packed), keep=args.keep)
    for owner in active:
        out.say("gc.run-kept", run_id=owner.run_id)
    return 0


def _snapshots(context: HomeContext, args: Args) -> int:
    from mi.autopilot.run_lock import find_running
    from mi.project.snapshots import find_kept_stores, find_old, list_snapshots, remove_snapshots

    out, root = Output(context.language), context.project.root
    active, found, spared = {run.owner.run_id for run in find_running(context.home)}, [], set[str]()
    for store in find_kept_stores(root, context.project_home.snapshots):
        going = list_snapshots(store, args.of_run) if args.of_run else find_old(store, args.days)
        spared |= {kept.run_id for kept in going} & active
        going = [kept for kept in going if kept.run_id not in active]
        reason = remove_snapshots(store, going) if going and args.apply else ""
        if reason:
            raise MiError("snapshots-kept", path=root, reason=reason)
        found += going
    if args.json:
        out.json({"applied": args.apply, "snapshots": [kept.ref for kept in found]})
        return 0
    for kept in found:
        out.line(kept.ref)
    key = "gc.snapshots-nothing" if not found else "gc.snapshots-gone" if args.apply else "gc.snapshots-dry-run"
    out.say(key, count=len(found), path=root)
    for run_id in sorted(spared):
        out.say("gc.run-kept", run_id=run_id)
    return 0


def _shown(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.1f} kB"


def _thoughts(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts import compact

    out = Output(context.language)
    store = build_thoughts(context).shared if args.only_global else build_thoughts(context).own
    outcome = compact.apply(store.files) if args.apply else compact.preview(store.files)
    if args.json:
        shown = [one._asdict() for one in outcome.files]
        out.json({"applied": bool(outcome.archive), "archive": outcome.archive or None, "files": shown})
        return 0
    for one in outcome.files:
        reasons = ", ".join(f"{reason} {count}" for reason, count in one.reasons.items())
        noted = f" ({reasons})" if reasons else ""
        out.say("gc.file", path=one.path, lines=one.lines, kept=one.kept, reasons=noted)
    redundant = sum(one.lines - one.kept for one in outcome.files)
    if outcome.archive:
        out.say("gc.done", count=redundant, archive=outcome.archive)
    elif redundant:
        out.say("gc.thoughts-dry-run", count=redundant)
    else:
        out.say("gc.thoughts-nothing")
    return 0
