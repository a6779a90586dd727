"""The real Codex whose service cannot be reached: what a person waits for, and what they are told."""

import json
from pathlib import Path

import pytest

from mi.testing import codex_environment


@pytest.mark.req("one.smaller.init-bounded")
def test_init_ends_when_codex_cannot_be_reached_and_says_so(mi, home, tmp_path, codex):
    environment = codex_environment("http://127.0.0.1:9/v1", str(tmp_path / "agent"))
    settings = Path(environment["CODEX_HOME"], "config.toml")
    waiting = settings.read_text("utf-8").replace("unbounded_connection_retries = false", "")  # as Codex ships
    settings.write_text(waiting, "utf-8")
    Path(home.root).mkdir(parents=True)
    config = {"mind": {"provider": "codex_schema", "codex_schema": {"path": codex}}}
    Path(home.config).write_text(json.dumps(config), "utf-8")
    done = mi("init", "--values", "Keep changes small. Run the tests.", env=environment)
    assert done.returncode == 0, done.stderr
    assert "Values in force: 2" in done.stdout
    assert "could not judge your values (Connection failed" in done.stderr
    assert "mi values set" in done.stderr
