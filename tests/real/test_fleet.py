"""Ten tasks, four at a time, by the real Codex and the real Claude Code, in work trees of one repository.

Only the model is a script. The repository's tests need a port and a database file, as many do.
"""

import json
import os
import re
import sqlite3
import subprocess
import threading
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from mi.testing import (
    Request,
    claude_environment,
    codex_environment,
    messages_server,
    responses_server,
    run,
    say,
    write,
)
from mi.testing.replies import Reply
from tests.conftest import MI, git
from tests.real.driving import processes_with

TASKS = 10
JOBS = 4
LIMIT_S = 300
PORTS = "\n[sandbox_workspace_write]\nnetwork_access = true\n"  # Codex lets no command open a port otherwise
CHECK = "python3 -m unittest -q"
TEST = """\
import os
import socket
import sqlite3
import unittest
from pathlib import Path


class NumbersTest(unittest.TestCase):
    def setUp(self):
        self.server = socket.create_server(("127.0.0.1", int(os.environ["MI_PORT_BASE"])))
        self.database = sqlite3.connect("numbers.sqlite", isolation_level="EXCLUSIVE", timeout=0)
        self.database.execute("INSERT INTO seen VALUES (?, ?)", [os.getcwd(), os.environ["MI_PORT_BASE"]])

    def tearDown(self):
        self.database.commit()
        self.database.close()
        self.server.close()

    def test_every_number_is_its_name(self):
        for path in Path().glob("number_*.py"):
            told = {}
            exec(path.read_text(), told)
            self.assertEqual(told["VALUE"], int(path.stem.removeprefix("number_")))
"""
RULES = """\
setup = ["python3 make_database.py"]
ports = 4
"""
DATABASE = """\
import sqlite3

with sqlite3.connect("numbers.sqlite") as database:
    database.execute("CREATE TABLE seen (place TEXT, port TEXT)")
database.close()
"""


def make_repository(folder: Path) -> Path:
    repo = folder / "repo"
    (repo / ".mi").mkdir(parents=True)
    (repo / "test_numbers.py").write_text(TEST, "utf-8")
    (repo / "make_database.py").write_text(DATABASE, "utf-8")
    (repo / ".mi/worktree.toml").write_text(RULES, "utf-8")
    (repo / ".gitignore").write_text("__pycache__/\n*.sqlite\n", "utf-8")
    git(repo, "init", "-q", "-b", "main")
    git(repo, "config", "user.name", "Ada")
    git(repo, "config", "user.email", "ada@example.invalid")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "numbers")
    return repo


def read_ports(place: Path) -> set[str]:
    """The ports that a work tree's tests used; its database knows of no other place."""
    with closing(sqlite3.connect(place / "numbers.sqlite")) as database:
        rows = database.execute("SELECT DISTINCT place, port FROM seen").fetchall()
    assert {row[0] for row in rows} == {str(place)}
    return {row[1] for row in rows}


class Model:
    """Answers every agent by its own task; the first request of the first four waits for the other three."""

    def __init__(self) -> None:
        self.together = threading.Barrier(JOBS)
        self.seen: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, asked: Request) -> Reply:
        name = re.findall(r"number_\d+", "\n".join(asked.user_texts))[0]
        self._meet(name)
        content = f"VALUE = {int(name.removeprefix('number_'))}\n"
        steps: list[Reply] = [write(f"{name}.py", content), run(CHECK), say("Written, and the tests pass. Done.")]
        return steps[min(len(asked.tool_outputs), 2)]

    def _meet(self, name: str) -> None:
        with self._lock:
            is_new = name not in self.seen
            self.seen += [name] if is_new else []
            is_early = len(self.seen) <= JOBS
        if is_new and is_early:
            self.together.wait(LIMIT_S / 4)


@pytest.mark.req("fleet.real.overnight")
def test_ten_tasks_in_four_work_trees_at_once(codex: str, claude: str, tmp_path: Path) -> None:
    repo, model = make_repository(tmp_path), Model()
    with ExitStack() as opened:
        agent = tmp_path / "agent"
        env = codex_environment(opened.enter_context(responses_server(model)), str(agent), extra=PORTS)
        env |= claude_environment(opened.enter_context(messages_server(model)), str(agent))
        env |= {"MI_HOME": str(tmp_path / "home"), "PATH": f"{MI.parent}:{os.environ['PATH']}"}
        hands = {"provider": "codex", "codex": {"path": codex}, "claude": {"path": claude}}
        config = {"version": "v1", "mind": {"provider": "rules"}, "hands": hands, "fleet": {"jobs": JOBS}}
        (tmp_path / "home").mkdir()
        (tmp_path / "home/config.json").write_text(json.dumps(config), "utf-8")

        def mi(*words: str) -> str:
            done = subprocess.run(
                [MI, *words],
                cwd=repo,
                env=env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=LIMIT_S,
                check=False,
            )
            assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
            return done.stdout

        mi("trust")
        before = git(repo, "rev-parse", "HEAD")
        for number in range(TASKS):
            name = "codex" if number % 2 else "claude"
            mi("queue", "add", f"write number_{number:02}.py with VALUE = {number}", "--agent", name)
        mi("worker", "--jobs", str(JOBS), "--drain")
        jobs = json.loads(mi("queue", "list", "--all", "--json"))["jobs"]
        assert [job["state"] for job in jobs] == ["done"] * TASKS, [(job["agent"], job["reason"]) for job in jobs]
        assert not model.together.broken
        assert git(repo, "rev-parse", "HEAD") == before
        assert git(repo, "status", "--porcelain") == ""
        branches = git(repo, "branch", "--list", "mi/*", "--format=%(refname:short)").split()
        assert len(branches) == TASKS
        for branch in branches:
            (commit,) = git(
                repo, "log", "--format=%an %(trailers:key=MI-Run,valueonly,separator=)", f"main..{branch}"
            ).splitlines()
            assert commit.startswith("Ada run_")
        places = [line.split()[0] for line in git(repo, "worktree", "list").splitlines()[1:]]
        ports = {port for place in places for port in read_ports(Path(place))}
        assert (len(places), len(ports)) == (TASKS, TASKS)
        for job in jobs:
            told = json.loads(mi("report", job["run_id"], "--json"))
            (name,) = re.findall(r"number_\d+\.py", job["task"])
            assert ([file["path"] for file in told["diff"]["files"]], told["marks"]["verified"]) == ([name], True)
            mi("merge", job["run_id"])
        assert sorted(path.name for path in repo.glob("number_*.py")) == [f"number_{n:02}.py" for n in range(TASKS)]
        mi("runs", "clean")
        assert len(git(repo, "worktree", "list").splitlines()) == 1
        assert processes_with(str(tmp_path)) == []
