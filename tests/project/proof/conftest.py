"""What tests of proofs share."""

from collections.abc import Iterator

import pytest

from mi.kernel.home import Home
from mi.project.proof.copies import Scratch, close_scratch, open_scratch
from tests.real.installed import program


@pytest.fixture
def scratch(home: Home) -> Iterator[Scratch]:
    program("bwrap", "bubblewrap", "run checks in")
    made = open_scratch(home.path("scratch"))
    yield made
    close_scratch(made)
