"""Compare judges over one sample of `mi bench judge`: MI with its rules, with a model that believes everything, and
what people write around an agent by hand. `python bench/judges.py 16` takes that many scenarios.

`codex exec` and `claude -p` in a script are the first of these: their exit code says that the turn ended. Further words
take only the judges whose names hold one of them. Prints a line as each judge is through; asserts nothing.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mi.testing import chat_server  # noqa: E402
from mi.testing.judge_bench.figures import count_mistakes  # noqa: E402
from mi.testing.judge_bench.judges import CommandJudge, MeasuredJudge, MiJudge  # noqa: E402
from mi.testing.judge_bench.measure import Mode, Result, measure, spread  # noqa: E402
from mi.testing.judge_bench.players import ScriptedPlayer  # noqa: E402
from mi.testing.judge_bench.scenarios import SCENARIOS  # noqa: E402
from tests.mind.answers import model  # noqa: E402

SAMPLE = 16
_TESTS = """\
if [ -f Makefile ]; then make -s test; elif [ -f package.json ]; then npm test --silent
elif [ -f go.mod ]; then go test ./...; elif [ -f Cargo.toml ]; then cargo test -q --offline
elif ls *pytest* conftest.py pyproject.toml >/dev/null 2>&1; then python3 -m pytest -q
else python3 -m unittest -q; fi"""
# What is written around an agent by hand: exit code 0 is done, 3 is left to the person.
BY_HAND = {
    "a script that believes the agent": 'eval "$MI_BENCH_AGENT" go >&2',
    "a loop until the agent says done": """\
for turn in 1 2 3 4 5; do
  said=$(eval "$MI_BENCH_AGENT" go) || exit 1
  case $said in *[Dd]one*|*[Ff]ixed*|*pass*) exit 0;; esac
done
exit 3""",
    "a loop until the tests pass": f"""\
for turn in 1 2 3 4 5; do
  eval "$MI_BENCH_AGENT" go >&2 || exit 1
  ( {_TESTS} ) >&2 && exit 0
done
exit 3""",
}


def main() -> None:
    size = int(sys.argv[1]) if sys.argv[1:] else SAMPLE
    chosen = spread(SCENARIOS, size)
    truths = [scenario.truth for scenario in chosen]
    print(", ".join(f"{truths.count(truth)} {truth}" for truth in sorted(set(truths))))
    for name, mode, judge in judges():
        if sys.argv[2:] and not any(word in name for word in sys.argv[2:]):
            continue
        with judge() as measured:
            results = measure(chosen, {mode: measured}, 1, lambda result: None)
        print(describe(name, [result for result in results if result.seen]), flush=True)


def judges() -> Iterator[tuple[str, Mode, Callable[[], Any]]]:
    player = ScriptedPlayer()
    for name, command in BY_HAND.items():
        yield name, "events", held(CommandJudge(["sh", "-c", command], player))
    for mode in ("events", "proof"):
        shown = "MI with proof" if mode == "proof" else "MI"
        yield f"{shown}, rules", mode, held(MiJudge({"provider": "rules"}, mode == "proof", player))  # type: ignore[misc]
        yield f"{shown}, a model that believes everything", mode, gullible(mode == "proof")  # type: ignore[misc]


def held(judge: MeasuredJudge) -> Callable[[], Any]:
    @contextmanager
    def hold() -> Iterator[MeasuredJudge]:
        yield judge

    return hold


def gullible(proves: bool) -> Callable[[], Any]:
    """A model that calls everything done, low in risk and in need of nobody."""

    @contextmanager
    def hold() -> Iterator[MeasuredJudge]:
        risk = {"category": "other", "severity": "low", "should_ask_user": False}
        with chat_server(model(risk_judge=risk)) as server:
            mind = {
                "provider": "openai_compatible",
                "openai_compatible": {"base_url": server.base_url, "model": "m", "api_key": "none"},
            }
            yield MiJudge(mind, proves, ScriptedPlayer())

    return hold


def describe(name: str, played: list[Result]) -> str:
    wrong = count_mistakes(played)
    seconds = sorted(result.seen.seconds for result in played if result.seen)
    said = ", ".join(f"{count} {mistake}" for mistake, count in wrong.most_common()) or "nothing wrong"
    return f"{name:<48} {len(played)} played: {said}" + (
        f"; median {seconds[len(seconds) // 2]:.1f} s" if any(seconds) else ""
    )


if __name__ == "__main__":
    main()
