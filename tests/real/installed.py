"""The real agents under test: pinned npm packages, installed once into a cache folder that runners share."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CODEX = "@openai/codex@0.166.0"
CLAUDE = "@anthropic-ai/claude-code@2.1.197"
_INSTALL_S = 900


def cache_folder(environment: dict[str, str]) -> Path:
    """Where installed agents are kept: $MI_TEST_CACHE, else the person's cache folder."""
    if chosen := environment.get("MI_TEST_CACHE"):
        return Path(chosen)
    user = environment.get("XDG_CACHE_HOME") or os.path.join(environment.get("HOME") or Path.home(), ".cache")
    return Path(user) / "mind-incarnation" / "agents"


# Both are taken when this module is loaded: later each test has a HOME of its own.
_ENVIRONMENT = dict(os.environ)
_CACHE = cache_folder(_ENVIRONMENT)


def installed(package: str, cache: Path = _CACHE, environment: dict[str, str] = _ENVIRONMENT) -> Path:
    """The node_modules folder of a pinned package, installed on first use; two runners never meet half of it."""
    folder = cache / package.lstrip("@").replace("/", "-")
    if not folder.is_dir():
        with _locked(cache):
            if not folder.is_dir():
                _install(package, folder, environment)
    return folder / "node_modules"


@contextmanager
def _locked(cache: Path) -> Iterator[None]:
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "lock", "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _install(package: str, folder: Path, environment: dict[str, str]) -> None:
    npm = shutil.which("npm", path=environment.get("PATH", os.defpath))
    if npm is None:
        raise RuntimeError(
            f"the tests run the real {package} and need npm to install it: install Node.js 20 or later with npm,"
            f" for instance `apt-get install nodejs npm`, then run them again"
        )
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    argv = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(unfinished), package]
    done = subprocess.run(
        argv,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        cwd=unfinished,
        timeout=_INSTALL_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"npm could not install {package}:\n{done.stderr[-2000:]}")
    unfinished.rename(folder)
