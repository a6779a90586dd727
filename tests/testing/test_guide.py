"""The guide on testing: its examples run, and it names everything there is."""

import os
import re
from pathlib import Path

import pytest

import mi.testing

_GUIDE = (Path(__file__).parents[2] / "docs" / "guides" / "testing.md").read_text("utf-8")


def test_the_examples_run(codex: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{os.path.dirname(codex)}:{os.environ['PATH']}")
    examples = re.findall(r"```python\n(.*?)```", _GUIDE, re.DOTALL)
    assert len(examples) == 4
    names: dict[str, object] = {}
    for example in examples:
        exec(compile(example, "docs/guides/testing.md", "exec"), names)


def test_every_public_name_is_explained() -> None:
    words = set(re.findall(r"\w+", _GUIDE))
    assert [name for name in mi.testing.__all__ if name not in words] == []
