"""Who speaks at the command line; what a parser declares a person's own word is refused to agents here."""

import os
import sys
from typing import TYPE_CHECKING

from mi.cli.arguments import Args
from mi.kernel.errors import Blocked

if TYPE_CHECKING:
    from mi.app.home_context import HomeContext

# Agent CLIs set these for the commands they run, also where they give them a terminal.
_AGENT_MARKS = """CLAUDECODE CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED CODEX_THREAD_ID CODEX_CI AI_AGENT
    GEMINI_CLI QWEN_CODE OPENCODE CURSOR_AGENT""".split()


def require_person(context: "HomeContext", args: Args) -> None:
    """Raise Blocked for an agent that calls what is a person's; whatever only shows what would be done passes."""
    if getattr(args, "dry_run", False) or not getattr(args, "apply", True):
        return
    if args.person_only == "always" and by_agent():
        raise Blocked("not-for-agents", command=args.prog)
    if args.person_only == "in-runs" and _is_hands(context):
        raise Blocked("not-for-hands")


def by_agent() -> bool:
    """Return whether an agent runs this command, as far as it says so."""
    return any(os.environ.get(name) for name in _AGENT_MARKS)


def at_terminal() -> bool:
    """Return whether a person sits in front of this command."""
    try:
        return sys.stdin.isatty() and not by_agent()
    except ValueError:  # standard input is closed
        return False


def _is_hands(context: "HomeContext") -> bool:
    """Return whether the agent of a run of this home speaks: a run that goes on holds its project's lock."""
    from mi.agents.leftovers import VARIABLE
    from mi.kernel.locks import is_held

    home = context.home
    return bool(os.environ.get(VARIABLE)) and any(is_held(home.project(one).run_lock) for one in home.project_ids())
