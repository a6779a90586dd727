"""`mi completion`: the real shells complete what there is."""

import os
import pty
import re
import subprocess
import time
from pathlib import Path

import pytest

from mi.cli.commands import COMMANDS
from mi.cli.completion import build_tree
from tests.real.installed import shell

LINES = [
    ("mi sta", ["status"]),
    ("mi claim sh", ["show"]),
    ("mi project alias r", ["rm"]),
    ("mi tail ev", ["evidence"]),
    ("mi tail --ra", ["--raw"]),
    ("mi --ho", ["--home"]),
    ("mi la", ["last"]),
    ("mi --home /x claim li", ["list"]),
    ("mi ./app sta", ["status"]),
    ("mi cost --by pr", ["project"]),
    ("mi config get mind.prov", ["mind.provider"]),
    ("mi config set mind.provider ru", ["rules"]),
    ("mi show completion.b", ["completion.bash"]),
]


def script_of(mi, tmp_path: Path, shell: str) -> Path:
    path = tmp_path / f"completion.{shell}"
    path.write_text(mi("completion", shell).stdout, "utf-8")
    return path


def completed(mi, tmp_path, line: str) -> list[str]:
    """What bash offers at the end of a line."""
    script = script_of(mi, tmp_path, "bash")
    words = line.split(" ")
    typed = f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}"
    program = f'source {script}; {typed}; _mi; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(["bash", "-c", program], capture_output=True, encoding="utf-8", check=False, cwd=tmp_path)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.req("mi.cli.completion")
@pytest.mark.parametrize(("line", "offered"), LINES)
def test_bash_completes_commands_flags_and_files(mi, tmp_path, line, offered):
    assert completed(mi, tmp_path, line) == offered


@pytest.mark.req("mi.cli.completion")
@pytest.mark.parametrize(("line", "offered"), LINES)
def test_fish_completes_commands_flags_and_files(mi, tmp_path, line, offered):
    script = script_of(mi, tmp_path, "fish")
    script_of(mi, tmp_path, "bash")
    program = [shell("fish"), "--no-config", "-c", f"source {script}; complete -C '{line}'"]
    done = subprocess.run(program, capture_output=True, encoding="utf-8", check=False, cwd=tmp_path)
    assert done.stderr == ""
    assert [one.partition("\t")[0] for one in done.stdout.splitlines()] == offered


@pytest.mark.req("mi.cli.completion")
@pytest.mark.parametrize(("line", "offered"), LINES)
def test_zsh_completes_commands_flags_and_files(mi, tmp_path, line, offered):
    """A bare interactive zsh, as if typed: Tab makes the word whole."""
    script = script_of(mi, tmp_path, "zsh")
    script_of(mi, tmp_path, "bash")
    zsh = shell("zsh")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        os.execve(zsh, ["zsh", "-f", "-i"], os.environ | {"TERM": "dumb", "PS1": "> "})
    try:
        os.write(terminal, f"source {script}; print rea''dy\n".encode())
        seen = until(terminal, "ready")
        assert "not found" not in seen
        os.write(terminal, f"{line}\t".encode())
        whole = f"{line.rpartition(' ')[0]} {offered[0]}"
        assert whole in until(terminal, whole)
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.close(terminal)


def until(terminal: int, wanted: str) -> str:
    """What a terminal shows until the wanted text is there, or nothing more comes."""
    import select

    seen, end = "", time.monotonic() + 20
    while wanted not in seen and time.monotonic() < end and select.select([terminal], [], [], 5)[0]:
        seen += re.sub(r"\x1b\[[0-9;?]*\w|[\r\x07\x08]", "", os.read(terminal, 4096).decode("utf-8", "replace"))
    return seen


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_know_every_command(mi, shell):
    script = mi("completion", shell).stdout
    assert [name for name in COMMANDS if name not in script] == []


def test_every_command_is_in_the_tree():
    words = {node.words for node in build_tree()}
    assert {(name,) for name in COMMANDS} <= words
    assert ("project", "alias", "add") in words


def test_an_unknown_shell_is_named(mi):
    done = mi("completion", "tcsh")
    assert (done.returncode, done.stdout) == (2, "")
    assert "bash" in done.stderr
