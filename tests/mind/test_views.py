"""Batches as records keep them."""

import pytest

from mi.mind.prompts.plan_min_checks import plan_min_checks
from mi.mind.views import BatchView, Case, ProjectView, read_batch


def test_a_batch_of_the_last_version_keeps_what_was_bent() -> None:
    seen = {"task": "x", "weakened_tests": ["test_a.py: skipped"], "marks": {"ran": True}}
    batch = read_batch(seen)
    assert batch.changed_judges == ["test_a.py: skipped"]
    assert not Case(batch=batch).unbent


def test_a_batch_of_the_last_version_without_any_is_unbent() -> None:
    assert Case(batch=read_batch({"task": "x", "weakened_tests": []})).unbent


@pytest.mark.req("judge.rows.moved")
@pytest.mark.parametrize(
    ("task", "files", "moved"),
    [
        ("Fix total: its tests fail.", ["Cargo.lock"], False),
        ("Fix total in the package shop.", ["web/package-lock.json", "go.sum"], False),
        ("Fix total: its tests fail.", ["Cargo.lock", "src/lib.rs"], True),
        ("Bump serde to 1.0.200.", ["Cargo.lock"], True),
        ("Update the lock file.", ["yarn.lock"], True),
        ("升级 lodash。", ["pnpm-lock.yaml"], True),
    ],
)
def test_versions_that_a_package_manager_chose_are_no_work_unless_they_are_the_task(
    task: str, files: list[str], moved: bool
) -> None:
    case = Case(batch=BatchView(task=task, changed_files=files))
    assert (case.moved, case.carries_task) == (moved, moved)


@pytest.mark.req("judge.rows.moved")
@pytest.mark.parametrize(
    ("task", "carries"),
    [
        ("Add a benchmark for Total.", True),
        ("Write tests for Total.", True),
        ("给 Total 加一个基准", True),
        ("Make Total faster.", False),
    ],
)
def test_tests_alone_carry_a_task_that_asks_for_them(task: str, carries: bool) -> None:
    assert Case(batch=BatchView(task=task, changed_files=["total_test.go"])).carries_task is carries


@pytest.mark.req("judge.rows.prose")
def test_a_change_of_prose_asks_for_no_check() -> None:
    project = ProjectView(check_commands=["cargo test"], has_tests=True)
    for files in (["README.md"], ["docs/a.rst", "Cargo.lock"]):
        batch = BatchView(task="Document total in README.md.", changed_files=files, uncovered=[])
        assert not plan_min_checks.rules(Case(batch=batch, project=project)).should_run_checks
    batch = BatchView(task="Document total in README.md.", changed_files=["README.md", "src/lib.rs"])
    assert plan_min_checks.rules(Case(batch=batch, project=project)).should_run_checks
