"""Batches as records keep them."""

from mi.mind.views import Case, read_batch


def test_a_batch_of_the_last_version_keeps_what_was_bent() -> None:
    seen = {"task": "x", "weakened_tests": ["test_a.py: skipped"], "marks": {"ran": True}}
    batch = read_batch(seen)
    assert batch.changed_judges == ["test_a.py: skipped"]
    assert not Case(batch=batch).unbent


def test_a_batch_of_the_last_version_without_any_is_unbent() -> None:
    assert Case(batch=read_batch({"task": "x", "weakened_tests": []})).unbent
