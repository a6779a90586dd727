"""The checks a project has: test, build and lint commands, found from the files of its root and of folders below."""

from mi.project.checks.folder import ProjectFolder
from mi.project.checks.listing import FolderListing, is_below, list_folders
from mi.project.checks.runner import Check, Runner
from mi.project.checks.runners import RUNNERS

_MARKS = frozenset(file for runner in RUNNERS for file in runner.marks)
_LOOKED_FOR = frozenset(file for runner in RUNNERS for file in runner.looked_for)


def detect(root: str, listing: FolderListing | None = None) -> list[Check]:
    """Return the checks of a project and of the projects in it; bounded, starts nothing."""
    folders = list_folders(root) if listing is None else listing
    found: list[Check] = []
    for path, names in folders.items():
        if not path or names & (_MARKS | _LOOKED_FOR):
            inside = {below: seen for below, seen in folders.items() if is_below(below, path)}
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
