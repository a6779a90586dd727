"""`mi project`: which project a command means, and what MI keeps about it."""

import msgspec

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, add_redact
from mi.cli.output import Output
from mi.kernel.safe_text import shorten_gist
from mi.kernel.text import pad, show_path
from mi.project.overlay import Overlay, ensure_overlay, read_overlay
from mi.project.selection import Selections


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi project", "Which project MI works on.", "mi project status")
    show_ = group.add("show", "what MI keeps about the project, and where", "mi project show --json", show)
    add_redact(show_)
    status = group.add("status", "how the project root is found; changes nothing", "mi project status --json", _status)
    use = group.add("use", "make it @last", "mi project use --cd ~/code/app", _use)
    pin = group.add("pin", "make it @pinned: used wherever no repository is", "mi project pin", _pin)
    unpin = group.add("unpin", "clear @pinned", "mi project unpin", _unpin)
    for one in (show_, status, use, pin):
        add_cd(one)
    for one in (show_, status, use, pin, unpin):
        add_json(one)
    alias = group.add_group("alias", "names for projects: @name", "mi project alias add app --cd ~/code/app")
    add = alias.add("add", "name a project", "mi project alias add app --cd ~/code/app", _alias_add)
    add.add_argument("name", type=_bare)
    add_cd(add)
    remove = alias.add("rm", "forget a name", "mi project alias rm app", _alias_remove)
    remove.add_argument("name", type=_bare)
    list_ = alias.add("list", "all names", "mi project alias list --json", _alias_list)
    for one in (add, remove, list_):
        add_json(one)
    return group.parser


def _bare(name: str) -> str:
    """Return a name, given as it is used (`@name`) or without the mark."""
    return name.removeprefix("@")


def show(context: HomeContext, args: Args) -> int:
    """Print the project, as text or JSON."""
    from mi.kernel import git

    out = Output(context.language)
    overlay = read_overlay(context.home, context.project, context.notices)
    place = context.project_home
    paths = {
        "home": place.root,
        "overlay": place.overlay,
        "evidence": place.evidence,
        "thoughtdb": place.thoughts,
        "workflows": place.workflows,
        "hands_transcripts": place.hands_transcripts,
        "mind_transcripts": place.mind_transcripts,
    }
    seen = git.observe(context.project.root)
    context.note_last()
    if args.json:
        overlay_fields = msgspec.to_builtins(overlay)
        out.json({"overlay": overlay_fields, "paths": paths, "git": seen._asdict(), "chosen_by": context.choice.how})
        return 0
    out.say("project.root", root=context.project.root, how=out.text("how." + context.choice.how))
    out.say("project.id", id=context.project.project_id, key=show_path(context.project.key))
    if seen.is_repo:
        changed = len(seen.status.splitlines())
        out.say("project.git", head=seen.head[:12] or "-", changed=changed)
    for name, path in paths.items():
        out.line(f"  {name:<18} {show_path(path)}")
    for name, value in _kept(overlay).items():
        out.line(f"  {name:<18} {shorten_gist(value, 200)}")
    return 0


def _kept(overlay: Overlay) -> dict[str, str]:
    """Return what the overlay holds besides the identity: that which is not as it began."""
    kept = msgspec.to_builtins(overlay)
    fresh = msgspec.to_builtins(Overlay())
    said = ("version", "project_id", "root_path", "identity_key", "identity")
    changed = {name: value for name, value in kept.items() if name not in said and value != fresh[name]}
    return {name: msgspec.json.encode(value).decode() for name, value in changed.items()}


def _status(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    choice, project, selections = context.choice, context.project, context.selections.read()
    if args.json:
        remembered = msgspec.to_builtins(selections)
        out.json(
            {
                "root": choice.root,
                "chosen_by": choice.how,
                "project_id": project.project_id,
                "identity_key": project.key,
                "selections": {name: remembered[name] for name in ("last", "pinned", "aliases")},
            }
        )
        return 0
    out.say("project.root", root=choice.root, how=out.text("how." + choice.how))
    out.say("project.id", id=project.project_id, key=project.key)
    for token, selected in _tokens(selections).items():
        out.line(f"  {pad('@' + token, 18)} {selected}")
    return 0


def _tokens(selections: Selections) -> dict[str, str]:
    named = {"last": selections.last, "pinned": selections.pinned} | selections.aliases
    return {token: selected.root_path for token, selected in named.items() if selected is not None}


def _use(context: HomeContext, args: Args) -> int:
    _remember(context)
    context.selections.set_last(context.project.root)
    return _done(context, args, "project.used")


def _pin(context: HomeContext, args: Args) -> int:
    _remember(context)
    context.selections.pin(context.project.root)
    return _done(context, args, "project.pinned")


def _unpin(context: HomeContext, args: Args) -> int:
    context.selections.pin(None)
    out = Output(context.language)
    if args.json:
        out.json({"pinned": None})
    else:
        out.say("project.unpinned")
    return 0


def _alias_add(context: HomeContext, args: Args) -> int:
    context.selections.add_alias(args.name, context.project.root)
    _remember(context)
    return _done(context, args, "project.aliased", name=args.name)


def _alias_remove(context: HomeContext, args: Args) -> int:
    context.selections.remove_alias(args.name)
    out = Output(context.language)
    if args.json:
        out.json({"removed": args.name})
    else:
        out.say("project.alias-removed", name=args.name)
    return 0


def _alias_list(context: HomeContext, args: Args) -> int:
    out = Output(context.language)
    aliases = context.selections.read().aliases
    if args.json:
        out.json({name: selected.root_path for name, selected in aliases.items()})
        return 0
    for name, selected in aliases.items():
        out.line(f"{pad('@' + name, 19)} {show_path(selected.root_path)}")
    if not aliases:
        out.say("project.no-alias")
    return 0


def _remember(context: HomeContext) -> None:
    """Make a selected project known: a folder inside a repository is a project of its own from then on."""
    ensure_overlay(context.home, context.project, context.notices)
    context.known_projects.remember(context.project)


def _done(context: HomeContext, args: Args, key: str, **details: str) -> int:
    out = Output(context.language)
    if args.json:
        out.json({"root": context.project.root, "project_id": context.project.project_id, **details})
    else:
        out.say(key, root=context.project.root, **details)
    return 0
