"""`mi` in this process: the doors' own code, without starting Python for every line of a table."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from mi.cli import main


class Said(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Gate = Callable[..., Said]


@pytest.fixture
def gate(capfd: pytest.CaptureFixture[str]) -> Gate:
    """Runs `mi gate …` and returns its exit code and output."""

    def run(*args: str) -> Said:
        capfd.readouterr()
        code = main.run(["gate", *args])
        out, err = capfd.readouterr()
        assert "a defect in MI" not in err, err
        return Said(code, out, err)

    return run
