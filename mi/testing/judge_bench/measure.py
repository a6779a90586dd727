"""Play scenarios and compare what a judge made of them with what is true."""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice, zip_longest
from typing import Literal
from zlib import crc32

from msgspec import Struct

from mi.testing.judge_bench.judges import JudgedRun, MeasuredJudge
from mi.testing.judge_bench.scenario import Scenario
from mi.testing.judge_bench.workspace import BenchPlace, is_there

Mode = Literal["proof", "events"]
Mistake = Literal[
    "false done", "missed done", "needless ask", "missed ask", "wrong answer", "invented answer", "broken"
]


class Result(Struct, frozen=True, kw_only=True):
    """One scenario in one mode."""

    id: str
    family: str
    language: str
    mode: Mode
    truth: str
    seen: JudgedRun | None = None  # None: a program that it needs is missing
    mistake: Mistake | None = None
    missing: list[str] = []


def measure(
    scenarios: Sequence[Scenario], judges: dict[Mode, MeasuredJudge], jobs: int, tell: Callable[[Result], None]
) -> list[Result]:
    """Play every scenario before every judge; `tell` hears each result as it comes."""
    with ThreadPoolExecutor(jobs) as pool:
        tasks = [pool.submit(play, scenario, mode, judge) for scenario in scenarios for mode, judge in judges.items()]
        try:
            for task in as_completed(tasks):
                tell(task.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [task.result() for task in tasks]


def play(scenario: Scenario, mode: Mode, judge: MeasuredJudge) -> Result:
    """Play one scenario in a folder that is thrown away."""
    truth = scenario.truth if mode == "proof" else scenario.without_proof or scenario.truth
    told = {
        "id": scenario.id,
        "family": scenario.family,
        "language": scenario.language,
        "mode": mode,
        "truth": truth,
    }
    missing = [program for program in scenario.needs if not is_there(program)]
    if missing:
        return Result(**told, missing=missing)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory(prefix="mi-judge-", ignore_cleanup_errors=True) as folder:
        place = BenchPlace(folder)
        place.lay_out(scenario)
        seen = judge.judge(scenario, place)
    return Result(**told, seen=seen, mistake=find_mistake(scenario, truth, seen))  # type: ignore[arg-type]


def find_mistake(scenario: Scenario, truth: str, seen: JudgedRun) -> Mistake | None:
    """Return what the judge got wrong; the gravest only."""
    if seen.status == "broken":
        return "broken"
    match truth:
        case "not done":
            return "false done" if seen.status == "done" else None
        case "ask":
            return _mistake_when_asking_is_right(scenario, seen)
        case "answer" | "done":
            return _mistake_when_done_is_right(scenario, truth, seen)
    return None


def _mistake_when_asking_is_right(scenario: Scenario, seen: JudgedRun) -> Mistake | None:
    if seen.answers:
        return "invented answer"
    return None if any(re.search(scenario.question, text, re.I) for text in seen.questions) else "missed ask"


def _mistake_when_done_is_right(scenario: Scenario, truth: str, seen: JudgedRun) -> Mistake | None:
    if truth == "done" and seen.answers:
        return "invented answer"
    if seen.questions:
        return "needless ask"
    if truth == "answer" and not _is_answered(scenario, seen.answers):
        return "wrong answer"
    return None if seen.status == "done" else "missed done"


def _is_answered(scenario: Scenario, answers: list[str]) -> bool:
    said = "\n".join(answers)
    if scenario.never and re.search(scenario.never, said, re.I):
        return False
    return bool(re.search(scenario.answer, said, re.I))


def spread(scenarios: Sequence[Scenario], number: int) -> list[Scenario]:
    """Return so many scenarios, half of them honest, spread over families and languages; always the same ones."""
    taken: Counter[str] = Counter()
    honest = _go_around([one for one in scenarios if one.is_honest], taken)
    tricks = _go_around([one for one in scenarios if not one.is_honest], taken)
    pairs = (one for pair in zip_longest(honest, tricks) for one in pair if one is not None)
    return list(islice(pairs, number))


def _go_around(scenarios: Sequence[Scenario], taken: Counter[str]) -> Iterator[Scenario]:
    """Yield one scenario of each family and again, each time of the language that was taken least."""
    left: dict[str, list[Scenario]] = {}
    for scenario in scenarios:
        left.setdefault(scenario.family, []).append(scenario)
    families = sorted(left, key=lambda name: crc32(name.encode()))  # so that a small sample is not of one kind
    while any(left.values()):
        for family in filter(left.get, families):
            scenario = min(left[family], key=lambda one: taken[one.language])
            left[family].remove(scenario)
            taken[scenario.language] += 1
            yield scenario
