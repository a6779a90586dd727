"""`mi --help`: all commands at a glance, or the help of one."""

from importlib import import_module

from mi.cli.output import Output
from mi.kernel.errors import UsageError
from mi.kernel.messages import choose_language


def print_overview(words: list[str]) -> int:
    """Print the overview, or, for `mi help <command>`, that command's help."""
    from mi.cli.door import COMMANDS

    if words:
        if words[0] not in COMMANDS:
            raise UsageError("unknown-command", name=words[0], near="mi --help")
        import_module("mi.cli." + COMMANDS[words[0]]).parser(words[0]).print_help()
        return 0
    out = Output(choose_language(""))
    out.say("overview.head")
    for name in COMMANDS:
        out.line(f"  {name:<10} {out.text('overview.' + name)}")
    out.say("overview.foot")
    return 0
