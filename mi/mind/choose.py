"""Opening the Mind a configuration asks for."""

from typing import TYPE_CHECKING

from mi.agents.choose import resolve_provider as resolve_agent
from mi.agents.registry import AGENTS, load
from mi.kernel.config.types import Config
from mi.kernel.errors import NotFound
from mi.kernel.home import Home

if TYPE_CHECKING:  # whoever only asks which Mind it would be loads none
    from mi.agents.signals import StopFlag
    from mi.mind.mind import Mind
    from mi.mind.provider import Provider

# Who can judge, beside the rules; each has its settings at `mind.<name>`.
PROVIDERS = {
    "codex_schema": "mi.mind.providers.agent_cli:CodexSchema",
    "claude_schema": "mi.mind.providers.agent_cli:ClaudeSchema",
    "openai_compatible": "mi.mind.providers.openai_compatible:OpenAiCompatible",
    "anthropic": "mi.mind.providers.anthropic:Anthropic",
}
_RETRIES = 2


def resolve_provider(config: Config, hands: str) -> str:
    """Return the provider to use: `auto` is that of the Hands' vendor, else the rules."""
    if config.mind.provider != "auto":
        return config.mind.provider
    return AGENTS[hands].mind or "rules" if hands in AGENTS else "rules"


def name_agent_and_mind(config: Config) -> tuple[str, str]:
    """Return the agent and the Mind that a configuration means; '' for an agent that is not installed."""
    try:
        hands: str = resolve_agent(config)
    except NotFound:
        hands = ""  # whoever only judges needs no agent
    return hands, resolve_provider(config, hands)


def open_mind(config: Config, home: Home, transcripts: str, hands: str, stop: "StopFlag | None" = None) -> "Mind":
    """Return the configured Mind, asking nothing yet; MiError when its program is missing.

    `stop` ends what it waits for.
    """
    from mi.mind.mind import Mind

    name = resolve_provider(config, hands)
    retries = getattr(getattr(config.mind, name, None), "max_retries", _RETRIES)
    return Mind(home, transcripts, open_provider(name, config), config.mind.models, retries, stop=stop)


def open_provider(name: str, config: Config) -> "Provider | None":
    """Return a provider by its name; None for `rules`."""
    if name not in PROVIDERS:
        return None
    provider: Provider = load(PROVIDERS[name])(getattr(config.mind, name))
    return provider
