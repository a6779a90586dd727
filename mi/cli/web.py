"""`mi web`: the page for people who would rather look than read."""

import os
from typing import TYPE_CHECKING

from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output, flush
from mi.kernel.errors import MiError, UsageError

if TYPE_CHECKING:
    from mi.app.loopback.server import Certificate
    from mi.web.server import PageServer

_PORT = "7439"


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    summary = "The page: what waits for you and what goes on, in a browser."
    built = command("mi web", summary, "mi web --open", _run, person_only=True)
    made = "make a one-time link to the page that runs, for a phone"
    built.add_argument("what", nargs="?", choices=("link",), metavar="link", help=made)
    built.add_argument("--port", default=_PORT, help=f"the port (default: {_PORT}; the next free one if it is taken)")
    built.add_argument("--open", action="store_true", help="open it in your browser")
    built.add_argument("--project", metavar="DIR", help="begin with one project: a path, @last, @pinned or @alias")
    built.add_argument("--bind", metavar="ADDRESS", help="serve at another address of this machine, for a phone")
    built.add_argument("--cert", metavar="FILE", help="the certificate for TLS")
    built.add_argument("--key", metavar="FILE", help="the key of the certificate")
    built.add_argument("--insecure", action="store_true", help="go without TLS at --bind: others can read along")
    built.add_argument("--hub", action="store_true", help="share with the hub meanwhile, as mi sync --watch does")
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    return _link(context, args) if args.what else _serve(context, args)


def _serve(context: HomeContext, args: Args) -> int:
    from mi.web.server import Binding, PageServer

    if not args.port.isdecimal() or int(args.port) > 65535:
        raise UsageError("bad-port", value=args.port)
    address = _read_address(args)
    project_id = context.at(args.project).project.project_id if args.project else ""
    if args.hub:
        from mi.app.hub import open_hub

        open_hub(context)  # whatever is missing is said before anything is served
    server = PageServer(context, Binding(int(args.port), address, _read_certificate(args)))
    link = server.make_link(f"/?project={project_id}" if project_id else "/")
    out = Output(context.language)
    if args.json:
        out.json_line({"url": server.url, "link": link, "port": server.port})
    else:
        _say_where(context, out, args, server.url, link)
    flush()
    if args.open and not _open_browser(link) and not args.json:
        out.say("web.no-browser")
        flush()
    if args.hub:
        _follow_hub(context, server)
    server.run()
    return 0


def _follow_hub(context: HomeContext, server: "PageServer") -> None:
    """Carry what is new from and to the hub while the page is served; open pages are told."""
    import sys
    import threading

    from mi.app.hub import watch

    own = HomeContext(context.home)  # what it opens is this thread's own

    def fail(error: MiError) -> None:
        sys.stderr.write(f"mi: {error.line(own.quiet_language)}\n")

    def follow() -> None:
        try:
            watch(own, lambda: False, lambda done: server.background.note_change("runs"), fail)
        except MiError as error:
            fail(error)

    threading.Thread(target=follow, name="hub", daemon=True).start()


def _say_where(context: HomeContext, out: Output, args: Args, url: str, link: str) -> None:
    if args.port != "0" and not url.endswith(f":{args.port}"):
        out.say("web.other-port", port=args.port, other=url)
    out.say("web.serving", root=context.home.root, url=url)
    if url.startswith("http:") and args.bind:
        out.say("web.insecure", address=url)
    out.say("web.link", link=link)
    out.say("web.ends")


def _read_address(args: Args) -> str:
    """Return the address to serve at; UsageError unless others may not, or may knowingly, read along."""
    if not args.bind:
        return "127.0.0.1"
    if args.bind in ("0.0.0.0", "::", "*"):
        raise UsageError("web-bind-all", value=args.bind)
    if not (args.cert or args.insecure) and args.bind not in ("127.0.0.1", "localhost", "::1"):
        raise UsageError("web-bind", value=args.bind)
    return str(args.bind)


def _read_certificate(args: Args) -> "Certificate | None":
    from mi.app.loopback.server import Certificate

    if not (args.cert or args.key):
        return None
    if not (args.cert and args.key):
        raise UsageError("web-cert", missing="--key" if args.cert else "--cert")
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(args.cert, args.key)
    except (OSError, ssl.SSLError) as error:
        raise MiError("web-cert-unusable", path=args.cert, reason=error.strerror or str(error)) from None
    return Certificate(args.cert, args.key)


def _open_browser(link: str) -> bool:
    import webbrowser

    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("BROWSER")):
        import sys

        if sys.platform == "linux":  # a browser in this terminal would take it over
            return False
    try:
        return webbrowser.open(link)
    except webbrowser.Error:
        return False


def _link(context: HomeContext, args: Args) -> int:
    from mi.web.link_door import ask_link

    link = ask_link(context.home)
    out = Output(context.language)
    if args.json:
        out.json({"link": link})
    else:
        out.say("web.link", link=link)
    return 0
