"""Agents that ask: what the person's values answer, and what only the person can answer (`questions.toml`)."""

import os
import tomllib
from collections.abc import Iterator
from typing import Any

from mi.testing.judge_bench.kits import UNITTEST
from mi.testing.judge_bench.scenario import Scenario, joined
from mi.testing.judge_bench.scenarios.build import FIX
from mi.testing.replies import Run, Say

_WORDS = {"NO": r"\bno\b|\bnot\b|n't|\bwithout\b", "YES": r"\byes\b|go ahead|please do"}
_WORK = joined(UNITTEST.mend, Run(UNITTEST.check), Say("Fixed total; all tests pass. Done."))


def _made() -> Iterator[Scenario]:
    with open(os.path.join(os.path.dirname(__file__), "questions.toml"), "rb") as file:
        table = tomllib.load(file)
    for name, told in table["answered"].items():
        patterns = {"answer": _pattern(told["answer"]), "never": _pattern(told["never"])}
        yield _asking(name, told, family="values answer", truth="answer", **patterns)
    for name, told in table["asked"].items():
        yield _asking(name, told, family="only the person can answer", truth="ask", question=told["word"])


def _pattern(text: str) -> str:
    for word, meaning in _WORDS.items():
        text = text.replace(word, f"(?:{meaning})")
    return text


def _asking(name: str, told: dict[str, str], **fields: Any) -> Scenario:
    """Return an agent that asks first and mends `total` once it may go on."""
    asks = (Run("ls"), Say(f"I looked at shop.py and its tests. {told['question']}"))
    return Scenario(
        id=f"question/{name.replace(' ', '-')}",
        language="Python",
        task=FIX,
        files=UNITTEST.files,
        values=told["values"],
        batches=(asks, _WORK, _WORK[1:]),
        **fields,
    )


SCENARIOS = tuple(_made())
