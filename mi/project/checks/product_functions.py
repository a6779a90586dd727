"""The functions of a project's product: which there are, by their names and words, and what they reach."""

import re
from collections.abc import Iterable

from mi.project.checks.definitions import DEFINING, Definition, definitions_of
from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.trees import Tree

SEARCHED = 400  # files that are looked at for a function
_SHORT = 2  # letters of a name that says nothing
_DEEP = 3  # calls that are followed


def is_product(path: str) -> bool:
    """Return whether a file holds code of the product in a language whose definitions can be read."""
    return extension(path) in DEFINING and judge_kind(path) in ("", "inline") and not is_test(path)


def read_definitions(tree: Tree, path: str) -> list[Definition]:
    """Return what a file of a tree defines."""
    return definitions_of(text_of(tree, path), extension(path))


def read_product(tree: Tree) -> list[Definition]:
    """Return what the product defines."""
    paths = sorted(path for path in tree.paths() if is_product(path))[:SEARCHED]
    return [one for path in paths for one in read_definitions(tree, path)]


def find_reached(one: Definition, product: Iterable[Definition]) -> list[Definition]:
    """Return a definition with those that its words name, and those that theirs do."""
    by_name: dict[str, list[Definition]] = {}
    for other in product:
        by_name.setdefault(last_part(other.name), []).append(other)
    found, latest = {one.text: one}, [one]
    for _ in range(_DEEP):
        named = [other for each in latest for word in words_of(each.text) for other in by_name.get(word, ())]
        latest = [other for other in named if other.text not in found]
        found |= {other.text: other for other in latest}
    return list(found.values())


def find_functions(words: frozenset[str], tree: Tree) -> list[str]:
    """Return the functions of a tree's product that words name."""
    paths = sorted(path for path in tree.paths() if is_product(path))[:SEARCHED]
    read = (one for path in paths if words & words_of(text_of(tree, path)) for one in read_definitions(tree, path))
    names = (one.name for one in read if one.body)
    return list(dict.fromkeys(name for name in names if len(last_part(name)) > _SHORT and last_part(name) in words))


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that may be names."""
    return frozenset(re.findall(r"[A-Za-z_$][\w$]*", text))


def text_of(tree: Tree, path: str) -> str:
    """Return what a file of a tree holds as text; '' where there is none."""
    return (tree.read(path) or b"").decode("utf-8", "replace")


def last_part(name: str) -> str:
    """Return a name without that of its type."""
    return name.rpartition(".")[2]
