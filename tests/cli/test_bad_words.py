"""Words of the command line that mean nothing: one line names them, and no defect comes to light."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import MI

NO_TEXT = b"a\xff\xfeb"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "claim list --limit",
            "node list --limit",
            "edge list --limit",
            "search x --limit",
            "memory search x --limit",
        ),
        *("tail -n", "show last -n", "nexus history -n", "gc transcripts --keep", "gate assess --task x --lines"),
    ],
)
@pytest.mark.parametrize("value", ["-1", "many", "nan", ""])
def test_no_number(mi, command, value):
    done = mi(*command.split(), value)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{command.split()[-1]} {value!r}: give a number, 0 or more (see mi " in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["claim list --limit", "node list --limit", "search x --limit", "tail -n"])
def test_more_than_there_can_be_is_all(mi, command):
    mi("init", "--values", "Be kind.")
    done = mi(*command.split(), "9" * 30)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    "words",
    [
        *("init --file", "run --file", "gate assess --file", "gate signals --file", "nexus artifact write x --file"),
        *(
            "workflow import",
            "export",
            "import",
            "persona publish",
            "uninstall --workspace",
            "host bind codex --workspace",
        ),
        *("contract install --file", "status --cd", "status --home", "session save --file"),
    ],
)
def test_path_that_is_a_variable_nobody_set(mi, words, unchanged):
    unchanged()
    done = mi(*words.split(), "")
    assert (done.returncode, done.stdout) == (2, "")
    assert "needs a value" in done.stderr
    unchanged()


def test_words_that_are_no_text_are_looked_for_and_kept_as_far_as_they_are(mi, home):
    mi("persona", "init")
    for words in (
        *(["claim", "list", "--tag"], ["node", "list", "--tag"], ["edge", "list", "--from"], ["search"]),
        *(["persona", "note"], ["node", "create", "--type", "decision", "--title"]),
    ):
        done = subprocess.run([MI, *words, NO_TEXT], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), words
    assert "a\ufffd\ufffdb" in mi("persona", "notes").stdout


def test_folder_whose_name_is_no_text_is_found(mi, tmp_path: Path):
    folder = os.fsencode(tmp_path) + b"/" + NO_TEXT
    os.mkdir(folder)
    done = subprocess.run([MI, "status", "--json", "--cd", folder], capture_output=True, check=True)
    assert json.loads(done.stdout)["project"]["root"].startswith(str(tmp_path))


@pytest.mark.parametrize("words", ["show", "answer", "config template", "claim show", "project alias rm", "--cd"])
def test_message_does_not_repeat_a_whole_file(mi, words):
    token = "ghp_" + "A1b2C3d4E5" * 4
    long = "x" * 1985 + " " + token + "y" * 100_000
    done = mi(*words.split(), long, *(["yes"] if words == "answer" else []))
    assert done.returncode in (1, 2)
    assert len(done.stderr) < 5000
    assert "ghp_A1b2" not in done.stderr


def test_file_without_end(mi):
    for words in ("init --file", "run --file", "gate signals --file", "workflow import"):
        done = mi(*words.split(), "/dev/zero")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == "mi: /dev/zero holds more than 64 MB; give a part of it\n"


def test_text_of_standard_input_that_is_no_text(home):
    done = subprocess.run([MI, "init", "--values", "-"], input=b"Be kind\xff.", capture_output=True, check=True)
    assert b"Values in force: 1" in done.stdout
    done = subprocess.run([MI, "gate", "signals", "--file", "-"], input=b"\xff", capture_output=True, check=True)
    assert done.stderr == b""


def test_blanks_are_no_command_to_run(mi, repository):
    repo = repository()
    for words in (["gate", "deploy", "check", "--tests", " "], ["gate", "deploy", "after", "--smoke", " "]):
        done = mi(*words, cwd=repo)
        assert done.returncode == 3, done.stderr


def test_current_folder_that_is_gone(mi, tmp_path: Path):
    gone, project = tmp_path / "gone", tmp_path / "project"
    gone.mkdir()
    project.mkdir()

    def from_gone(*words: str) -> subprocess.CompletedProcess[str]:
        script = 'rmdir "$0"; "$@"; code=$?; mkdir "$0"; exit $code'
        command = ["sh", "-c", script, str(gone), str(MI), *words]
        return subprocess.run(command, cwd=gone, capture_output=True, encoding="utf-8", check=False)

    assert from_gone("status").stderr == "mi: the current folder is gone (cd to another one)\n"
    assert from_gone("--home", "here", "status").stderr == "mi: the current folder is gone (cd to another one)\n"
    done = from_gone("-C", str(project), "status", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["project"]["root"] == str(project)
