"""What a source file defines at its top: functions, types and other names, with the text of each."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from mi.kernel.named_tuple import NamedTuple
from mi.project.checks.judge_tokens import SCRIPTED, body_of, statements_of, tokens_of, without_comments

SHELL = frozenset({"sh", "bash"})
DEFINING = frozenset({"py", "go", "rs"}) | SCRIPTED | SHELL

_MARKS = r"(?:\# \[ [^]]* \] )*(?:@\S+ )*"
_FUNCTION = re.compile(
    _MARKS + r"(?:(?:export|default|async|pub|unsafe|const|extern|\( crate \)) )*(?:func|fn|function)(?: \*)?"
    r" (?:\( (?:\w+ )?\*? ?(?P<owner>\w+)[^)]*\) )?(?P<name>[\w$]+) (?:\[.*?\] |< .*? > )?"
    r"\((?P<parameters>.*?)\) (?P<result>.*?)\{"
)
_ARROW = re.compile(
    r"(?:export (?:default )?)?(?:const|let|var) (?P<name>[\w$]+) (?:: .*? )?= (?:async )?"
    r"(?:function(?: \*)?(?: \w+)? )?(?:\((?P<parameters>.*?)\)|(?P<one>[\w$]+)) (?:: .*? )?(?:=>|(?=\{))"
)
_OTHER = re.compile(
    _MARKS + r"(?:(?:export|default|pub|abstract|declare|\( crate \)) )*"
    r"(?:class|struct|enum|trait|type|interface|const|let|var|static|mod|union|macro_rules!?) (?:mut )?(?P<name>[\w$]+)"
)
_SHELL_FUNCTION = re.compile(
    r"(?m)^(?:function\s+)?(?P<name>[\w-]+)\s*\(\s*\)\s*\{(?:[^\n]*\}[ \t]*$|.*?^\})", re.DOTALL
)


class Definition(NamedTuple):
    """One thing that a file defines; `idle` is its text with a body that only gives back what it was given."""

    name: str  # of a method with its type: `Cart.add`
    text: str
    body: str = ""  # of a function
    parameters: tuple[str, ...] = ()
    idle: str = ""  # '' for what is no function, or where the language wants more to be known


def definitions_of(text: str, language: str) -> list[Definition]:
    """Return what a file defines; [] for one that cannot be read."""
    return list(_read_once(text, language))


@lru_cache(maxsize=1024)  # every rule looks at the same files of two trees
def _read_once(text: str, language: str) -> tuple[Definition, ...]:
    if language == "py":
        return tuple(_of_python(text))
    if language in SHELL:
        return tuple(_of_shell(found) for found in _SHELL_FUNCTION.finditer(text))
    return tuple(_of_blocks(text, language)) if language in DEFINING else ()


def _of_python(text: str) -> Iterator[Definition]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.splitlines()
    for node in tree.body:
        yield from _of_statement(node, "", lines)


def _of_statement(node: ast.stmt, owner: str, lines: list[str]) -> Iterator[Definition]:
    marked = node.decorator_list if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else []
    text = "\n".join(lines[min([node.lineno, *(mark.lineno for mark in marked)]) - 1 : node.end_lineno])
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield _of_function(node, owner, text)
        case ast.ClassDef(name=name, body=body):
            yield Definition(owner + name, text)
            for inner in body:
                yield from _of_statement(inner, f"{owner}{name}.", lines)
        case ast.Assign(targets=targets):
            yield from (Definition(owner + one.id, text) for one in targets if isinstance(one, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield Definition(owner + name, text)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            if not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
                yield from (Definition(owner + (one.asname or one.name.partition(".")[0]), text) for one in names)


def _of_function(node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, text: str) -> Definition:
    body, arguments = ast.unparse(ast.Module(node.body, [])), node.args
    every = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    parameters = tuple(every[1:] if owner and every[:1] in (["self"], ["cls"]) else every)
    gives = any(isinstance(one, ast.Return | ast.Yield | ast.YieldFrom) and one.value for one in ast.walk(node))
    if not (parameters or gives):  # to call it is all that a test can do
        return Definition(owner + node.name, text, body)
    node.body = [ast.Return(ast.Name(parameters[0]) if parameters else ast.Constant(None))]
    idle = "\n".join(" " * node.col_offset + line for line in ast.unparse(ast.fix_missing_locations(node)).splitlines())
    return Definition(owner + node.name, text, body, parameters, idle)


def _of_shell(found: re.Match[str]) -> Definition:
    head, _, body = found[0].partition("{")
    return Definition(found["name"], found[0], body.rstrip("}"), (), f'{head}{{\n    echo "$1"\n}}')


def _of_blocks(text: str, language: str) -> Iterator[Definition]:
    lines = text.splitlines()
    for statement in statements_of(tokens_of(text, language), language):
        first, last = statement.lines
        written = "\n".join(lines[first : last + 1])
        words = statement.text
        if function := _FUNCTION.match(words):
            inside = body_of(statement, language)
            body = " ".join(token.text for token in inside.inside) if inside else ""
            name = ".".join(part for part in (function["owner"], function["name"]) if part)
            names = _parameters(function["parameters"], language)
            idle = _idle(written, tuple(names), function, language)
            yield Definition(name, written, body, tuple(names), idle)
        elif language in SCRIPTED and (arrow := _ARROW.match(words)):
            names = _parameters(arrow["parameters"] or arrow["one"] or "", language)
            head = written.partition("=>")[0] if "=>" in written else ""
            value = next(iter(names), "undefined")
            yield Definition(arrow["name"], written, words[arrow.end() :], tuple(names), head and f"{head}=> {value};")
        elif other := _OTHER.match(words):
            yield Definition(other["name"], written)
        elif re.match(r"(?:import|(?:pub )?use) ", words):
            yield Definition(words, written)


def _parameters(said: str, language: str) -> dict[str, str]:
    """Return the plain parameters with their types, where these are said."""
    found: dict[str, str] = {}
    parts = [part.strip() for part in re.split(r" , (?![^<\[{(]*[>\]})])", said) if part.strip()]
    for part in reversed(parts):
        name, _, kind = part.partition(" ") if language == "go" else part.partition(" : ")
        if language == "go" and not kind:
            kind = next(reversed(found.values()), "") if found else ""
        plain = re.sub(r"^(?:mut |\.\.\. )|(?: = .*| \?)$", "", name)
        if re.fullmatch(r"[\w$]+", plain) and plain not in ("self", "_"):
            found[plain] = kind.partition(" = ")[0].strip()
    return dict(reversed(found.items()))


def _idle(written: str, names: tuple[str, ...], head: re.Match[str], language: str) -> str:
    """Return a function whose body is gone; '' where its result cannot be made from its words alone."""
    types = _parameters(head["parameters"], language)
    result = head["result"].strip().removeprefix("-> ")
    first = names[0] if names else ""
    if language in SCRIPTED:
        gives = f"return {first or 'undefined'};"
    elif not result:
        return ""
    elif first and types[first] == result:
        gives = f"return {first};" if language == "rs" else f"return {first}"
    elif language == "rs":
        gives = "Default::default()"
    elif result.startswith("("):
        return ""
    else:
        gives = f"return *new({result})"
    plain = without_comments(written, language)
    start = plain.find("{", plain.find(")"))
    return f"{written[: start + 1]}\n{gives}\n}}" if start > 0 else ""
