"""Every scenario of the bench."""

from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.scenarios import honest, tricks

SCENARIOS: tuple[Scenario, ...] = (*honest.SCENARIOS, *tricks.SCENARIOS)
