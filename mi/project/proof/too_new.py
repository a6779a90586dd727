"""Python that is newer than the oldest one a project says it supports: no check on this machine's own would tell."""

import ast
import os
import re
from collections.abc import Iterator

from mi.project.checks.file_kinds import is_test
from mi.project.trees import Tree

_MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py")
_SAID = re.compile(
    r"""^[ \t]*(?:requires-python|python_requires|python)\s*=\s*+["']?(?P<range>[^"'\n]*\d[^"'\n]*)""", re.MULTILINE
)
_LOWEST = re.compile(r"(?:>=?|~=|\^|==)\s*3\.(\d+)")
# What the library gained, by the minor version of Python 3 that has it first.
_LIBRARY = {
    9: "graphlib zoneinfo functools.cache math.lcm random.randbytes asyncio.to_thread",
    10: "itertools.pairwise contextlib.aclosing typing.TypeAlias typing.ParamSpec types.NoneType types.UnionType"
    " dataclasses.KW_ONLY inspect.get_annotations statistics.correlation",
    11: "tomllib datetime.UTC enum.StrEnum asyncio.TaskGroup asyncio.timeout contextlib.chdir hashlib.file_digest"
    " typing.Self typing.Never typing.assert_never typing.LiteralString",
    12: "itertools.batched typing.override",
    13: "warnings.deprecated copy.replace",
}
_SINCE = {name: minor for minor, names in _LIBRARY.items() for name in names.split()}
_METHODS = {"removeprefix": 9, "removesuffix": 9, "bit_count": 10}
_GENERIC = frozenset("list dict set frozenset tuple type".split())
_GUARDS = re.compile(r"version_info|ImportError|ModuleNotFoundError|AttributeError|hasattr|TYPE_CHECKING")


def find_too_new(base: Tree, final: Tree) -> list[str]:
    """Return the places of a change that the oldest supported Python cannot run, with what is too new there."""
    found = []
    for path in final.changed_since(base):
        oldest = _oldest(final, path) if path.endswith(".py") and not is_test(path) else None
        if oldest is None:
            continue
        before = {what for what, _ in _too_new(_read(base, path), oldest)}
        now = [(what, line) for what, line in _too_new(_read(final, path), oldest) if what not in before]
        found += [f"{path}:{line}: {what} (Python 3.{oldest})" for what, line in now]
    return found


def _read(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "replace")


def _oldest(tree: Tree, path: str) -> int | None:
    """Return the oldest minor version of Python 3 that the manifest nearest to a file allows; None: nothing said."""
    folder = os.path.dirname(path)
    while True:
        for name in _MANIFESTS:
            said = _SAID.search(_read(tree, os.path.join(folder, name)))
            if said and (minors := _LOWEST.findall(said["range"])):
                return min(map(int, minors))
        if not folder:
            return None
        folder = os.path.dirname(folder)


def _too_new(text: str, oldest: int) -> Iterator[tuple[str, int]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return  # not to be read here
    try:
        ast.parse(text, feature_version=(3, oldest))
    except SyntaxError as error:
        yield error.msg, error.lineno or 1
        return
    for name, minor, line in (*_annotations(tree, text), *(() if _GUARDS.search(text) else _used(tree))):
        if minor > oldest:
            yield f"{name} needs Python 3.{minor}", line


def _used(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Yield what is used of the library, by its full name, with the version that has it first."""
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Attribute):
            names = [f"{node.value.id}.{node.attr}"] if isinstance(node.value, ast.Name) else []
            if node.attr in _METHODS and node.attr not in own:
                yield node.attr, _METHODS[node.attr], node.lineno
        else:
            continue
        yield from ((name, _SINCE[name], node.lineno) for name in names if name in _SINCE)


def _annotations(tree: ast.Module, text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what is new in the annotations that are evaluated when the code is loaded."""
    if "from __future__ import annotations" in text:
        return
    for node in ast.walk(tree):
        told = [getattr(node, name, None) for name in ("annotation", "returns")]
        for one in (part for annotation in told if annotation for part in ast.walk(annotation)):
            if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name) and one.value.id in _GENERIC:
                yield f"{one.value.id}[…]", 9, one.lineno
            elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.BitOr):
                yield "X | Y in an annotation", 10, one.lineno
