"""What the files that define a project's checks promise to run: make targets, scripts, settings of test runners."""

import os
import re
from typing import Any

from mi.kernel.shell_outcome import decisive_commands

MAKEFILES = ("GNUmakefile", "makefile", "Makefile")  # in the order in which make looks for them
TARGETS = ("test", "tests", "check", "lint", "build", "all")
SCRIPT = re.compile(r"^(?:test|tests|check|build|lint|typecheck|type-check|tsc|unit)(?:[:._-].*)?$")
_FILES = (*MAKEFILES, "justfile", "package.json", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini", "pyproject.toml")
_PYTEST_SECTIONS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
_PYTEST_KEYS = ("addopts", "testpaths", "python_files", "python_classes", "python_functions", "norecursedirs")
_RULE = re.compile(r"^( *+[\w.%/-]++(?: ++[\w.%/-]++)*+)\s*+::?(?!=)\s*(.*)$")
_SETTING = re.compile(r"^\s*(?:export\s+|override\s+)*([\w.]+)\s*[:?+!]{0,2}=\s*(.*)$")
_RUNNER = re.compile(
    r"^(?:\S*python[\d.]* -m )?(?:pytest|py\.test|unittest|nose2|tox|nox|behave|doctest)\b"
    r"|^(?:npx |yarn |pnpm |bunx )?(?:jest|vitest|mocha|ava|tap|playwright|cypress|karma|c8|nyc|eslint|tsc)\b"
    r"|^node (?:.* )?--test\b|^(?:go|cargo|dotnet|mix|swift|deno|bun|zig|flutter|dart) (?:test|vet|clippy|nextest)\b"
    r"|^(?:mvn|gradle|\./gradlew|\./mvnw|sbt)\b.*\b(?:test|verify|check)\b"
    r"|^(?:bundle exec )?(?:rspec|rake test|minitest)\b"
    r"|^(?:\S*/)?phpunit\b|^ctest\b|^bats\b|^(?:ruff|mypy|flake8|pylint|pyright)\b"
    r"|^(?:npm|pnpm|yarn|bun) (?:run )?test\b"
)


def defines_checks(path: str) -> bool:
    """Whether a file says what a check of its folder runs."""
    return os.path.basename(path) in _FILES


def promises(path: str, text: str) -> dict[str, str]:
    """What each check that a file defines runs, or what a runner's setting is, by a name for people."""
    file = os.path.basename(path)
    if file in MAKEFILES:
        return _make(text)
    if file == "justfile":
        return {f"just {name}": recipe for name, recipe in _recipes(text).items() if name in TARGETS}
    if file == "package.json":
        return _scripts(text)
    return _runner_settings(file, text)


def runners(recipe: str) -> list[str]:
    """The commands of a recipe that are known to run tests or lints, each with its words, when their failure counts."""
    return [command for command in commands(recipe) if _RUNNER.search(command)]


def commands(recipe: str) -> list[str]:
    """The commands of a recipe whose failure makes it fail."""
    lines = [line.strip() for line in recipe.splitlines()]
    found = [one for line in lines if not line.startswith("-") for one in decisive_commands(line.lstrip("@+"))]
    return [" ".join(one.argv) for one in found]


def _make(text: str) -> dict[str, str]:
    joined = text.replace("\\\n", " ")
    settings = {m[1]: m[2].strip() for line in joined.splitlines() if (m := _SETTING.match(line))}
    recipes = _recipes(joined)
    found = {}
    for name in TARGETS:
        if name in recipes:
            found[f"make {name}"] = _expanded(_closure(name, recipes, set()), settings)
    bending = [name for name in ("SHELL", ".SHELLFLAGS", "MAKEFLAGS") if name in settings]
    if found and (bending or ".IGNORE" in recipes):
        found["make's own settings"] = "\n".join(
            [*(f"{name}={settings[name]}" for name in bending), *_ignored(recipes)]
        )
    return found


def _ignored(recipes: dict[str, str]) -> list[str]:
    return [".IGNORE"] if ".IGNORE" in recipes else []


def _recipes(text: str) -> dict[str, str]:
    """The lines of each target, its prerequisites first as `@name`."""
    found: dict[str, str] = {}
    targets: list[str] = []
    for line in text.splitlines():
        if line[:1] in ("\t", " ") and targets:
            for target in targets:
                found[target] += line.strip() + "\n"
        elif line.strip() and not line.startswith("#") and not _SETTING.match(line) and (match := _RULE.match(line)):
            targets = match[1].split()
            needs, _, first = match[2].partition(";")
            for target in targets:
                known = found.get(target, "")
                found[target] = (
                    known + "".join(f"\0{need}\n" for need in needs.split()) + (first.strip() + "\n" if first else "")
                )
        elif line.strip() and not line.startswith("#"):
            targets = []
    return found


def _closure(name: str, recipes: dict[str, str], seen: set[str]) -> str:
    """A target's lines after those of what it needs."""
    if name in seen:
        return ""
    seen.add(name)
    lines = []
    for line in recipes.get(name, "").splitlines():
        lines.append(_closure(line[1:], recipes, seen) if line.startswith("\0") else line)
    return "\n".join(line for line in lines if line)


def _expanded(recipe: str, settings: dict[str, str], depth: int = 5) -> str:
    if not depth or "$" not in recipe:
        return recipe
    grown = re.sub(r"\$[({]([\w.]+)[)}]", lambda match: settings.get(match[1], match[0]), recipe)
    return grown if grown == recipe else _expanded(grown, settings, depth - 1)


def _scripts(text: str) -> dict[str, str]:
    from mi.kernel.jsontext import BadJson, decode

    try:
        package = decode(text.encode(), dict[str, Any])
    except BadJson:
        return {}
    scripts = package.get("scripts")
    known = scripts if isinstance(scripts, dict) else {}
    found = {f"script {name}": str(script) for name, script in known.items() if SCRIPT.match(name)}
    # `pretest` runs before, and a failure of it counts; what a runner is told here bends it like a file of its own.
    found |= {
        f"{name} settings": str(package[name]) for name in ("jest", "mocha", "ava", "c8", "nyc") if name in package
    }
    return found


def _runner_settings(path: str, text: str) -> dict[str, str]:
    if path == "pyproject.toml":
        import tomllib

        try:
            tool = tomllib.loads(text).get("tool", {})
        except tomllib.TOMLDecodeError:
            return {}
        options = tool.get("pytest", {}).get("ini_options", {}) if isinstance(tool, dict) else {}
        section = {key: _flat(value) for key, value in options.items()} if isinstance(options, dict) else {}
        return {f"pytest {key}": section[key] for key in _PYTEST_KEYS if key in section}
    import configparser

    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
    except configparser.Error:
        return {}
    name = _PYTEST_SECTIONS.get(os.path.basename(path), "")
    own = dict(parser.items(name)) if parser.has_section(name) else {}
    found = {f"pytest {key}": own[key] or "" for key in _PYTEST_KEYS if key in own}
    for name in parser.sections() if path == "tox.ini" else ():
        if name.startswith("testenv") and parser.has_option(name, "commands"):
            found[f"tox {name}"] = (parser.get(name, "commands") or "").strip()
    return found


def _flat(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
