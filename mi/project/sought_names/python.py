"""Names in Python files, by their syntax tree: what is reached when a module is imported, read, and raised."""

import ast
import builtins
from collections.abc import Collection
from functools import lru_cache

from mi.kernel.named_tuple import NamedTuple
from mi.project.sought_names.sought_name import EMPTY, UNREACHED, Fault, SoughtName

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_OPTION_CALLS = frozenset({"add_argument", "add_option", "option", "Option"})
_MAY_BE_EMPTY = frozenset({"abstractmethod", "overload", "Protocol", "ABC", "ABCMeta", "singledispatch"})


class _Bound(NamedTuple):
    """A name that is given to something, and the function around it."""

    name: str
    node: ast.AST
    owner: _Function | None
    in_contract: bool  # of a class that others fill


class PythonNames:
    """The live code of a module: without what stands behind a return, and without docstrings."""

    def __init__(self, tree: ast.Module) -> None:
        self.bound: list[_Bound] = []
        self.nodes: list[ast.AST] = []
        self._visit_body(tree.body, None, False)

    def _visit_body(self, body: list[ast.stmt], owner: _Function | None, in_contract: bool) -> None:
        for node in body:
            if not _is_text(node):
                self._visit(node, owner, in_contract)
            if isinstance(node, _ENDS):
                return

    def _visit(self, node: ast.AST, owner: _Function | None, in_contract: bool) -> None:
        self.nodes.append(node)
        self.bound += [_Bound(name, node, owner, in_contract) for name in _given_names(node)]
        if isinstance(node, ast.ClassDef):
            in_contract = bool(
                _MAY_BE_EMPTY & {_last(base) for base in (*node.bases, *(k.value for k in node.keywords))}
            )
        inner = node if isinstance(node, _Function) else _main_part(node) or owner
        if isinstance(node, ast.If | ast.While) and _is_false(node.test):
            return self._visit_body(node.orelse, inner, in_contract)
        for field, value in ast.iter_fields(node):
            if field in ("body", "orelse", "finalbody") and isinstance(value, list):
                if not (field == "body" and isinstance(node, ast.Try) and _is_swallowed(node)):
                    self._visit_body(value, inner, in_contract)
                continue
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self._visit(child, inner, in_contract)
        return None


def find_python_fault(text: str, sought: SoughtName) -> Fault:
    """Return what is wrong with a name that a module defines."""
    code = read_names(text)
    if code is None:
        return None
    if sought.is_option:
        return _find_unread(code, sought.name)
    found = [one for one in code.bound if one.name == sought.name]
    reached = [one for one in found if _is_reached(one, code, sought)]
    if reached:
        idle = all(isinstance(one.node, _Function) and _is_empty(one) for one in reached)
        return EMPTY if idle and not sought.may_be_idle else ""
    if found:
        return UNREACHED
    whole = [node for node in ast.walk(_parse(text) or ast.Module([], [])) if sought.name in _given_names(node)]
    return UNREACHED if whole and sought.is_called else None


def mentions_in_python(text: str, name: str) -> bool | None:
    """Return whether live code holds a name as a word or in a string; None for what cannot be read."""
    code = read_names(text)
    return None if code is None else any(_holds(node, name) for node in code.nodes)


def finds_unraised(text: str, name: str, came: Collection[str]) -> bool:
    """Return whether lines that came make an error and do not raise it, or only in dead code."""
    code, lines = read_names(text), text.splitlines()
    if code is None:
        return False
    nodes = [node for node in ast.walk(_parse(text) or ast.Module([], [])) if isinstance(node, ast.stmt)]
    new = [node for node in nodes if lines[node.lineno - 1] in came]
    live = set(map(id, code.nodes)) - {id(node) for one in code.nodes for node in _caught(one, name)}
    if any(_raises(node, name) for node in new if id(node) in live):
        return False
    made = [node.value for node in new if isinstance(node, ast.Expr | ast.Return) and isinstance(node.value, ast.Call)]
    return any(_last(call) == name for call in made) or any(_raises(node, name) for node in new)


@lru_cache(maxsize=64)
def read_names(text: str) -> PythonNames | None:
    """Return the live code of a module; None for what cannot be read."""
    tree = _parse(text)
    return None if tree is None else PythonNames(tree)


@lru_cache(maxsize=64)
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _given_names(node: ast.AST) -> list[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Import() | ast.ImportFrom():
            return [(alias.asname or alias.name).rpartition(".")[2] for alias in node.names]
        case ast.Name(ctx=ast.Store()):
            return [node.id]
        case ast.Attribute(ctx=ast.Store()):
            return [node.attr]
    return []


def _is_reached(bound: _Bound, code: PythonNames, sought: SoughtName) -> bool:
    """Return whether others can use it: of a module or class, registered, given out; a helper where that is enough."""
    node, owner = bound.node, bound.owner
    if owner is None or isinstance(node, ast.Attribute) or getattr(node, "decorator_list", []):
        return True
    if not isinstance(node, _Function | ast.ClassDef):
        return not sought.is_called
    own = set(map(id, ast.walk(node)))
    inside = [one for one in ast.walk(owner) if id(one) not in own]
    called = {id(one.func) for one in inside if isinstance(one, ast.Call)}
    uses = [one for one in inside if isinstance(one, ast.Name) and one.id == bound.name]
    return any(sought.may_be_inside or id(one) not in called for one in uses)


def _is_empty(bound: _Bound) -> bool:
    node = bound.node
    assert isinstance(node, _Function)
    if bound.in_contract or _MAY_BE_EMPTY & {_last(one) for one in node.decorator_list}:
        return False
    return all(map(_is_idle, node.body))


def _is_idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise):
        return _raises(node, "NotImplementedError")
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_swallowed(node: ast.Try) -> bool:
    """Return whether all that a block does is to raise what its own handler passes over."""
    idle = all(all(map(_is_idle, handler.body)) for handler in node.handlers)
    return bool(node.handlers) and idle and all(isinstance(one, ast.Raise) for one in node.body)


def _caught(node: ast.AST, name: str) -> list[ast.Raise]:
    """Return where a block raises an error that its own handler takes and does not pass on."""
    if not isinstance(node, ast.Try):
        return []
    kinds = {one.__name__ for one in getattr(builtins, name, Exception).__mro__} | {name}
    takes = [one for one in node.handlers if one.type is None or kinds & {_last(x) for x in ast.walk(one.type)}]
    if not takes or any(isinstance(x, ast.Raise) for x in ast.walk(takes[0])):
        return []
    inner = {id(x) for one in ast.walk(node) if isinstance(one, _Function | ast.Lambda) for x in ast.walk(one)}
    raised = (x for one in node.body for x in ast.walk(one) if isinstance(x, ast.Raise))
    return [one for one in raised if _raises(one, name) and id(one) not in inner]


def _find_unread(code: PythonNames, option: str) -> Fault:
    """Return what is wrong with an option: declared, and its value read nowhere in this file."""
    calls = [node for node in code.nodes if isinstance(node, ast.Call) and _declares(node, option)]
    if not calls:
        return "" if any(_holds(node, option) for node in code.nodes) else None
    return "" if any(_is_read(call, option, code) for call in calls) else "is declared, and nothing reads it"


def python_option_names(text: str, option: str) -> set[str]:
    """Return the names under which a module may keep the value of an option that it declares."""
    code = read_names(text)
    calls = [node for node in code.nodes if isinstance(node, ast.Call) and _declares(node, option)] if code else []
    return {name for call in calls for name in _targets(call, option, code)} if code else set()


def _declares(call: ast.Call, option: str) -> bool:
    texts = [str(one.value) for one in call.args if isinstance(one, ast.Constant)]
    return _last(call.func) in _OPTION_CALLS and any(text.split("/")[0].split()[:1] == [option] for text in texts)


def _targets(call: ast.Call, option: str, code: PythonNames) -> set[str]:
    given = {str(k.value.value) for k in call.keywords if k.arg == "dest" and isinstance(k.value, ast.Constant)}
    texts = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    plain = {text for text in texts if text.isidentifier()}
    params = {arg.arg for node in code.nodes if isinstance(node, _Function) for arg in _params_with(node, call)}
    return given or plain or params or {option.lstrip("-").replace("-", "_")}


def _params_with(function: _Function, call: ast.Call) -> list[ast.arg]:
    """Return the parameters whose default or annotation is the declaration of an option."""
    args = function.args
    positional = [*args.posonlyargs, *args.args]
    defaults = [
        *zip(reversed(positional), reversed(args.defaults), strict=False),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    by_default = [arg for arg, default in defaults if default is call]
    annotated = [one for one in (*positional, *args.kwonlyargs) if one.annotation and call in ast.walk(one.annotation)]
    return by_default + annotated


def _is_read(call: ast.Call, option: str, code: PythonNames) -> bool:
    keywords = {one.arg: one.value for one in call.keywords}
    action = keywords.get("action")
    acts = action is not None and not (
        isinstance(action, ast.Constant) and str(action.value).startswith(("store", "append", "count", "extend"))
    )
    if acts or "callback" in keywords or isinstance(keywords.get("expose_value"), ast.Constant):
        return True
    if any(one.args.kwarg and call in one.decorator_list for one in code.nodes if isinstance(one, _Function)):
        return True
    names, own = _targets(call, option, code), set(map(id, ast.walk(call)))
    imported = {one.name for one in code.bound if isinstance(one.node, ast.Import | ast.ImportFrom)}
    return any(_reads(node, names, imported) for node in code.nodes if id(node) not in own)


def _reads(node: ast.AST, names: set[str], imported: set[str]) -> bool:
    match node:
        case ast.Attribute(attr=attr, ctx=ast.Load()):
            root = node.value.id if isinstance(node.value, ast.Name) else ""
            return attr in ("__dict__", "params") or (attr in names and root not in imported)
        case ast.Name(id=name, ctx=ast.Load()):
            return name == "vars" or (name in names and name not in imported)
        case ast.Constant(value=str(value)):
            return value in names
    return False


def _raises(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Raise) or node.exc is None:
        return False
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return _last(raised) == name or (isinstance(node.exc, ast.Name) and node.exc.id[:1].islower())


def _holds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found) | ast.Attribute(attr=found) | ast.arg(arg=found) | ast.keyword(arg=found):
            return found == name
        case ast.Constant(value=str(value)):
            return name in value
    return name in _given_names(node)


def _last(node: ast.AST) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _main_part(node: ast.AST) -> ast.FunctionDef | None:
    """Return what runs only as a program, as if it were a function: no import reaches what it defines."""
    if not (isinstance(node, ast.If) and isinstance(node.test, ast.Compare) and _last(node.test.left) == "__name__"):
        return None
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.FunctionDef(name="__main__", args=nothing, body=node.body, decorator_list=[])


def _is_false(test: ast.expr) -> bool:
    return (isinstance(test, ast.Constant) and not test.value) or _last(test) == "TYPE_CHECKING"
