"""A home that is full, read-only or unreadable: one clear line, the right exit code, nothing lost."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mi.kernel.seal import SUFFIX
from tests.cli.conftest import tree
from tests.conftest import MI
from tests.disks import fill, read_only_disk, small_disk

READING = [
    "",
    "status --json",
    "tail",
    "tail --global",
    "show {event}",
    "show {claim}",
    "settings show",
    "project show",
]
WRITING = [
    *("init --values New.", "settings set --ask-when-uncertain proceed", "project use --cd ..", "project pin"),
    *("settings set --scope project --ask-when-uncertain proceed", "project alias add app", "config init --force"),
    *("config apply-template rules",),
]
FITTING = ("init", "settings")  # a short line may find room in the last block of its log
# Root passes every permission bit until it gives up the capabilities for that.
BOUND_BY_MODES = (
    "import ctypes, os, sys\nlibc = ctypes.CDLL(None)\nfor capability in (1, 2):\n"
    "    libc.prctl(24, capability, 0, 0, 0)\nos.execv(sys.argv[1], sys.argv[1:])"
)


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """A home that was used: a value, a setting, a configuration."""
    home = tmp_path_factory.mktemp("template") / "home"
    for command in (
        "init --values Kind.",
        "config init",
        "settings set --ask-when-uncertain ask",
        "project use --cd /",
    ):
        subprocess.run([MI, "--home", home, *command.split()], check=True, capture_output=True)
    return home


@pytest.fixture
def used(template: Path, tmp_path: Path) -> Callable[[], dict[str, str]]:
    """Puts such a home in its place; the ids of what is in it."""

    def copy() -> dict[str, str]:
        shutil.copytree(template, tmp_path / "home", dirs_exist_ok=True)
        event, claim = (
            json.loads((template / name).read_text("utf-8").splitlines()[-1])
            for name in ("global/evidence.jsonl", "thoughtdb/global/claims.jsonl")
        )
        return {"event": event["event_id"], "claim": claim["claim_id"]}

    return copy


def without_ballast(home: Path) -> dict:
    return {path: seen for path, seen in tree(home).items() if not path.endswith("ballast") and path != str(home)}


def test_full_home(mi, used, tmp_path: Path):
    home = tmp_path / "home"
    with small_disk(home, "512k"):
        home.chmod(0o700)
        known = used()
        fill(home)
        before = without_ballast(home)
        for command in READING:
            done = mi(*command.format(**known).split())
            assert (done.returncode, done.stderr) == (0, ""), command
        for command in WRITING:
            done = mi(*command.split())
            if command.startswith(FITTING) and done.returncode == 0:
                continue
            assert (done.returncode, done.stdout) == (1, ""), command
            assert done.stderr.startswith(f"mi: {home}/"), command
            assert "no space left on the disk" in done.stderr
            assert done.stderr.count("\n") == 1
        after = without_ballast(home)
        kept = {path: seen for path, seen in before.items() if not path.endswith((SUFFIX, ".sqlite"))}  # views: derived
        assert all(after[path][2].startswith(seen[2]) for path, seen in kept.items())  # nothing was lost
        doctor = mi("doctor")
        assert doctor.returncode == 1
        assert "0 MB free" in doctor.stdout
        (home / "ballast").unlink()
        for command in WRITING[:4]:
            done = mi(*command.split())
            assert (done.returncode, done.stderr) == (0, ""), command
        assert mi("values", "show").stdout.endswith("  New.\n")


def test_home_that_fills_up_in_the_middle_of_a_line(mi, used, tmp_path: Path):
    home = tmp_path / "home"
    with small_disk(home, "512k"):
        home.chmod(0o700)
        used()
        fill(home, leave=4096)
        log = home / "global/evidence.jsonl"
        before = log.read_bytes()
        done = mi("init", "--values", "-", stdin="A long thought. " * 2000)
        assert done.returncode == 1
        assert "no space left" in done.stderr
        assert log.read_bytes() == before
        (home / "ballast").unlink()
        assert mi("init", "--values", "Short.").returncode == 0
        for line in log.read_text("utf-8").splitlines():
            json.loads(line)


def test_read_only_home(mi, used, tmp_path: Path, unchanged):
    home = tmp_path / "home"
    known = used()
    with read_only_disk(home):
        unchanged()
        for command in READING:
            done = mi(*command.format(**known).split())
            assert (done.returncode, done.stderr) == (0, ""), command
        for command in WRITING:
            done = mi(*command.split())
            assert (done.returncode, done.stdout) == (1, ""), command
            assert done.stderr.startswith(f"mi: {home}"), command
            assert "read-only" in done.stderr
            assert "--home" in done.stderr
            assert done.stderr.count("\n") == 1
        doctor = mi("doctor")
        assert doctor.returncode == 1
        assert f"✗ home      {home} cannot be written" in doctor.stdout
        unchanged()
    assert mi("init", "--values", "New.").returncode == 0


def test_new_home_on_a_read_only_disk(mi, tmp_path: Path):
    disk = tmp_path / "disk"
    disk.mkdir()
    with read_only_disk(disk):
        done = mi("--home", str(disk / "home"), "init", "--values", "New.")
        assert (done.returncode, done.stdout) == (1, "")
        assert "read-only" in done.stderr
        assert mi("--home", str(disk / "home"), "status").returncode == 0
        assert mi("--home", str(disk / "home"), "doctor").returncode == 1


def bound(*args: str) -> subprocess.CompletedProcess[str]:
    """The command run by someone for whom permission bits count, which they do not for root."""
    command = [sys.executable, "-c", BOUND_BY_MODES, str(MI), *args]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)
    assert "Traceback" not in done.stderr
    return done


def test_unreadable_home(used, tmp_path: Path):
    home = tmp_path / "home"
    known = used()
    home.chmod(0)
    try:
        for command in (
            "",
            "tail",
            "tail --global",
            "show {event}",
            "values show",
            "project show",
            "init --values New.",
            "repair",
            "inbox",
            "gate permission list",
        ):
            done = bound(*command.format(**known).split())
            assert (done.returncode, done.stdout) == (1, ""), command
            assert done.stderr.startswith(f"mi: {home}"), command
            assert "no permission" in done.stderr
            assert done.stderr.count("\n") == 1, done.stderr
        for command in ("version", "--version", "config path", "config examples", "--help", "tail --help"):
            done = bound(*command.split())
            assert (done.returncode, done.stderr) == (0, ""), command
        doctor = bound("doctor")
        assert doctor.returncode == 1
        assert f"✗ home      {home} cannot be written" in doctor.stdout
    finally:
        home.chmod(0o700)


@pytest.mark.parametrize("name", ["global/evidence.jsonl", "config.json", "thoughtdb/global/claims.jsonl"])
def test_unreadable_file(used, tmp_path: Path, name):
    path = tmp_path / "home" / name
    used()
    before = path.read_bytes()
    path.chmod(0)
    for command in ("tail --global", "values show", "config show", "init --values New."):
        done = bound(*command.split())
        assert done.returncode in (0, 1)
        assert done.stderr.count("\n") <= 1
        assert (str(path) in done.stderr) or done.returncode == 0
    doctor = bound("doctor")
    assert doctor.stdout.count("✓") > 3
    path.chmod(0o600)
    assert path.read_bytes().startswith(before)


@pytest.mark.parametrize("in_the_way", ["home", "home/global", "home/thoughtdb"])
def test_file_where_a_folder_should_be(mi, tmp_path: Path, in_the_way):
    path = tmp_path / in_the_way
    path.parent.mkdir(exist_ok=True)
    path.write_text("not a folder", "utf-8")
    for command in ("", "tail", "tail --global", "values show"):
        assert mi(*command.split()).returncode == (in_the_way == "home"), command
    done = mi("init", "--values", "New.")
    assert (done.returncode, done.stdout) == (1, "")
    assert str(path) in done.stderr
    assert done.stderr.count("\n") == 1
    assert path.read_text("utf-8") == "not a folder"


@pytest.mark.parametrize("home", ["file", "file/below", "loop", "dangling"])
def test_home_that_can_be_none(mi, tmp_path: Path, home):
    (tmp_path / "file").write_text("not a folder", "utf-8")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    for command in ("status", "claim list", "inbox", "repair", "gate permission list", "init --values New."):
        done = mi("--home", str(tmp_path / home), *command.split())
        assert (done.returncode, done.stdout) == (1, ""), command
        assert done.stderr.startswith(f"mi: the home {tmp_path / home.split('/')[0]} is no folder")
        assert "mi --home" in done.stderr
        assert done.stderr.count("\n") == 1
    for command in ("--version", "--help", "mcp list", "config path", "completion bash"):
        assert mi("--home", str(tmp_path / home), *command.split()).returncode == 0, command
    assert mi("--home", str(tmp_path / home), "doctor").returncode == 1


@pytest.mark.parametrize("in_the_way", ["config.json", "global/evidence.jsonl", "global/project_selection.json"])
def test_folder_where_a_file_should_be(mi, tmp_path: Path, in_the_way):
    path = tmp_path / "home" / in_the_way
    path.mkdir(parents=True)
    for command in ("", "tail --global", "init --values New.", "config init --force", "project pin"):
        done = mi(*command.split())
        assert done.returncode in (0, 1)
        assert done.stderr.count("\n") <= 1
        if done.returncode:
            assert str(path) in done.stderr, command
    assert path.is_dir()
