"""Fixtures of the tool contract: what lies in `.nexus/`, a call, what it answers, what lies there then."""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import msgspec
import yaml

FOLDER = Path(__file__).parent / "fixtures"
SCHEMAS = Path(__file__).resolve().parents[2] / "mi/nexus/conformance/state-schemas"
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_STATE = {
    "history.json": "history",
    "state/plan.json": "plan",
    "state/tasks.json": "tasks",
    "agent-tracker.json": "agent-tracker",
    "plan.extension.json": "plan.extension",
    "tasks.extension.json": "tasks.extension",
    "history.extension.json": "history.extension",
    "memory-access.jsonl": "memory-access",
    "tool-log.jsonl": "tool-log",
}
Call = Callable[[Path, dict[str, Any]], tuple[Any, str]]  # root, fixture → answer, error text


class Case(NamedTuple):
    """One fixture; `file` names the tool or event it is about."""

    file: str
    fixture: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.file}: {self.fixture['id']}"


def cases() -> Iterator[Case]:
    """Every fixture there is."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted(FOLDER.glob("*.yml")):
        for fixture in yaml.load(_quoted_times(path.read_text("utf-8")), Loader=loader):
            yield Case(path.stem, fixture)


def _quoted_times(text: str) -> str:
    """YAML would turn a moment into an object of its own."""
    return re.sub(r"(?<![\"'\d])(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)(?![\"'])", r'"\1"', text)


def check(case: Case, root: Path, call: Call) -> None:
    """Prepare a repository, run the fixture's call in it, compare; AssertionError says what differs."""
    fixture = case.fixture
    nexus = root / ".nexus"
    prepare(root, fixture)
    before = contents(nexus)
    answer, error = call(root, fixture)
    expect_answer(case, answer, error, root)
    after = contents(nexus)
    if fixture.get("unchanged"):
        ours = {name for name in after if name not in before} - {".gitignore"}
        assert {name: after.get(name) for name in before} | dict.fromkeys(ours) == before, case.name
    for name, expected in fixture.get("after", {}).items():
        expect_file(case, nexus, name, expected, before)
    if "git_after" in fixture:
        from tests.nexus.memory_calls import expect_git

        expect_git(case.name, root, fixture["git_after"], before)
    written = {name: data for name, data in after.items() if before.get(name) != data}
    validate(case, written)
    legal(case, set(after) - set(before))


def prepare(root: Path, fixture: dict[str, Any]) -> None:
    nexus = root / ".nexus"
    if "head" in fixture:
        (root / ".git").mkdir(parents=True)
        (root / ".git/HEAD").write_text(f"{fixture['head']}\n", "utf-8")
    for name, content in fixture.get("outside", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, "utf-8")
    for name, content in fixture.get("before", {}).items():
        path = nexus / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text.replace("$root", str(nexus)), "utf-8")
    for name, days in fixture.get("days_old", {}).items():
        os.utime(nexus / name, (time.time() - days * 86400,) * 2)
    if "git" in fixture:
        from tests.nexus.memory_calls import make_repository

        make_repository(root, **fixture["git"])
    for name, target in fixture.get("links", {}).items():
        (nexus / name).parent.mkdir(parents=True, exist_ok=True)
        (nexus / name).symlink_to(target)


def contents(nexus: Path) -> dict[str, bytes]:
    found = sorted(nexus.rglob("*")) if nexus.exists() else []
    return {str(path.relative_to(nexus)): path.read_bytes() for path in found if path.is_file()}


def expect_answer(case: Case, answer: Any, error: str, root: Path) -> None:
    fixture = case.fixture
    if "error" in fixture:
        assert error == fixture["error"], case.name
    elif "error_like" in fixture:
        assert fixture["error_like"] in error, f"{case.name}: {error!r}"
    else:
        assert not error, f"{case.name}: {error}"
    if "returns" in fixture:
        assert matches(fixture["returns"], answer, root), f"{case.name}: {answer!r} is not {fixture['returns']!r}"
    for name, expected in fixture.get("returns_some", {}).items():
        assert name in answer, f"{case.name}: no {name} in {answer!r}"
        assert matches(expected, answer[name], root), f"{case.name}: {name} = {answer[name]!r}, not {expected!r}"


def matches(expected: Any, value: Any, root: Path) -> bool:
    """Whether a value is what is expected, no field more and none less."""
    match expected:
        case "$any":
            return True
        case "$time":
            return isinstance(value, str) and _TIME.fullmatch(value) is not None
        case "$text":
            return isinstance(value, str) and bool(value.strip())
        case str() if expected.startswith("$like "):
            return expected.removeprefix("$like ") in json.dumps(value, ensure_ascii=False)
        case str() if expected.startswith("$root"):
            return bool(value == str((root / ".nexus").resolve()) + expected.removeprefix("$root"))
        case dict():
            return (
                isinstance(value, dict)
                and value.keys() == expected.keys()
                and all(matches(one, value[key], root) for key, one in expected.items())
            )
        case list():
            same_length = isinstance(value, list) and len(value) == len(expected)
            return same_length and all(matches(one, other, root) for one, other in zip(expected, value, strict=True))
    return bool(value == expected and type(value) is type(expected))


def expect_file(case: Case, nexus: Path, name: str, expected: Any, before: dict[str, bytes]) -> None:
    path = nexus / name
    where = f"{case.name}: {name}"
    if expected == "$absent":
        assert not path.exists(), f"{where} is there"
        return
    assert path.exists(), f"{where} is missing"
    if expected == "$there":
        return
    if expected == "$same":
        assert path.read_bytes() == before.get(name), f"{where} has changed"
    elif isinstance(expected, str):
        assert path.read_text("utf-8") == expected, where
    else:
        lines = name.endswith(".jsonl")
        text = path.read_text("utf-8")
        value = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
        assert matches(expected, value, nexus.parent), f"{where}: {value!r} is not {expected!r}"


def validate(case: Case, written: dict[str, bytes]) -> None:
    """Every state file that was written is valid against its shipped schema."""
    for name, data in written.items():
        for end, schema in _STATE.items():
            if name == end or (name.startswith("state/") and name.endswith("/" + end)):
                shipped = json.loads((SCHEMAS / f"{schema}.schema.json").read_text("utf-8"))
                validator = jsonschema.Draft202012Validator(shipped, format_checker=jsonschema.FormatChecker())
                values = data.splitlines() if name.endswith(".jsonl") else [data]
                for value in values:
                    found = json.loads(value)
                    if schema == "history":  # what others archived is not ours to mend
                        found = {"cycles": found["cycles"][-1:]}
                    validator.validate(found)


def legal(case: Case, new: set[str]) -> None:
    """No file appears where the layout has none."""
    allowed = re.compile(
        r"\.gitignore|history\.json|(?:memory|context|rules)/[^/]+\.md"
        r"|state/(?:plan\.json|tasks\.json|tool-log\.jsonl|artifacts/.+"
        r"|[a-z][a-z0-9-]*/(?:agent-tracker\.json|memory-access\.jsonl|(?:plan|tasks|history)\.extension\.json))"
    )
    assert [name for name in new if not allowed.fullmatch(name)] == [], case.name


def in_process(root: Path, fixture: dict[str, Any]) -> tuple[Any, str]:
    """Run a fixture's call through the functions themselves."""
    from mi.kernel.config.types import Nexus
    from mi.kernel.errors import MiError
    from mi.nexus.layout import NexusLayout
    from mi.nexus.store import Store

    try:
        if "memory" in fixture:
            from tests.nexus.memory_calls import call_memory

            return call_memory(Store(NexusLayout(str(root))), fixture), ""
        if "event" in fixture:
            from mi.nexus.session_event import handle

            settings = msgspec.convert(fixture.get("settings", {}), Nexus)
            harness = fixture.get("harness", "mi")
            return handle(str(root), fixture["event"], fixture.get("input", {}), harness, settings), ""
        from mi.nexus.toolset import call

        return call(Store(NexusLayout(str(root))), fixture["tool"], fixture.get("args", {})), ""
    except MiError as error:
        return None, error.line()
