"""The checks a project has: test, build and lint commands, found from the files of its root and of folders below."""

from mi.project.checks.documented import find_documented
from mi.project.checks.folder import ProjectFolder
from mi.project.checks.listing import FolderListing, is_below, joined, list_folders
from mi.project.checks.order import is_recipe, plain_words, rank
from mi.project.checks.packages import is_bare_package
from mi.project.checks.runner import Argv, Check, Runner
from mi.project.checks.runners import RUNNERS

_MARKS = frozenset(file for runner in RUNNERS for file in runner.marks)
_LOOKED_FOR = frozenset(file for runner in RUNNERS for file in runner.looked_for)


def detect(root: str, listing: FolderListing | None = None) -> list[Check]:
    """Return the checks of a project and of the projects in it; bounded, starts nothing."""
    folders = list_folders(root) if listing is None else listing
    found: list[Check] = []
    documented: list[Check] = []
    for path, names in folders.items():
        is_bare = is_bare_package(path, folders)
        if not path or is_bare or names & (_MARKS | _LOOKED_FOR):
            inside = {below: seen for below, seen in folders.items() if is_below(below, path)}
            is_project = not path or is_bare or bool(names & _MARKS)
            folder = ProjectFolder(root, path, inside, is_project, above=folders)
            told = [check for runner in RUNNERS for check in _found(runner, folder)]
            found += [_placed(check, path) for check in told]
            documented += [_placed(check, path) for check in find_documented(folder)]
    # What a guide or CI calls by a recipe counts if the recipe is known to be a test.
    recipes = {(plain_words(check)[:2], check.folder) for check in found if check.kind == "test"}
    named = [one for one in documented if not is_recipe(one) or (plain_words(one)[:2], one.folder) in recipes]
    first: dict[tuple[Argv, str], Check] = {}
    for check in sorted([*named, *found], key=rank):
        first.setdefault((check.argv, check.folder), check)
    return list(first.values())


def _found(runner: Runner, folder: ProjectFolder) -> list[Check]:
    brought = [
        Check(kind, tuple(words), file)  # type: ignore[arg-type]
        for file, checks in runner.brings.items()
        if file in folder.names
        for kind, *words in map(str.split, checks)
    ]
    return brought + (list(runner.finds(folder)) if runner.finds else [])


def _placed(check: Check, folder: str) -> Check:
    return check._replace(source=joined(folder, check.source), folder=joined(folder, check.folder))
