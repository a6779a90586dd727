"""The evaluation puts a model and the rules before the same cases."""

import os

import pytest

from bench.minds import TRIALS, compare, score
from mi.kernel.config.types import HttpMind
from mi.kernel.home import Home
from mi.mind.mind import Mind
from mi.mind.providers.openai_compatible import OpenAiCompatible
from mi.testing import chat_server
from tests.mind.answers import model


def rules(home: Home) -> Mind:
    return Mind(home, os.path.join(home.root, "minds"), None)


@pytest.mark.req("mi.mind.rules-floor")
def test_the_rules_are_the_floor_of_every_comparison(home: Home) -> None:
    assert score(rules(home)) == (len(TRIALS), [])
    with chat_server(model()) as server:
        credulous = Mind(
            home, os.path.join(home.root, "minds"), OpenAiCompatible(HttpMind(base_url=server.base_url, model="m"))
        )
        floor, beside = compare(credulous, rules(home)).splitlines()
    assert floor.split()[:2] == ["rules", f"{len(TRIALS)}/{len(TRIALS)}"]
    assert beside.startswith("openai_compatible")
    assert "claimed" in beside  # this one believes every word
    assert compare(rules(home), rules(home)).count("\n") == 0
