"""The harness of docs/guides/other-harnesses.md, as it stands there, beside MI in one repository."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import MI, Mi

GUIDE = Path(__file__).resolve().parents[2] / "docs/guides/other-harnesses.md"
Other = Callable[..., str]


@pytest.fixture
def other(repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Other:
    """The other harness, called in the repository that both work in."""
    root: Path = repository("shared")
    monkeypatch.chdir(root)
    found = re.search(r"(?ms)^```python\n(.*?)^```", GUIDE.read_text("utf-8"))
    assert found
    script = tmp_path / "harness.py"
    script.write_text(found[1], "utf-8")

    def call(*args: str) -> str:
        done = subprocess.run([sys.executable, script, *args], capture_output=True, encoding="utf-8", check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    return call


def asked(mi: Mi, *args: str) -> dict:
    done = mi(*args, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found: dict = json.loads(done.stdout)
    return found


@pytest.mark.req("one.guide.harness")
def test_both_work_on_one_list_and_one_history(mi, other):
    other("add", "Mend the parser", "it drops the last line")
    mi("nexus", "task", "add", "Write the manual", "--context", "two pages")
    assert other("show") == "1 pending Mend the parser\n2 pending Write the manual\n"
    assert [task["title"] for task in asked(mi, "task", "list")["tasks"]] == ["Mend the parser", "Write the manual"]
    other("finish", "1")
    assert asked(mi, "nexus", "task", "list")["summary"]["completed"] == 1
    mi("nexus", "task", "update", "2", "completed")
    assert other("show").count("completed") == 2
    assert asked(mi, "nexus", "validate") is not None
    other("close", "main")
    assert asked(mi, "nexus", "task", "list") == {"exists": False}
    mi("nexus", "task", "add", "Another", "--context", "later")
    mi("nexus", "task", "close")
    history = asked(mi, "nexus", "history")
    assert (history["total"], [one["task_count"] for one in history["cycles"]]) == (2, [2, 1])
    other("remember", "parser-last-line", "The parser needs a newline at the end.")
    assert "newline at the end" in mi("nexus", "memory", "show", "parser-last-line.md").stdout
    assert mi("nexus", "validate").returncode == 0
    assert (
        subprocess.run(["git", "status", "--porcelain", ".nexus/state"], check=True, capture_output=True).stdout == b""
    )


@pytest.mark.req("one.guide.harness")
def test_writing_at_the_same_time_loses_nothing(mi, other, tmp_path):
    other("add", "The first", "it begins")
    script = str(tmp_path / "harness.py")
    running = [
        subprocess.Popen([*one, str(number)], stdout=subprocess.DEVNULL)
        for number in range(4)
        for one in (
            [sys.executable, script, "add", "theirs"],
            [str(MI), "nexus", "task", "add", "ours", "--context"],
        )
    ]
    assert [one.wait(60) for one in running] == [0] * 8
    found = asked(mi, "nexus", "task", "list")["tasks"]
    assert sorted(task["id"] for task in found) == list(range(1, 10))
    assert sorted(task["title"] for task in found) == ["The first", *["ours"] * 4, *["theirs"] * 4]
