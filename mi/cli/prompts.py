"""A person's word at the command line: whose word a command is, and what only a person may say at the terminal."""

import sys
from collections.abc import Sequence

from mi.app.home_context import HomeContext
from mi.app.speaker import find_speaker, require_person
from mi.cli.arguments import Args
from mi.cli.output import fold_lines, measure_terminal
from mi.kernel.consent import agrees
from mi.kernel.errors import UsageError
from mi.kernel.messages import NestedText
from mi.kernel.text import make_printable


def refuse_agents(context: HomeContext, args: Args, argv: Sequence[str]) -> None:
    """Raise Blocked for an agent that calls what is a person's; whatever only shows what would be done passes."""
    if getattr(args, "dry_run", False) or not getattr(args, "apply", True):
        return
    if args.person_only is True or args.person_only(context, args):
        require_person(context, args.prog, argv)


def at_terminal(context: HomeContext) -> bool:
    """Return whether a person sits in front of this command."""
    try:
        return sys.stdin.isatty() and find_speaker(context).by == "terminal"
    except ValueError:  # standard input is closed
        return False


def ask_person(context: HomeContext, question: str) -> str | None:
    """Return what somebody types in answer; None when nobody is there: no terminal, or an agent in front of it."""
    if not (at_terminal(context) and sys.stderr.isatty()):
        return None
    typed = ""
    try:
        sys.stderr.write(fold_lines(make_printable(question), measure_terminal(2)) + " ")
        sys.stderr.flush()
        typed = sys.stdin.readline()
    finally:
        if not typed.endswith("\n"):  # Ctrl-C, Ctrl-D: what is printed next begins a line of its own
            sys.stderr.write("\n")
    return typed.strip()


def is_yes(word: str | None) -> bool:
    """Return whether it agrees; silence does not."""
    return word is not None and agrees(word)


def agree_on_place(context: HomeContext) -> None:
    """Ask before work begins in another folder than the current one; UsageError where nobody answers, or no.

    Outside of a repository a command means the project that was pinned, else the one that was used last.
    """
    from mi.cli.output import Output

    if not context.is_elsewhere:
        return
    details = {"root": context.choice.root, "how": NestedText("how." + context.choice.how)}
    if not is_yes(ask_person(context, Output(context.language).text("project.work-elsewhere", **details))):
        raise UsageError("project-elsewhere", **details)
