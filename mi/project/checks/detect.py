"""The checks a project has: test, build and lint commands, found from the files of its root and of folders below."""

import os

from mi.project.checks.folder import ProjectFolder
from mi.project.checks.runner import Check, Runner
from mi.project.checks.runners import RUNNERS

_DEPTH, _FOLDERS, _NAMES = 3, 300, 2000  # how far, into how many folders and at how many names of each one looks
_SKIPPED = frozenset("node_modules venv env target dist build vendor third_party site-packages __pycache__ out".split())
_MARKS = frozenset(file for runner in RUNNERS for file in runner.marks)
_LOOKED_FOR = frozenset(file for runner in RUNNERS for file in runner.looked_for)


def detect(root: str) -> list[Check]:
    """Return the checks of a project and of the projects in it; bounded, starts nothing."""
    folders = _folders(root)
    found: list[Check] = []
    for path, names in folders.items():
        if not path or names & (_MARKS | _LOOKED_FOR):
            inside = {below: seen for below, seen in folders.items() if not path or f"{below}/".startswith(f"{path}/")}
            folder = ProjectFolder(root, path, inside, is_project=not path or bool(names & _MARKS))
            found += [_placed(check, path) for runner in RUNNERS for check in _found(runner, folder)]
    return list({(check.argv, check.folder): check for check in found}.values())


def _found(runner: Runner, folder: ProjectFolder) -> list[Check]:
    brought = [
        Check(kind, tuple(words), file)  # type: ignore[arg-type]
        for file, checks in runner.brings.items()
        if file in folder.names
        for kind, *words in map(str.split, checks)
    ]
    return brought + (list(runner.finds(folder)) if runner.finds else [])


def _placed(check: Check, folder: str) -> Check:
    return check._replace(source=f"{folder}/{check.source}" if folder else check.source, folder=folder)


def _folders(root: str) -> dict[str, set[str]]:
    """Return the names in the project's folders, those near the root first."""
    found: dict[str, set[str]] = {}
    waiting = [("", 0)]
    while waiting and len(found) < _FOLDERS:
        folder, depth = waiting.pop(0)
        try:
            with os.scandir(os.path.join(root, folder)) as entries:
                some = [entry for entry, _ in zip(entries, range(_NAMES), strict=False)]
        except OSError:
            continue
        found[folder] = {entry.name for entry in some}
        if depth < _DEPTH:
            below = sorted(entry.name for entry in some if _is_folder(entry))
            waiting += [(f"{folder}/{name}" if folder else name, depth + 1) for name in below]
    return found


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.name[:1] != "." and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)
