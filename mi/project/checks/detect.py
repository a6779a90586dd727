"""The checks a project has: test, build and lint commands, found from the files of its root and of folders below."""

import os
import re
from typing import Any, Literal, NamedTuple

from mi.kernel.files import read_bytes
from mi.project.checks.files import SCRIPT

Kind = Literal["test", "build", "lint"]
_MAX_FILE = 1 << 20
_DEPTH, _FOLDERS, _NAMES = 3, 300, 2000  # how far, into how many folders and at how many names of each one looks
_SKIPPED = frozenset("node_modules venv env target dist build vendor third_party site-packages __pycache__ out".split())
_MAKE_TARGETS: dict[str, Kind] = {
    "test": "test",
    "tests": "test",
    "check": "test",
    "lint": "lint",
    "build": "build",
    "all": "build",
}
_TEST_FILE = re.compile(r"test_\w+\.py|\w+_test\.py|tests\.py")
_TEST_SCRIPTS = frozenset("test.sh tests.sh run_tests.sh run-tests.sh runtests.sh check.sh".split())
# A file that only the root of a project of its own has.
_MANIFESTS = frozenset(
    "pyproject.toml setup.py setup.cfg pytest.ini tox.ini package.json Cargo.toml go.mod pom.xml build.gradle"
    " build.gradle.kts Gemfile mix.exs Package.swift deno.json composer.json CMakeLists.txt build.sbt manage.py".split()
)


class Check(NamedTuple):
    """One kind of check: the words a command begins with, the file that told us, and the folder it is run in."""

    kind: Kind
    argv: tuple[str, ...]
    source: str
    folder: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.argv)

    @property
    def command(self) -> str:
        """What to type at the project's root."""
        return f"cd {self.folder} && {self.text}" if self.folder else self.text


def detect(root: str) -> list[Check]:
    """The checks of a project and of the projects in it; bounded, starts nothing."""
    folders = _folders(root)
    found: list[Check] = []
    for folder, names in folders.items():
        if not folder or names & _MANIFESTS or "Makefile" in names:
            inside = {
                path: seen for path, seen in folders.items() if not folder or (path + "/").startswith(folder + "/")
            }
            found += [_placed(check, folder) for check in _of_folder(os.path.join(root, folder), names, inside, folder)]
    return list({(check.argv, check.folder): check for check in found}.values())


def _placed(check: Check, folder: str) -> Check:
    return check._replace(source=f"{folder}/{check.source}" if folder else check.source, folder=folder)


def _of_folder(root: str, names: set[str], inside: dict[str, set[str]], folder: str) -> list[Check]:
    tests = _python_tests(inside, folder) if not folder or names & _MANIFESTS else ""
    found = [*_python(root, names, tests), *_node(root, names), *_make(root, names), *_others(root, names)]
    return found if folder else [*found, *_shell(inside)]


def _folders(root: str) -> dict[str, set[str]]:
    """The names in the project's folders, those near the root first."""
    found: dict[str, set[str]] = {}
    waiting = [("", 0)]
    while waiting and len(found) < _FOLDERS:
        folder, depth = waiting.pop(0)
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                some = [entry for entry, _ in zip(entries, range(_NAMES), strict=False)]
        except OSError:
            continue
        found[folder] = {entry.name for entry in some}
        if depth < _DEPTH:
            below = sorted(entry.name for entry in some if _is_folder(entry))
            waiting += [(f"{folder}/{name}" if folder else name, depth + 1) for name in below]
    return found


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.name[:1] != "." and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)


def _python(root: str, names: set[str], tests: str) -> list[Check]:
    pyproject = _toml(root, "pyproject.toml") if "pyproject.toml" in names else {}
    tool = _mapping(pyproject.get("tool"))
    setup = text_of(root, "setup.cfg") if "setup.cfg" in names else ""
    asked = ("pyproject.toml", "requirements-dev.txt", "requirements.txt")
    said = setup + "".join(text_of(root, name) for name in asked if name in names)
    found: list[Check] = []
    if "pytest" in tool or "pytest.ini" in names or "conftest.py" in names or "pytest" in said:
        source = "pytest.ini" if "pytest.ini" in names else "pyproject.toml" if pyproject else "conftest.py"
        found += _both("test", "pytest", source)
    elif tests:
        found += _both("test", "pytest", tests)
    if tests:
        plain = Check("test", ("python", "-m", "unittest"), tests)
        # What the tests themselves are written for is asked for first: pytest may not even be installed.
        found = [plain, *found] if _is_unittest(root, tests) and found[0].source == tests else [*found, plain]
    if "tox.ini" in names or "tox" in tool:
        found.append(Check("test", ("tox",), "tox.ini"))
    if "noxfile.py" in names:
        found.append(Check("test", ("nox",), "noxfile.py"))
    if "manage.py" in names:
        found.append(Check("test", ("python", "manage.py", "test"), "manage.py"))
    return [*found, *_python_lints(names, tool, setup)]


def _is_unittest(root: str, tests: str) -> bool:
    """Whether the tests, or the first file of a folder of them, use unittest and not pytest."""
    if tests.endswith("/"):
        try:
            names = sorted(name for name in os.listdir(os.path.join(root, tests)) if _looks_tested(name))
        except OSError:
            names = []
        tests += names[0] if names else ""
    text = text_of(root, tests)
    return "import unittest" in text and "pytest" not in text


def _python_lints(names: set[str], tool: dict[str, Any], setup: str) -> list[Check]:
    found: list[Check] = []
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


def _python_tests(inside: dict[str, set[str]], folder: str) -> str:
    """A Python test file or a folder of them, as seen from the folder; or empty."""
    for path, names in inside.items():
        below = path.removeprefix(folder).lstrip("/")
        if not below and (own := sorted(name for name in names if _TEST_FILE.fullmatch(name) and name != "tests.py")):
            return own[0]
        in_tests = below.partition("/")[0] in ("tests", "test")
        if below and any(_TEST_FILE.fullmatch(name) or (in_tests and _looks_tested(name)) for name in names):
            return below + "/"
    return ""


def _looks_tested(name: str) -> bool:
    return name.endswith(".py") and "test" in name


def _node(root: str, names: set[str]) -> list[Check]:
    if "package.json" not in names:
        return []
    package = _json(root, "package.json")
    scripts = _mapping(package.get("scripts"))
    locks = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
    manager = next((tool for file, tool in locks.items() if file in names), "npm")
    found: list[Check] = []
    for name in scripts:
        if SCRIPT.match(name):
            found.append(Check(_script_kind(name), (manager, "run", name), "package.json"))
            if (name == "test" and manager != "bun") or manager in ("pnpm", "yarn"):
                found.append(Check(_script_kind(name), (manager, name), "package.json"))
    wanted = {**_mapping(package.get("devDependencies")), **_mapping(package.get("dependencies"))}
    for name, kind, argv in _PACKAGES:
        if name in wanted:
            found.append(Check(kind, argv, "package.json"))
    if manager == "bun" or "bun test" in str(scripts.get("test", "")):
        found.append(Check("test", ("bun", "test"), "package.json"))
    if "node --test" in str(scripts.get("test", "")):
        found.append(Check("test", ("node", "--test"), "package.json"))
    return found


def _script_kind(name: str) -> Kind:
    return "test" if name.startswith(("test", "unit", "check")) else "build" if name.startswith("build") else "lint"


_PACKAGES: tuple[tuple[str, Kind, tuple[str, ...]], ...] = (
    ("eslint", "lint", ("npx", "eslint")),
    ("typescript", "lint", ("npx", "tsc")),
    ("vitest", "test", ("npx", "vitest", "run")),
    ("jest", "test", ("npx", "jest")),
    ("mocha", "test", ("npx", "mocha")),
    ("ava", "test", ("npx", "ava")),
    ("@playwright/test", "test", ("npx", "playwright", "test")),
)


def _make(root: str, names: set[str]) -> list[Check]:
    name = next((name for name in ("GNUmakefile", "makefile", "Makefile") if name in names), "")
    targets = set(re.findall(r"^([\w-]+)\s*:(?!=)", text_of(root, name), re.M)) if name else set()
    found = [Check(kind, ("make", target), name) for target, kind in _MAKE_TARGETS.items() if target in targets]
    if "justfile" in names:
        recipes = set(re.findall(r"^([\w-]+)(?:\s[^:\n]*)?:(?!=)", text_of(root, "justfile"), re.M))
        found += [Check(kind, ("just", one), "justfile") for one, kind in _MAKE_TARGETS.items() if one in recipes]
    return found


_TABLE: dict[str, tuple[tuple[Kind, str], ...]] = {
    "Cargo.toml": (
        ("test", "cargo test"),
        ("build", "cargo build"),
        ("build", "cargo check"),
        ("lint", "cargo clippy"),
    ),
    "go.mod": (("test", "go test"), ("build", "go build"), ("lint", "go vet")),
    "pom.xml": (("test", "mvn test"), ("test", "mvn verify")),
    "build.gradle": (("test", "gradle test"), ("test", "gradle build")),
    "build.gradle.kts": (("test", "gradle test"), ("test", "gradle build")),
    "mix.exs": (("test", "mix test"),),
    "Package.swift": (("test", "swift test"), ("build", "swift build")),
    "deno.json": (("test", "deno test"), ("lint", "deno lint"), ("test", "deno task test")),
    "build.sbt": (("test", "sbt test"),),
    "CMakeLists.txt": (("test", "ctest"), ("build", "cmake --build")),
    "MODULE.bazel": (("test", "bazel test"), ("build", "bazel build")),
    "WORKSPACE": (("test", "bazel test"), ("build", "bazel build")),
    "pubspec.yaml": (("test", "dart test"), ("test", "flutter test"), ("lint", "dart analyze")),
}


def _others(root: str, names: set[str]) -> list[Check]:
    found = [
        Check(kind, tuple(text.split()), file) for file, rows in _TABLE.items() if file in names for kind, text in rows
    ]
    if "mvnw" in names:
        found = [one._replace(argv=("./mvnw", *one.argv[1:])) if one.argv[0] == "mvn" else one for one in found]
    if "gradlew" in names:
        found = [one._replace(argv=("./gradlew", *one.argv[1:])) if one.argv[0] == "gradle" else one for one in found]
    if any(name.endswith((".sln", ".csproj")) for name in names):
        found += [Check("test", ("dotnet", "test"), "*.csproj"), Check("build", ("dotnet", "build"), "*.csproj")]
    return [*found, *_ruby(names), *_php(root, names)]


def _ruby(names: set[str]) -> list[Check]:
    if "Gemfile" not in names:
        return []
    found = [Check("test", ("bundle", "exec", "rspec"), "Gemfile")]
    found += [Check("test", ("bundle", "exec", "rake", "test"), "Gemfile")] if "Rakefile" in names else []
    found += [Check("test", ("bin/rails", "test"), "Gemfile")] if "config.ru" in names else []
    return found + ([Check("lint", ("bundle", "exec", "rubocop"), "Gemfile")] if ".rubocop.yml" in names else [])


def _shell(inside: dict[str, set[str]]) -> list[Check]:
    """Scripts that are named after what they do, at the root or where scripts live."""
    found = [
        Check("test", (f"./{folder}/{name}" if folder else f"./{name}",), f"{folder}/{name}" if folder else name)
        for folder in ("", "scripts", "script", "bin", "tests", "test")
        for name in sorted(inside.get(folder, set()) & _TEST_SCRIPTS)
    ]
    bats = next((folder for folder, names in inside.items() if any(name.endswith(".bats") for name in names)), None)
    return found if bats is None else [*found, Check("test", ("bats",), f"{bats}/" if bats else "*.bats")]


def _php(root: str, names: set[str]) -> list[Check]:
    if "composer.json" not in names:
        return []
    found = [Check("test", ("vendor/bin/phpunit",), "composer.json")]
    scripts = _mapping(_json(root, "composer.json").get("scripts"))
    found += [Check("test", ("composer", "test"), "composer.json")] if "test" in scripts else []
    return found + ([Check("test", ("php", "artisan", "test"), "composer.json")] if "artisan" in names else [])


def text_of(root: str, name: str) -> str:
    """What a file of the project holds, bounded; '' when it cannot be read."""
    path = os.path.join(root, name)
    try:
        data = read_bytes(path) if os.path.isfile(path) and os.path.getsize(path) <= _MAX_FILE else None
    except OSError:
        return ""
    return (data or b"").decode("utf-8", "replace")


def _json(root: str, name: str) -> dict[str, Any]:
    from mi.kernel.jsontext import BadJson, decode

    try:
        return decode(text_of(root, name).encode(), dict[str, Any])
    except BadJson:
        return {}


def _toml(root: str, name: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text_of(root, name))
    except tomllib.TOMLDecodeError:
        return {}


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
