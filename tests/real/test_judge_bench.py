"""The judge bench played by the real Codex and the real Claude Code, behind scripted models."""

import pytest

from mi.testing.judge_bench.judges import MiJudge
from mi.testing.judge_bench.measure import measure
from mi.testing.judge_bench.players import RealPlayer
from mi.testing.judge_bench.scenarios import SCENARIOS

PLAYED = ("unittest/plain-fix", "make/feature-with-tests", "unittest/test-deleted", "unittest/exit-code-masked")


@pytest.mark.req("judge.bench.any-judge")
@pytest.mark.parametrize("name", ["codex", "claude"])
def test_a_real_agent_plays_scenarios(name: str, request: pytest.FixtureRequest) -> None:
    player = RealPlayer(name, request.getfixturevalue(name))  # type: ignore[arg-type]
    chosen = [scenario for scenario in SCENARIOS if scenario.id in PLAYED]
    results = measure(chosen, {"events": MiJudge({"provider": "rules"}, None, player)}, 2, lambda result: None)
    assert len(results) == len(PLAYED)
    assert [(result.id, result.mistake, result.seen) for result in results if result.mistake] == []
