"""`mi --help`: all commands at a glance, or the help of one."""

from mi.app.home_context import HomeContext
from mi.cli.output import Output

# What people look for together. Every command stands in one group.
GROUPS = {
    "work": "demo run attach stop inbox answer status",
    "person": "init values settings why undo redo",
    "look": "show tail search context cost",
    "knowledge": "claim node edge memory workflow export import",
    "agents": "mcp hook host contract task plan nexus",
    "team": "gate persona card proposal session handoff",
    "upkeep": "project config doctor repair gc uninstall completion version",
}


def print_overview(context: HomeContext, words: list[str]) -> int:
    """Print the overview, or, for `mi help <command> …`, that command's help."""
    from mi.cli.main import parser

    if words and not words[0].startswith("-"):
        parser(words[0]).parse_args([*words[1:], "--help"])
    out = Output(context.quiet_language)
    out.say("overview.head")
    for group, names in GROUPS.items():
        out.say("overview.group-" + group)
        for name in names.split():
            out.line(f"  {name:<10}  {out.text('overview.' + name)}")
    out.say("overview.foot")
    return 0
