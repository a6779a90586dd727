"""The items of a Python test file: functions, classes, fixtures, and what it does as it is loaded."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import TypeGuard

from mi.project.checks.judge_items import JudgeItem, shorten, whole


def python_items(text: str) -> list[JudgeItem]:
    """Return the items of a test file; one that cannot be read is one item."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [whole(text)] if text.strip() else []
    return list(_python_body(tree.body, "", text.splitlines()))


def _python_body(body: list[ast.stmt], owner: str, lines: list[str]) -> Iterator[JudgeItem]:
    for node in body:
        shown = "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        if isinstance(node, ast.ClassDef):
            members, node_text = node.body, _class_header(node)
            name = owner + node.name
            # A new class is a helper or holds tests; what it holds is compared only where it was there before.
            yield JudgeItem(name, node_text, shown.partition("\n")[0], True, node.name)
            yield from _python_body(members, f"{name}.", lines)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _python_function(node, owner, shown)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imports(node, owner, shown)
        elif not _is_idle(node):
            yield _python_statement(node, owner, shown)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])


def _class_header(node: ast.ClassDef) -> str:
    head = ast.ClassDef(node.name, node.bases, node.keywords, [ast.Pass()], node.decorator_list)
    vars(head)["type_params"] = getattr(node, "type_params", [])  # since Python 3.12
    return ast.unparse(ast.fix_missing_locations(head))


def _python_function(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, shown: str) -> JudgeItem:
    text = ast.unparse(_plain(node))
    is_test = node.name.startswith("test")
    adds = is_test or not (_is_hook(node) or (owner and node.name in _test_case_names()))
    return JudgeItem(owner + node.name, text, shown, adds, node.name, is_test)


@cache
def _test_case_names() -> frozenset[str]:
    """Return the names that a class of tests may inherit: whoever takes one changes how its tests are run."""
    from unittest import IsolatedAsyncioTestCase

    return frozenset(dir(IsolatedAsyncioTestCase)) - {"maxDiff", "longMessage"}


def _is_hook(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is called without anybody's asking for it: by the runner or by Python itself."""
    called = re.fullmatch(
        r"pytest_\w+|(?:setup|teardown|set_up|tear_down)(?:_\w+)?|(?:setUp|tearDown|asyncSetUp|asyncTearDown)\w*"
        r"|load_tests|run|debug|__\w+__",
        node.name,
    )
    decorators = " ".join(map(ast.unparse, node.decorator_list))
    return bool(called or "autouse" in decorators or re.search(r"\bhook(?:impl|wrapper)", decorators))


def _plain(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt:
    """Return a function without what says nothing about its result: docstring, types, messages of assertions."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        node.body = node.body[1:] or [ast.Pass()]
    node.returns = None
    for inner in ast.walk(node):
        if isinstance(inner, ast.arg):
            inner.annotation = None
        elif isinstance(inner, ast.Assert):
            inner.msg = None
    return node


def _imports(node: ast.Import | ast.ImportFrom, owner: str, shown: str) -> Iterator[JudgeItem]:
    source = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        bound = alias.asname or (alias.name if source else alias.name.partition(".")[0])
        text = f"from {source} import {alias.name}" if source else f"import {alias.name if alias.asname else bound}"
        if source == "__future__":
            continue
        yield JudgeItem(f"{owner}import {bound}", text, shown, alias.name != "*", bound)


def _is_idle(node: ast.stmt) -> bool:
    """Return whether a statement does nothing: a docstring, `pass`, `...`, imports for types alone."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return not node.orelse and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
    return isinstance(node, ast.Pass)


# Calls that reach beyond the file, though their result is only given a name.
_REACHING = re.compile(r"(?:\w+\.)*(?:setattr|delattr|exec|eval|exit|quit|_exit|kill|abort|patch|start|setitem|update)")


def _python_statement(node: ast.stmt, owner: str, shown: str) -> JudgeItem:
    text = ast.unparse(node)
    bound = _plain_name(node)
    if _is_program(node):
        return JudgeItem(f"{owner}__main__", text, shown, adds=True)
    obeyed = bound.startswith(("pytest", "__", "collect_ignore")) or (owner and bound in _test_case_names())
    if isinstance(node, ast.AnnAssign) and bound and node.value is not None:
        text = f"{bound} = {ast.unparse(node.value)}"
    inert = bool(bound) and _is_inert(getattr(node, "value", None))
    return JudgeItem(owner + (bound or shorten(text)), text, shown, inert and not obeyed, bound, acts=not inert)


def _is_program(node: ast.stmt) -> bool:
    """Return whether a statement is what a module does as a program."""
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "__name__ == '__main__'"


def _plain_name(node: ast.stmt) -> str:
    """Return the one plain name that a statement binds; '' for any other statement."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _is_inert(value: ast.expr | None) -> bool:
    """Return whether making a value reaches nothing beyond it."""
    nodes = list(ast.walk(value)) if value else []
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    return not any(_REACHING.fullmatch(ast.unparse(call.func)) for call in calls) and not any(
        isinstance(node, ast.NamedExpr | ast.Await | ast.Yield) for node in nodes
    )


def reaches_out(text: str) -> str:
    """Return the first line of a new Python test file that reaches beyond the file as it is loaded; '' without one."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    return next((shorten(ast.unparse(node)) for node in body if not _stays_inside(node)), "")


def patches(text: str) -> str:
    """Return the first line of a module that changes another as it is loaded, or ends the program; '' without one."""
    try:
        nodes = [inner for node in ast.parse(text).body for inner in (node, *_run_with(node))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    bound = {alias.asname or alias.name.partition(".")[0] for node in nodes if _is_import(node) for alias in node.names}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
        roots = {_root(target) for target in targets if isinstance(target, ast.Attribute | ast.Subscript)}
        ends = isinstance(node, ast.Expr) and not _is_inert(node.value)
        if roots & bound or ends:
            return shorten(ast.unparse(node))
    return ""


def _run_with(node: ast.stmt) -> list[ast.stmt]:
    """Return what is run inside of a statement as its file is loaded."""
    return _inner(node) if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.ClassDef) else []


def _is_import(node: ast.stmt) -> TypeGuard[ast.Import | ast.ImportFrom]:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _root(target: ast.expr) -> str:
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _stays_inside(node: ast.stmt) -> bool:
    if _is_idle(node) or _is_program(node) or isinstance(node, ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.ClassDef):
        return all(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) or _stays_inside(one) for one in node.body)
    text = ast.unparse(node)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        widely = "autouse" in text.partition("def ")[0] and re.search(r"session|package", text.partition("def ")[0])
        return not widely and node.name not in ("load_tests", "__getattr__") and not node.name.startswith("pytest_")
    if re.match(r"sys\.path\.(?:insert|append)\(|pytest\.importorskip\(|pytestmark\b", text):
        return True
    if _plain_name(node).startswith("pytest"):
        return False
    if isinstance(node, ast.Try | ast.If | ast.With):
        return all(map(_stays_inside, _inner(node)))
    if isinstance(node, ast.For):
        return all(map(_stays_inside, node.body))
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    named = isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and all(map(_is_name, targets))
    return named and _is_inert(getattr(node, "value", None))


def _is_name(target: ast.expr | None) -> bool:
    return isinstance(target, ast.Name) or (
        isinstance(target, ast.Tuple | ast.List) and all(map(_is_name, target.elts))
    )


def _inner(node: ast.stmt) -> list[ast.stmt]:
    handlers = [one for handler in getattr(node, "handlers", []) for one in handler.body]
    return [*getattr(node, "body", []), *handlers, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]


def modules_of(text: str) -> list[str]:
    """Return the modules that a file imports as it is loaded, with dots before those beside it."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            found += [source, *(f"{source}.{alias.name}" for alias in node.names)]
    return found


def example_items(text: str) -> list[JudgeItem]:
    """Return the examples in the docstrings of a Python file, which a runner of doctests would run."""
    from doctest import DocTestParser

    try:
        nodes = list(ast.walk(ast.parse(text))) if ">>>" in text else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found = []
    for node in nodes:
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        try:
            examples = DocTestParser().get_examples(ast.get_docstring(node) or "")
        except ValueError:
            continue
        for one in examples:
            shown = f">>> {one.source}{one.want}"
            found.append(
                JudgeItem(f"example {shorten(one.source)}", shown + str(one.options), shown, True, is_test=True)
            )
    return found


def is_always_true(value: ast.expr) -> bool:
    """Return whether an expression holds whatever the code around it does."""
    match value:
        case ast.Constant(value=constant):
            return bool(constant)
        case ast.Tuple(elts=[_, *_]) | ast.List(elts=[_, *_]) | ast.Lambda():
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(is_always_true, values))
        case ast.BoolOp(values=values):
            return all(map(is_always_true, values))
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=constant)):
            return not constant
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
            return ast.dump(left) == ast.dump(right)
        case ast.Call(func=ast.Name(id="bool"), args=[inner]):
            return is_always_true(inner)
    return False
