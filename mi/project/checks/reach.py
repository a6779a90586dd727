"""What of a project a call runs: in which folders, for which language, and which tests it leaves out."""

import os
import re
import shlex
from collections.abc import Iterable
from functools import cache

from mi.kernel.named_tuple import NamedTuple
from mi.kernel.shell import simple_commands
from mi.project.checks.file_kinds import is_test
from mi.project.checks.files import promises
from mi.project.checks.folder import read_json, text_of
from mi.project.checks.forms import plain_forms
from mi.project.checks.languages import language_of
from mi.project.checks.listing import FolderListing, is_below, joined
from mi.project.checks.runner import Argv, Check, Form, Kind, ReadFile, Runner
from mi.project.checks.runners import BY_NAME

_EVERYWHERE = frozenset(("--workspaces", "-ws", "-r", "--recursive"))  # a script in every workspace
# What scripts of a project's own hand on to whatever runs the tests.
_USUALLY_NARROWS = (
    r"-[kmtg]|-k\S+|--?(?:run|grep|filter|only|tests?|deselect|ignore|lf|last-failed|testNamePattern)\b.*|.*::.*"
    r"|test_?\w*(?:\.\w+)+"
)
_RECIPES_DEEP = 4  # recipes that call recipes
_STRONGEST: tuple[Kind, ...] = ("test", "build", "lint")
_BUILDS = frozenset("build compile check package assemble".split())


class Root(NamedTuple):
    """A file or folder that is run; not `deep`: nothing in folders below it."""

    path: str
    deep: bool = True


class CheckReach(NamedTuple):
    """A part of what a call runs."""

    roots: tuple[Root, ...]
    language: str  # '' is any
    below: bool = False  # also packages in folders below
    patterns: tuple[re.Pattern[str], ...] | None = None  # one of which the path of a test file must match to be run


class CheckReader:
    """Reads what the calls of a project's checks would run; starts nothing."""

    def __init__(self, root: str, listing: FolderListing) -> None:
        self._root = root
        self._listing = listing
        self._text = cache(lambda path: text_of(root, path))

    def text(self, path: str) -> str:
        """Return what a file of the project holds."""
        return self._text(path)

    def kind(self, check: Check) -> Kind:
        """Return how strong a check is; a recipe is as strong as the strongest known program that it runs."""
        return self.kind_of_call(_form(check).words, check.folder, check.kind)

    def kind_of_call(self, words: Argv, folder: str, named: Kind) -> Kind:
        """Return how strong a call is that is named after a kind; one that runs no test is no test."""
        kinds = {kind for inner, _ in self._recipe(words, folder) if (kind := kind_of(inner))}
        return next((kind for kind in _STRONGEST if kind in kinds), named) if named == "test" else named

    def reach(self, words: Argv, folder: str, depth: int = _RECIPES_DEEP) -> list[CheckReach]:
        """Return what a call in its plain form runs in a folder."""
        runner = BY_NAME.get(words[0])
        if runner is None:
            return [CheckReach((Root(folder),), "")]
        if words[0] == "script" and _EVERYWHERE.intersection(words):
            return [CheckReach((Root(folder),), runner.language, below=True)]
        if words[0] == "script" and (places := self._workspaces(words, folder)) is not None:
            return [one for place in places for one in self.reach(_here(words), place, depth)]
        inner = self._recipe(words, folder) if depth else []
        kinds = [kind_of(each) for each, _ in inner]
        strongest = next((kind for kind in _STRONGEST if kind in kinds), None)
        chosen = [call for call, kind in zip(inner, kinds, strict=True) if kind and kind == strongest]
        known = [one for each, place in chosen for one in self._promised(each, place, depth - 1)]
        return known or self._own_reach(runner, words, folder)

    def _promised(self, words: Argv, folder: str, depth: int) -> list[CheckReach]:
        """Return the reach of a call in a recipe: what of their own package it runs is for its people to say."""
        found = self.reach(words, folder, depth)
        return [*found, *(CheckReach((Root(folder),), language) for language in {one.language for one in found})]

    def narrowing(self, words: Argv, folder: str, settings: Argv = ()) -> Argv:
        """Return the words of a call that leave tests out by name."""
        runner = BY_NAME.get(words[0])
        if runner is None or words[0].endswith(".sh"):
            return tuple(word for word in words[1:] if re.fullmatch(_USUALLY_NARROWS, word) or _is_test_path(word))
        own = bool(runner.by_recipe or not runner.language)
        inner = self._inner_programs(words, folder) if own else set()
        runners = [one for name in (words[0], *inner) if (one := BY_NAME.get(name)) and one.narrowed_by]
        handed_on = [word for word in words[1:] if not (runner.keeps and re.fullmatch(runner.keeps, word))]
        said = (*_said(handed_on), *_said(settings)) if own else words[1:]
        narrowed = tuple(word for word in said for one in runners if re.fullmatch(one.narrowed_by, word))
        files = tuple(word for word in said if own and _is_test_path(word))
        named = _operands(words[2:], runner.with_value) if runner and runner.picks_by == "names" else []
        return (*narrowed, *files, *named)

    def _inner_programs(self, words: Argv, folder: str, depth: int = _RECIPES_DEEP) -> set[str]:
        """Return the programs that a recipe runs in the end."""
        places = self._workspaces(words, folder) if words[0] == "script" else None
        calls = [
            call for place in ([folder] if places is None else places) for call in self._recipe(_here(words), place)
        ]
        deeper = [self._inner_programs(each, place, depth - 1) for each, place in calls if depth]
        return {each[0] for each, _ in calls}.union(*deeper)

    def _own_reach(self, runner: Runner, words: Argv, folder: str) -> list[CheckReach]:
        below = runner.reaches_below(words, self._reader(folder)) if callable(runner.reaches_below) else None
        deep = bool(runner.reaches_below) if below is None else below
        said = _operands(words[1 + bool(runner.tests) :], runner.with_value)
        match runner.picks_by:
            case "files":
                picked = [Root(joined(folder, one)) for one in said if self._is_picked(runner, one, folder)]
                globs = tuple(_glob(joined(folder, one)) for one in said if "*" in one)
                if picked or globs:
                    return [CheckReach(tuple(picked), runner.language, deep, globs or None)]
            case "patterns" if said:
                return [CheckReach((Root(folder),), runner.language, deep, tuple(map(_pattern, said)))]
            case "modules":
                return [self._modules(runner, words, said, folder)]
            case "folders":
                return [CheckReach(_go_roots([one for one in said if _is_place(one)], folder), runner.language)]
        return self._whole(runner, folder, deep)

    def _whole(self, runner: Runner, folder: str, below: bool) -> list[CheckReach]:
        """Return the reach of a call without a word of what to run; settings may say where a runner looks."""
        own = CheckReach((Root(folder),), runner.language, below)
        paths = next((value for file in runner.defined_in if (value := self._testpaths(runner, folder, file))), "")
        if not below or not paths:
            return [own]
        named = tuple(Root(joined(folder, path)) for path in paths.split())
        return [own._replace(below=False), CheckReach(named, runner.language, below=True)]

    def _testpaths(self, runner: Runner, folder: str, file: str) -> str:
        if runner.name != "pytest" or file not in self._listing.get(folder, ()):
            return ""
        path = joined(folder, file)
        return promises(path, self.text(path)).get("pytest testpaths", "")

    def _modules(self, runner: Runner, words: Argv, said: list[str], folder: str) -> CheckReach:
        """Return the reach of unittest's or Django's words: modules with dots, files, or where to discover."""
        start = next((value for flag, value in _options(words) if flag in ("-s", "--start-directory")), "")
        pattern = next((value for flag, value in _options(words) if flag in ("-p", "--pattern")), "")
        if "discover" in said:
            said.remove("discover")
            start, pattern = start or "".join(said[:1]), pattern or "".join(said[1:2])
            said = []
        picked = tuple(Root(joined(folder, path)) for one in said for path in self._module_paths(one, folder))
        globs = (re.compile(_translated(pattern)),) if pattern else None
        return CheckReach(picked if said else (Root(joined(folder, start)),), runner.language, patterns=globs)

    def _module_paths(self, name: str, folder: str) -> list[str]:
        path = name if name.endswith(".py") else name.replace(".", "/") if "/" not in name else name
        return [path, path + ".py"]

    def _is_picked(self, runner: Runner, word: str, folder: str) -> bool:
        if "*" in word or word.endswith(".sln"):
            return False
        full = os.path.join(self._root, folder, word)
        return os.path.isdir(full) or language_of(word) == runner.language

    def _reader(self, folder: str) -> ReadFile:
        return lambda name: self.text(joined(folder, name))

    # recipes

    def _recipe(self, words: Argv, folder: str) -> list[tuple[Argv, str]]:
        """Return the calls, in their plain form and with their folder, of what a recipe runs; [] when it is none."""
        runner = BY_NAME.get(words[0])
        names = self._listing.get(folder, set())
        if runner is None or runner.promises is None or not runner.by_recipe:
            return []
        promised: dict[str, str] = {}
        for file in runner.defined_in:
            if file in names:
                promised = runner.promises(file, self.text(joined(folder, file))) | promised
        text = runner.recipe(words, promised) if runner.recipe else promised.get(" ".join(words[:2]), "")
        return list(_calls(text, folder))

    def _workspaces(self, words: Argv, folder: str) -> list[str] | None:
        """Return the folders of the workspaces a script is run in; None is this folder alone."""
        if _EVERYWHERE.intersection(words):
            below = [place for place, names in self._listing.items() if "package.json" in names]
            return [place for place in below if place != folder and is_below(place, folder)]
        named = [word.partition("=")[2] for word in words if word.startswith("--workspace=")]
        return [place for one in named for place in self._workspace(one, folder)] if named else None

    def _workspace(self, name: str, folder: str) -> Iterable[str]:
        for place, names in self._listing.items():
            if "package.json" in names and is_below(place, folder):
                package = read_json(self.text(joined(place, "package.json")))
                if name in (package.get("name"), place) or joined(folder, name) == place:
                    yield place


def kind_of(words: Argv) -> Kind | None:
    """Return how strong a call of a known program is; None when it is none of a check's."""
    runner = BY_NAME.get(words[0])
    if runner is None:
        return None
    if not runner.tests or re.match(runner.tests, " ".join(words[1:])):
        return runner.kind
    return "build" if _BUILDS.intersection(words[1:2]) else "lint" if runner.in_recipe else None


def _form(check: Check) -> Form:
    forms = plain_forms(check.argv)
    return forms[0] if forms else Form(check.argv)


def _calls(text: str, folder: str) -> Iterable[tuple[Argv, str]]:
    """Yield the calls of a recipe's lines, those of known programs in their plain form."""
    for line in text.splitlines():
        for command in simple_commands(line.lstrip("@+-").replace("$(MAKE)", "make").replace("${MAKE}", "make")):
            for form in plain_forms(command.argv)[:1]:
                place = joined(joined(folder, command.folder or ""), form.folder)
                yield form.words, place


def _here(words: Argv) -> Argv:
    return tuple(word for word in words if not word.startswith("--workspace=") and word not in _EVERYWHERE)


def _said(words: Iterable[str]) -> Argv:
    """Return words, and those in the values of `NAME=value` among them."""
    found: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if equals and re.fullmatch(r"[A-Za-z_]\w*", name):
            try:
                found += [word, *shlex.split(value)]
            except ValueError:
                found.append(word)
        elif word != "--":
            found.append(word)
    return tuple(found)


def _is_test_path(word: str) -> bool:
    return not word.startswith("-") and "=" not in word and bool(language_of(word)) and is_test(word)


def _operands(words: Argv, with_value: Argv) -> list[str]:
    """Return the words that are no options nor the value of one."""
    found: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in with_value and rest and not rest[0].startswith("-"):
            rest.pop(0)
        elif not word.startswith("-"):
            found.append(word)
    return found


def _options(words: Argv) -> Iterable[tuple[str, str]]:
    """Yield the options with the value that each has or may have."""
    for at, word in enumerate(words):
        if word.startswith("-"):
            flag, equals, value = word.partition("=")
            yield flag, value if equals else "".join(words[at + 1 : at + 2])


def _is_place(word: str) -> bool:
    return word.startswith(".") or "/" in word or word in ("all", "work")


def _go_roots(words: list[str], folder: str) -> tuple[Root, ...]:
    if not words:
        return (Root(folder, deep=False),)
    return tuple(
        Root(joined(folder, word.removesuffix("...").rstrip("/") or "."), deep=word.endswith("...")) for word in words
    )


def _pattern(word: str) -> re.Pattern[str]:
    try:
        return re.compile(word.removeprefix("./"))
    except re.error:
        return re.compile(re.escape(word))


def _glob(path: str) -> re.Pattern[str]:
    return re.compile(r"(?:^)" + _translated(path, anywhere=False))


def _translated(glob: str, anywhere: bool = True) -> str:
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    by = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return ("(?:^|/)" if anywhere else "") + "".join(by.get(part, re.escape(part)) for part in parts) + "$"
