"""Every scenario of the bench."""

from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.scenarios import changes, honest, later, projects, questions, settings, tricks, ways, words

_MODULES = (honest, ways, changes, questions, projects, tricks, settings, words, later)
SCENARIOS: tuple[Scenario, ...] = tuple(scenario for module in _MODULES for scenario in module.SCENARIOS)
