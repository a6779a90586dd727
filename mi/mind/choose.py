"""Opening the Mind a configuration asks for."""

from typing import TYPE_CHECKING

from mi.kernel.config.types import Config
from mi.kernel.home import Home

if TYPE_CHECKING:  # whoever only asks which Mind it would be loads none
    from mi.agents.signals import StopFlag
    from mi.mind.mind import Mind
    from mi.mind.provider import Provider


def resolve_provider(config: Config, hands: str) -> str:
    """The provider to use: `auto` is that of the Hands' vendor, else the rules."""
    if config.mind.provider != "auto":
        return config.mind.provider
    return {"codex": "codex_schema", "claude": "claude_schema"}.get(hands, "rules")


def open_mind(config: Config, home: Home, transcripts: str, hands: str, stop: "StopFlag | None" = None) -> "Mind":
    """The configured Mind, asking nothing yet; MiError when its program is missing. `stop` ends what it waits for."""
    from mi.mind.mind import Mind

    name = resolve_provider(config, hands)
    retries = 2
    if name in ("openai_compatible", "anthropic"):
        retries = getattr(config.mind, name).max_retries
    return Mind(home, transcripts, open_provider(name, config), config.mind.models, retries, stop=stop)


def open_provider(name: str, config: Config) -> "Provider | None":
    """A provider by its name; None for `rules`."""
    mind = config.mind
    match name:
        case "codex_schema":
            from mi.mind.providers.agent_cli import CodexSchema

            return CodexSchema(mind.codex_schema)
        case "claude_schema":
            from mi.mind.providers.agent_cli import ClaudeSchema

            return ClaudeSchema(mind.claude_schema)
        case "openai_compatible":
            from mi.mind.providers.openai_compatible import OpenAiCompatible

            return OpenAiCompatible(mind.openai_compatible)
        case "anthropic":
            from mi.mind.providers.anthropic import Anthropic

            return Anthropic(mind.anthropic)
    return None
