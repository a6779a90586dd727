"""Where a scenario is played: its project, an empty home, and the environment of everything that runs there."""

import os
import pwd
import shutil
import subprocess
import sys
from functools import cache

from mi.testing.judge_bench.scenario import Scenario

_SETUP_S = 120.0


class BenchPlace:
    """A folder of its own for one run."""

    def __init__(self, folder: str) -> None:
        self.project = os.path.join(folder, "project")
        self.temporary = os.path.join(folder, "tmp")
        self.home = os.path.join(folder, "home")
        self.agent = os.path.join(folder, "agent")  # Codex takes no home below the folder of temporary files
        self.script = os.path.join(folder, "script.json")
        self.counter = os.path.join(folder, "starts")

    def environment(self) -> dict[str, str]:
        """Return the environment of whatever runs here."""
        return environment() | {
            "MI_HOME": self.home,
            "TMPDIR": self.temporary,
            "MI_BENCH_SCRIPT": self.script,
            "MI_BENCH_STARTS": self.counter,
        }

    def lay_out(self, scenario: Scenario) -> None:
        """Write the project, prepare it and commit it."""
        os.makedirs(self.temporary)
        for name, content in scenario.files.items():
            path = os.path.join(self.project, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
        if scenario.is_git:
            self._run("git init -q -b main && git config user.name Bench && git config user.email bench@localhost")
        for command in scenario.prepare:
            self._run(command)
        if scenario.is_git:
            self._run("git add -A && git commit -q -m 'the project as it was'")

    def _run(self, command: str) -> None:
        subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=self.project,
            env=self.environment(),
            check=True,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SETUP_S,
        )


def environment() -> dict[str, str]:
    """Return the person's environment with this Python first, and nobody's git configuration."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MI_", "GIT_", "PYTEST_"))}
    own = os.path.dirname(sys.executable)
    return (
        _toolchains()
        | kept
        | {
            "MI_LANG": "en",
            "PATH": os.pathsep.join((own, kept.get("PATH", os.defpath))),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "PYTHONDONTWRITEBYTECODE": "1",  # a source changed within a second keeps its size and time
        }
    )


def _toolchains() -> dict[str, str]:
    """Return where toolchains are and keep what they compiled, also where $HOME is another folder."""
    home = pwd.getpwuid(os.getuid()).pw_dir
    places = {"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo", "GOCACHE": ".cache/go-build"}
    return {name: os.path.join(home, folder) for name, folder in places.items()}


@cache
def is_there(program: str) -> bool:
    """Return whether a program that a scenario needs works here."""
    tried = {"pytest": "python3 -m pytest --version", "go": "go version"}.get(program, f"{program} --version")
    env = environment()
    if shutil.which(tried.split()[0], path=env["PATH"]) is None:
        return False
    return subprocess.run(["/bin/sh", "-c", tried], env=env, check=False, capture_output=True).returncode == 0
