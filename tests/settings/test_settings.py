"""Every setting changes behaviour: with another value something else is seen, through the installed command."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mi.kernel.config.types import Config
from tests.kernel.config.test_types import settings
from tests.settings import of_fleet, of_hands, of_learning, of_mind, of_rooms, of_runs  # noqa: F401  # each adds its cases
from tests.settings.case import CASES, Bench

EACH = [(path, value, seen) for path, case in CASES.items() for value, seen in case.seen]


@pytest.mark.req("mi.fail.settings-all-read")
@pytest.mark.parametrize(("path", "value", "seen"), EACH, ids=[f"{path}={str(value)[-40:]}" for path, value, _ in EACH])
def test_what_is_seen_with_a_value(tmp_path: Path, path: str, value: Any, seen: Any) -> None:
    with ExitStack() as stack:
        bench = Bench(tmp_path, path, value, stack)
        bench.configure()
        assert CASES[path].look(bench) == seen


@pytest.mark.req("mi.fail.settings-all-read")
def test_every_setting_has_a_case() -> None:
    """A new setting comes with a case here, or it is a promise that nobody has seen kept."""
    assert set(CASES) == set(settings(Config))


@pytest.mark.req("mi.fail.settings-all-read")
@pytest.mark.parametrize("path", CASES)
def test_no_two_values_look_the_same(path: str) -> None:
    seen = [repr(one) for _, one in CASES[path].seen]
    assert len(seen) > 1
    assert len(set(seen)) == len(seen)
