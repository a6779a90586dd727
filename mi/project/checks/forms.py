"""The plain form of a call: the same check has many spellings, and what stands around it says nothing about it."""

import os
import re
from functools import lru_cache

from mi.project.checks.runner import Argv, Form
from mi.project.checks.runners import BY_NAME, COMMON_NAMES

_SETTING = re.compile(r"[A-Za-z_]\w*=.*")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*")
# Programs that run the one after them, with those of their options that take a value.
_WRAPPERS: dict[Argv, Argv] = {
    ("uv", "run"): ("--extra", "--with", "--group", "--python", "-p", "--package", "--env-file", "--index-url"),
    ("poetry", "run"): (),
    ("pipenv", "run"): (),
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
    ("cross-env",): (),
    ("dotenv",): ("-e", "-f"),
    ("c8",): ("--reporter", "-r", "--reports-dir"),
    ("nyc",): ("--reporter", "-r", "--report-dir"),
    ("coverage", "run"): ("--source", "--rcfile", "--data-file", "--include", "--omit", "--context"),
}
_CONTAINERS = frozenset("docker docker-compose podman podman-compose nerdctl".split())
_CONTAINER_VALUES = frozenset(
    "-u --user -w --workdir -e --env -v --volume --name --entrypoint -p --publish --network --env-file".split()
)
_ELSEWHERE = re.compile(r"-p|--package\b.*|-c|--call\b.*|--directory\b.*|--project\b.*")


@lru_cache(4096)
def plain_forms(argv: Argv) -> list[Form]:
    """Return what a call may mean; several where it cannot be told without looking into the project."""
    program, words = common_name(argv[0]), argv[1:]
    if program in _CONTAINERS:
        return _in_container(words)
    for wrapper, with_value in _WRAPPERS.items():
        if (program, *words)[: len(wrapper)] == wrapper:
            return _inside(words[len(wrapper) - 1 :], with_value, program)
    if _PYTHON.fullmatch(program):
        return _python(words)
    runner = BY_NAME.get(program)
    return runner.plain(words, plain_forms) if runner and runner.plain else [Form((program, *words))]


def common_name(program: str) -> str:
    """Return a program by the name that every installation of it has in common."""
    name = os.path.basename(program)
    return COMMON_NAMES.get(name, name)


def _inside(words: Argv, with_value: Argv, wrapper: str) -> list[Form]:
    """Return what a wrapper runs; nothing when it is told to take the program from elsewhere."""
    while words and words[0].startswith("-"):
        if words[0] == "-m":
            return _python(words)
        if words[0] in ("--help", "-h", "--version", "-V"):
            return []
        if words[0] not in with_value and _ELSEWHERE.fullmatch(words[0]) and wrapper in ("npx", "npm", "uv", "bunx"):
            return []
        words = words[2 if words[0] in with_value else 1 :]
    while words and _SETTING.fullmatch(words[0]):  # `cross-env CI=1 jest`
        words = words[1:]
    if len(words) == 1 and " " in words[0]:  # `nyc "npm test"`
        words = tuple(words[0].split())
    return plain_forms(words) if words else []


def _in_container(words: Argv) -> list[Form]:
    """Return what `docker compose run` or `exec` runs in a service; nothing else that it does is a check."""
    rest = [word for word in words if word != "compose"]
    at = next((number for number, word in enumerate(rest) if word in ("run", "exec")), None)
    if at is None:
        return []
    inner = rest[at + 1 :]
    while inner and inner[0].startswith("-"):
        inner = inner[2 if inner[0] in _CONTAINER_VALUES else 1 :]
    return plain_forms(tuple(inner[1:])) if len(inner) > 1 else []


def _python(words: Argv) -> list[Form]:
    """Return `python -m pytest` as pytest; other calls keep their words."""
    rest = words
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "-c", "-"):
        rest = rest[2 if rest[0] in ("-X", "-W") else 1 :]
    if rest and common_name(rest[0]) == "manage.py":
        return [Form(("manage.py", *rest[1:]))]
    if rest[:1] == ("-m",) and len(rest) > 1:
        runner = BY_NAME.get(common_name(rest[1]))
        if runner and runner.is_module:
            return plain_forms((runner.name, *rest[2:]))
    return [Form(("python", *rest))]
