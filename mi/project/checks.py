"""The checks a project has: test, build and lint commands, found from its files, and recognised when they run."""

import os
import re
from typing import Any, Literal, NamedTuple

from mi.kernel.files import read_bytes
from mi.kernel.shell import Simple
from mi.kernel.shell_outcome import decisive_commands

Kind = Literal["test", "build", "lint"]
_MAX_FILE = 1 << 20
_PYTHON = re.compile(r"python[\d.]*")
_RUNNERS = (
    "uv run",
    "poetry run",
    "pipenv run",
    "hatch run",
    "pdm run",
    "npx",
    "pnpm exec",
    "yarn",
    "bunx",
    "bundle exec",
)
_MAKE_TARGETS: dict[str, Kind] = {"test": "test", "tests": "test", "check": "test", "lint": "lint", "build": "build"}
_SCRIPT = re.compile(r"^(?:test|tests|check|build|lint|typecheck|type-check|tsc|unit)(?:[:._-].*)?$")

_LOOKING = frozenset(
    "--version -V --help -h help --collect-only --co --no-run --dry-run --list --listTests --fixtures --markers".split()
)
_LOOKING_MAKE = frozenset(("-n", "--just-print", "--recon", "-q", "--question", "-t", "--touch"))


class Check(NamedTuple):
    """One kind of check: the words a command begins with, and the file that told us."""

    kind: Kind
    argv: tuple[str, ...]
    source: str

    @property
    def text(self) -> str:
        return " ".join(self.argv)


def detect(root: str) -> list[Check]:
    """The checks of a project, from the files at its root; bounded, starts nothing."""
    try:
        names = set(os.listdir(root))
    except OSError:
        return []
    found = [*_python(root, names), *_node(root, names), *_make(root, names), *_others(names)]
    return list({check.argv: check for check in found}.values())


def _python(root: str, names: set[str]) -> list[Check]:
    pyproject = _toml(root, "pyproject.toml") if "pyproject.toml" in names else {}
    tool = _mapping(pyproject.get("tool"))
    setup = _text(root, "setup.cfg") if "setup.cfg" in names else ""
    said = _text(root, "pyproject.toml") + setup + _text(root, "requirements-dev.txt") + _text(root, "requirements.txt")
    found: list[Check] = []
    tests = _python_tests(root, names)
    if "pytest" in tool or "pytest.ini" in names or "conftest.py" in names or "pytest" in said:
        source = "pytest.ini" if "pytest.ini" in names else "pyproject.toml" if pyproject else "conftest.py"
        found += _both("test", "pytest", source)
    elif tests:
        found += [*_both("test", "pytest", tests), Check("test", ("python", "-m", "unittest"), tests)]
    if "tox.ini" in names or "tox" in tool:
        found.append(Check("test", ("tox",), "tox.ini"))
    if "noxfile.py" in names:
        found.append(Check("test", ("nox",), "noxfile.py"))
    if "manage.py" in names:
        found.append(Check("test", ("python", "manage.py", "test"), "manage.py"))
    linters = {
        "ruff": "ruff.toml",
        "mypy": "mypy.ini",
        "flake8": ".flake8",
        "pylint": ".pylintrc",
        "pyright": "pyrightconfig.json",
    }
    for name, file in linters.items():
        if name in tool or file in names or f"[{name}" in setup:
            argv = ("ruff", "check") if name == "ruff" else (name,)
            found.append(Check("lint", argv, file if file in names else "pyproject.toml"))
            if name != "pyright":
                found.append(Check("lint", ("python", "-m", *argv), file if file in names else "pyproject.toml"))
    return found


def _both(kind: Kind, name: str, source: str) -> list[Check]:
    return [Check(kind, (name,), source), Check(kind, ("python", "-m", name), source)]


def _python_tests(root: str, names: set[str]) -> str:
    """A Python test file or folder at the root, or empty."""
    for name in sorted(names):
        if re.fullmatch(r"test_\w+\.py|\w+_test\.py", name):
            return name
    for folder in ("tests", "test"):
        if folder in names:
            try:
                files = os.listdir(os.path.join(root, folder))[:1000]
            except OSError:
                continue
            if any(file.endswith(".py") and "test" in file for file in files):
                return folder + "/"
    return ""


def _node(root: str, names: set[str]) -> list[Check]:
    if "package.json" not in names:
        return []
    package = _json(root, "package.json")
    scripts = _mapping(package.get("scripts"))
    manager = next(
        (
            tool
            for file, tool in (("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun"))
            if file in names
        ),
        "npm",
    )
    found: list[Check] = []
    for name in scripts:
        if _SCRIPT.match(name):
            kind: Kind = (
                "test"
                if name.startswith(("test", "unit", "check"))
                else "build"
                if name.startswith("build")
                else "lint"
            )
            found.append(Check(kind, (manager, "run", name), "package.json"))
            if name == "test" or manager in ("pnpm", "yarn"):
                found.append(Check(kind, (manager, name), "package.json"))
    wanted = {**_mapping(package.get("devDependencies")), **_mapping(package.get("dependencies"))}
    for name, argv in (
        ("eslint", ("npx", "eslint")),
        ("typescript", ("npx", "tsc")),
        ("vitest", ("npx", "vitest", "run")),
    ):
        if name in wanted:
            found.append(Check("test" if name == "vitest" else "lint", argv, "package.json"))
    if "jest" in wanted:
        found.append(Check("test", ("npx", "jest"), "package.json"))
    return found


def _make(root: str, names: set[str]) -> list[Check]:
    name = next((name for name in ("Makefile", "makefile", "GNUmakefile") if name in names), "")
    targets = set(re.findall(r"^([\w-]+)\s*:(?!=)", _text(root, name), re.M)) if name else set()
    found = [Check(kind, ("make", target), name) for target, kind in _MAKE_TARGETS.items() if target in targets]
    if "justfile" in names:
        recipes = set(re.findall(r"^([\w-]+)(?:\s[^:\n]*)?:(?!=)", _text(root, "justfile"), re.M))
        found += [Check(kind, ("just", one), "justfile") for one, kind in _MAKE_TARGETS.items() if one in recipes]
    return found


def _others(names: set[str]) -> list[Check]:
    found: list[Check] = []
    table: dict[str, tuple[tuple[Kind, str], ...]] = {
        "Cargo.toml": (
            ("test", "cargo test"),
            ("build", "cargo build"),
            ("build", "cargo check"),
            ("lint", "cargo clippy"),
        ),
        "go.mod": (("test", "go test"), ("build", "go build"), ("lint", "go vet")),
        "pom.xml": (("test", "mvn test"), ("test", "mvn verify")),
        "build.gradle": (("test", "./gradlew test"), ("test", "gradle test"), ("build", "./gradlew build")),
        "build.gradle.kts": (("test", "./gradlew test"), ("test", "gradle test"), ("build", "./gradlew build")),
        "Gemfile": (("test", "bundle exec rspec"), ("test", "bundle exec rake test")),
        "mix.exs": (("test", "mix test"),),
        "Package.swift": (("test", "swift test"), ("build", "swift build")),
        "deno.json": (("test", "deno test"), ("lint", "deno lint")),
        "composer.json": (("test", "vendor/bin/phpunit"),),
    }
    for file, rows in table.items():
        if file in names:
            found += [Check(kind, tuple(text.split()), file) for kind, text in rows]
    if any(name.endswith((".sln", ".csproj")) for name in names):
        found.append(Check("test", ("dotnet", "test"), "*.csproj"))
    return found


def is_check(command: str, checks: list[Check]) -> Check | None:
    """The check that surely ran, to its end and with success, when this shell text ends with exit code 0."""
    found = (_matching(one, checks) for one in decisive_commands(command) if not _only_looks(one.argv))
    return next((check for check in found if check), None)


def _only_looks(argv: tuple[str, ...]) -> bool:
    """Whether a runner is asked about itself or about what it would do."""
    return bool(_LOOKING.intersection(argv)) or (argv[0] == "make" and bool(_LOOKING_MAKE.intersection(argv)))


def _matching(one: Simple, checks: list[Check]) -> Check | None:
    words = list(one.argv)
    if os.path.isabs(words[0]) or "/bin/" in words[0]:
        words[0] = os.path.basename(words[0])
    if _PYTHON.fullmatch(words[0]):
        words[0] = "python"
    forms = [words]
    for runner in _RUNNERS:
        parts = runner.split()
        if words[: len(parts)] == parts:
            forms.append(words[len(parts) :])
        forms.append([*parts, *words])
    return next((check for check in checks for form in forms if tuple(form[: len(check.argv)]) == check.argv), None)


def _text(root: str, name: str) -> str:
    path = os.path.join(root, name)
    try:
        data = read_bytes(path) if os.path.isfile(path) and os.path.getsize(path) <= _MAX_FILE else None
    except OSError:
        return ""
    return (data or b"").decode("utf-8", "replace")


def _json(root: str, name: str) -> dict[str, Any]:
    from mi.kernel.jsontext import BadJson, decode

    try:
        return decode(_text(root, name).encode(), dict[str, Any])
    except BadJson:
        return {}


def _toml(root: str, name: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_text(root, name))
    except tomllib.TOMLDecodeError:
        return {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
