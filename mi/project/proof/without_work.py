"""The base with all that a change added but what its task speaks of: new tests that pass there notice nothing."""

import re

from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.definitions import Definition
from mi.project.checks.judge_places import extension
from mi.project.checks.product_functions import find_functions, is_product, read_definitions
from mi.project.trees import Tree


class WithoutWork(NamedTuple):
    """Files to be put into the base, and the functions that are as they were or give back what they are given."""

    files: dict[str, bytes | None]
    missing: list[str]


def without_work(task: str, base: Tree, final: Tree, mends: bool) -> WithoutWork | None:
    """Return what only the work at the functions that a task names is missing from; None where that cannot be told.

    Of a function that is to be mended the text of the base stays (`mends`: no test of the base tells that it was); a
    new one only gives back what it is given. What is new and not named stands as it is, so that tests can be loaded.
    """
    words = frozenset(re.findall(r"[A-Za-z_$][\w$]*", task))
    changed = [path for path in final.changed_since(base) if is_product(path) and final.read(path) is not None]
    added = {path: _added(base, final, path) for path in changed}
    idle = {path: _named(words, path, new) for path, new in added.items()}
    missing = [name for one in idle.values() for name in one]
    if not missing and mends and any(added.values()) and compiled(patterns().mending).search(task):
        missing = find_functions(words, base)
    if not missing:
        return None
    return WithoutWork(
        {path: _composed(path, base, final, new, idle[path]).encode() for path, new in added.items()}, missing
    )


def _added(base: Tree, final: Tree, path: str) -> list[Definition]:
    had = {one.name for one in read_definitions(base, path)}
    new = [one for one in read_definitions(final, path) if one.name not in had]
    return [one for one in new if not one.text.lstrip().startswith(("#[cfg(test)]", "#[test]"))]


def _named(words: frozenset[str], path: str, new: list[Definition]) -> dict[str, Definition]:
    """Return the new functions that a task names: by themselves, by their type or by their file."""
    is_file = _stem(path) in words
    return {one.name: one for one in new if one.idle and (is_file or not words.isdisjoint(one.name.split(".")))}


def _composed(path: str, base: Tree, final: Tree, new: list[Definition], without: dict[str, Definition]) -> str:
    """Return a file of the base with what is new in it; a new file as it is, but for what is left out."""
    before = _text(base, path)
    if not before:
        text = _text(final, path)
        for one in without.values():
            text = text.replace(one.text, one.idle)
        return text
    text, imports = before.rstrip("\n"), []
    for one in new:
        added = (without[one.name].idle if one.name in without else one.text).rstrip()
        owner = next((had for had in read_definitions(base, path) if had.name == _owner(one.name)), None)
        if owner is not None:
            text = text.replace(owner.text, f"{owner.text}\n{added}")
        elif extension(path) == "go" and added.startswith("import"):
            imports.append(added)
        elif not _owner(one.name) or extension(path) == "go":
            text += f"\n\n{added}"
    for one in without.values():  # of a class that is new, too
        text = text.replace(one.text, one.idle)
    return re.sub(r"(?m)^package \w+$", lambda found: "\n".join([found[0], *imports]), text, count=1) + "\n"


def _text(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "replace")


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _owner(name: str) -> str:
    return name.rpartition(".")[0]
