"""Every agent that MI can have at work, declared once; whoever lists, finds, starts or reads agents goes by this."""

from importlib import import_module
from typing import Any

from mi.kernel.named_tuple import NamedTuple


class AgentEntry(NamedTuple):
    """What there is to know of an agent; a `module:name` is imported by `load` when it is needed."""

    name: str  # in `hands.provider`; its settings are `hands.<name>`, and a vendor's program is called so
    adapter: str
    events: str  # the interpreter of what it prints
    package: str = ""  # its vendor's program in npm; without one, `auto` never means this agent
    host: str = ""  # the vendor's program as a host of workflows, hooks and servers
    mind: str = ""  # the provider of the Mind that the same program is
    help_words: tuple[str, ...] = ("--help",)  # what makes it print the flags of a run
    native: tuple[str, ...] = ()  # where the real program lies behind npm's wrapper
    unasked_tools: str = ""  # lists the tools that it may use unasked


AGENTS = {
    entry.name: entry
    for entry in (
        AgentEntry(
            "codex",
            adapter="mi.agents.adapters.codex:CodexHands",
            events="mi.agents.codex_events:CodexEvents",
            package="@openai/codex",
            host="codex",
            mind="codex_schema",
            help_words=("exec", "--help"),
            native=("codex-*/vendor/*/bin/codex", "vendor/*/bin/codex", "vendor/*/codex/codex"),
        ),
        AgentEntry(
            "claude",
            adapter="mi.agents.adapters.claude:ClaudeHands",
            events="mi.agents.claude_events:ClaudeEvents",
            package="@anthropic-ai/claude-code",
            host="claude-code",
            mind="claude_schema",
            unasked_tools="mi.agents.adapters.claude:list_allowed_tools",
        ),
        AgentEntry("cli", adapter="mi.agents.adapters.cli:CliHands", events="mi.agents.any_events:AnyEvents"),
        AgentEntry(
            "replay", adapter="mi.agents.adapters.replay:ReplayHands", events="mi.agents.codex_events:CodexEvents"
        ),
    )
}
VENDORS = tuple(entry for entry in AGENTS.values() if entry.package)  # in the order in which `auto` looks for them


def load(reference: str) -> Any:
    """Return what a `module:name` of an entry stands for."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)
