"""The packages of a project: folders with a manifest of their own, and which of them a file belongs to."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from mi.project.checks.listing import FolderListing
from mi.project.checks.runners import RUNNERS

# By manifest the language whose package it makes; '' where it may be any.
MANIFESTS = {file: runner.language for runner in RUNNERS for file in (*runner.marks, *runner.looked_for)}


class Package(NamedTuple):
    """A folder that is built and tested by itself."""

    folder: str  # from the project's root, which is ''
    languages: tuple[str, ...]  # that its manifests speak of
    manifest: str  # the first of them


def find_packages(listing: FolderListing) -> list[Package]:
    """Return the packages, the root first: it is one even without a manifest."""
    found = [_package(folder, names) for folder, names in listing.items()]
    return [package for package in found if not package.folder or package.manifest]


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
