"""The commands that a project's guides and its CI name for running the tests."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

from mi.kernel.shell.outcome import decisive_commands
from mi.kernel.yamltext import parse_yaml
from mi.project.checks.folder import ProjectFolder, mapping
from mi.project.checks.forms import plain_forms
from mi.project.checks.order import GUIDES
from mi.project.checks.places import place_of
from mi.project.checks.reach import kind_of
from mi.project.checks.runner import Check
from mi.project.checks.runners import BY_NAME

_FENCE = re.compile(r"^ {0,3}(```++|~~~++)[^\n]*\n(.*?)(?:^ {0,3}\1[ \t\r]*$|\Z)", re.MULTILINE | re.DOTALL)
_QUOTED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_OPEN = re.compile(r"<\w|\$\{\{|path/to|\.\.\.(?=\s)|\$\(\)|\[\w+\]")  # a hole that the reader is to fill
_WORKFLOWS = ".github/workflows"
_TESTING = re.compile(r"test|ci\b|check|build|main|python|node|go|rust", re.IGNORECASE)
_TESTS = re.compile(r"(?:run[-_]?)?(?:tests?|check|checks|ci|verify)(?![a-z])")  # begins a word that says so
_MOST = 20  # of one file
_LINES = 400


def find_documented(folder: ProjectFolder) -> Iterator[Check]:
    """Yield the checks that a folder's guides name and, at the root, those that CI runs."""
    for name in GUIDES:
        if name in folder.names:
            lines = list(_guide_lines(folder.text(name)))
            yield from _tests(lines, name)
            yield from _own_scripts(lines, name, folder)
    if not folder.path:
        yield from _find_in_ci(folder)


def _find_in_ci(folder: ProjectFolder) -> Iterator[Check]:
    names = [name for name in folder.list(_WORKFLOWS) if name.endswith((".yml", ".yaml"))]
    for name in sorted(names, key=lambda name: (not _TESTING.search(name), name)):
        yield from _tests(_github_steps(_yaml(folder.text(f"{_WORKFLOWS}/{name}"))), f"{_WORKFLOWS}/{name}")
    if ".gitlab-ci.yml" in folder.names:
        yield from _tests(_gitlab_steps(_yaml(folder.text(".gitlab-ci.yml"))), ".gitlab-ci.yml")


def _tests(steps: Iterable[tuple[str, str]], source: str) -> list[Check]:
    """Return the commands among shell texts, each with the folder it is run in, that run all tests of something."""
    found = [check for text, folder in steps for check in _checks_in(text, folder, source)]
    return list(dict.fromkeys(found))[:_MOST]


def _checks_in(text: str, folder: str, source: str) -> Iterator[Check]:
    for call in decisive_commands(text):
        place = place_of(os.path.join(folder, call.folder or "") or ".", "")
        form = next(iter(plain_forms(call.argv)), None)
        if place is None or form is None or _OPEN.search(" ".join(call.argv)) or call.settings:
            continue
        if kind_of(form.words) == "test" and form.words[0] in BY_NAME and not _narrows(form.words):
            yield Check("test", call.argv, source, place)


def _own_scripts(lines: Iterable[tuple[str, str]], source: str, folder: ProjectFolder) -> Iterator[Check]:
    """Yield the commands of a guide that run a script of the project for its tests: `sh dev.sh test`, `./ci`."""
    for line, _ in lines:
        calls = decisive_commands(line)
        words = calls[0].argv if len(calls) == 1 and not calls[0].folder and not calls[0].settings else ()
        script = words[1] if words[:1] in (("sh",), ("bash",)) and len(words) > 1 else "".join(words[:1])
        is_own = bool(re.search(r"\.sh$|^\./|^(?:bin|scripts?|tools)/", script)) and folder.has(script)
        said = [os.path.basename(script), *words[words.index(script) + 1 :]] if is_own else []
        if any(_TESTS.match(word) for word in said) and not _OPEN.search(line):
            yield Check("test", words, source)


def _narrows(words: tuple[str, ...]) -> bool:
    runner = BY_NAME[words[0]]
    narrowed = runner.narrowed_by and any(re.fullmatch(runner.narrowed_by, word) for word in words[1:])
    return bool(narrowed) or any(re.search(r"\.\w+$", word) and "/" in word for word in words[1:] if word[0] != "-")


def _guide_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a guide: lines of its code blocks, words in backquotes."""
    blocks = [match[2] for match in _FENCE.finditer(text)]
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()[:_LINES]]
    quoted = _QUOTED.findall(_FENCE.sub("", text))
    yield from ((line, "") for line in (*lines, *quoted) if line and not line.startswith("#"))


def _github_steps(workflow: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for job in mapping(workflow.get("jobs")).values():
        usual = mapping(mapping(mapping(job).get("defaults")).get("run")).get("working-directory", "")
        steps = mapping(job).get("steps")
        for step in steps if isinstance(steps, list) else []:
            run, folder = mapping(step).get("run"), mapping(step).get("working-directory", usual)
            if isinstance(run, str) and isinstance(folder, str):
                yield from _lines_of(run, folder)


def _gitlab_steps(pipeline: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for job in pipeline.values():
        script = mapping(job).get("script")
        lines = script if isinstance(script, list) else [script]
        yield from (one for line in lines if isinstance(line, str) for one in _lines_of(line, ""))


def _lines_of(run: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield a step as CI runs it: the first line that fails ends it."""
    yield "set -e\n" + "\n".join(run.splitlines()[:_LINES]), folder


def _yaml(text: str) -> dict[str, Any]:
    """Return a YAML text as an object; nothing when it is none."""
    if not text:
        return {}
    import yaml

    try:
        return mapping(parse_yaml(text))
    except yaml.YAMLError:
        return {}
