"""The checks a project has: test, build and lint commands, found from its files, and recognised when they run."""

import os
import re
from typing import Any, Literal, NamedTuple

from mi.kernel.files import read_bytes
from mi.kernel.shell import Simple
from mi.kernel.shell_outcome import decisive_commands
from mi.project.check_calls import bends_by_environment, runs_it
from mi.project.check_files import SCRIPT, promises, runners

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
        if SCRIPT.match(name):
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


_RUNNERS_THEMSELVES = frozenset("pytest cargo go mvn gradle npx mix swift deno dotnet bundle".split())
_PROVES_NOTHING = frozenset("echo true : printf cat ls exit test [ sleep pwd cd which git false head tail".split())


def newly_found(known: list[Check], root: str) -> list[Check]:
    """The checks a project has got since: test runners, and recipes that run one. A recipe of the agent's own making
    that runs nothing known proves nothing, and neither does a lint that it set up itself."""
    there = {check.argv for check in known}
    return [one for one in detect(root) if one.argv not in there and one.kind != "lint" and _is_runner(one, root)]


def _is_runner(check: Check, root: str) -> bool:
    if check.argv[0] in _RUNNERS_THEMSELVES or check.argv[:2] == ("python", "-m"):
        return True
    name = f"script {check.argv[-1]}" if check.source == "package.json" else check.text
    return bool(runners(promises(check.source, _text(root, check.source)).get(name, "")))


def planned(hints: list[str]) -> list[Check]:
    """The commands that a plan names, as checks; a command that cannot fail for the right reason is none."""
    alone = [_plain_words(found[0].argv) for hint in hints if len(found := decisive_commands(hint)) == 1]
    return [Check("test", tuple(words), "planned") for words in alone if words[0] not in _PROVES_NOTHING]


def is_check(command: str, checks: list[Check]) -> Check | None:
    """The check that surely ran, to its end and with success, when this shell text ends with exit code 0."""
    if bends_by_environment(command):
        return None
    found = (_matching(one, checks) for one in decisive_commands(command) if runs_it(one.argv))
    return next((check for check in found if check), None)


def _matching(one: Simple, checks: list[Check]) -> Check | None:
    words = _plain_words(one.argv)
    forms = [words]
    for runner in _RUNNERS:
        parts = runner.split()
        if words[: len(parts)] == parts:
            forms.append(words[len(parts) :])
        forms.append([*parts, *words])
    return next((check for check in checks for form in forms if tuple(form[: len(check.argv)]) == check.argv), None)


def _plain_words(argv: tuple[str, ...]) -> list[str]:
    """The words of a command, its program by the name that every installation of it has in common."""
    words = list(argv)
    if os.path.isabs(words[0]) or "/bin/" in words[0]:
        words[0] = os.path.basename(words[0])
    return ["python", *words[1:]] if _PYTHON.fullmatch(words[0]) else words


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
