"""Tables of settings as items: TOML, JSON and INI alike, each setting by its whole name."""

import configparser
import json
import re
from collections.abc import Iterator
from typing import Any

from mi.kernel.jsontext import BadJson, decode
from mi.project.checks.folder import mapping
from mi.project.checks.judge_items import JudgeItem
from mi.project.checks.judge_recipes import runs_tests
from mi.project.checks.judge_tokens import tokens_of

RUNNERS = frozenset(
    "pytest unittest nose2 tox nox coverage jest vitest mocha ava tap c8 nyc jasmine karma cypress playwright phpunit"
    " rspec minitest @playwright/test @jest/core ts-jest babel-jest".split()
)
TEST_TASK = re.compile(r"(?:pre|post)?(?:tests?|unit|check|checks|ci|verify|e2e|spec|coverage|cov)(?:[:._-].*)?$")
# A longer list selects more tests, or names more of what may be used: nothing that was there is judged otherwise.
MAY_GROW = re.compile(r"(?:markers|testpaths|files|paths|members|modules|required_plugins|use|include)$")


def setting(name: str, value: object, adds: bool = False) -> JudgeItem:
    """Return a setting as an item."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return JudgeItem(name, text, f"{name} = {text}", adds)


def settings_in(prefix: str, value: object, adds: bool = False) -> Iterator[JudgeItem]:
    """Yield each setting of a table by its whole name; a list that may only grow, entry by entry."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from settings_in(f"{prefix}.{key}" if prefix else str(key), inner, adds)
    elif MAY_GROW.search(prefix) and isinstance(value, list):
        yield from (setting(f"{prefix} {_one(entry)}", entry, True) for entry in value)
        yield setting(prefix, "is set", adds)
    else:
        yield setting(prefix, value, adds)


def _one(entry: object) -> str:
    return entry.partition(":")[0] if isinstance(entry, str) else json.dumps(entry, sort_keys=True, default=str)


def test_tasks(prefix: str, tasks: object) -> Iterator[JudgeItem]:
    """Yield the tasks that run tests, and those that they call; a new task takes nothing away."""
    known = {name: json.dumps(task, sort_keys=True, default=str) for name, task in mapping(tasks).items()}
    wanted = [name for name, task in known.items() if TEST_TASK.match(name) or runs_tests(task)]
    for name in _called(wanted, known):
        yield setting(f"{prefix} {name}", mapping(tasks)[name], adds=not name.startswith(("pre", "post")))


def _called(wanted: list[str], known: dict[str, str]) -> list[str]:
    found = list(wanted)
    for name in found:
        for other in known:
            if other not in found and re.search(rf"(?<![\w:-]){re.escape(other)}(?![\w:-])", known[name]):
                found.append(other)
        found += [one for one in (f"pre{name}", f"post{name}") if one in known and one not in found]
    return found


def read_json(text: str) -> dict[str, Any]:
    """Return an object, comments allowed; nothing when it is none."""
    try:
        return decode(text.encode(), dict[str, Any])
    except BadJson:
        pass
    bare = " ".join(token.text for token in tokens_of(text, "js"))
    try:
        return decode(bare.encode(), dict[str, Any])
    except BadJson:
        return {}


def read_ini_sections(text: str) -> dict[str, dict[str, str]]:
    """Return the settings of an INI file by section; one that cannot be read is one setting."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {"": {"": text}} if text.strip() else {}
    return {name: {key: value or "" for key, value in parser.items(name)} for name in parser.sections()}


def plain_lines(text: str) -> list[str]:
    """Return the lines of a file that say something."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith(("#", ";"))]
