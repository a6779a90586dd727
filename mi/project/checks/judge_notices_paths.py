"""Where the tests of a project are, and whether a text of product code names one of their files."""

import os
import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cached_property

from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_places import extension, judge_kind

_FOLDERS = re.compile(r"(?:tests?|specs?|__tests__|testdata|test[-_]data)\Z")
_ENDINGS = ("", ".py", ".js", ".ts", ".mjs", ".cjs", ".tsx", ".jsx", ".rb", ".json", ".sh")
_GLOB = re.compile(r"[*?\[{]")


class TestPlaces:
    """The files of the tests, by their paths; what the task names is not among them."""

    def __init__(self, paths: Iterable[str], task: str) -> None:
        self._paths = paths
        self._task = task

    @cached_property
    def _files(self) -> frozenset[str]:
        """Every ending of two or more parts that a test's path has and nothing else."""
        tests = [path for path in self._paths if judge_kind(path) in ("code", "data") and _is_of_tests(path)]
        others = [path for path in self._paths if not _is_of_tests(path)]
        return frozenset(_tails(tests)) - frozenset(_tails(others))

    @cached_property
    def _tops(self) -> frozenset[str]:
        folders = {folder for path in self._paths for folder in path.split("/")[:-1]}
        return frozenset(folder for folder in folders if _FOLDERS.match(folder))

    def has_file(self, text: str) -> bool:
        """Return whether a text names a file of the tests, by a path of two parts or as a module."""
        if not text or len(text) > 200 or "\n" in text or self._is_named(text):
            return False
        path = re.sub(r"^(?:\$\{?\w+\}?/|\.{1,2}/|/)+", "", os.path.normpath(text).replace("\\", "/"))
        plain = path if "/" in path else path.replace(".", "/") if re.fullmatch(r"\w+(?:\.\w+)+", path) else path
        return "/" in plain and any(plain + ending in self._files for ending in _ENDINGS)

    def has_folder(self, text: str) -> bool:
        """Return whether a text names a folder of tests, or files of one by a pattern."""
        if not text or len(text) > 200 or self._is_named(text):
            return False
        folders = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        if folders and _GLOB.search(folders[-1]) and self.fits_tests(folders[-1]):
            return True
        plain = folders[: next((at for at, part in enumerate(folders) if _GLOB.search(part)), len(folders))]
        return bool(plain) and plain[-1] in self._tops

    def fits_tests(self, pattern: str) -> bool:
        """Return whether a file name, or a pattern of them, is that of tests and of nothing else."""
        fits = [path for path in self._paths if fnmatchcase(path.rpartition("/")[2], pattern)]
        return bool(fits) and all(map(_is_of_tests, fits))

    def _is_named(self, text: str) -> bool:
        return f"`{text}" in self._task or ("/" in text and text.strip("./") in self._task)


def _is_of_tests(path: str) -> bool:
    return is_test(path) or bool(re.search(r"(?:^|/)(?:testdata|test[-_]data)/", path)) or judge_kind(path) == "code"


def _tails(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        parts = path.split("/")
        yield from ("/".join(parts[at:]) for at in range(len(parts) - 1))
        if len(parts) == 1 and extension(path) == "py":
            yield path
