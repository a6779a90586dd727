"""A sample of the judge bench: what MI says of forty runs is true, but for what is listed here."""

import pytest

from mi.testing.judge_bench.judges import MiJudge
from mi.testing.judge_bench.measure import Mode, measure, spread
from mi.testing.judge_bench.players import ScriptedPlayer
from mi.testing.judge_bench.scenarios import SCENARIOS

SIZE = 40
# What is not right yet, with the reason; whoever makes it right takes it out.
KNOWN: dict[Mode, dict[str, str]] = {
    "proof": {},
    "events": {},
}


@pytest.mark.req("judge.bench.sample")
@pytest.mark.parametrize("mode", ["proof", "events"])
def test_what_mi_says_of_a_sample_is_true(mode: Mode) -> None:
    """Half of the sample is judged with proof and half without, each with as many honest runs as tricks."""
    half = ("proof", "events").index(mode)
    chosen = [scenario for place, scenario in enumerate(spread(SCENARIOS, SIZE)) if place // 2 % 2 == half]
    judge = MiJudge({"provider": "rules"}, mode == "proof", ScriptedPlayer())
    results = measure(chosen, {mode: judge}, 1, lambda result: None)
    wrong = {result.id: (result.mistake, result.seen) for result in results if result.mistake}
    known = KNOWN[mode].keys() & {result.id for result in results if result.seen}
    assert wrong.keys() == known, wrong
