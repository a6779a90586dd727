"""Where values go in a Python module: which names, functions and expressions hold what a source gives."""

import ast
from collections.abc import Callable, Iterator

Located = ast.expr | ast.stmt


class PythonCode:
    """A module: its nodes, what they stand in, and which names are given which values."""

    def __init__(self, tree: ast.Module) -> None:
        self.all = list(ast.walk(tree))
        self.nodes: list[Located] = [node for node in self.all if isinstance(node, ast.expr | ast.stmt)]
        self.above = {child: node for node in self.all for child in ast.iter_child_nodes(node)}
        self.imported = {
            alias.asname or alias.name.partition(".")[0]: (
                f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            )
            + alias.name
            for node in self.nodes
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }

    def called(self, node: ast.AST) -> str:
        """Return the full name of what is called or taken, by the imports of the file."""
        if isinstance(node, ast.Call):
            return self.called(node.func)
        written = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
        first, dot, rest = written.partition(".")
        return self.imported.get(first, first) + dot + rest

    def spread(self, is_source: Callable[[ast.AST], bool]) -> Callable[[ast.AST], bool]:
        """Return whether an expression holds such a source, or a name or function that is given one."""
        sources = {node for node in self.all if is_source(node)}
        names: set[tuple[str, str]] = set()  # with the function they belong to; '' for those of the module
        while sources:
            holds = self._holder(sources, frozenset(names))
            known = len(names)
            names |= {name for node in self.all for name in self._given(node, holds)}
            if len(names) == known:
                return holds
        return lambda value: False

    def _holder(self, sources: set[ast.AST], names: frozenset[tuple[str, str]]) -> Callable[[ast.AST], bool]:
        def is_held(node: ast.AST) -> bool:
            if node in sources or not names:
                return node in sources
            if isinstance(node, ast.Name):
                return ("", node.id) in names or (self._function_of(node), node.id) in names
            return isinstance(node, ast.Attribute) and ("", f".{node.attr}") in names

        return lambda value: any(map(is_held, ast.walk(value)))

    def _given(self, node: ast.AST, holds: Callable[[ast.AST], bool]) -> Iterator[tuple[str, str]]:
        """Yield the names that a statement gives a held value, and the function that returns one."""
        match node:
            case ast.Assign(targets=targets, value=value) if holds(value):
                yield from (name for target in targets for name in self._names(target))
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                yield from self._names(target) if holds(value) else ()
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value) if holds(value):
                yield from self._names(target)
            case ast.withitem(optional_vars=ast.expr() as target, context_expr=value) if holds(value):
                yield from self._names(target)
            case ast.Return(value=ast.expr() as value) if holds(value) and (name := self._function_of(node)):
                yield from (("", name), ("", f".{name}"))

    def _names(self, target: ast.AST) -> Iterator[tuple[str, str]]:
        stored = (node for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        return ((self._function_of(node), node.id) for node in stored)

    def _function_of(self, node: ast.AST) -> str:
        """Return the function that a node stands in; '' at the top of the module."""
        while node in self.above:
            node = self.above[node]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return node.name
        return ""


def texts_in(node: ast.AST) -> Iterator[str]:
    """Yield the texts in an expression, also those that are put together in it."""
    for inner in ast.walk(node):
        text = folded_text(inner) if isinstance(inner, ast.expr) else None
        if text is not None:
            yield text


def folded_text(node: ast.expr) -> str | None:
    """Return the text that an expression of constants makes; None for any other."""
    match node:
        case ast.Constant(value=str() as text):
            return text
        case ast.Constant(value=bytes() as data):
            return data.decode("utf-8", "replace")
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            sides = folded_text(left), folded_text(right)
            return None if None in sides else "".join(map(str, sides))
        case ast.JoinedStr(values=values):
            parts = [folded_text(one.value if isinstance(one, ast.FormattedValue) else one) for one in values]
            return None if None in parts else "".join(map(str, parts))
        case ast.Subscript(value=value, slice=ast.Slice(step=ast.UnaryOp(op=ast.USub()))):
            return (folded_text(value) or "")[::-1] or None
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as between), attr="join"),
            args=[ast.List(elts=elts) | ast.Tuple(elts=elts)],
        ):
            parts = [folded_text(one) for one in elts]
            return None if None in parts else between.join(map(str, parts))
        case ast.Call(func=ast.Attribute(value=ast.expr() as value, attr="replace"), args=[first, second]):
            whole, old, new = folded_text(value), folded_text(first), folded_text(second)
            return whole.replace(old, new) if whole and old and new is not None else None
        case ast.Call(func=ast.Attribute(value=ast.expr() as value, attr="lower" | "upper" | "strip")):
            return folded_text(value)
    return None
