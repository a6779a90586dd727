"""`mi mcp`: the server that agents connect to, and its place in their configuration."""

from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Group, Parser, add_cd, add_json, add_profile
from mi.cli.output import Output, flush
from mi.kernel.errors import UsageError

if TYPE_CHECKING:
    from mi.hosts.apply import Placed
    from mi.mcp.registry import Offer

_PORT = "8747"


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi mcp", "The tools MI offers to agents over MCP.", "mi mcp list")
    group.add("serve", "serve the tools on standard input and output", "mi mcp serve", _serve, _add_serve)
    group.add("list", "the toolsets and their tools", "mi mcp list --json", _list, add_json)
    example = "mi mcp install codex"
    group.add(
        "install", "enter the server in a client's configuration", example, _install, _add_install, person_only=True
    )
    group.add(
        "uninstall", "take the server out again", "mi mcp uninstall codex", _uninstall, _add_client, person_only=True
    )
    return group.parser


def _add_install(built: Parser) -> None:
    _add_client(built)
    _add_tools(built)


def _add_client(built: Parser) -> None:
    from mi.mcp.install import CLIENTS

    built.add_argument("client", choices=CLIENTS, help="the client")
    built.add_argument("--user", action="store_true", help="for all your projects instead of this one")
    add_cd(built)
    add_json(built)


def _add_serve(built: Parser) -> None:
    _add_tools(built)
    add_profile(built)
    built.add_argument(
        "--http",
        metavar="PORT",
        nargs="?",
        const=_PORT,
        help=f"serve on 127.0.0.1 instead, at a port (default: {_PORT})",
    )
    add_cd(built)
    add_json(built)


def _add_tools(built: Parser) -> None:
    built.add_argument("--tools", metavar="SETS", help="toolsets to offer, a comma list (default: as the profile says)")


def _wish(context: HomeContext, args: Args) -> tuple[str, ...]:
    return _wish_said(args) or context.config.mcp.tools


def _wish_said(args: Args) -> tuple[str, ...]:
    return tuple(name.strip() for name in (args.tools or "").split(",") if name.strip())


def _serve(context: HomeContext, args: Args) -> int:
    from mi.app.setup import bind_by_profile
    from mi.mcp.registry import offer
    from mi.mcp.session import ToolSession
    from mi.mcp.stdio import serve

    context = bind_by_profile(context, args.profile).for_agent()
    wanted = offer(_wish(context, args))
    if args.http is not None:
        return _serve_http(context, args, wanted)
    return serve(ToolSession(context), wanted)


def _serve_http(context: HomeContext, args: Args, wanted: "Offer") -> int:
    from mi.mcp.http import HttpDoor, find_token_file, read_token

    if not args.http.isdecimal() or int(args.http) > 65535:
        raise UsageError("bad-port", value=args.http)
    door = HttpDoor(context, wanted, int(args.http), read_token(context.home))
    url, path = f"http://127.0.0.1:{door.port}/mcp", find_token_file(context.home)
    out = Output(context.language)
    if args.json:
        out.json_line({"url": url, "token_file": path})
    else:
        out.say("mcp.serving", url=url, path=path, with_token=f"http://127.0.0.1:{door.port}/$(cat {path})/mcp")
    flush()
    door.run()
    return 0


def _list(context: HomeContext, args: Args) -> int:
    from mi.mcp.registry import DEFAULT, list_known, load_definitions

    out = Output(context.language)
    if args.json:
        out.json(
            {name: {"default": name in DEFAULT, "tools": list(load_definitions(name).tools)} for name in list_known()}
        )
        return 0
    for name in list_known():
        out.say("mcp.toolset" if name in DEFAULT else "mcp.toolset-by-choice", name=name)
        for tool in load_definitions(name).tools:
            out.line(f"  {tool}")
    return 0


def _install(context: HomeContext, args: Args) -> int:
    from mi.mcp.install import install
    from mi.mcp.registry import offer

    wish = _wish_said(args)
    offer(wish)
    placed = install(context, args.client, "user" if args.user else "project", wish)
    return show_placed(context, args, placed)


def _uninstall(context: HomeContext, args: Args) -> int:
    from mi.mcp.install import uninstall

    return show_placed(context, args, uninstall(context, args.client, "user" if args.user else "project"))


def show_placed(context: HomeContext, args: Args, placed: "Placed", **more: object) -> int:
    """Say what was changed in the files of a host."""
    out = Output(context.language)
    if args.json:
        out.json(placed._asdict() | more)
        return 0
    for path in placed.changed:
        out.say("placed.changed", path=path)
    for path in placed.removed:
        out.say("placed.removed", path=path)
    for path in placed.kept:
        out.say("placed.kept", path=path)
    if not any(placed):
        out.say("placed.nothing")
    return 0
