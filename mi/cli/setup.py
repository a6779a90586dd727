"""`mi setup`: everything that belongs together in a host's settings, shown first, written as one, and taken out."""

import os
from collections.abc import Collection
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.setup import LIGHT, check_portable, find_scope, find_tracked, hide_own_files, list_sharing
from mi.cli.arguments import Args, Parser, add_cd, add_json, add_profile, command
from mi.cli.output import Output
from mi.cli.persona import offer_member
from mi.hosts.adapters import HOOK_HOSTS, HOSTS
from mi.kernel.config.profiles import DEFAULT
from mi.kernel.errors import Blocked, MiError
from mi.kernel.named_tuple import NamedTuple

if TYPE_CHECKING:
    from mi.hosts.apply import Placed
    from mi.hosts.artefacts import Artefact
    from mi.hosts.workspaces import Workspace


class Piece(NamedTuple):
    """What one owner shall have in a workspace: nothing where it is to go."""

    workspace: "Workspace"
    owner: str
    artefacts: "list[Artefact]"


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command(
        "mi setup",
        "Put MI's server, hooks, text and skills into a host, as a profile says; shows what it will write.",
        "mi setup claude-code --profile team",
        _run,
        person_only=True,
    )
    built.add_argument("host", nargs="?", choices=HOOK_HOSTS, help="the agent host (default: those on your PATH)")
    add_profile(built)
    built.add_argument("--remove", action="store_true", help="take all of it out again")
    built.add_argument("--yes", action="store_true", help="do it without asking, e.g. from a script")
    built.add_argument("--dry-run", action="store_true", help="print what would be written, change nothing")
    add_cd(built)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    hosts = [args.host] if args.host else HOOK_HOSTS if args.remove else _find_hosts()
    out = Output(context.language)
    going = hosts if args.remove else []
    plans = {host: _plan(context, host, _choose(context, args, host), going) for host in hosts}
    would = {host: _preview(context, args, out, host, pieces) for host, pieces in plans.items()}
    if not args.dry_run:
        _confirm(context, args, out)
        for host, pieces in plans.items():
            _apply(context, args, out, host, pieces)
        if not args.remove:
            _ask_trust(context, args, out)
            offer_member(context, args, out)
    if args.json:
        profile = "" if args.remove else _choose(context, args, hosts[0])
        out.json({"applied": not args.dry_run, "profile": profile, "hosts": would})
    return 0


def _find_hosts() -> list[str]:
    from mi.kernel.programs import find_on_path

    found = [host for host in HOOK_HOSTS if find_on_path(HOSTS[host].program or host)]
    if not found:
        raise MiError("setup-no-host")
    return found


def _choose(context: HomeContext, args: Args, host: str) -> str:
    """Return the profile: the one said, else the one it was set up with, else light; '' to take it out."""
    from mi.hosts.setups import read_setups

    if args.remove:
        return ""
    before = read_setups(context.home, context.notices).get(context.project.root, {})
    return str(args.profile or before.get(host) or DEFAULT)


def _plan(context: HomeContext, host: str, profile: str, going: Collection[str]) -> list[Piece]:
    """Return all pieces of a profile, and those of the other profiles without anything in them."""
    if profile == LIGHT and (tracked := find_tracked(context, host)):
        raise MiError("setup-tracked", path=tracked)
    if profile not in ("", LIGHT):
        check_portable(context)
    return list_pieces(context, host, profile, going)


def list_pieces(context: HomeContext, host: str, profile: str, going: Collection[str] = ()) -> list[Piece]:
    """Return what a host shall have of MI here and in the person's own settings, as a profile says; '' is nothing.

    What hosts share goes with the last of them; `going` are those that MI is taken out of together.
    """
    from mi.app.merge_driver import OWNER as DRIVER
    from mi.app.merge_driver import list_attributes
    from mi.app.workflows import build_bindings
    from mi.contract.installed import OWNER, list_texts
    from mi.hooks.install import build_commands, list_hooks
    from mi.hooks.install import name_owner as name_hooks
    from mi.hosts.scopes import scope_workspace
    from mi.mcp.install import list_servers
    from mi.mcp.install import name_owner as name_server

    root, scope = context.project.root, find_scope(host, profile or LIGHT)
    here, own = (scope_workspace(context.home, host, one, root) for one in ("project", "user"))
    portable = profile if profile != LIGHT else ""
    hooks = list_hooks(host, scope, build_commands(context, host, scope, (), portable)) if profile else []
    server = list_servers(context, host, scope, profile=portable) if profile else []
    pieces = [
        Piece(here, name_hooks(host), hooks if scope != "user" else []),
        Piece(here, name_server(host), server if scope == "project" else []),
        Piece(own, f"{name_server(host)} {root}", server if scope == "local" else []),
    ]
    if scope == "user" and (profile or not list_sharing(context, host)):
        pieces += [Piece(own, name_hooks(host), hooks), Piece(own, name_server(host), server)]
    if portable or not _is_other_team(context, {host, *going}):
        pieces.append(Piece(here, OWNER, [*list_texts(root, context.home, [])] if portable else []))
        pieces.append(Piece(here, DRIVER, [*list_attributes(root)] if portable else []))
    skills = build_bindings(context)
    return [*pieces, Piece(here, skills.name_owner(host), skills.draft(host, root) if profile else [])]


def _is_other_team(context: HomeContext, going: Collection[str]) -> bool:
    """Return whether a host of this project that stays keeps the text for agents."""
    from mi.hosts.setups import read_setups

    hosts = read_setups(context.home, context.notices).get(context.project.root, {})
    return any(profile != LIGHT for name, profile in hosts.items() if name not in going)


def _preview(context: HomeContext, args: Args, out: Output, host: str, pieces: list[Piece]) -> dict[str, list[str]]:
    """Return, and say, what would be written and removed."""
    profile = _choose(context, args, host)
    would = find_changes(context, host, profile, pieces)
    if args.json:
        return would
    out.say("setup.would" if profile else "setup.would-remove", host=host, profile=profile, root=context.project.root)
    for path in would["changed"]:
        out.say("setup.writes", path=path)
    for path in would["removed"]:
        out.say("setup.removes", path=path)
    for key, details in _remarks(context, host, profile):
        out.say(key, **details)
    if not would["changed"] and not would["removed"]:
        out.say("setup.as-is")
    return would


def find_changes(context: HomeContext, host: str, profile: str, pieces: list[Piece]) -> dict[str, list[str]]:
    """Return the paths that placing a profile's pieces would write and remove, and the skills that are then there."""
    from mi.app.merge_driver import is_driver_installed
    from mi.hosts.apply import place
    from mi.hosts.artefacts import Link
    from mi.kernel import git

    changed, removed = list[str](), list[str]()
    for workspace, owner, artefacts in pieces:
        would = place(workspace, owner, artefacts, apply=False)
        changed += [os.path.join(workspace.root, path) for path in would.changed]
        removed += [os.path.join(workspace.root, path) for path in would.removed]
    root = context.project.root
    if profile not in ("", LIGHT) and git.find_toplevel(root) and not is_driver_installed(root):
        changed.append(os.path.join(root, ".git/config"))
    if excluded := hide_own_files(context, root, {host: profile}):
        changed.append(excluded)
    skills = [one.path for one in pieces[-1].artefacts if isinstance(one, Link)]
    return {"changed": [*dict.fromkeys(changed)], "removed": [*dict.fromkeys(removed)], "skills": skills}


def _remarks(context: HomeContext, host: str, profile: str) -> list[tuple[str, dict[str, str]]]:
    """Return what else there is to know before a yes."""
    from mi.kernel.config.load import read_raw
    from mi.kernel.config.profiles import find_overrides

    found: list[tuple[str, dict[str, str]]] = []
    if not profile:
        shared = list_sharing(context, host) if find_scope(host, LIGHT) == "user" else []
        return [("setup.shared", {"host": host, "roots": ", ".join(shared)})] if shared else []
    if find_scope(host, profile) == "user":
        found.append(("setup.users", {"host": host}))
    if HOSTS[host].trusts_hooks:
        found.append(("setup.trusts", {}))
    found += [("setup.driver", {})] if profile != LIGHT else []
    found.append(("setup.skills", {}))
    overrides = [f"{name} = {one}" for name, one in find_overrides(read_raw(context.home.config), profile).items()]
    return [*found, ("setup.overridden", {"settings": ", ".join(overrides)})] if overrides else found


def _confirm(context: HomeContext, args: Args, out: Output) -> None:
    from mi.cli.output import flush
    from mi.cli.prompts import ask_person, is_yes

    flush()
    if not args.yes and not is_yes(ask_person(context, out.text("setup.ask"))):
        raise Blocked("setup-unconfirmed")


def _apply(context: HomeContext, args: Args, out: Output, host: str, pieces: list[Piece]) -> None:
    from mi.app.merge_driver import install_merge_driver, remove_merge_driver
    from mi.app.workflows import build_bindings
    from mi.hosts.apply import place
    from mi.hosts.setups import note_setup

    profile, root = _choose(context, args, host), context.project.root
    context.use_project()
    placed = [place(*piece) for piece in pieces]
    note_setup(context.home, root, host, profile, context.notices)
    hide_own_files(context, root)
    if profile not in ("", LIGHT):
        install_merge_driver(root)
    is_bound = any((one.host, one.workspace_root) == (host, root) for one in build_bindings(context).all())
    if profile and not is_bound:
        build_bindings(context).bind(host, root)
    elif not profile and is_bound:
        build_bindings(context).unbind(host, root)
    if profile in ("", LIGHT) and not _is_other_team(context, {host}):
        remove_merge_driver(root)
    if HOSTS[host].trusts_hooks:
        _settle_trust(context, host, profile)
    _say_kept(out, args, placed)
    if not args.json:
        out.say("setup.done" if profile else "setup.removed", host=host, profile=profile)


def _settle_trust(context: HomeContext, host: str, profile: str) -> None:
    """Codex skips hooks that it does not trust: tell it, and say where that could not be settled."""
    from mi.cli.hook import trust_hooks
    from mi.hooks.codex_trust import distrust
    from mi.hooks.install import build_commands

    if not profile:
        distrust(context, context.project.root)
        return
    portable = profile if profile != LIGHT else ""
    lines = build_commands(context, host, find_scope(host, profile), (), portable)
    trust_hooks(context, lines, with_project=True)


def _say_kept(out: Output, args: Args, placed: "list[Placed]") -> None:
    for path in [path for one in placed for path in one.kept] if not args.json else []:
        out.say("placed.kept", path=path)


def _ask_trust(context: HomeContext, args: Args, out: Output) -> None:
    """Ask whether what the repository says to a team shall bind; where nobody can be asked, say how to let it."""
    from mi.app.team_files import build_team_files
    from mi.app.trust import list_team_files, store_team_trust
    from mi.cli.trust import wants_team

    files = list_team_files(context)
    if not files:
        return
    if build_team_files(context).is_trusted:
        return
    if wants_team(context, args, out, files):
        store_team_trust(context, is_yes=True)
    elif not args.json:
        out.say("trust.team-not", count=len(files))
