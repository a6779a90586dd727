"""Deployment: six things before, three after, and a rollback that is only ever proposed."""

from collections.abc import Mapping
from typing import Literal

from mi.kernel.named_tuple import NamedTuple

ITEMS = ("tests", "clean", "diff", "environment", "rollback", "window")
HUMAN_ITEMS = ("diff", "environment", "rollback", "window")  # the rest is checked by machine
AFTER = ("health", "smoke", "logs")
REPORT_WITHIN_S = 60
TestResult = Literal["passed", "failed", "skipped", "unknown"]


class ChecklistItem(NamedTuple):
    """One item of the checklist."""

    name: str
    done: bool
    detail: str = ""


def build_checklist(tests: TestResult, uncommitted: int | None, said: Mapping[str, str]) -> list[ChecklistItem]:
    """Return all six items; `uncommitted` is None when nobody could look, `said` what the human gave."""
    machine = {
        "tests": ChecklistItem("tests", tests == "passed", tests),
        "clean": ChecklistItem("clean", uncommitted == 0, "unknown" if uncommitted is None else str(uncommitted)),
    }
    return [
        machine.get(name) or ChecklistItem(name, bool(said.get(name, "").strip()), said.get(name, "")) for name in ITEMS
    ]


def open_items(items: list[ChecklistItem]) -> list[str]:
    """Return what still stops the deployment; speed and urgency close nothing."""
    return [item.name for item in items if not item.done]


def check_after(status: int | None, expected: int, smoke: bool | None, log_errors: int | None) -> list[ChecklistItem]:
    """Return what was seen after a deployment: the documented code, the smoke test, no errors in the logs."""
    return [
        ChecklistItem("health", status == expected, "unknown" if status is None else str(status)),
        ChecklistItem("smoke", smoke is True, "unknown" if smoke is None else "passed" if smoke else "failed"),
        ChecklistItem("logs", log_errors == 0, "unknown" if log_errors is None else str(log_errors)),
    ]


def is_in_time(seconds: float) -> bool:
    """Return whether the health is reported soon enough after the deployment."""
    return seconds <= REPORT_WITHIN_S


class Rollback(NamedTuple):
    """A failed deployment as the human must hear of it; nothing is rolled back by itself."""

    symptom: str
    cause: str
    proposal: str

    @property
    def missing(self) -> list[str]:
        return [name for name, value in zip(self._fields, self, strict=True) if not value.strip()]
