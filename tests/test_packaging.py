"""The wheel: everything that runs, nothing that does not, and it says what it is."""

import json
import os
import subprocess
import sys
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from mi import __version__

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from the tree as `pip install .` would."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--disable-pip-version-check"]
    done = subprocess.run(
        [*pip, "--wheel-dir", str(folder), str(ROOT)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_every_module_and_nothing_else(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "mi").rglob("*.py")}
    assert {name for name in names if name.endswith(".py")} == modules
    assert "mi/py.typed" in names
    info = f"mind_incarnation-{__version__}.dist-info/"
    assert {name for name in names if not name.startswith(("mi/", info))} == set()
    assert not any("__pycache__" in name for name in names)


@pytest.mark.req("nx.state.schemas-shipped", "nx.vocab.seven-shipped", "nx.agents.nine", "nx.skills.four")
def test_wheel_holds_the_roster_and_the_schemas(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = [path for path in (ROOT / "mi/nexus").rglob("*.*") if path.suffix in (".yml", ".md", ".json")]
    assert len(wanted) > 40
    assert {str(path.relative_to(ROOT)) for path in wanted} <= names


@pytest.mark.req("hub.migrations")
def test_wheel_holds_the_steps_of_the_hub(wheel: Path):
    steps = {str(path.relative_to(ROOT)) for path in (ROOT / "mi/hub/migrations").glob("*.sql")}
    assert steps
    assert steps <= set(zipfile.ZipFile(wheel).namelist())


def test_metadata(wheel: Path):
    files = zipfile.ZipFile(wheel)
    info = f"mind_incarnation-{__version__}.dist-info/"
    metadata = message_from_bytes(files.read(info + "METADATA"))
    assert metadata["Name"] == "mind-incarnation"
    assert metadata["Version"] == __version__
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    required = [name for name in metadata.get_all("Requires-Dist", []) if "extra ==" not in name]
    assert [name.partition(">")[0] for name in required] == [
        *("h11", "jinja2", "msgspec", "pyyaml", "rich", "starlette", "uvicorn")
    ]
    assert b"mi = mi.__main__:main" in files.read(info + "entry_points.txt")
    assert b"MIT License" in files.read(info + "licenses/LICENSE")


@pytest.mark.req("v1.cli.install")
def test_wheel_runs_where_nothing_of_the_tree_is(wheel: Path, tmp_path: Path):
    """The files of the wheel beside msgspec, as an installation puts them."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = "import sys, mi.__main__, mi; assert mi.__file__.startswith(sys.argv.pop(1)); sys.exit(mi.__main__.main())"
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "site"), "status"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert str(tmp_path / "home") in done.stdout


@pytest.mark.req("one.smaller.commit")
def test_an_installed_package_says_the_commit_it_was_built_from(wheel: Path, tmp_path: Path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    head = subprocess.check_output(["git", "-C", str(ROOT), "rev-parse", "HEAD"], encoding="utf-8")
    script = "import sys, mi.__main__; sys.exit(mi.__main__.main())"
    done = subprocess.run(
        [sys.executable, "-c", script, "nexus", "manifest"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["commit"] == head.strip()
