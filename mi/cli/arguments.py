"""Command-line arguments: argparse with one-line errors, the flags all commands share, and an example in every help."""

import argparse
import os
from collections.abc import Callable
from typing import Any, NoReturn

from mi.cli.output import flush
from mi.kernel.errors import UsageError

USAGE_HINT = "mi --help"


class _Help(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for every argument; asking shutil for the width would import half the library for it."""

    def __init__(self, prog: str) -> None:
        columns = os.environ.get("COLUMNS", "")
        super().__init__(prog, max_help_position=28, width=max(int(columns), 40) if columns.isdecimal() else 100)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line that says where to look."""

    fill: Callable[["Parser"], None] | None = None  # adds the arguments once they are needed

    def parse_known_args(self, *args: Any, **more: Any) -> Any:
        self._fill()
        return super().parse_known_args(*args, **more)

    def format_help(self) -> str:
        self._fill()
        return super().format_help()

    def _fill(self) -> None:
        fill, self.fill = self.fill, None
        if fill is not None:
            fill(self)

    def error(self, message: str) -> NoReturn:
        raise UsageError("usage", message=message, hint=f"{self.prog} --help")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        flush()
        raise SystemExit(status)


def command(prog: str, summary: str, example: str, run: Callable[..., int] | None = None) -> Parser:
    """A parser for one command; `example` is shown at the end of its help."""
    return _finished(Parser(prog=prog, **_described(summary, example)), run)


class Group:
    """A command with subcommands."""

    def __init__(self, prog: str, summary: str, example: str) -> None:
        self._open(command(prog, summary, example))

    def _open(self, parser: Parser) -> None:
        self.parser = parser
        self._subcommands = parser.add_subparsers(
            prog=parser.prog, metavar="command", required=True, parser_class=Parser
        )

    def add(
        self,
        name: str,
        summary: str,
        example: str,
        run: Callable[..., int],
        fill: Callable[[Parser], None] | None = None,
    ) -> Parser:
        """A subcommand; what `fill` adds to it costs nothing while another subcommand is called."""
        built = _finished(self._subcommands.add_parser(name, help=summary, **_described(summary, example)), run)
        built.fill = fill
        return built

    def add_group(self, name: str, summary: str, example: str) -> "Group":
        """A subcommand with subcommands of its own."""
        inner = Group.__new__(Group)
        inner._open(_finished(self._subcommands.add_parser(name, help=summary, **_described(summary, example)), None))
        return inner


def _described(summary: str, example: str) -> dict[str, Any]:
    return {
        "description": summary[0].upper() + summary[1:].rstrip(".") + ".",
        "epilog": f"example:\n  {example}",
        "formatter_class": _Help,
        "allow_abbrev": False,
    }


def _finished(parser: Parser, run: Callable[..., int] | None) -> Parser:
    parser.add_argument(
        "--home", metavar="DIR", default=argparse.SUPPRESS, help="MI home (default: $MI_HOME, else ~/.mind-incarnation)"
    )
    if run is not None:
        parser.set_defaults(run=run)
    return parser


def add_cd(parser: argparse.ArgumentParser) -> None:
    """The project a command works on."""
    parser.add_argument(
        "--cd", metavar="DIR", help="project root: a path, @last, @pinned or @alias (default: inferred)"
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Output for programs."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def add_redact(parser: argparse.ArgumentParser) -> None:
    """Hide secrets where the stored bytes would be printed as they are."""
    parser.add_argument("--redact", action="store_true", help="hide secrets in raw output, too")


def add_count(parser: argparse.ArgumentParser, text: str) -> None:
    """How many lines to show."""
    parser.add_argument("-n", dest="count", metavar="N", type=_count, help=text)


def _count(value: str) -> int:
    try:
        number = int(value)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{value!r} is no number of lines (0 or more)")
    return number


Args = Any  # argparse.Namespace: its attributes are what the parser above declared
