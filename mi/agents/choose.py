"""Opening the Hands a configuration asks for."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mi.agents.registry import AGENTS, VENDORS, load
from mi.kernel.config.types import Config
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from mi.kernel.programs import find_on_path

if TYPE_CHECKING:  # whoever only asks which agent it would be loads none
    from mi.agents.protocol import AgentAdapter


def resolve_provider(config: Config) -> str:
    """Return the provider to use: `auto` is the first vendor's program that is there.

    NotFound with the three ways on.
    """
    if config.hands.provider != "auto":
        return config.hands.provider
    for agent in VENDORS:
        if getattr(config.hands, agent.name).path or find_on_path(agent.name):
            return agent.name
    raise NotFound("no-hands")


def choose_agent(config: Config, name: str) -> Config:
    """Return the configuration with the agent that the person named; UsageError where no agent is called so."""
    if not name:
        return config
    if name not in AGENTS:
        raise UsageError("unknown-agent", name=name, known=", ".join(AGENTS))
    return replace(config, hands=replace(config.hands, provider=name))


def open_hands(config: Config, home: Home, notices: Notices) -> "AgentAdapter":
    """Return the configured agent, found and probed; MiError when it cannot be used."""
    agent = AGENTS[resolve_provider(config)]
    settings = getattr(config.hands, agent.name)
    hands: AgentAdapter = load(agent.adapter)(settings, config.runtime.interrupt, home, notices)
    return hands
