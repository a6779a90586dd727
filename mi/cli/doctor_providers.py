"""Whether the agent and the judge that the configuration names are there."""

import os

from mi.agents.find import find
from mi.agents.registry import VENDORS
from mi.kernel.config.types import Config, HttpMind
from mi.kernel.errors import MiError, NotFound
from mi.kernel.programs import find_on_path
from mi.mind.choose import open_provider
from mi.mind.provider import ProviderError
from mi.mind.providers.http import api_key


def list_missing(config: Config, hands: str, mind: str) -> list[MiError]:
    """Return what the chosen agent and the chosen judge lack, asking neither anything."""
    found = []
    for look, name in ((_find_agent, hands), (_find_judge, mind)):
        try:
            look(config, name)
        except MiError as error:
            found.append(error)
    return found


def _find_agent(config: Config, name: str) -> None:
    if name in [agent.name for agent in VENDORS]:
        find(name, getattr(config.hands, name).path)
    elif name == "cli" and config.hands.cli.exec:
        program = os.path.expanduser(config.hands.cli.exec[0])
        if not os.access(program, os.X_OK) and find_on_path(program) is None:
            raise NotFound("agent-not-found", name=program)
    elif name == "replay" and not os.path.exists(config.hands.replay.file):
        raise NotFound("replay-missing", path=config.hands.replay.file)


def _find_judge(config: Config, name: str) -> None:
    open_provider(name, config)
    settings = getattr(config.mind, name, None)
    if isinstance(settings, HttpMind):
        try:
            api_key(settings, name)
        except ProviderError as error:
            raise NotFound("judge-without-key", why=error) from None
