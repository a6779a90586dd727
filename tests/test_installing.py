"""Installed as people install it: from the wheel and the source archive, by pip, pipx and uv, on every Python there is.

The archive is made from the tree, the wheel from the archive. A Python that is promised and not on this machine is
named at the end of the tests (`pytest_terminal_summary` in conftest.py): what was not tried is not counted as tried.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mi import __version__
from tests.pythons import find_python, promised

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
LIMIT_S = 600
_ENVIRONMENT = dict(os.environ)  # with the settings of registries that a HOME of its own would hide
# Python 3.12.0 to 3.12.3 warned of `?1` in SQL, which later ones take as it is.
_WITHDRAWN = "ignore:Binding:DeprecationWarning"
FOUND = {version: path for version in promised() if (path := find_python(version))}


class Built:
    """The two archives of the tree, in a folder that the workers of a test run share."""

    def __init__(self, folder: Path) -> None:
        with open(folder / "built.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "dist").is_dir():
                run([BIN / "pyproject-build", "--installer", "uv", "--outdir", folder / "half", ROOT])
                (folder / "half").rename(folder / "dist")
        (self.wheel,) = (folder / "dist").glob("*.whl")
        (self.archive,) = (folder / "dist").glob("*.tar.gz")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    own = tmp_path_factory.getbasetemp()
    return Built(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


def run(command: list[object], **variables: str) -> str:
    env = {name: value for name, value in _ENVIRONMENT.items() if not name.startswith(("MI_", "PYTHON", "GIT_"))}
    done = subprocess.run(
        [str(word) for word in command],
        env=env | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def use(program: Path, home: Path) -> None:
    """What a person does first: it knows its version, keeps their values and shows them."""
    assert run([program, "--version"]) == f"mi {__version__}\n"
    own = {"HOME": str(home), "MI_HOME": str(home / "mi")}
    run([program, "init", "--values", "Keep changes small."], **own)
    assert "Keep changes small." in run([program, "values", "show"], **own)
    assert "mi web" in run([program, "web", "--help"], **own)


@pytest.mark.req("everyday.install.ways")
@pytest.mark.parametrize("kind", ["wheel", "archive"])
def test_pip_installs_it(built: Built, kind: str, tmp_path: Path) -> None:
    run([sys.executable, "-m", "venv", tmp_path / "venv"])
    run([tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", getattr(built, kind)])
    use(tmp_path / "venv/bin/mi", tmp_path)
    run([tmp_path / "venv/bin/python", "-m", "pip", "check"])
    run([tmp_path / "venv/bin/python", "-m", "pip", "uninstall", "--quiet", "--yes", "mind-incarnation"])
    assert list(tmp_path.glob("venv/lib/*/site-packages/mi")) == []


@pytest.mark.req("everyday.install.ways")
@pytest.mark.parametrize("kind", ["wheel", "archive"])
def test_pipx_installs_it(built: Built, kind: str, tmp_path: Path) -> None:
    places = {f"PIPX_{name}": str(tmp_path / name) for name in ("HOME", "BIN_DIR", "MAN_DIR", "SHARED_LIBS")}
    run([BIN / "pipx", "install", "--python", sys.executable, getattr(built, kind)], **places)
    use(tmp_path / "BIN_DIR/mi", tmp_path)
    run([BIN / "pipx", "uninstall", "mind-incarnation"], **places)
    assert not os.path.lexists(tmp_path / "BIN_DIR/mi")


@pytest.mark.req("everyday.install.ways")
@pytest.mark.parametrize("kind", ["wheel", "archive"])
def test_uv_installs_it(built: Built, kind: str, tmp_path: Path) -> None:
    places = {"UV_TOOL_DIR": str(tmp_path / "tools"), "UV_TOOL_BIN_DIR": str(tmp_path / "bin")}
    run([BIN / "uv", "tool", "install", "--quiet", "--python", sys.executable, getattr(built, kind)], **places)
    use(tmp_path / "bin/mi", tmp_path)
    run([BIN / "uv", "tool", "uninstall", "--quiet", "mind-incarnation"], **places)
    assert not os.path.lexists(tmp_path / "bin/mi")


@pytest.mark.req("everyday.install.pythons")
@pytest.mark.parametrize("version", FOUND)
def test_every_python_does_the_main_job(built: Built, version: str, tmp_path: Path) -> None:
    """A whole run with proof, restore and a question; what that Python warns of is an error."""
    python = tmp_path / "venv/bin/python"
    run([BIN / "uv", "venv", "--quiet", "--python", FOUND[version], tmp_path / "venv"])
    run([BIN / "uv", "pip", "install", "--quiet", "--python", python, f"{built.wheel}[hub]"])
    everything = """
import importlib, pkgutil, mi
for module in pkgutil.walk_packages(mi.__path__, "mi."):
    # The reporters run in the project's Python; search by meaning is another extra.
    if not module.name.endswith(("__main__", ".model", ".nearness")) and ".reporters" not in module.name:
        importlib.import_module(module.name)
"""
    run([python, "-W", "error", "-c", everything])
    own = {"HOME": str(tmp_path), "MI_HOME": str(tmp_path / "mi"), "PYTHONWARNINGS": f"error,{_WITHDRAWN}"}
    own["PATH"] = f"{tmp_path / 'venv/bin'}{os.pathsep}{_ENVIRONMENT['PATH']}"
    shown = run([tmp_path / "venv/bin/mi", "demo"], **own)
    assert "verified ✓" in shown
    assert "web --open" in shown


@pytest.mark.req("everyday.install.pythons")
def test_pythons_that_are_not_here_are_said(record_property: Callable[[str, object], None]) -> None:
    missing = [version for version in promised() if version not in FOUND]
    record_property("not tried", ", ".join(f"Python {version}" for version in missing))
    assert f"Python {promised()[0]} to {promised()[-1]}" in (ROOT / "README.md").read_text("utf-8")
