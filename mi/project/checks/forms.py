"""The plain form of a call: the same check has many spellings, and what stands around it says nothing about it."""

import os
import re
from typing import NamedTuple

Argv = tuple[str, ...]
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
# Programs that run the one after them, with those of their options that take a value.
_RUNNERS: dict[Argv, Argv] = {
    ("uv", "run"): ("--extra", "--with", "--group", "--python", "-p", "--package", "--env-file", "--index-url"),
    ("poetry", "run"): (),
    ("pipenv", "run"): (),
    ("hatch", "run"): (),
    ("pdm", "run"): (),
    ("rye", "run"): (),
    ("pixi", "run"): ("-e", "--environment"),
    ("conda", "run"): ("-n", "--name", "-p", "--prefix"),
    ("npx",): (),
    ("npm", "exec"): (),
    ("pnpm", "exec"): (),
    ("pnpm", "dlx"): (),
    ("yarn", "dlx"): (),
    ("yarn", "exec"): (),
    ("bunx",): (),
    ("bundle", "exec"): (),
    ("xvfb-run",): ("-n", "-s", "--server-args"),
    ("coverage", "run"): ("--source", "--rcfile", "--data-file", "--include", "--omit", "--context"),
}
_ELSEWHERE = re.compile(r"-p|--package\b.*|-c|--call\b.*|--directory\b.*|--project\b.*")
_MODULES = frozenset("pytest tox nox ruff mypy flake8 pylint pyright coverage unittest nose2 behave".split())
_NAMES = {"py.test": "pytest", "pytest-3": "pytest", "mvnw": "mvn", "gradlew": "gradle", "gmake": "make"}
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_NPM_SHORT = {"t": "test", "tst": "test"}
_MVN = ("test", "verify", "package", "install", "integration-test")
_GRADLE = ("test", "check", "build")


class Form(NamedTuple):
    """A call in its plain form, and the folder it was told to work in ('': none)."""

    words: Argv
    folder: str = ""


def plain_forms(argv: Argv) -> list[Form]:
    """What a call may mean; several where it cannot be told without looking into the project."""
    words = (common_name(argv[0]), *argv[1:])
    for runner, with_value in _RUNNERS.items():
        if words[: len(runner)] == runner:
            return _inside(words[len(runner) :], with_value, runner[0])
    program = words[0]
    if _PYTHON.fullmatch(program):
        return _python(words[1:])
    if program in _MANAGERS:
        return _scripts(program, words[1:])
    match program:
        case "make" | "just":
            return _targets(program, words[1:])
        case "mvn":
            return [_tested("mvn", words[1:], _MVN)]
        case "gradle":
            return [_tested("gradle", words[1:], _GRADLE)]
        case "cargo":
            return [Form(("cargo", *_cargo(words[1:])))]
        case "go" if words[1:2] == ("-C",):
            return [Form(("go", *words[3:]), words[2] if len(words) > 2 else "")]
        case "gotestsum":
            return [Form(("go", "test", *words[1:]))]
        case "vitest":
            return [Form(("vitest", *(word for word in words[1:] if word not in ("run", "--run"))))]
        case "composer":
            return [Form(("composer", *(word for word in words[1:] if word not in ("run", "run-script"))))]
        case "rake" | "rails":
            return [Form(words if len(words) > 1 else (program, "test"))]
        case "bash" | "sh" | "zsh" if words[1:2] and words[1].endswith(".sh"):
            return plain_forms(words[1:])
        case "hatch" if words[1:2] == ("test",):
            return [Form(("pytest", *words[2:]))]
    return [Form(words)]


def common_name(program: str) -> str:
    """A program by the name that every installation of it has in common."""
    name = os.path.basename(program)
    return _NAMES.get(name, name)


def _inside(words: Argv, with_value: Argv, runner: str) -> list[Form]:
    """What a runner of programs runs; nothing when it is told to take the program from elsewhere."""
    while words and words[0].startswith("-"):
        if words[0] == "-m":
            return _python(words)
        if words[0] in ("--help", "-h", "--version", "-V"):
            return []
        if words[0] not in with_value and _ELSEWHERE.fullmatch(words[0]) and runner in ("npx", "npm", "uv", "bunx"):
            return []
        words = words[2 if words[0] in with_value else 1 :]
    return plain_forms(words) if words else []


def _python(words: Argv) -> list[Form]:
    """`python -m pytest` is pytest; other calls keep their words."""
    rest = words
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c", "-"):
        rest = rest[2 if rest[0] in ("-X", "-W") else 1 :]
    if rest[:1] == ("-m",) and len(rest) > 1:
        module = _NAMES.get(rest[1], rest[1])
        return plain_forms((module, *rest[2:])) if module in _MODULES else [Form(("python", *rest))]
    return [Form(("python", *rest))]


def _scripts(manager: str, words: Argv) -> list[Form]:
    """A script of package.json, whichever program runs it; or a program that the packages bring."""
    folder, kept = "", list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            kept += [word, *rest]
            break
        if word in ("--prefix", "--cwd", "--dir", "-C") and rest:
            folder = rest.pop(0)
        elif word.startswith(("--prefix=", "--cwd=", "--dir=")):
            folder = word.partition("=")[2]
        else:
            kept.append(word)
    at = next((number for number, word in enumerate(kept) if not word.startswith("-")), len(kept))
    options, kept = kept[:at], kept[at:]
    if not kept:
        return []
    first = _NPM_SHORT.get(kept[0], kept[0])
    if first in ("run", "run-script"):
        named = next((number for number, word in enumerate(kept[1:], 1) if not word.startswith("-")), 0)
        return [Form(("script", kept[named], *options, *kept[1:named], *kept[named + 1 :]), folder)] if named else []
    if manager == "npm":
        return [Form(("script", first, *options, *kept[1:]), folder)] if first == "test" else []
    own = [Form(("bun", "test", *kept[1:]), folder)] if (manager, first) == ("bun", "test") else []
    script = Form(("script", first, *options, *kept[1:]), folder)
    return [*own, script, *(form._replace(folder=folder) for form in plain_forms((first, *kept[1:])))]


def _targets(program: str, words: Argv) -> list[Form]:
    """Each target that make is asked for, with everything else that was said to it."""
    folder, options, targets = "", list[str](), list[str]()
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ("-C", "--directory") and rest:
            folder = rest.pop(0)
        elif word.startswith("--directory="):
            folder = word.partition("=")[2]
        elif word in ("-j", "--jobs", "-l", "-O") and rest and rest[0].isdigit():
            rest.pop(0)
        else:
            (options if word.startswith("-") or "=" in word else targets).append(word)
    return [Form((program, target, *options), folder) for target in targets or ["all"]]


def _tested(program: str, words: Argv, phases: Argv) -> Form:
    """A build of which the tests are a part is a run of the tests."""
    rest = [word for word in words if word.rpartition(":")[2] not in phases]
    return Form((program, "test", *rest) if len(rest) < len(words) else (program, *words))


def _cargo(words: Argv) -> Argv:
    rest = tuple(word for word in words if not word.startswith("+"))
    rest = rest[1:] if rest[:1] in (("-q",), ("--quiet",), ("-v",), ("--locked",), ("--offline",)) else rest
    if rest[:2] == ("nextest", "run"):
        return ("test", *rest[2:])
    short = {"t": "test", "c": "check", "b": "build"}
    return (short.get(rest[0], rest[0]), *rest[1:]) if rest else rest
