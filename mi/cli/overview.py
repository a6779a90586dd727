"""`mi --help`: the commands of every day, all of them with `mi help all`, or the help of one."""

from itertools import groupby

from mi.app.home_context import HomeContext
from mi.cli.commands import COMMANDS, EXAMPLES
from mi.cli.output import Output, measure_terminal
from mi.kernel.messages import help_text
from mi.kernel.text import wrap

_PURPOSES = ("begin", "work", "answer", "look", "back", "mend")
_COLUMNS = 100


def print_overview(context: HomeContext, words: list[str]) -> int:
    """Print the overview, or, for `mi help <command> …`, that command's help."""
    from mi.cli.main import build_parser

    out = Output(context.quiet_language)
    if words[:1] == ["all"]:
        _print_all(out)
        return 0
    if words and not words[0].startswith("-"):
        build_parser(words[0]).parse_args([*words[1:], "--help"])
    out.say("overview.head")
    for purpose in _PURPOSES:
        out.say("overview.purpose-" + purpose)
        _print_commands(out, [name for name, entry in COMMANDS.items() if entry.purpose == purpose])
    out.say("overview.foot")
    return 0


def _print_all(out: Output) -> None:
    out.say("overview.head")
    for group, names in groupby(COMMANDS, lambda name: COMMANDS[name].group):
        out.say("overview.group-" + group)
        for line in wrap(out.text("overview.story-" + group), min(measure_terminal() or _COLUMNS, _COLUMNS)):
            out.line(line)
        out.line(f"  {help_text('example', out.language)}: {EXAMPLES[group]}")
        _print_commands(out, list(names))
    out.say("overview.foot")


def _print_commands(out: Output, names: list[str]) -> None:
    for name in names:
        out.line(f"  {name:<10}  {help_text(COMMANDS[name].summary, out.language)}")
