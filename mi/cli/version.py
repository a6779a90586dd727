"""`mi version`."""

import sys

from mi import __version__
from mi.app.home_context import HomeContext
from mi.cli.arguments import Args, Parser, add_json, command
from mi.cli.output import Output


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    built = command("mi version", "Print the version of MI.", "mi version --json", _run)
    add_json(built)
    return built


def _run(context: HomeContext, args: Args) -> int:
    out = Output("en")
    if args.json:
        out.json({"version": __version__, "python": sys.version.split()[0]})
    else:
        out.line(f"mi {__version__}")
    return 0
