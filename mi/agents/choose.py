"""Opening the Hands a configuration asks for."""

from typing import TYPE_CHECKING, Literal

from mi.kernel.config.types import Config
from mi.kernel.errors import NotFound
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.programs import on_path

if TYPE_CHECKING:  # whoever only asks which agent it would be loads none
    from mi.agents.protocol import AgentAdapter

Provider = Literal["codex", "claude", "cli", "replay"]


def resolve_provider(config: Config) -> Provider:
    """The provider to use: `auto` is codex if it is there, else claude; NotFound with the three ways on."""
    wished = config.hands.provider
    if wished != "auto":
        return wished
    if config.hands.codex.path or on_path("codex"):
        return "codex"
    if config.hands.claude.path or on_path("claude"):
        return "claude"
    raise NotFound("no-hands")


def open_hands(config: Config, home: Home, notices: Notices) -> "AgentAdapter":
    """The configured agent, found and probed; MiError when it cannot be used."""
    interrupt = config.runtime.interrupt
    match resolve_provider(config):
        case "codex":
            from mi.agents.adapters.codex import CodexHands

            return CodexHands(config.hands.codex, interrupt, home, notices)
        case "claude":
            from mi.agents.adapters.claude import ClaudeHands

            return ClaudeHands(config.hands.claude, interrupt, home, notices)
        case "cli":
            from mi.agents.adapters.cli import CliHands

            return CliHands(config.hands.cli, interrupt)
        case "replay":
            from mi.agents.adapters.replay import ReplayHands

            return ReplayHands(config.hands.replay, interrupt, home, notices)
