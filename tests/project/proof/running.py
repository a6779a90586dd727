"""Running a small project's check with MI's reporter, as the proof does."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from mi.project.proof.reports import Instrumented, instrument, read_results
from mi.project.proof.results import TestResults

BIN = str(Path(sys.executable).parent)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder


def run_check(
    command: str, folder: Path, only: Sequence[str] | None = None, env: dict[str, str] | None = None
) -> TestResults:
    """What a command shows, run by a shell in the folder; Python is the one of the tests."""
    return start_check(command, folder, only, env)[0]


def start_check(
    command: str, folder: Path, only: Sequence[str] | None = None, env: dict[str, str] | None = None
) -> tuple[TestResults, Instrumented, str]:
    scratch = folder.parent / f"{folder.name}.scratch"
    own = dict(os.environ) | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"} | (env or {})
    instrumented = instrument(command, str(folder), str(scratch), only, own)
    done = subprocess.run(
        ["/bin/sh", "-c", instrumented.command],
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=own | instrumented.env,
        cwd=folder,
        timeout=300,
    )
    return read_results(instrumented, done.returncode, done.stdout), instrumented, done.stdout


def signs(results: TestResults) -> dict[str, str]:
    """The outcomes, short: + passed, - failed, s skipped."""
    short = {"passed": "+", "failed": "-", "skipped": "s"}
    return {test: short[outcome] for test, outcome in results.outcomes.items()}
