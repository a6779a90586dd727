"""`mi settings`: how MI behaves when it is unsure, and what a refactoring may change."""

from mi.app.home_context import HomeContext
from mi.app.thoughts import build_thoughts
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output
from mi.kernel.errors import UsageError


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    from mi.knowledge.thoughts.settings import SETTINGS

    group = Group("mi settings", "Operational settings, kept as claims.", "mi settings show")
    show = group.add("show", "show each setting and where it comes from", "mi settings show --json", _show)
    add_cd(show)
    add_json(show)
    set_ = group.add(
        "set",
        "change settings",
        "mi settings set --ask-when-uncertain proceed --scope project",
        _set,
        person_only=True,
    )
    for setting in SETTINGS.values():
        flag = "--" + setting.name.replace("_", "-")
        set_.add_argument(flag, choices=list(setting.sentences), help=f"default: {setting.default}")
    set_.add_argument(
        "--scope", choices=["global", "project"], default="global", help="where it holds (default: global)"
    )
    set_.add_argument("--dry-run", action="store_true", help="show what would be stored, store nothing")
    add_cd(set_)
    add_json(set_)
    return group.parser


def _show(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.settings import effective

    out = Output(context.language)
    settings = effective([build_thoughts(context).own, build_thoughts(context).shared])
    if args.json:
        out.json({name: one._asdict() for name, one in settings.items()})
        return 0
    for name, one in settings.items():
        out.line(f"{name:<20} {one.value:<22} {out.text('settings.from-' + one.source)}")
    return 0


def _set(context: HomeContext, args: Args) -> int:
    from mi.knowledge.thoughts.settings import SETTINGS, set_settings

    wanted = {name: getattr(args, name) for name in SETTINGS if getattr(args, name) is not None}
    if not wanted:
        flags = ", ".join("--" + name.replace("_", "-") for name in SETTINGS)
        raise UsageError("no-setting-given", flags=flags)
    if args.dry_run:
        return _show_wish(context, args, wanted)
    if args.scope == "project":
        context.use_project()
    log = context.project_home.evidence if args.scope == "project" else context.home.evidence
    store = build_thoughts(context).own if args.scope == "project" else build_thoughts(context).shared
    event = set_settings(store, context.evidence_writer(log), wanted)
    out = Output(context.language)
    if args.json:
        out.json({"event_id": event.event_id, "scope": args.scope, "settings": wanted})
    else:
        out.say(
            "settings.stored",
            settings=" ".join(f"{k}={v}" for k, v in wanted.items()),
            scope=args.scope,
            event_id=event.event_id,
        )
    return 0


def _show_wish(context: HomeContext, args: Args, wanted: dict[str, str]) -> int:
    out = Output(context.language)
    if args.json:
        out.json({"dry_run": True, "scope": args.scope, "settings": wanted})
    else:
        out.say("settings.would-store", settings=" ".join(f"{k}={v}" for k, v in wanted.items()), scope=args.scope)
    return 0
