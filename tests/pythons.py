"""The interpreters that the package promises to work with, as far as they are on this machine.

Found is what starts as `python3.N` and what pyenv or uv keep. What is missing is said at the end of the tests.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_ENVIRONMENT = dict(os.environ)  # later each test has a HOME of its own


def promised() -> list[str]:
    """The versions that the classifiers name."""
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    return [one.rpartition(" ")[2] for one in classifiers if one.startswith("Programming Language :: Python :: 3.")]


def find_python(version: str) -> str | None:
    """An interpreter of a version that starts; None where there is none."""
    if version == "{}.{}".format(*sys.version_info):
        return os.path.realpath(sys.executable)
    named = shutil.which(f"python{version}", path=_ENVIRONMENT.get("PATH"))
    pyenv = Path(_ENVIRONMENT.get("PYENV_ROOT") or Path(_ENVIRONMENT.get("HOME", "/")) / ".pyenv") / "versions"
    fetched = _ask([*_UV, "dir"]) or "/nowhere"
    places = [*pyenv.glob(f"{version}.*/bin/python3"), *Path(fetched).glob(f"cpython-{version}*/bin/python3")]
    wanted = "import sys; print('{}.{}'.format(*sys.version_info))"
    candidates = [*([named] if named else []), *map(str, places)]
    return next((path for path in candidates if _ask([path, "-c", wanted]) == version), None)


_UV = [str(Path(sys.executable).parent / "uv"), "python"]


def _ask(command: list[str]) -> str:
    try:
        done = subprocess.run(command, env=_ENVIRONMENT, capture_output=True, encoding="utf-8", check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
