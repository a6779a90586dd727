"""The providers under test."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mi.kernel.home import Home
from mi.testing import Repository, temporary_repository
from tests.agents.subjects import Place, RealAgent, Replayed, Subject, WrappedCli
from tests.real.conftest import claude, codex, codex_wrapper

__all__ = ["claude", "codex", "codex_wrapper"]


@pytest.fixture(params=["codex", "claude", "cli", "replay"])
def subject(
    request: pytest.FixtureRequest, tmp_path: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Subject]:
    with ExitStack() as stack:
        place = Place(tmp_path, home, monkeypatch, stack)
        match request.param:
            case "cli":
                yield WrappedCli(place)
            case "replay":
                yield Replayed(place)
            case name:
                yield RealAgent(name, request.getfixturevalue(name), place)


@pytest.fixture
def repo(tmp_path: Path) -> Iterator[Repository]:
    """A repository whose one test fails."""
    with temporary_repository(passing=False, parent=str(tmp_path)) as repository:
        yield repository
