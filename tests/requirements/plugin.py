"""Joins the requirements beside this file to the tests: markers must name known ids, done ids need passing tests.

`--requirements` checks both after a full run; `--write-coverage` also writes build/coverage.md and the list that
`mi persona conformance` shows.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
COVERAGE = ROOT / "build/coverage.md"
CONFORMANCE = ROOT / "mi/persona/conformance.json"


class Requirement(NamedTuple):
    id: str
    source: str
    area: str
    text: str
    reason: str = ""  # why an open one is open

    @property
    def is_done(self) -> bool:
        return not self.reason


def load(folder: Path = HERE) -> dict[str, Requirement]:
    """Return the requirements by id; a malformed or repeated entry is an error that names it."""
    found: dict[str, Requirement] = {}
    for requirement in (one for path in sorted(folder.glob("*.yml")) for one in _read(path)):
        if requirement.id in found:
            raise pytest.UsageError(f"{requirement.area}.yml: {requirement.id!r} is repeated")
        found[requirement.id] = requirement
    return found


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses an id that stands twice in one section; YAML itself would keep the last."""


def _unique(loader: Any, node: yaml.MappingNode) -> dict[str, Any]:
    pairs = loader.construct_pairs(node, deep=True)
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise pytest.UsageError(f"{repeated!r} is repeated")
    return dict(pairs)


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique)


def _read(path: Path) -> Iterator[Requirement]:
    for section in yaml.load(path.read_text("utf-8"), Loader=_Loader):
        for name, entry in section["requirements"].items():
            text, reason = (entry, "") if isinstance(entry, str) else (entry.get("text"), entry.get("open"))
            if not text or reason is None or not re.fullmatch(r"[a-z0-9.-]+", name):
                raise pytest.UsageError(
                    f"{path.name}: {name!r}: an open entry has its `text` and says why it is `open`"
                )
            yield Requirement(name, section["source"], path.stem, text, reason)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--requirements", action="store_true", help="fail on a done requirement without a passing test")
    parser.addoption("--write-coverage", action="store_true", help="write build/coverage.md")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Checker(config), "requirements-checker")


class _Checker:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.requirements = load()
        self.tests: dict[str, set[str]] = defaultdict(set)  # requirement → tests that carry it
        self.outcomes: dict[str, bool] = {}  # test → whether every run of it passed

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in items:
            for marker in item.iter_markers("req"):
                for name in marker.args:
                    if name not in self.requirements:
                        raise pytest.UsageError(f"{_name(item.nodeid)}: unknown requirement {name!r}")
                    item.user_properties.append(("req", name))  # travels with the report, also between processes

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = _name(report.nodeid)
        for key, value in report.user_properties:
            if key == "req":
                self.tests[str(value)].add(name)
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[name] = self.outcomes.get(name, True) and report.outcome == "passed"

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_worker = hasattr(self.config, "workerinput")  # only the process that sees all reports can judge
        if is_worker or not self.config.getoption("--requirements") or session.exitstatus not in (0, 1):
            return
        complaints = list(self._complaints())
        wanted = conformance_list(self.requirements, self.tests)
        if self.config.getoption("--write-coverage"):
            COVERAGE.parent.mkdir(exist_ok=True)
            COVERAGE.write_text(coverage_page(self.requirements, self.tests), "utf-8")
            CONFORMANCE.write_text(wanted, "utf-8")
        elif not CONFORMANCE.exists() or CONFORMANCE.read_text("utf-8") != wanted:
            complaints.append(f"{CONFORMANCE.relative_to(ROOT)} is not what the markers say: run `make coverage`")
        for complaint in complaints:
            print(f"\nrequirements: {complaint}", end="")
        if complaints:
            session.exitstatus = 1

    def _complaints(self) -> Iterator[str]:
        for one in self.requirements.values():
            tests = self.tests.get(one.id, set())
            if one.is_done and not tests:
                yield f"{one.id} is done, but no test carries it"
            elif one.is_done and not all(self.outcomes.get(test) for test in tests):
                yield f"{one.id} is done, but a test of it did not pass"


def _name(nodeid: str) -> str:
    return nodeid.partition("[")[0]


def coverage_page(requirements: dict[str, Requirement], tests: dict[str, set[str]]) -> str:
    """Return the whole of build/coverage.md."""
    areas = sorted({one.area for one in requirements.values()})
    lines = ["# Coverage of the requirements", "", "Generated by `make coverage`; do not edit.", ""]
    lines += ["| area | done | open |", "| --- | ---: | ---: |"]
    for area in areas:
        mine = [one for one in requirements.values() if one.area == area]
        done = sum(one.is_done for one in mine)
        lines.append(f"| {area} | {done} | {len(mine) - done} |")
    for area in areas:
        mine = [one for one in requirements.values() if one.area == area]
        lines += ["", f"## {area}", ""]
        for one in mine:
            if one.is_done:
                proof = ", ".join(f"`{test.removeprefix('tests/')}`" for test in sorted(tests.get(one.id, ())))
                lines.append(f"- {one.id}: {proof}")
        waiting = [f"- {one.id}: {one.text} Open: {one.reason}" for one in mine if not one.is_done]
        lines += ["", *waiting] if waiting else []
    return "\n".join(lines) + "\n"


def conformance_list(requirements: dict[str, Requirement], tests: dict[str, set[str]]) -> str:
    """Return what the persona specification asks for, each with its tests; without one it is not supported."""
    wanted = [one for one in requirements.values() if one.id.startswith("mx.conf.") or one.id == "mx.publish.encrypt"]
    items = [
        {
            "id": one.id,
            "level": "SHOULD" if "SHOULD" in one.text else "MUST",
            "text": one.text,
            "supported": one.is_done and bool(tests.get(one.id)),
            "reason": one.reason,
            "tests": sorted(tests.get(one.id, ())),
        }
        for one in wanted
    ]
    return json.dumps(items, indent=2, ensure_ascii=False) + "\n"
