"""`mi --help`: all commands at a glance, or the help of one."""

from mi.app.home_context import HomeContext
from mi.cli.commands import COMMANDS
from mi.cli.output import Output
from mi.kernel.messages import help_text


def print_overview(context: HomeContext, words: list[str]) -> int:
    """Print the overview, or, for `mi help <command> …`, that command's help."""
    from mi.cli.main import build_parser

    if words and not words[0].startswith("-"):
        build_parser(words[0]).parse_args([*words[1:], "--help"])
    out = Output(context.quiet_language)
    out.say("overview.head")
    group = ""
    for name, entry in COMMANDS.items():
        if entry.group != group:
            group = entry.group
            out.say("overview.group-" + group)
        out.line(f"  {name:<10}  {help_text(entry.summary, out.language)}")
    out.say("overview.foot")
    return 0
