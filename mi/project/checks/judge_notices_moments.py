"""Code whose result depends on the clock, on chance or on how often it was called, without that its task says so.

What gives one answer while the tests run can give another afterwards.
"""

import ast
import re
from collections.abc import Callable, Iterator

from mi.kernel.language import compiled, patterns
from mi.project.checks.judge_notices_code import decided_by, functions_of
from mi.project.checks.judge_notices_flow import PythonCode
from mi.project.checks.judge_tokens import SCRIPTED, without_comments

BY_CLOCK = "decides by the clock"
BY_CHANCE = "decides by chance"
BY_COUNT = "decides by how often it was called"

_CLOCK_CALL = re.compile(
    r"time\.(?:(?:time|monotonic|perf_counter|process_time)(?:_ns)?|localtime|gmtime|strftime|ctime)"
    r"|datetime\.(?:datetime\.(?:now|utcnow|today)|date\.today)"
)
_CHANCE_CALL = re.compile(r"(?:random|secrets)\.\w+(?:\.\w+)?|os\.urandom|uuid\.uuid[14]")
_CLOCK = re.compile(
    r"\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(|process\.hrtime|\btime\.(?:Now|Since)\("
    r"|\b(?:SystemTime|Instant|Utc|Local)::now\(|\$\{?(?:SECONDS|EPOCHSECONDS|EPOCHREALTIME)\b|\bdate\s+[\"']?\+"
)
_CHANCE = re.compile(
    r"\bMath\.random\(|\bcrypto\.(?:random|getRandom)\w*\(|\brand\.\w+\(|\brand::|\bthread_rng\(|\bS?RANDOM\b|/dev/u?random"
)
_WITH_NUMBER = re.compile(
    r"(?:[<>]=?|(?<!=)[=!]=+)\s*-?(?:\d|time\.Date\(|new Date\(|Date\.UTC\()|\d\s*(?:[<>]|[=!]=)|%\s*\d|&\s*1\b"
    r"|-(?:lt|le|gt|ge|eq|ne)\s+[\"']?\d|\.(?:After|Before)\(\s*time\.(?:Date|Unix)\("
)
_RESULT = re.compile(r"\breturn\b|\?|(?<![=!<>])=(?![=>])|\becho\b|\bshift\b|\belse\b")
_STATE = re.compile(
    r"^(?:export\s+)?(?:let|var)\s+(\w+)|^const\s+(\w+)\s*=\s*(?:\[|\{|new\s+(?:Map|Set|Array|WeakMap))|^var\s+(\w+)\b"
    r"|^\s*(?:pub\s+)?static\s+(?:mut\s+)?(\w+)\s*:(?!\s*&)"
)


def depends_on_moment(text: str, language: str, task: str) -> list[tuple[str, int]]:
    """Return the ways and lines (from 0) of code that decides by what no input says; a task may ask for it."""
    known = patterns()
    spoken = {BY_CLOCK: known.about_time, BY_CHANCE: known.about_chance, BY_COUNT: known.about_counts}
    found = list(_in_python(text) if language == "py" else _in_code(text, language))
    return [(way, number) for way, number in found if not compiled(spoken[way]).search(task)]


# Python


def _in_python(text: str) -> Iterator[tuple[str, int]]:
    try:
        code = PythonCode(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for way, calls in ((BY_CLOCK, _CLOCK_CALL), (BY_CHANCE, _CHANCE_CALL)):
        holds = code.spread(_calls(code, calls))
        yield from ((way, node.lineno - 1) for node in _decisions(code) if _asks(node, holds, code))
    for name in _counted(code):
        holds = code.spread(_is(name))
        yield from ((BY_COUNT, node.lineno - 1) for node in _decisions(code) if _counts(node, holds))


def _calls(code: PythonCode, names: re.Pattern[str]) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Call) and bool(names.fullmatch(code.called(node)))


def _is(name: str) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == name


def _decisions(code: PythonCode) -> Iterator[ast.expr]:
    """Yield what decides about a result: the condition of a value, or of statements that give one."""
    for node in code.nodes:
        match node:
            case ast.IfExp(test=test):
                yield test
            case ast.If(test=test, body=body, orelse=other) if any(map(_gives, (*body, *other))):
                yield test
            case ast.Subscript(slice=ast.BinOp() | ast.Call() | ast.Compare() as index, ctx=ast.Load()):
                yield index
            case (
                ast.BinOp(op=ast.Mult(), left=ast.Compare() as test)
                | ast.BinOp(op=ast.Mult(), right=ast.Compare() as test)
            ):
                yield test


def _gives(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return | ast.Assign | ast.AugAssign | ast.Yield) for node in ast.walk(statement))


def _asks(test: ast.expr, holds: Callable[[ast.AST], bool], code: PythonCode) -> bool:
    """Return whether a condition compares such a source with what is fixed; how long a thing took is none."""
    if not holds(test) or any(_holds_span(node, holds, code) for node in ast.walk(test)):
        return False
    compared = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
    sides = [[node.left, *node.comparators] for node in compared]
    fixed = [any(not holds(side) and _is_fixed(side) for side in one) and any(map(holds, one)) for one in sides]
    return any(fixed) if compared else True


def _holds_span(node: ast.AST, holds: Callable[[ast.AST], bool], code: PythonCode) -> bool:
    """Return whether an expression is the time between two moments, or a name that is given it."""
    if not isinstance(node, ast.Name):
        return _is_span(node, holds, code)
    given = (one for one in code.nodes if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == node.id)
    return any(_is_span(inner, holds, code) for one in given for inner in ast.walk(one.value))


def _is_span(node: ast.AST, holds: Callable[[ast.AST], bool], code: PythonCode) -> bool:
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and holds(node.left)):
        return False
    return not _is_fixed(node.right) and not _is_of_module(node.right, code)


def _is_of_module(node: ast.expr, code: PythonCode) -> bool:
    tops = (one for one in code.nodes if isinstance(one, ast.Assign) and isinstance(code.above.get(one), ast.Module))
    names = {target.id for one in tops for target in one.targets if isinstance(target, ast.Name)}
    return isinstance(node, ast.Name) and node.id in names


def _is_fixed(node: ast.expr) -> bool:
    """Return whether an expression is made of constants, or of a name that is written as one."""
    names = [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]
    called = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    return all(name.isupper() or name in called or name in ("datetime", "date", "time") for name in names)


def _counted(code: PythonCode) -> Iterator[str]:
    """Yield the names of the module, the class or the function itself that a function changes as it is called."""
    functions = [node for node in code.all if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    for function in functions:
        own = {one.arg for one in ast.walk(function.args) if isinstance(one, ast.arg)} - _defaults(function)
        shared = {
            name for node in ast.walk(function) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names
        }
        stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - shared
        for node in ast.walk(function):
            changed = _changed(node)
            root = changed.partition(".")[0].partition("[")[0]
            if changed and root not in own | stored and root not in ("self", "cls"):
                yield changed


def _defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return the parameters whose default stays from call to call."""
    given = zip(reversed(function.args.args), reversed(function.args.defaults), strict=False)
    return {one.arg for one, value in given if isinstance(value, ast.List | ast.Dict | ast.Set | ast.Call)}


def _changed(node: ast.AST) -> str:
    match node:
        case ast.AugAssign(target=ast.Name() | ast.Attribute() as target):
            return ast.unparse(target)
        case ast.AugAssign(target=ast.Subscript(value=value)):
            return ast.unparse(value)
        case ast.Call(func=ast.Attribute(value=value, attr="append" | "add" | "appendleft" | "pop")):
            return ast.unparse(value)
        case ast.Call(func=ast.Name(id="next"), args=[ast.Name() as value, *_]):
            return ast.unparse(value)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=ast.Name(id=other))) if name == other:
            return name
    return ""


def _counts(test: ast.expr, holds: Callable[[ast.AST], bool]) -> bool:
    """Return whether a condition compares what is counted with a number, or takes a remainder of it."""
    for node in ast.walk(test):
        match node:
            case ast.Compare(left=left, comparators=[right]):
                sides = (left, right) if holds(left) else (right, left)
                if holds(sides[0]) and isinstance(sides[1], ast.Constant) and isinstance(sides[1].value, int):
                    return sides[1].value is not True and sides[1].value is not False and bool(sides[1].value)
            case ast.BinOp(left=left, op=ast.Mod() | ast.BitAnd()) if holds(left):
                return True
    return False


# other languages


def _in_code(text: str, language: str) -> Iterator[tuple[str, int]]:
    lines = without_comments(text, language).splitlines()
    for way, source in ((BY_CLOCK, _CLOCK), (BY_CHANCE, _CHANCE)):
        for number in decided_by(lines, source, True, language):
            if _WITH_NUMBER.search(lines[number]) and _governs(lines, number) and not _is_span_line(lines[number]):
                yield way, number
    if language in SCRIPTED | {"go", "rs"}:
        for name in _counters(lines):
            for number in decided_by(lines, re.compile(rf"\b{name}\b"), True, language):
                if _WITH_NUMBER.search(re.sub(r"\b0\b", "", lines[number])) and _governs(lines, number):
                    yield BY_COUNT, number


def _governs(lines: list[str], number: int) -> bool:
    """Return whether a result depends on the condition in a line."""
    return bool(_RESULT.search(" ".join(lines[number : number + 3])))


def _is_span_line(line: str) -> bool:
    return bool(re.search(r"[\w)]\s+-\s+[a-z_]|\.Sub\(|Since\(|[eE]lapsed|\.duration_since\(", line))


def _counters(lines: list[str]) -> Iterator[str]:
    """Yield what stays from call to call and is changed inside of a function."""
    inside = list(functions_of(lines))
    names = [next(filter(None, found.groups())) for line in lines if (found := _STATE.match(line))]
    for name in dict.fromkeys(names):
        changed = re.compile(
            rf"\b{name}\s*(?:\+\+|--|[-+*|&]?=(?!=))|(?:\+\+|--){name}\b|&{name}\b"
            rf"|\b{name}\.(?:push|add|set|append|fetch_\w+|store|insert|Add|Store|with|unshift)\("
        )
        if any(
            function and not _STATE.match(line) and changed.search(line)
            for line, function in zip(lines, inside, strict=True)
        ):
            yield name
