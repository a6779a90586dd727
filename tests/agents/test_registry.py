"""Agents and hosts are declared once: nobody else keeps a list of them, or asks for one by its name."""

import ast
from typing import get_args, get_type_hints

import pytest

from mi.agents.protocol import AgentAdapter
from mi.agents.registry import AGENTS, VENDORS, load
from mi.hosts.adapters import HOOK_HOSTS, HOSTS, load_adapter
from mi.kernel.config.types import Config, HandsConfig, MindConfig
from mi.kernel.language import LANGUAGES
from mi.kernel.messages import text
from mi.mind.choose import PROVIDERS
from tests.literals import sources

NAMES = {name for agent in VENDORS for name in (agent.name, agent.host, agent.mind)} | set(HOSTS)
# Where a name may stand in the code, and why.
ALLOWED = {
    "mi/agents/registry.py": "the registry of agents",
    "mi/agents/programs.py": "names of programs and packages of agents, also of those that MI does not drive",
    "mi/agents/adapters/": "an adapter says whose it is",
    "mi/hosts/adapters/": "the registry of hosts; an adapter says whose it is",
    "mi/mind/choose.py": "the registry of who can judge",
    "mi/mind/providers/agent_cli.py": "a provider says whose it is, and which program it asks",
    "mi/kernel/config/": "settings of an agent: types stand below the rooms; templates are ready-made configurations",
    "mi/kernel/messages/": "texts about a configuration that is named like an agent",
    "mi/hooks/codex_trust.py": "how Codex, and nobody else, is told to trust a hook",
    "mi/agents/any_events.py": "the protocols that a wrapped agent may speak",
    "mi/cli/bench.py": "real agents that may play the scripts",
    "mi/testing/judge_bench/": "real agents that may play the scripts",
    "mi/testing/environments.py": "folders of a test's own, one per real program that it starts",
}


def test_no_other_module_names_an_agent() -> None:
    found = [
        f"{path}:{node.lineno} {node.value}"
        for path, tree in sources(*ALLOWED)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value in NAMES
    ]
    assert found == []


@pytest.mark.parametrize("name", AGENTS)
def test_what_an_entry_names_is_there(name: str) -> None:
    agent = AGENTS[name]
    hands: type[AgentAdapter] = load(agent.adapter)
    assert hands.name == name
    assert load(agent.events)().feed
    assert getattr(Config().hands, name) is not None
    assert agent.host in ("", *HOSTS)
    assert agent.mind in ("", *PROVIDERS)
    assert not agent.unasked_tools or callable(load(agent.unasked_tools))


def test_the_configuration_accepts_every_agent_and_every_provider() -> None:
    assert get_args(get_type_hints(HandsConfig)["provider"]) == ("auto", *AGENTS)
    assert get_args(get_type_hints(MindConfig)["provider"]) == ("auto", "rules", *PROVIDERS)
    for name, reference in PROVIDERS.items():
        assert load(reference).name == name
        assert getattr(Config().mind, name) is not None


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_has_its_adapter_and_one_with_hooks_its_line_in_the_doctor(name: str) -> None:
    assert load_adapter(name).name == name
    assert (name in HOOK_HOSTS) == bool(HOSTS[name].hook_files)
    for language in LANGUAGES if name in HOOK_HOSTS else ():
        assert name in text(f"doctor.nexus-{name}", language)
