"""The real agents, for the tests that drive them."""

import pytest

from tests.real.installed import CLAUDE, CODEX, installed


@pytest.fixture(scope="session")
def codex() -> str:
    """The native Codex program."""
    found = list(installed(CODEX).glob("@openai/codex-*/vendor/*/bin/codex"))
    assert len(found) == 1, f"one native codex was expected, found: {found}"
    return str(found[0])


@pytest.fixture(scope="session")
def codex_wrapper() -> str:
    """The node program that npm puts on the PATH as `codex`; it starts the native one."""
    return str(installed(CODEX) / ".bin" / "codex")


@pytest.fixture(scope="session")
def claude() -> str:
    """The Claude Code program."""
    return str(installed(CLAUDE) / ".bin" / "claude")
