"""Tests that come to nothing: the runner does not find them, nobody waits for them, or they ask a stand-in."""

import ast
import builtins
import re
from collections.abc import Iterator

from mi.project.checks.judge_places import judge_kind
from mi.project.trees import Tree

_FOUND = re.compile(r"test.*\.py|.*_test\.py|tests\.py|conftest\.py")
_OWN_RULES = re.compile(r"\bpython_(?:classes|functions|files)\b|pytest_pycollect_make\w+|pytest_collect_file")
_THEN = re.compile(r"\.\s*(?:then|catch|finally)\s*\(")
_WAITS = re.compile(r"\b(?:await|return|done|resolves|rejects|plan|assertions|hasAssertions)\b")
_CLAIM = re.compile(r"\b(?:assert|expect|should)\b")
_OF_MOCK = re.compile(r"(?:^|\.)(?:assert\w*|Mock|MagicMock|AsyncMock)$")


def find_unrun(path: str, tree: Tree) -> frozenset[str]:
    """Return the tests of a file that neither pytest nor unittest collects; none where a project has its own rules."""
    module, stem = _parse(_read(tree, path)), path.rpartition("/")[2].removesuffix(".py")
    settings = [one for one in tree.paths() if judge_kind(one) in ("settings", "manifest", "recipe")]
    setups = [one for one in tree.paths() if one.endswith("conftest.py")]
    texts = [_read(tree, one) for one in (*settings, *setups)]
    if module is None or any(map(_OWN_RULES.search, texts)):
        return frozenset()
    others = [_read(tree, one) for one in tree.paths() if one != path and judge_kind(one) == "code"]
    if not _FOUND.fullmatch(f"{stem}.py") and not any(re.search(rf"\b{stem}\b", one) for one in (*texts, *others)):
        return frozenset(_tests_in(module.body, ""))
    return frozenset(
        test
        for node in module.body
        if isinstance(node, ast.ClassDef) and not _is_collected(node, [_read(tree, path), *others])
        for test in _tests_in(node.body, f"{node.name}.")
    )


def _is_collected(node: ast.ClassDef, texts: list[str]) -> bool:
    """Return whether a class is one of tests by its name, by what it is made from, or by what is made from it."""
    made_from = any(re.search(rf"\bclass \w+\([^)]*\b{node.name}\b", text) for text in texts)
    return node.name.startswith("Test") or made_from or any(ast.unparse(base) != "object" for base in node.bases)


def _tests_in(body: list[ast.stmt], owner: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _tests_in(node.body, f"{owner}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield owner + node.name


def is_never_awaited(name: str, text: str, path: str) -> bool:
    """Return whether a test is a coroutine in a class that calls it and waits for nothing."""
    module = _parse(text) if path.endswith(".py") else None
    owner, _, own = name.rpartition(".")
    for node in module.body if module else ():
        if isinstance(node, ast.ClassDef) and node.name == owner:
            plain = [ast.unparse(base) for base in node.bases] in (["unittest.TestCase"], ["TestCase"])
            return plain and any(isinstance(one, ast.AsyncFunctionDef) and one.name == own for one in node.body)
    return False


def is_left_behind(text: str) -> bool:
    """Return whether all that a test in JavaScript asserts stands behind a promise that nobody waits for."""
    then, claim = _THEN.search(text), _CLAIM.search(text)
    if then is None or claim is None or claim.start() < then.start() or _WAITS.search(text):
        return False
    body = re.search(r"=>\s*(\S)|\bfunction\b[^{]*(\{)", text)
    return body is not None and "{" in body.groups()


def asks_its_stand_in(function: ast.AST) -> bool:
    """Return whether a test puts something in the place of a function and calls nothing but that."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    replaced = {name for call in calls if _is_patch(call) for name in _replaced_by(call)}
    called = {_end(ast.unparse(call.func)) for call in calls if not _is_patch(call)}
    other = (name for name in called - replaced if name not in dir(builtins) and not _OF_MOCK.search(name))
    return bool(replaced & called) and not any(other)


def _is_patch(call: ast.Call) -> bool:
    return bool(re.search(r"(?:^|\.)(?:patch|patch\.object|setattr)$", ast.unparse(call.func)))


def _replaced_by(call: ast.Call) -> Iterator[str]:
    """Yield the module and name that a call puts something else in the place of."""
    match call.args:
        case [ast.Constant(value=str(name)), *_]:
            yield _end(name)
        case [owner, ast.Constant(value=str(name)), *_]:
            yield _end(f"{ast.unparse(owner)}.{name}")


def _end(name: str) -> str:
    """Return the last two parts of a dotted name."""
    return ".".join(name.split(".")[-2:])


def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _read(tree: Tree, path: str) -> str:
    return (tree.read(path) or b"").decode("utf-8", "replace")
