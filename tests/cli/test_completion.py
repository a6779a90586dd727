"""`mi completion`: the real bash completes what there is."""

import subprocess

import pytest

from mi.cli.completion import tree
from mi.cli.door import COMMANDS


def completed(mi, tmp_path, line: str) -> list[str]:
    """What bash offers at the end of a line."""
    script = tmp_path / "completion.bash"
    script.write_text(mi("completion", "bash").stdout, "utf-8")
    words = line.split(" ")
    typed = f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}"
    program = f'source {script}; {typed}; _mi; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, encoding="utf-8", check=False, cwd=tmp_path)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.req("mi.cli.completion")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("mi sta", ["status"]),
        ("mi claim sh", ["show"]),
        ("mi project alias r", ["rm"]),
        ("mi tail ev", ["evidence"]),
        ("mi tail --ra", ["--raw"]),
        ("mi --ho", ["--home"]),
        ("mi --home /x claim li", ["list"]),
        ("mi show completion.b", ["completion.bash"]),
    ],
)
def test_bash_completes_commands_flags_and_files(mi, tmp_path, line, offered):
    assert completed(mi, tmp_path, line) == offered


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_know_every_command(mi, shell):
    script = mi("completion", shell).stdout
    assert [name for name in COMMANDS if name not in script] == []


def test_every_command_is_in_the_tree():
    words = {node.words for node in tree()}
    assert {(name,) for name in COMMANDS} <= words
    assert ("project", "alias", "add") in words


def test_an_unknown_shell_is_named(mi):
    done = mi("completion", "tcsh")
    assert (done.returncode, done.stdout) == (2, "")
    assert "bash" in done.stderr
