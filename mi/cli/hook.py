"""`mi hook`: answers the hook events of agent hosts, and puts itself into their settings."""

import sys
from functools import partial
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.app.setup import bind_by_profile
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, add_profile
from mi.cli.mcp import show_placed
from mi.cli.output import Output
from mi.hooks.enforce import PARTS
from mi.hooks.event import EVENTS
from mi.hosts.adapters import HOOK_HOSTS, HOSTS
from mi.kernel.errors import MiError

if TYPE_CHECKING:
    from mi.hooks.deadline import HookDeadline
    from mi.hooks.event import EventName
    from mi.hooks.main import HookReply
    from mi.hosts.adapters import Scope


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group(
        "mi hook", "Answer the hook events of agent hosts, with the rules you enforce.", "mi hook install claude-code"
    )
    for event in EVENTS:
        example = f"mi hook {event} --host claude-code < event.json"
        group.add(event, f"answer the host's {EVENTS[event]} event", example, partial(_event, event), _add_event)
    group.add(
        "install",
        "enter the hooks in a host's settings",
        "mi hook install codex",
        _install,
        _add_install,
        person_only=True,
    )
    group.add(
        "uninstall", "take the hooks out again", "mi hook uninstall codex", _uninstall, _add_host, person_only=True
    )
    return group.parser


def _add_install(built: Parser) -> None:
    _add_host(built)
    _add_enforce(built)
    built.add_argument("--trust", action="store_true", help="codex: also say that you trust this project")


def _add_host(built: Parser) -> None:
    built.add_argument("host", choices=HOOK_HOSTS, help="the agent host")
    built.add_argument("--user", action="store_true", help="for all your projects instead of this one")
    add_cd(built)
    add_json(built)


def _add_event(built: Parser) -> None:
    built.add_argument("--host", choices=HOOK_HOSTS, required=True, help="the agent host that asks")
    _add_enforce(built)
    add_profile(built)
    add_cd(built)
    built.add_argument("--json", action="store_true", help="print JSON, as it always does")


def _add_enforce(built: Parser) -> None:
    text = f"what to enforce, a comma list of {', '.join(PARTS)} (default: as the profile says)"
    built.add_argument("--enforce", metavar="PARTS", help=text)


def _enforced(context: HomeContext, args: Args) -> tuple[str, ...]:
    from mi.hooks.enforce import check

    return _enforced_said(args) or check(context.config.hooks.enforce)


def _enforced_said(args: Args) -> tuple[str, ...]:
    from mi.hooks.enforce import check

    return check(tuple(name.strip() for name in (args.enforce or "").split(",") if name.strip()))


def _event(event: "EventName", context: HomeContext, args: Args) -> int:
    from mi.hooks.deadline import HookDeadline

    context.words_alone = True
    deadline = HookDeadline(event)
    deadline.start()
    reply = _reply(event, context, args, deadline)
    deadline.stop()
    if reply.stdout:
        Output(context.quiet_language).raw(reply.stdout.rstrip(b"\n"), True)
    if reply.stderr:
        sys.stderr.write(f"mi: {reply.stderr}\n")
    return reply.code


def _reply(event: "EventName", context: HomeContext, args: Args, deadline: "HookDeadline") -> "HookReply":
    from mi.hooks.enforce import STOPPABLE, stops_calls
    from mi.hooks.main import BLOCK, HookReply, reply_to

    try:
        context = bind_by_profile(context, args.profile)
        enforced = _enforced(context, args)
        deadline.closes = deadline.closes and stops_calls(enforced)
        deadline.language = context.quiet_language
        return reply_to(context, args.host, event, enforced, sys.stdin.buffer.read(), bool(args.profile))
    except MiError as error:  # what to enforce is not known: nothing is judged, so nothing passes
        line = error.line(context.quiet_language)
        return HookReply(BLOCK, stderr=line) if event in STOPPABLE else HookReply(0, b"{}", line)


def _install(context: HomeContext, args: Args) -> int:
    from mi.hooks.codex_trust import find_codex_config
    from mi.hooks.install import build_commands, install

    scope: Scope = "user" if args.user else "project"
    said = _enforced_said(args)
    placed = install(context, args.host, scope, said)
    if "contract" in _enforced(context, args):
        placed.changed.extend(_complete(context, args, scope))
    more: dict[str, object] = {}
    lines = build_commands(context, args.host, scope, said)
    if HOSTS[args.host].trusts_hooks:
        more = trust_hooks(context, lines, args.trust)
    show_placed(context, args, placed, **more)
    if more.get("trusted") and not args.json:
        Output(context.language).say(
            "placed.trusted", trusted=more["trusted"], count=len(lines), path=find_codex_config()
        )
    return 0


def _complete(context: HomeContext, args: Args, scope: "Scope") -> list[str]:
    """Enter the server where hooks enforce the contract and the host has none: agents could not meet it."""
    from mi.hosts.installed import find_installed_commands
    from mi.mcp.install import install as enter_server
    from mi.mcp.install import name_owner

    if name_owner(args.host) in {one.owner for one in find_installed_commands(context.home, context.notices)}:
        return []
    if not args.json:
        Output(context.language).say("setup.completed")
    return enter_server(context, args.host, scope, ()).changed


def trust_hooks(context: HomeContext, lines: dict[str, str], with_project: bool) -> dict[str, object]:
    """Codex skips hooks it does not trust: say so when that could not be settled."""
    from mi.hooks.codex_trust import trust

    try:
        found = trust(context, lines.values(), context.project.root, with_project)
    except MiError as error:
        context.notices.add("codex-trust-failed", context.project.root, reason=error.line(context.language))
        return {"trusted": 0}
    if found.trusted < len(lines):
        context.notices.add("codex-untrusted", context.project.root, trusted=found.trusted, count=len(lines))
    return {"trusted": found.trusted}


def _uninstall(context: HomeContext, args: Args) -> int:
    from mi.hooks.install import uninstall

    placed = uninstall(context, args.host, "user" if args.user else "project")
    if HOSTS[args.host].trusts_hooks:
        from mi.hooks.codex_trust import distrust

        distrust(context, context.project.root)
    return show_placed(context, args, placed)
