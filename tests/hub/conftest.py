"""A server for all tests of a worker, and a team for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.postgres import Postgres
from tests.hub.team import Team


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def team(postgres: Postgres, tmp_path: Path) -> Team:
    return Team(postgres, tmp_path)
