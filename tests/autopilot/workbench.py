"""A bench for whole runs: a small repository, a scripted agent that really works, and the installed `mi run`."""

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from mi.testing import chat_server
from mi.testing.server import ScriptedServer
from tests.conftest import MI, git
from tests.starting import run_mi

Json = dict[str, Any]
CHECK = "python3 -m unittest -q"
# The three lines differ in length: Python takes a compiled file for current by its source's second and size.
BROKEN, WRONG, RIGHT = "    return a", "    return a - b - 0", "    return a + b"
TIME_LIMIT_S = 60
NO_LEARNING: Json = {
    "thought_db": {"auto_mine": False, "auto_materialize_nodes": False},
    "workflows": {"auto_mine": False},
    "preference_mining": {"auto_mine": False},
}
_TEST = """\
import unittest

from calc import add


class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(2, 3), 5)

    def test_add_negative(self):
        self.assertEqual(add(-2, -3), -5)
"""


def say(text: str) -> Json:
    return {"say": text}


def run(command: str) -> Json:
    return {"run": command}


def edit(path: str, old: str, new: str) -> Json:
    return {"edit": {"path": path, "old": old, "new": new}}


def write(path: str, content: str) -> Json:
    return {"write": {"path": path, "content": content}}


def delete(path: str) -> Json:
    return {"delete": path}


MEND = edit("calc.py", BROKEN, RIGHT)
SPOIL = edit("calc.py", BROKEN, WRONG)
TEST = run(CHECK)


class Ran(NamedTuple):
    """One `mi` command, and the project's log after it."""

    code: int
    stdout: str
    stderr: str
    records: list[Json]

    def of(self, kind: str) -> list[Json]:
        """The records of one kind, oldest first."""
        return [record for record in self.records if record["kind"] == kind]

    @property
    def end(self) -> Json:
        """The latest end of a run."""
        return self.of("run_end")[-1]

    @property
    def inputs(self) -> list[str]:
        """What the agent was sent, batch by batch."""
        return [record["input"] for record in self.of("hands_input")]

    @property
    def kinds(self) -> list[str]:
        return [record["kind"] for record in self.records]

    def ended(self, status: str) -> None:
        """Assert how the run ended, in its record and in its exit code."""
        code = {"done": 0, "failed": 1, "blocked": 3, "interrupted": 130}[status]
        told = (self.end["status"], self.end["exit"], self.code, self.end["reason"])
        assert told[:3] == (status, code, code), f"{told}\n{self.stdout}\n{self.stderr}"


class Workbench:
    """A project, a home and an agent of its own."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.folder = folder
        self.home = folder / "home"
        self.script = folder / "script.json"
        self.config: Json = {
            "version": "v1",
            "mind": {"provider": "rules"},
            "hands": {"provider": "replay", "replay": {"file": str(self.script)}},
            # recall, learning and the team's rules are proved apart: without them the records of a run can be counted
            "runtime": {"cross_project_recall": {"enabled": False}, "retry": {"wait_s": [0]}, **deepcopy(NO_LEARNING)},
            "governance": {"preflight": "off"},
        }
        self.env: dict[str, str] = {}

    def configure(self, **sections: Json) -> None:
        """Write the configuration, with these sections laid over it."""
        self.config = {**self.config, **sections}
        self.home.mkdir(exist_ok=True)
        (self.home / "config.json").write_text(json.dumps(self.config), "utf-8")

    def agent(self, *batches: list[Json], tokens: int = 0) -> None:
        """What the agent does, batch by batch."""
        usage = {"input_tokens": tokens, "output_tokens": 0}
        script = {"version": "v1", "batches": [{"steps": steps, "usage": usage} for steps in batches]}
        self.script.write_text(json.dumps(script), "utf-8")
        self.configure()

    def values(self, text: str) -> None:
        self.mi("init", "--values", text)

    def run(self, *args: str, stdin: str = "") -> Ran:
        """`mi run` with these arguments; without any, a plain task."""
        return self.mi("run", *(args or ("fix", "the", "failing", "test")), stdin=stdin)

    def mi(self, *args: str, stdin: str = "") -> Ran:
        """Any `mi` command in the project."""
        done = run_mi(list(args), stdin, os.environ | self.env, self.project, TIME_LIMIT_S)
        assert not _is_defect(done.stderr), done.stderr
        return Ran(done.returncode, done.stdout, done.stderr, self.records())

    def start(self, *args: str) -> "subprocess.Popen[str]":
        """`mi run` as a process to send signals to."""
        return self.start_mi("run", *args)

    def start_mi(self, *args: str) -> "subprocess.Popen[str]":
        """Any `mi` command as a process to send signals to."""
        return subprocess.Popen(
            [str(MI), *args],
            cwd=self.project,
            env=os.environ | self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def finish(self, process: "subprocess.Popen[str]") -> Ran:
        """The end of a started process."""
        stdout, stderr = process.communicate(timeout=TIME_LIMIT_S)
        assert not _is_defect(stderr), stderr
        return Ran(process.returncode, stdout, stderr, self.records())

    def records(self) -> list[Json]:
        """Every line of the project's log; each must parse."""
        return [json.loads(line) for log in self._logs() for line in log.read_text("utf-8").splitlines()]

    def _logs(self) -> list[Path]:
        return sorted(self.home.glob("projects/*/evidence.jsonl"))

    def inbox(self) -> list[Json]:
        found: list[Json] = json.loads(self.mi("inbox", "--json").stdout)
        return found

    def read(self, name: str) -> str:
        return (self.project / name).read_text("utf-8")


def _is_defect(stderr: str) -> bool:
    return "Traceback" in stderr or "a defect in MI" in stderr


@contextmanager
def models_for(bench: Workbench) -> Iterator[Callable[..., ScriptedServer]]:
    """Opens a model, as often as asked, and lets it judge the bench's runs."""
    with ExitStack() as opened:

        def make(script: Any, retries: int = 0) -> ScriptedServer:
            server = opened.enter_context(chat_server(script))
            settings = {"base_url": server.base_url, "model": "m", "api_key_env": "", "max_retries": retries}
            bench.configure(mind={"provider": "openai_compatible", "openai_compatible": settings})
            return server

        yield make


def open_bench(tmp_path: Path, first: str = "more") -> Workbench:
    """A bench in a repository whose only test fails because `add` is wrong."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "calc.py").write_text(f"def add(a, b):\n{BROKEN}\n", "utf-8")
    (project / "test_calc.py").write_text(_TEST, "utf-8")
    (project / ".gitignore").write_text("__pycache__/\n", "utf-8")
    git(project, "init", "-q", "-b", "main")
    commit(project, first)
    return Workbench(project, tmp_path)


def commit(project: Path, message: str = "more") -> None:
    """Commit everything in a repository."""
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", message)
