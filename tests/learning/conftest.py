"""A bench that learns, and a model that judges its runs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mi.testing.server import ScriptedServer
from tests.autopilot.workbench import Workbench, models_for, open_bench
from tests.learning.stored import RECALL_OFF

Judged = Callable[..., ScriptedServer]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A repository whose only test fails, and a home in which runs learn as they do by default."""
    bench = open_bench(tmp_path)
    bench.configure(runtime=RECALL_OFF)
    return bench


@pytest.fixture
def judged(bench: Workbench) -> Iterator[Judged]:
    """Opens a model and lets it judge the bench's runs."""
    with models_for(bench) as make:
        yield make
