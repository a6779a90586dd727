"""The scripted servers are judged by the real agents."""

from tests.real.conftest import claude, codex, codex_wrapper

__all__ = ["claude", "codex", "codex_wrapper"]
