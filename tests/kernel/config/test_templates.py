import itertools
import re

import pytest

from mi.kernel.config.edit import merge, template
from mi.kernel.config.load import check
from mi.kernel.config.templates import TEMPLATES
from mi.kernel.language import LANGUAGES
from mi.kernel.messages import text

# The requirement of each template, and what makes it that template.
WANTED = {
    "codex": ("hands.provider", "codex"),
    "claude": ("hands.provider", "claude"),
    "claude-cli": ("hands.provider", "cli"),
    "openai": ("mind.provider", "openai_compatible"),
    "deepseek": ("mind.provider", "openai_compatible"),
    "anthropic": ("mind.provider", "anthropic"),
    "rules": ("mind.provider", "rules"),
    "strict": ("governance.profile", "strict"),
}


@pytest.mark.req(*[f"mi.config.template-{name}" for name in WANTED])
def test_the_templates_are_these():
    assert list(TEMPLATES) == list(WANTED)


@pytest.mark.parametrize("name", WANTED)
def test_every_template_is_valid_and_does_what_it_says(name):
    loaded = check(template(name))
    assert loaded.problems == []
    value: object = loaded.config
    for part in WANTED[name][0].split("."):
        value = getattr(value, part)
    assert value == WANTED[name][1]
    assert all(text(f"template.{name}", language) for language in LANGUAGES)


def test_templates_go_over_each_other():
    for first, second in itertools.product(WANTED, WANTED):
        assert check(merge(template(first), template(second))).problems == []


@pytest.mark.parametrize("name", ["openai", "deepseek", "anthropic"])
def test_services_name_the_variable_of_their_key_and_hold_none(name):
    mind = check(template(name)).config.mind
    service = mind.anthropic if name == "anthropic" else mind.openai_compatible
    assert service.base_url.startswith("https://")
    assert service.model
    assert service.api_key_env.endswith("_API_KEY")
    assert service.api_key == ""


def test_the_wrapped_claude_is_resumed_by_the_thread_it_reported():
    cli = check(template("claude-cli")).config.hands.cli
    found = re.search(cli.thread_id_regex, '{"type":"system","session_id": "0a1b-2c3d"}')
    assert found is not None
    assert found[1] == "0a1b-2c3d"
    assert "{thread_id}" in cli.resume
    assert "{prompt}" in cli.exec
