"""A workbench for the tests of whole runs."""

from pathlib import Path

import pytest

from tests.autopilot.workbench import Workbench, open_bench


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """A repository whose only test file fails, a home, and an agent that does what a script says."""
    return open_bench(tmp_path)
