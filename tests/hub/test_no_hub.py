"""Who takes part in no hub pays nothing for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

LOOK = """
import sys
from mi.cli.main import run
run(sys.argv[1:])
print("imported:", [one for one in ("psycopg", "procrastinate", "mi.hub.connection") if one in sys.modules])
"""


@pytest.mark.req("hub.costs-nothing")
def test_without_a_hub_nothing_of_it_is_imported_or_made(tmp_path: Path) -> None:
    for words in (["status"], ["remember", "A note."], ["memory", "query", "a note"], ["search", "note"]):
        done = subprocess.run([sys.executable, "-c", LOOK, *words], capture_output=True, encoding="utf-8", check=False)
        assert "imported: []" in done.stdout, done.stdout + done.stderr
    assert not [one for one in os.listdir(tmp_path / "home") if one.startswith("hub")]


@pytest.mark.req("hub.costs-nothing")
def test_a_missing_extra_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "psycopg.py").write_text("raise ImportError('no psycopg here')", "utf-8")
    env = os.environ | {"PYTHONPATH": str(tmp_path / "broken")}
    words = [sys.executable, "-m", "mi", "hub", "init", "host=127.0.0.1"]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", env=env, check=False)
    assert done.returncode == 1
    assert done.stderr == ("mi: the hub needs more packages (no psycopg here): pip install 'mind-incarnation[hub]'\n")
