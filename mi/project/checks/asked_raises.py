"""Functions that a task wants to raise an error: whether what came can, in Python and JavaScript."""

import ast
import re
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from keyword import iskeyword

from mi.kernel.language import compiled, patterns
from mi.kernel.text import split_sentences
from mi.project.checks.asked_errors import asks
from mi.project.checks.definitions import Definition
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import SCRIPTED, without_comments
from mi.project.checks.product_functions import (
    SEARCHED,
    find_reached,
    is_product,
    last_part,
    read_definitions,
    read_product,
    text_of,
    words_of,
)
from mi.project.trees import Tree

_RAISES = re.compile(r"\b(?:raise|throw|reject|assert\w*|abort)\b")
_MAY_RAISE = re.compile(r"[\w)\]]\[|/\s*[A-Za-z_(]|^\s*@|\b(?:await|del|import|with|yield|next|super)\b")
_CALL = re.compile(r"(?<!\bdef )(?<!\bfunction )(?<![\w$.])([A-Za-z_$][\w$.]*)\s*\(")
_NEVER_RAISES = re.compile(
    r"(?:switch|catch|print|len|max|min|abs|round|str|sum|bool|any|all|isinstance"
    r"|Number|String|Boolean|isNaN|Math\.\w+|Number\.\w+|console\.\w+|log\w*\.\w+|warnings\.warn)"
)
# An error that only a word for it raises: none that Python or JavaScript raises for a call or an index.
_ERROR = re.compile(
    r"(?<![\w.])(?!(?:Type|Value|Key|Index|Attribute|Name|Lookup|ZeroDivision|Overflow|FileNotFound|Permission|Import"
    r"|ModuleNotFound|Unicode\w*|JSONDecode|Recursion|Reference|Syntax|Timeout|Connection|OS|IO|Assertion|Runtime"
    r"|Arithmetic|Module)Error\b)([A-Z][a-z]\w*(?:Error|Exception))\b"
)
_TRY = re.compile(r"\btry\s*\{([^{}]|\{[^{}]*\})*\}\s*catch\s*(?:\([^)]*\)\s*)?\{(?P<handles>(?:[^{}]|\{[^{}]*\})*)\}")


def find_never_raising(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the functions that are to raise an error and of which nothing that came does, nor calls what might."""
    known = patterns()
    wish, refusal = f"{known.raises}|{known.gives_error}", f"{known.negation}|{known.in_place_of}"
    words = words_of(" ".join(one for one in split_sentences(task) if asks(one, wish, refusal)))
    paths = [path for path in final.changed_since(base) if is_product(path) and extension(path) in {"py"} | SCRIPTED]
    if not words or compiled(known.unused_on_purpose).search(task):
        return
    for path in paths:
        was = {one.name: one.text for one in read_definitions(base, path)}
        for one in read_definitions(final, path):
            is_meant = one.body and last_part(one.name) in words and was.get(one.name) != one.text
            elsewhere = any(_raises_beside(other, one, base, final) for other in paths)
            if is_meant and not elsewhere and _cannot_raise(one, was.get(one.name, ""), final, extension(path)):
                yield last_part(one.name)


def find_unnamed_errors(task: str, base: Tree, final: Tree) -> Iterator[str]:
    """Yield the errors that a task wants raised, that no language raises by itself, and that no product code names."""
    known = patterns()
    wish, refusal = f"{known.raises}|{known.gives_error}|{known.rejects_with}", f"{known.negation}|{known.in_place_of}"
    wanted = {
        name
        for one in split_sentences(task)
        if asks(one, wish, refusal) and not compiled(known.takes_out).search(one)
        for name in _ERROR.findall(one[_first_wish(one, wish) :])
    }
    if not wanted or compiled(known.unused_on_purpose).search(task):
        return
    product = [path for path in final.paths() if is_product(path)][:SEARCHED]
    if not any(is_product(path) for path in final.changed_since(base)):
        return
    named = {word for path in product for word in words_of(without_comments(text_of(final, path), extension(path)))}
    yield from sorted(wanted - named)


def _first_wish(sentence: str, wish: str) -> int:
    found = compiled(wish).search(sentence)
    return found.start() if found else len(sentence)


def _cannot_raise(one: Definition, was: str, tree: Tree, language: str) -> bool:
    """Return whether lines came in a function that raise nothing but what is caught at once, nor call what might."""
    plain, had = without_comments(one.text, language), set(without_comments(was, language).splitlines())
    came = [line for line in plain.splitlines() if line not in had]
    reached = [other for other in find_reached(one, read_product(tree)) if other.body and other.text != one.text]
    lines = [*came, *(line for other in reached for line in other.text.splitlines())]
    known = {last_part(other.name) for other in (one, *reached)}
    called = {name for line in lines if not _RAISES.search(line) for name in _CALL.findall(line)}
    is_known = all(name in known or iskeyword(name) or _NEVER_RAISES.fullmatch(name) for name in called)
    left = "\n".join([_without_caught(plain, language), *(other.text for other in reached)])
    return bool(came) and is_known and not any(map(_MAY_RAISE.search, lines)) and not _RAISES.search(left)


def _without_caught(text: str, language: str) -> str:
    """Return a function without what is never reached, and the blocks whose errors a handler keeps to itself."""
    if language != "py":
        text = _until_return(text)
        return _TRY.sub(lambda found: found[0] if _RAISES.search(found["handles"]) else "", text)
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "raise"
    for block in [block for node in ast.walk(tree) if isinstance(block := getattr(node, "body", None), list)]:
        ends = [at for at, one in enumerate(block) if isinstance(one, ast.Return | ast.Raise)]
        del block[ends[0] + 1 if ends else len(block) :]
    for node in [node for node in ast.walk(tree) if isinstance(node, ast.Try)]:
        if node.handlers and not any(isinstance(one, ast.Raise) for each in node.handlers for one in ast.walk(each)):
            node.body = [ast.Pass()]
    return ast.unparse(tree)


def _until_return(text: str) -> str:
    """Return a function in JavaScript up to the first return that stands at the depth of its body."""
    lines = text.splitlines()
    depth = lines[1][: -len(lines[1].lstrip()) or None] if len(lines) > 1 else ""
    for at, (above, line) in enumerate(pairwise(lines)):
        if re.match(rf"{depth}return\b.*;\s*$", line) and not re.search(r"(?:\)|\belse)\s*$", above):
            return "\n".join(lines[: at + 2])
    return text


def _raises_beside(path: str, one: Definition, base: Tree, final: Tree) -> bool:
    """Return whether a line that came outside of a function raises something."""
    had = set(text_of(base, path).splitlines()) | set(one.text.splitlines())
    return any(_RAISES.search(line) for line in text_of(final, path).splitlines() if line not in had)
