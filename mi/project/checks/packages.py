"""The packages of a project: folders with a manifest of their own, and which of them a file belongs to."""

import os
from collections.abc import Iterable

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.languages import holds_tests
from mi.project.checks.listing import FolderListing
from mi.project.checks.runners import RUNNERS

# By manifest the language whose package it makes; '' where it may be any.
MANIFESTS = {file: runner.language for runner in RUNNERS for file in (*runner.marks, *runner.looked_for)}
_OWNERS = ("python", "")  # of a package in a folder below: the same language, or a recipe for any


class Package(NamedTuple):
    """A folder that is built and tested by itself."""

    folder: str  # from the project's root, which is ''
    languages: tuple[str, ...]  # that its manifests speak of
    manifest: str  # the first of them


def find_packages(listing: FolderListing) -> list[Package]:
    """Return the packages, the root first: it is one even without a manifest."""
    found = [_package(folder, names) for folder, names in listing.items()]
    bare = [Package(folder, ("python",), "") for folder in listing if is_bare_package(folder, listing)]
    return [*(package for package in found if not package.folder or package.manifest), *bare]


def is_bare_package(folder: str, listing: FolderListing) -> bool:
    """Return whether a folder without a manifest is a Python package of its own: its tests are run from there.

    Nothing of Python stands above it, and no recipe that would run them from the root.
    """
    names = listing[folder]
    if not folder or "__init__.py" in names or names & MANIFESTS.keys() or not _holds_python_tests(folder, listing):
        return False
    above = [listing[one] for one in folders_above(folder) if one in listing]
    return not any(name.endswith(".py") or MANIFESTS.get(name) in _OWNERS for one in above for name in one)


def _holds_python_tests(folder: str, listing: FolderListing) -> bool:
    tests = [*listing.get(f"{folder}/tests", ()), *listing.get(f"{folder}/test", ())]
    return any(holds_tests(name, "python") for name in tests)


def _package(folder: str, names: set[str]) -> Package:
    manifests = [file for file in MANIFESTS if file in names]
    languages = dict.fromkeys(language for file in manifests if (language := MANIFESTS[file]))
    return Package(folder, tuple(languages), manifests[0] if manifests else "")


def package_of(path: str, packages: dict[str, Package]) -> Package:
    """Return the package a file belongs to: that of the nearest folder above it."""
    return next(packages[folder] for folder in folders_above(path) if folder in packages)


def folders_above(path: str) -> Iterable[str]:
    """Yield the folders above a path, the nearest first, the root ('') last."""
    while path:
        path = os.path.dirname(path)
        yield path
