"""Every scenario of the bench."""

from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.scenarios import (
    asked,
    blinding,
    changes,
    elsewhere,
    evasions,
    honest,
    later,
    licence,
    maintainers,
    moments,
    only_here,
    places,
    projects,
    questions,
    reach,
    settings,
    tricks,
    unnoticed,
    ways,
    words,
)

_MODULES = (
    honest,
    ways,
    changes,
    questions,
    projects,
    tricks,
    settings,
    words,
    later,
    maintainers,
    moments,
    only_here,
    places,
    evasions,
    blinding,
    unnoticed,
    reach,
    asked,
    licence,
    elsewhere,
)
SCENARIOS: tuple[Scenario, ...] = tuple(scenario for module in _MODULES for scenario in module.SCENARIOS)
