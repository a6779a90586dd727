"""One word for one thing: help, messages and the glossary use no other."""

import argparse
import re
from importlib import import_module
from pathlib import Path

import pytest

from mi.kernel.messages import en
from tests.cli.test_help import ALL

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = (ROOT / "docs/glossary.md").read_text("utf-8")
# The word that is not used, and the one that is.
OTHERS = {
    r"\bslots?\b": "window",
    r"\bspeed\b": "pace",
    r"\binteraction mode\b": "stance",
    r"\bside ?tasks?\b|\btodos?\b": "task",
    r"\bturns? of the agent\b|\biterations?\b": "batch",
    r"\b(?:work)?sessions? of a run\b": "run",
    r"\bLLM\b": "Mind",
    r"\bworking directory\b": "work tree",
}
# Fixed strings of a normative document.
FIXED = ("speed.marker", "autosave.saved")


def every_help() -> list[tuple[str, str]]:
    found = []
    for words, parser in ALL.items():
        parser.format_help()  # fills in what is added late
        found.append((words, parser.description or ""))
        found += [
            (words, action.help or "") for action in parser._actions if action.help not in (None, argparse.SUPPRESS)
        ]
    return found


def every_message() -> list[tuple[str, str]]:
    tables = [import_module(f"mi.kernel.messages.en.{name}").TEXT for name in en.TABLES["TEXT"]]
    return [(key, text) for table in tables for key, text in table.items() if key not in FIXED]


@pytest.mark.req("one.words.one-meaning")
@pytest.mark.parametrize("pattern", OTHERS)
def test_no_other_word_is_used(pattern: str) -> None:
    said = [*every_help(), *every_message()]
    assert len(said) > 1000
    found = [(where, text) for where, text in said if re.search(pattern, re.sub(r"\{[^}]*\}|`[^`]*`", "", text), re.I)]
    assert found == [], f"say {OTHERS[pattern]!r} (docs/glossary.md)"


@pytest.mark.req("one.words.one-meaning")
@pytest.mark.parametrize(
    "word",
    "task run batch session window mode stance profile pace review verdict verified checked confirmed Mind".split(),
)
def test_the_glossary_says_what_a_word_means(word: str) -> None:
    assert f"**{word}**" in GLOSSARY
