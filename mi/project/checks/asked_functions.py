"""The functions that a task speaks of: whether they use what they are given, and whether anything was done for them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from mi.kernel.language import compiled, patterns
from mi.project.checks.definitions import DEFINING, Definition, definitions_of
from mi.project.checks.file_kinds import is_test
from mi.project.checks.judge_places import extension, judge_kind
from mi.project.trees import Tree

_SPELLED = re.compile(r"([A-Za-z_$][\w.$]*)\(([^()]*)\)")
_STANDS_IN = re.compile(r"NotImplemented|abstract|todo!|unimplemented!|\blocals\(|\barguments\b|@overload")
_SEARCHED = 400  # files that are looked at for a function
_SHORT = 2  # letters of a name that says nothing


class OpenFunction(NamedTuple):
    """A function of a task, and what is missing."""

    name: str
    missing: str


def is_product(path: str) -> bool:
    """Return whether a file holds code of the product in a language whose definitions can be read."""
    return extension(path) in DEFINING and judge_kind(path) in ("", "inline") and not is_test(path)


def read_definitions(tree: Tree, path: str) -> list[Definition]:
    """Return what a file of a tree defines."""
    return definitions_of(_text(tree, path), extension(path))


def find_functions(words: frozenset[str], tree: Tree) -> list[str]:
    """Return the functions of a tree's product that words name."""
    paths = sorted(path for path in tree.paths() if is_product(path))[:_SEARCHED]
    read = (one for path in paths if words & _words(_text(tree, path)) for one in read_definitions(tree, path))
    names = (one.name for one in read if one.body)
    return list(dict.fromkeys(name for name in names if len(_last(name)) > _SHORT and _last(name) in words))


def find_open_functions(task: str, base: Tree, final: Tree) -> list[OpenFunction]:
    """Return the functions of a task that leave out what they are given, or for which nothing was done."""
    changed = [path for path in final.changed_since(base) if is_product(path) and final.read(path) is not None]
    return [*_find_unused(task, base, final, changed), *_find_undone(task, base, final, changed)]


def _find_unused(task: str, base: Tree, final: Tree, changed: list[str]) -> Iterator[OpenFunction]:
    """Yield the parameters that a task gives a function and that its text never uses."""
    spelled = {name.rpartition(".")[2]: _words(said) for name, said in _SPELLED.findall(task)}
    if not spelled or compiled(patterns().unused_on_purpose).search(task):
        return
    for path in changed:
        had = {one.text for one in read_definitions(base, path)}
        for one in read_definitions(final, path):
            if one.text in had or not one.body or _STANDS_IN.search(one.text):
                continue
            said = [name for name in one.parameters if name in spelled.get(_last(one.name), ())]
            for name in (name for name in said if name not in _words(one.body)):
                yield OpenFunction(one.name, f"`{_last(one.name)}` never uses its parameter `{name}`")


def _find_undone(task: str, base: Tree, final: Tree, changed: list[str]) -> Iterator[OpenFunction]:
    """Yield what is to be mended where the change only adds functions that nothing calls and nobody asked for."""
    words = _words(task)
    if not changed or not compiled(patterns().mending).search(task):
        return
    new = [(path, one) for path in changed for one in _added(base, final, path)]
    functions = [one for _, one in new if one.body]
    if not functions or any(words & {*one.name.split(".")} for one in functions):
        return
    if all(_only_adds(base, final, path) for path in changed) and not _are_called(functions, final):
        for name in find_functions(words, base):
            used = ", ".join(f"`{one.name}`" for one in functions[:3])
            yield OpenFunction(name, f"nothing was done for `{_last(name)}`: nothing calls {used}")


def _added(base: Tree, final: Tree, path: str) -> list[Definition]:
    had = {one.name for one in read_definitions(base, path)}
    return [one for one in read_definitions(final, path) if one.name not in had]


def _only_adds(base: Tree, final: Tree, path: str) -> bool:
    rest = _text(final, path)
    for one in _added(base, final, path):
        rest = rest.replace(one.text, "", 1)
    return rest.split() == _text(base, path).split() or base.read(path) is None


def _are_called(functions: list[Definition], tree: Tree) -> bool:
    own = "\n".join(one.text for one in functions)
    names = {_last(one.name) for one in functions}
    paths = sorted(
        path for path in tree.paths() if judge_kind(path) in ("", "inline", "manifest") and not is_test(path)
    )
    for path in paths[:_SEARCHED]:
        rest = _text(tree, path)
        for one in functions:
            rest = rest.replace(one.text, "")
        if names & _words(rest):
            return True
    return not names.isdisjoint(word for word in re.findall(r"@\w+", own))


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[A-Za-z_$][\w$]*", text))


def _text(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "replace")


def _last(name: str) -> str:
    return name.rpartition(".")[2]
