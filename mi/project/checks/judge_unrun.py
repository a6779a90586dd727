"""Tests that come to nothing: the runner does not find them, nobody waits for them, or they ask a stand-in."""

import ast
import builtins
import re
import sys
from collections.abc import Iterator

from mi.project.checks.judge_places import judge_kind
from mi.project.trees import Tree

_FOUND = re.compile(r"test.*\.py|.*_test\.py|tests\.py|conftest\.py")
_OWN_RULES = re.compile(r"\bpython_(?:classes|functions|files)\b|pytest_pycollect_make\w+|pytest_collect_file")
_THEN = re.compile(r"\.\s*(?:then|catch|finally)\s*\(")
_WAITS = re.compile(r"\b(?:await|return|done|resolves|rejects|plan|assertions|hasAssertions)\b")
_CLAIM = re.compile(r"\b(?:assert|expect|should)\b")
_EXPECT = re.compile(r"(?<![\w.])expect\s*\(")
_OTHER_CLAIM = re.compile(r"\b(?:assert|should|throw|fail|done|expect\s*\.)")
_BRACKET = re.compile(r"[()]|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`")
_SUPPRESSES = re.compile(r"\bsuppress\([^)]*\b(?:AssertionError|Exception|BaseException)\b")
_SYSTEMS = frozenset(
    "linux darwin windows freebsd netbsd openbsd dragonfly solaris illumos aix plan9 android ios js wasip1".split()
)
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


def claims_something(text: str) -> bool:
    """Return whether a test in JavaScript that only uses `expect` asks something of what it expects."""
    expects = list(_EXPECT.finditer(text))
    if not expects or _OTHER_CLAIM.search(_EXPECT.sub("", text)):
        return True
    return any(re.match(r"\s*\.", text[_end_of_call(text, one.end()) :]) for one in expects)


def _end_of_call(text: str, start: int) -> int:
    """Return where a call ends whose bracket opened before `start`; strings are not looked into."""
    depth = 1
    for mark in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if depth == 0:
            return mark.end()
    return len(text)


def is_built_elsewhere(path: str, text: str) -> bool:
    """Return whether a file of Go is built only on another system than this one."""
    if not path.endswith(".go"):
        return False
    here = {sys.platform, "unix"} if sys.platform != "win32" else {"windows"}
    parts = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    if any(part in _SYSTEMS - here for part in parts[-2:]):
        return True
    line = re.search(r"(?m)^//go:build (.+)$", text)
    tags = set(re.findall(r"\w+", line[1])) if line else set()
    return bool(line and tags and tags <= _SYSTEMS - here and "!" not in line[1])


def without_idle(function: ast.stmt) -> ast.stmt:
    """Return a test without what never runs or cannot fail: inner functions nobody names, caught assertions."""
    named = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    called = {
        node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    passed = {
        arg.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        for arg in (*node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(arg, ast.Name)
    }
    return _Idle((called | passed) & named, function).visit(function)  # type: ignore[no-any-return]


class _Idle(ast.NodeTransformer):
    """Takes the bodies out of what comes to nothing."""

    def __init__(self, used: set[str], whole: ast.stmt) -> None:
        self._used = used
        self._whole = whole

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        is_idle = node is not self._whole and node.name not in self._used and not node.decorator_list
        if is_idle and not node.name.startswith("_"):
            node.body = [ast.Pass()]
        return self.generic_visit(node)

    def visit_With(self, node: ast.With) -> ast.AST:
        if any(_SUPPRESSES.search(ast.unparse(item.context_expr)) for item in node.items):
            return ast.Pass()
        return self.generic_visit(node)

    def visit_Try(self, node: ast.Try) -> ast.AST:
        if any(map(_keeps_failure, node.handlers)):
            node.body = [ast.Pass()]
        return self.generic_visit(node)


def _keeps_failure(handler: ast.ExceptHandler) -> bool:
    """Return whether a handler takes failed assertions and lets nothing of them out."""
    caught = ast.unparse(handler.type) if handler.type else "BaseException"
    takes = re.search(r"\b(?:AssertionError|Exception|BaseException)\b", caught)
    ends = (ast.Raise, ast.Assert, ast.Return)
    lets_out = any(
        isinstance(node, ends)
        or (isinstance(node, ast.Call) and re.search(r"fail|exit|assert", ast.unparse(node.func)))
        for one in handler.body
        for node in ast.walk(one)
    )
    keeps = any(isinstance(node, ast.Assign | ast.AugAssign) for one in handler.body for node in ast.walk(one))
    return bool(takes) and not lets_out and not keeps


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
