"""`mi --help`: all commands at a glance, or the help of one."""

from mi.cli.output import Output


def print_overview(words: list[str], language: str) -> int:
    """Print the overview, or, for `mi help <command> …`, that command's help."""
    from mi.cli.door import COMMANDS, parser

    if words and not words[0].startswith("-"):
        parser(words[0]).parse_args([*words[1:], "--help"])
    out = Output(language)
    out.say("overview.head")
    for name in COMMANDS:
        out.line(f"  {name:<10} {out.text('overview.' + name)}")
    out.say("overview.foot")
    return 0
