"""`mi runs`: what runs left."""

from mi.cli.arguments import Group, Parser
from mi.cli.runs_clean import clean, fill_parser


def build_parser(name: str) -> Parser:
    """Build the parser of the command."""
    group = Group("mi runs", "Runs and their work trees.", "mi runs clean --dry-run")
    says = "remove work trees whose work is merged or kept"
    group.add("clean", says, "mi runs clean --dry-run", clean, fill_parser, person_only=True)
    return group.parser
