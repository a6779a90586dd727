"""What every test has: a home, a HOME and an environment of its own, and the installed command."""

import compileall
import gc
import os
import signal
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mi.agents.programs import find_agent_mark
from mi.app import speaker
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.speaking import make_reader
from tests.starting import MI as MI
from tests.starting import run_mi

Mi = Callable[..., subprocess.CompletedProcess[str]]


def pytest_configure(config: pytest.Config) -> None:
    """Compile the package once, as pip does where it installs it: each command that a test starts finds it compiled."""
    # What a shell or `nohup` starts beside it is deaf to these, and so would be all that the tests start.
    for number, heard in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, heard)
    sys.dont_write_bytecode = False  # the tests' own: to rewrite their assertions anew takes longer than to read them
    if not hasattr(config, "workerinput"):
        _find_python()
        compileall.compile_dir(Path(__file__).parents[1] / "mi", quiet=1)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for garbage only in what tests make: the tests themselves stay until the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what could not be tried on this machine."""
    for report in terminalreporter.getreports("passed"):
        for name, what in report.user_properties:
            if name == "not tried" and what:
                terminalreporter.write_line(f"not tried, since it is not on this machine: {what}", yellow=True)


@pytest.hookimpl(optionalhook=True)  # a run without workers has none to count
def pytest_xdist_auto_num_workers() -> int:
    """Start three workers for two cores: a test also waits for disks, clocks and other processes."""
    return (os.cpu_count() or 1) * 3 // 2 or 1


def _find_python() -> None:
    """Put a `python3` first that starts at once: a version manager's script or other packages make it slow.

    It finds pytest and what else the tests have installed, but not MI.
    """
    words = ["python3", "-c", "import sys; print(sys.executable)"]
    found = subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stdout.strip()
    plain = Path(sys.prefix) / "plain"
    if not (plain / "bin" / "python3").exists():
        venv.create(plain, symlinks=True)
        (packages,) = plain.glob("lib/*/site-packages")
        (packages / "tests.pth").write_text(sysconfig.get_path("purelib"), "utf-8")
    os.environ["PATH"] = os.pathsep.join([str(plain / "bin"), str(Path(found).parent), os.environ["PATH"]])


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the developer's home, git configuration, MI variables, or the agent that runs the tests."""
    monkeypatch.setattr(speaker, "read_ancestry", make_reader(os.getpid()))
    while mark := find_agent_mark(os.environ):
        monkeypatch.delenv(mark)
    for name in list(os.environ):
        if name.startswith(("MI_", "GIT_")):
            monkeypatch.delenv(name)
    user = tmp_path / "user"
    user.mkdir()
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("MI_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(str(tmp_path / "home"))


@pytest.fixture
def as_team(home: Home) -> None:
    """The permissions of the profile team."""
    os.makedirs(home.root, exist_ok=True)
    Path(home.config).write_text('{"governance": {"profile": "standard"}}', "utf-8")


@pytest.fixture
def notices() -> Notices:
    return Notices()


@pytest.fixture
def mi() -> Mi:
    """Runs the installed command as a user would; stdout and stderr as text, never a traceback."""

    def run(
        *args: str, stdin: str = "", env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = run_mi(list(args), stdin, os.environ | (env or {}), cwd, 60)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., Path]:
    """Makes real git repositories."""

    def make(name: str = "repo", origin: str | None = None, commits: int = 1) -> Path:
        path = tmp_path / name
        path.mkdir(parents=True)
        git(path, "init", "-q", "-b", "main")
        for number in range(commits):
            (path / "file.txt").write_text(f"{name} {number}\n", "utf-8")
            git(path, "add", "-A")
            git(path, "commit", "-q", "-m", f"commit {number}")
        if origin:
            git(path, "remote", "add", "origin", origin)
        return path

    return make


def git(path: Path, *args: str) -> str:
    """Run git in a folder with a test identity."""
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "maintenance.auto=false"]
    done = subprocess.run(["git", "-C", str(path), *identity, *args], check=True, capture_output=True, encoding="utf-8")
    return done.stdout.strip()
