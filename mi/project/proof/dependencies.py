"""The folders beside a project's sources: what was installed for it, and what is built from it."""

import os
import re
from collections.abc import Iterable, Iterator
from hashlib import sha256

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.file_kinds import is_lock
from mi.project.checks.judge_places import judge_kind
from mi.project.checks.product_functions import text_of
from mi.project.left_out import is_environment_part
from mi.project.trees import Tree

DEPENDENCY_FOLDERS = frozenset("node_modules .venv venv vendor .tox .nox deps Pods".split())
BUILD_FOLDERS = frozenset("target build dist".split())
# Where a manifest stands, this is built beside it, whether or not it was built before.
_BUILT_BESIDE = {"Cargo.toml": "target", "pom.xml": "target", "build.gradle": "build", "build.gradle.kts": "build"}
# What tools write into installed packages while these are only used.
_WRITTEN_IN_USE = frozenset("__pycache__ .cache .vite .vitest .bin-cache".split())
_NAMED = 50

DependencyListing = dict[str, str]  # an installed package's path → a digest of its files' names, sizes and times


class Beside(NamedTuple):
    """Folders of a work tree that are no part of its sources, by their paths."""

    dependencies: tuple[str, ...]
    builds: tuple[str, ...]


def find_beside(root: str, tree: Tree, link: Iterable[str] = ()) -> Beside:
    """Return the installed and the built folders of a work tree; what the tree itself holds is neither.

    `link` names further folders to be shared.
    """
    paths = tree.paths()
    sources = _folders_of(paths)
    found = [path for path in _walk_folders(root, sources) if path not in sources]
    installed = [path for path in found if _is_installed(root, path)]
    installed += [path for path in link if os.path.isdir(os.path.join(root, path)) and path not in sources]
    built = {path for path in found if os.path.basename(path) in BUILD_FOLDERS}
    for path in paths:
        folder, name = os.path.split(path)
        if name in _BUILT_BESIDE:
            built.add(os.path.join(folder, _BUILT_BESIDE[name]))
    return Beside(tuple(dict.fromkeys(installed)), tuple(sorted(built - sources - set(installed))))


def _is_installed(root: str, path: str) -> bool:
    """Return whether a folder is for dependencies; of an environment beside files of the sources, its parts are."""
    return os.path.basename(path) in DEPENDENCY_FOLDERS or is_environment_part(os.path.join(root, path))


def _folders_of(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        while (path := os.path.dirname(path)) and path not in found:
            found.add(path)
    return found


def _walk_folders(root: str, sources: set[str]) -> Iterator[str]:
    """Yield the folders that lie directly in a folder of the sources, without going into others."""
    for folder in ("", *sorted(sources)):
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir())
        except OSError:
            continue  # of the tree, but no longer there
        yield from (os.path.join(folder, name) for name in names if name != ".git")


def list_dependencies(root: str, folders: Iterable[str]) -> DependencyListing:
    """Return what is installed in the dependency folders of a work tree, package by package."""
    listing: DependencyListing = {}
    for folder in folders:
        place = os.path.join(root, folder)
        if os.path.isfile(place):
            listing[folder] = _digest(place)
        for package in _packages(place):
            listing[os.path.join(folder, package)] = _digest(os.path.join(place, package))
    return listing


def compare_dependencies(before: DependencyListing, now: DependencyListing) -> list[str]:
    """Return the packages that were added, removed or changed, sorted; at most fifty."""
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))[:_NAMED]


def leave_asked(installed: Iterable[str], task: str, base: Tree, final: Tree) -> list[str]:
    """Return the packages that changed and neither the task nor a changed manifest or lock file speaks of."""
    changed = [path for path in final.changed_since(base) if is_lock(path) or judge_kind(path) == "manifest"]
    had = {line for path in changed for line in text_of(base, path).splitlines()}
    came = "\n".join(line for path in changed for line in text_of(final, path).splitlines() if line not in had)
    about = compiled(patterns().about_dependencies).search(task) is not None
    return [path for path in installed if not (_speaks_of(came, path) and (about or _speaks_of(task, path)))]


def _speaks_of(text: str, path: str) -> bool:
    """Return whether a text names an installed package, by the end of its path or its name without a version."""
    name = re.split(r"/(?:node_modules|site-packages|vendor)/", f"/{path}")[-1]
    plain = re.sub(r"-\d[\w.]*\.(?:dist|egg)-info$", "", name).replace("_", "-")
    return re.search(rf"(?<![\w-]){re.escape(plain)}(?![\w-])", text.replace("_", "-"), re.IGNORECASE) is not None


def _packages(place: str) -> Iterator[str]:
    """Yield what can be named in a dependency folder: `left-pad`, `@scope/name`, `lib/python3.12/site-packages/x`."""
    for name in _names(place):
        inner = os.path.join(place, name)
        if name.startswith("@"):
            yield from (f"{name}/{part}" for part in _names(inner))
        elif name in ("lib", "lib64") and os.path.isdir(inner) and not os.path.islink(inner):
            yield from (f"{name}/{package}" for package in _packages(inner))
        elif packages := _names(os.path.join(inner, "site-packages")):
            yield from (f"{name}/site-packages/{package}" for package in packages)
        else:
            yield name


def _names(place: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(place) if name not in _WRITTEN_IN_USE)
    except OSError:
        return []


def _digest(place: str) -> str:
    """Return a digest of names, sizes and times; links by where they point."""
    digest = sha256()
    for path, facts in _files(place, ""):
        digest.update(f"{path}\0{facts}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _files(place: str, path: str) -> Iterator[tuple[str, str]]:
    try:
        if os.path.islink(place):
            yield path, os.readlink(place)
        elif not os.path.isdir(place):
            status = os.lstat(place)
            yield path, f"{status.st_size} {status.st_mtime_ns}"
        else:
            for name in _names(place):
                yield from _files(os.path.join(place, name), f"{path}/{name}")
    except OSError:
        yield path, "unreadable"
