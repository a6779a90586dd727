"""Two trees beside each other: which judges of the first are not what they were in the second."""

import re
from collections.abc import Iterator
from functools import cached_property

from mi.kernel.secrets import redact_start
from mi.project.checks.judge_blocks import block_items, inline_items, shell_items
from mi.project.checks.judge_differences import SHOWN, How, JudgeChange, differences
from mi.project.checks.judge_git import rules_of
from mi.project.checks.judge_items import JudgeItem, names_in
from mi.project.checks.judge_places import (
    extension,
    is_set_up,
    is_test_code,
    judge_kind,
    shadows_module,
    stands_before_all,
)
from mi.project.checks.judge_python import example_items, modules_of, patches, python_items, reaches_out
from mi.project.checks.judge_recipes import name_like_file
from mi.project.checks.judge_settings import settings_of
from mi.project.checks.judge_snapshots import data_items
from mi.project.checks.judge_test_only import find_test_only
from mi.project.trees import Tree

_READ = 400  # test files that are looked at for the names they use
_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_SCRIPT_PLACE = re.compile(
    r"(?:^|/)(?:scripts?|bin|tools|ci|\.github|hack|dev)/|\.(?:sh|bash)$|(?:test|check)[^/]*$|(?:^|/)[^./]+$"
)
_HIDEABLE = ("code", "data", "settings", "recipe")


def text_of(data: bytes | None) -> str:
    """Return a file as text; '' when there is none."""
    return (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")


def code_items(path: str, text: str) -> list[JudgeItem]:
    """Return the items of a file of test code, or of the tests inside of other code."""
    if judge_kind(path) == "inline":
        return inline_items(text)
    language = extension(path)
    if language in ("sh", "bash"):
        return shell_items(text)
    return python_items(text) if language in ("py", "pyi") else block_items(text, language)


class JudgeComparison:
    """Two trees, and what of the first one judges."""

    def __init__(self, base: Tree, final: Tree, renamed: dict[str, str], task: str = "") -> None:
        self._task = task
        self._base = base
        self._final = final
        self._renamed = renamed

    def changes(self) -> list[JudgeChange]:
        """Return what is not as it was, in the order of the files."""
        paths = self._final.changed_since(self._base)
        found = [change for path in paths for change in (*self._look_at(path), *self._test_only(path))]
        return [*_joined_moves(found, [path for path in paths if self._is_new(path)], self._final), *self._submodules()]

    def _is_new(self, path: str) -> bool:
        return self._base.read(path) is None

    @cached_property
    def _judges(self) -> list[str]:
        return [path for path in self._base.paths() | self._final.paths() if judge_kind(path) in _HIDEABLE]

    @cached_property
    def _tests(self) -> list[str]:
        return sorted(path for path in self._base.paths() if is_test_code(path))

    @cached_property
    def _has_tests(self) -> bool:
        return bool(self._tests) or any(
            "#[test]" in text_of(self._base.read(path)) for path in self._base.paths() if extension(path) == "rs"
        )

    @cached_property
    def _test_folders(self) -> frozenset[str]:
        return frozenset(path.rpartition("/")[0] for path in self._tests if path.endswith(".py"))

    def _look_at(self, path: str) -> Iterator[JudgeChange]:
        before, after = self._base.read(path), self._final.read(path)
        kind = judge_kind(path) or ("recipe" if self._is_called(path) else "")
        if not kind and path.endswith(".py") and self._runs_examples:
            kind = "examples"
        if before is None and after is not None and (taken := self._takes_a_place(path, kind, text_of(after))):
            yield JudgeChange(path, taken, "in place of a judge", "", redact_start(text_of(after), SHOWN))
        elif kind and (before is not None or after is not None):
            if before is not None and after is None and kind in ("code", "data", "settings", "recipe"):
                yield JudgeChange(path, "", "removed", redact_start(text_of(before), SHOWN), "")
            elif before is not None or kind in ("manifest", "git") or (is_set_up(path) and self._below(path)):
                yield from self._compared(path, kind, before, after)
        elif kind in ("recipe", "settings") and self._mode(path):
            yield JudgeChange(path, "", "changed", self._mode(path), "")

    def _test_only(self, path: str) -> Iterator[JudgeChange]:
        if name := find_test_only(path, self._base, self._final, self._task):
            text = text_of(self._final.read(path))
            yield JudgeChange(path, f"defines {name}", "for the tests alone", "", redact_start(text, SHOWN))

    def _compared(self, path: str, kind: str, before: bytes | None, after: bytes | None) -> Iterator[JudgeChange]:
        if before == after and kind != "recipe":
            return
        was, now = self._items(path, kind, before), self._items(path, kind, after)
        used = self._used(path, was)
        how: How = "hidden" if kind == "git" else "in place of a judge" if before is None else "changed"
        if before == after and (mode := self._mode(path)):
            yield JudgeChange(path, "", "changed", mode, "")
        if kind == "code" and path.endswith(".py") and after is not None:
            imported = self._imports_what_acts(path, text_of(after))
            if imported:
                yield JudgeChange(path, imported, "changed", "", imported)
        around = "\n".join(item.text for item in was) if kind in ("code", "inline") else None
        yield from differences(path, was, now, used, how, self._renamed, around)

    def _items(self, path: str, kind: str, data: bytes | None) -> list[JudgeItem]:
        if data is None:
            return []
        text = text_of(data)
        if kind in ("code", "inline"):
            return code_items(path, text)
        if kind == "examples":
            return example_items(text)
        if kind == "git":
            return rules_of(path, text, self._judges)
        if kind == "data":
            return data_items(path, data)
        found = settings_of(path, text, self._has_tests)
        if not self._has_tests and kind == "manifest" and self._is_new(path):
            return []
        return found

    def _used(self, path: str, items: list[JudgeItem]) -> frozenset[str]:
        """Return the names that what was there uses: whatever takes one of these names changes it."""
        own = names_in(item.text for item in items)
        if is_set_up(path) or path.endswith(("tsconfig.json", "jsconfig.json")):
            texts = [text_of(self._base.read(one)) for one in self._below(path)[:_READ]]
            if not is_set_up(path):
                return frozenset(re.findall(r"[\w@~#./-]+", "\n".join(texts))) | own
            return own | names_in(texts)
        return own

    def _below(self, path: str) -> list[str]:
        """Return the tests of the base in a file's folder and below."""
        folder = path.rpartition("/")[0]
        return [one for one in self._tests if not folder or one.startswith(folder + "/")]

    def _takes_a_place(self, path: str, kind: str, text: str) -> str:
        """Return what a new file does in a judge's place; '' when it stands beside the judges or is none."""
        folder, _, name = path.rpartition("/")
        if stands_before_all(path):
            return "is loaded or run before all tests"
        if not self._has_tests and kind != "recipe":
            return ""
        if module := self._shadows_module(path) or self._shadows_subject(path):
            return f"takes the place of the module {module}"
        if kind == "recipe" and name in _MAKEFILES:
            there = any(self._base.read(f"{folder}/{one}" if folder else one) is not None for one in _MAKEFILES)
            return "takes the place of the makefile that was there" if there else ""
        if target := self._hides_target(path):
            return f"makes `make {target}` do nothing"
        if kind == "settings":
            return "sets up the tests that were there"
        if "__mocks__/" in path:
            return "is taken for the module of its name"
        if kind == "code" and not is_set_up(path):
            return self._reaches_out(path, text)
        return ""

    def _hides_target(self, path: str) -> str:
        """Return the target of a makefile that a new file, or the folder it is in, is taken for the result of."""
        for makefile in self._makefiles:
            folder = makefile.rpartition("/")[0]
            first = path.removeprefix(f"{folder}/" if folder else "").partition("/")[0]
            place = f"{folder}/{first}" if folder else first
            is_new = not any(one == place or one.startswith(f"{place}/") for one in self._base.paths())
            if path.startswith(place) and is_new and first in name_like_file(text_of(self._final.read(makefile))):
                return first
        return ""

    @cached_property
    def _makefiles(self) -> list[str]:
        return [path for path in self._base.paths() if path.rpartition("/")[2] in _MAKEFILES]

    def _reaches_out(self, path: str, text: str) -> str:
        if path.endswith(".py"):
            return reaches_out(text) or self._imports_what_acts(path, text)
        folder = path.rpartition("/")[0]
        if "/support/" in path and any(item.acts for item in code_items(path, text)):
            return "is loaded with all tests"
        if path.endswith("_test.go") and any(one.rpartition("/")[0] == folder for one in self._tests):
            found = re.search(r"(?m)^func (?:TestMain|init)\(|^var _ = ", text)
            return found[0].rstrip("(") if found else ""
        return ""

    def _imports_what_acts(self, path: str, text: str) -> str:
        """Return a new module that a file imports and that reaches beyond itself as it is loaded; '' without one."""
        folder = path.rpartition("/")[0]
        for module in modules_of(text):
            inside = module.lstrip(".").replace(".", "/")
            for place in ("", "src/", f"{folder}/" if folder else ""):
                for file in (f"{place}{inside}.py", f"{place}{inside}/__init__.py"):
                    data = self._final.read(file)
                    if data is not None and self._is_new(file) and (act := patches(text_of(data))):
                        return f"imports {file}, which does `{act}`"
        return ""

    def _shadows_module(self, path: str) -> str:
        """Return the module of Python or a runner that a new file is imported in place of; in a package it is not."""
        module = shadows_module(path, self._test_folders)
        folder = path.removesuffix("/__init__.py").rpartition("/")[0]
        inside = bool(folder) and self._final.read(f"{folder}/__init__.py") is not None
        return "" if inside and not module.endswith("customize") and folder not in self._test_folders else module

    def _shadows_subject(self, path: str) -> str:
        """Return what a new module would be imported in place of: a module under test, or a library of the project."""
        folder, _, name = path.rpartition("/")
        if folder in self._test_folders and name.endswith(".py") and not is_set_up(path) and folder:
            module = name.removesuffix(".py")
            there = any(self._base.read(one) is not None for one in (name, f"{module}/__init__.py", f"src/{name}"))
            return module if there else ""
        return self._shadows_library(path)

    def _shadows_library(self, path: str) -> str:
        """Return a library of the project that a new module at its root would be imported in place of."""
        if not re.fullmatch(r"(?:src/)?\w+(?:\.py|/__init__\.py)", path):
            return ""
        module = path.removeprefix("src/").removesuffix("/__init__.py").removesuffix(".py")
        if any(self._base.read(one) is not None for one in (f"{module}.py", f"{module}/__init__.py")):
            return ""
        wanted = "\n".join(text_of(self._base.read(one)) for one in ("requirements.txt", "requirements-dev.txt"))
        return module if re.search(rf"(?mi)^{re.escape(module)}\s*(?:[=<>~!\[]|$)", wanted) else ""

    @cached_property
    def _recipes(self) -> str:
        """What the recipes and settings at the base run, as one text."""
        found = [path for path in self._base.paths() if judge_kind(path) in ("recipe", "manifest")]
        texts = [item.text for path in found for item in self._items(path, judge_kind(path), self._base.read(path))]
        return "\n".join(texts)

    @cached_property
    def _runs_examples(self) -> bool:
        """Whether the examples in docstrings are among the tests."""
        files = [path for path in self._base.paths() if judge_kind(path) == "settings"]
        texts = (text_of(self._base.read(path)) for path in [*files, *self._tests[:_READ]])
        return "doctest" in self._recipes or any("doctest" in text for text in texts)

    def _is_called(self, path: str) -> bool:
        """Return whether a script of the base is what a recipe runs."""
        if self._base.read(path) is None or not _SCRIPT_PLACE.search(path):
            return False
        return bool(re.search(rf"(?<![\w/-])(?:\./)?{re.escape(path)}(?![\w/-])", self._recipes))

    def _mode(self, path: str) -> str:
        """Return how the kind of a file changed, where its content did not; '' when it did not."""
        before, after = self._base.entry(path), self._final.entry(path)
        if before is None or after is None or before.mode == after.mode:
            return ""
        return f"mode {before.mode} is {after.mode} now"

    def _submodules(self) -> Iterator[JudgeChange]:
        before: dict[str, str] = getattr(self._base, "repositories", {})
        after: dict[str, str] = getattr(self._final, "repositories", {})
        for path, commit in before.items():
            if after.get(path) != commit and judge_kind(f"{path}/test_x.py") and judge_kind(f"{path}/x.py"):
                yield JudgeChange(path, "", "changed", commit, after.get(path, ""))


def _joined_moves(found: list[JudgeChange], new: list[str], final: Tree) -> list[JudgeChange]:
    """Return the changes, with a removed file that stands elsewhere now as moved."""
    texts = (
        {path: text_of(final.read(path)).split() for path in new} if any(one.how == "removed" for one in found) else {}
    )
    return [_moved(one, texts) if one.how == "removed" and not one.item else one for one in found]


def _moved(change: JudgeChange, new: dict[str, list[str]]) -> JudgeChange:
    words = change.before.split()
    for path, others in new.items():
        same_name = path.rpartition("/")[2].lower() == change.path.rpartition("/")[2].lower()
        if words and (
            others[: len(words)] == words or (same_name and len(set(words) & set(others)) > len(set(words)) / 2)
        ):
            return change._replace(how="moved", after=path)
    return change
