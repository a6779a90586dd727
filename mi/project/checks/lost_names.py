"""Names that a change took from a module, where others still import them from it: what nobody tests breaks there."""

import ast
import os
import re
from collections.abc import Iterator

from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.checks.product_functions import SEARCHED, is_product, read_definitions, text_of
from mi.project.trees import Tree

_MAY_GIVE_ANY = re.compile(r"\bimport \*|\bdef __getattr__|\bglobals\(|\bexport \*|\bmodule\.exports\b|\bexports\b")
_IMPORT = re.compile(r"\bimport\s*(?:type\s+)?(?:[\w$]+\s*,\s*)?\{([^{}]*)\}\s*from\s*[\"'](\.[^\"'\n]+)[\"']")


def find_lost_imports(base: Tree, final: Tree) -> Iterator[tuple[str, str]]:
    """Yield a file of the product and the name that it imports from a module which no longer has it."""
    lost = {path: names for path in final.changed_since(base) if (names := _lost(path, base, final))}
    users = sorted(path for path in final.paths() if is_product(path)) if lost else []
    for path in users[:SEARCHED]:
        read = _python_imports if extension(path) == "py" else _script_imports
        for modules, name in read(path, text_of(final, path)):
            if any(name in names and _is_one(held, modules, final) for held, names in lost.items()):
                yield path, name


def _lost(path: str, base: Tree, final: Tree) -> frozenset[str]:
    """Return the names that a module defined and does not hold any more in any way."""
    text = text_of(final, path)
    if not is_product(path) or extension(path) not in {"py"} | SCRIPTED or not text or _MAY_GIVE_ANY.search(text):
        return frozenset()
    now = set(re.findall(r"[A-Za-z_$][\w$]*", without_comments(text, extension(path))))
    was = {one.name for one in read_definitions(base, path) if "." not in one.name}
    return frozenset(name for name in was if name not in now or not _defines(text, name, path))


def _defines(text: str, name: str, path: str) -> bool:
    """Return whether a module still binds or gives out a name."""
    if extension(path) != "py":
        return True
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(name in _bound_by(node) for node in ast.walk(tree))


def _bound_by(node: ast.AST) -> set[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {(one.asname or one.name).partition(".")[0] for one in names}
        case ast.Name(id=name, ctx=ast.Store()):
            return {name}
    return set()


def _python_imports(path: str, text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the files that may be meant by an import, and the name that is taken; what may fail is left out."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    tried = {one for node in ast.walk(tree) if isinstance(node, ast.Try) for one in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node not in tried:
            folder = "/".join(path.split("/")[: -node.level]) if node.level else ""
            place = os.path.normpath(os.path.join(folder, (node.module or "").replace(".", "/")))
            for one in node.names:
                yield (f"{place}.py", f"{place}/__init__.py"), one.name


def _script_imports(path: str, text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for found in _IMPORT.finditer(without_comments(text, extension(path))):
        place = os.path.normpath(os.path.join(os.path.dirname(path), found[2]))
        stem = re.sub(r"\.[cm]?[jt]sx?$", "", place)
        files = (place, *(f"{stem}.{ending}" for ending in sorted(SCRIPTED)))
        for said in found[1].split(","):
            if name := said.split(" as ")[0].removeprefix("type ").strip():
                yield files, name


def _is_one(held: str, modules: tuple[str, ...], tree: Tree) -> bool:
    """Return whether a file is the one that an import means: by its path, or by its end below another root."""
    exact = [one for one in modules if tree.read(one) is not None]
    return held in exact if exact else any(held.endswith(f"/{one}") for one in modules)
