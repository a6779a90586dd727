"""A home that version 0.1 wrote reads unchanged: every answer is the one that 0.1 itself gave."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MI

DATA = Path(__file__).with_name("home_0_1")
ROOT = "/home/dev/app"  # where the project lay when 0.1 wrote the home
EXPECTED: dict[str, object] = json.loads((DATA / "expected.json").read_text("utf-8"))


def unpack(folder: Path) -> tuple[Path, Path]:
    """Return the home and the project, as they were, below a folder."""
    home, project = folder / "home", folder / "app"
    shutil.copytree(DATA / "home", home)
    for path in (path for path in home.rglob("*") if path.is_file()):
        path.write_text(path.read_text("utf-8").replace(ROOT, str(project)), "utf-8")
    project.mkdir()
    for words in (["init", "-q"], ["remote", "add", "origin", "https://example.com/team/app.git"]):
        subprocess.run(["git", "-C", str(project), *words], check=True)
    return home, project


def ask(mi: str | Path, home: Path, project: Path, command: str) -> object:
    """Return what a command prints as JSON, with the project where it was."""
    argv = [str(mi), "--home", str(home), "-C", str(project), *command.split(), "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, cwd=project)
    printed = done.stdout.replace(str(project), ROOT).replace(str(home), "HOME")
    return json.loads(printed, object_hook=without_score)


def without_score(fields: dict[str, object]) -> dict[str, object]:
    """Return the fields without the score, which depends on how many words the project's path has."""
    return {name: value for name, value in fields.items() if name != "score"}


@pytest.mark.parametrize("command", EXPECTED)
def test_reads_as_0_1_did(tmp_path_factory: pytest.TempPathFactory, command: str) -> None:
    home, project = unpack(tmp_path_factory.mktemp("read"))  # a folder whose name no command looks for
    before = {path: path.read_bytes() for path in home.rglob("*.json*") if path.is_file()}
    assert ask(MI, home, project, command) == EXPECTED[command]
    assert {path: path.read_bytes() for path in before} == before


def test_finds_what_0_1_found(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The order is left out: it depends on how many words the project's path has."""
    home, project = unpack(tmp_path_factory.mktemp("read"))
    answer: Any = ask(MI, home, project, "search changelog --limit 0")
    assert sorted(hit["id"] for hit in answer["hits"]) == json.loads((DATA / "found.json").read_text("utf-8"))


@pytest.mark.parametrize(
    "command",
    ["status", "runs", "report last", "show hands", "config validate", "context changelog", "export -", "undo last"],
)
def test_what_0_1_had_not_reads_its_home_too(tmp_path: Path, command: str) -> None:
    home, project = unpack(tmp_path)
    before = {path: path.read_bytes() for path in home.rglob("*.json*") if path.is_file()}
    argv = [str(MI), "--home", str(home), "-C", str(project), *command.split()]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=project, stdin=subprocess.DEVNULL)
    assert (done.returncode, "a defect in MI" in done.stderr) == (0, False), done.stderr
    assert done.stdout.strip()
    assert {path: path.read_bytes() for path in before} == before
