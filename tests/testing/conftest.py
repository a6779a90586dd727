"""The scripted servers are judged by the real agents; the scenarios of the judge's bench have their toolchains."""

import pytest

from tests.real.conftest import claude, codex, codex_wrapper
from tests.real.installed import go_environment, rust_environment

__all__ = ["claude", "codex", "codex_wrapper"]


@pytest.fixture(autouse=True)
def toolchains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every scenario played: one whose toolchain is missing would be counted as not run."""
    for variable, value in (rust_environment() | go_environment()).items():
        monkeypatch.setenv(variable, value)
