"""`mi settings`: how MI behaves when it is unsure, and what a refactoring may change."""

from mi.app import App
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json
from mi.cli.output import Output
from mi.kernel.errors import UsageError


def parser(name: str) -> Parser:
    from mi.knowledge.thoughts.settings import SETTINGS

    group = Group("mi settings", "Operational settings, kept as claims.", "mi settings show")
    show = group.add("show", "show each setting and where it comes from", "mi settings show --json", _show)
    add_cd(show)
    add_json(show)
    set_ = group.add("set", "change settings", "mi settings set --ask-when-uncertain proceed --scope project", _set)
    for setting in SETTINGS.values():
        flag = "--" + setting.name.replace("_", "-")
        set_.add_argument(flag, choices=list(setting.sentences), help=f"default: {setting.default}")
    set_.add_argument(
        "--scope", choices=["global", "project"], default="global", help="where it holds (default: global)"
    )
    add_cd(set_)
    add_json(set_)
    return group.parser


def _show(app: App, args: Args) -> int:
    from mi.knowledge.thoughts.settings import effective

    out = Output(app.language)
    settings = effective([app.project_thoughts, app.global_thoughts])
    if args.json:
        out.json({name: one._asdict() for name, one in settings.items()})
        return 0
    for name, one in settings.items():
        out.line(f"{name:<20} {one.value:<22} {out.text('settings.from-' + one.source)}")
    return 0


def _set(app: App, args: Args) -> int:
    from mi.cli.governed import refuse_hands
    from mi.knowledge.thoughts.settings import SETTINGS, set_settings

    refuse_hands(app)
    wanted = {name: getattr(args, name) for name in SETTINGS if getattr(args, name) is not None}
    if not wanted:
        flags = ", ".join("--" + name.replace("_", "-") for name in SETTINGS)
        raise UsageError("no-setting-given", flags=flags)
    if args.scope == "project":
        app.use_project()
    log = app.project_home.evidence if args.scope == "project" else app.home.evidence
    store = app.project_thoughts if args.scope == "project" else app.global_thoughts
    event = set_settings(store, app.evidence_writer(log), wanted)
    out = Output(app.language)
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
