"""A task that keeps behaviour: what functions gave before they must give now, also where no test looks.

Tried are the values that the function of the base compares its parameters with, and those beside them.
"""

import ast
import re
from collections.abc import Iterator
from itertools import islice, product

from mi.kernel.language import compiled, patterns
from mi.project.checks.definitions import Definition
from mi.project.checks.judge_places import extension
from mi.project.checks.judge_tokens import without_comments
from mi.project.checks.product_functions import is_product, read_definitions, text_of
from mi.project.proof.examples import StatedExample
from mi.project.proof.task_tests import changes_behaviour
from mi.project.proof.uses import PROGRAM_OF, CommandRuns, Use, try_uses
from mi.project.trees import Tree

_FUNCTIONS, _CALLS, _SHOWN = 10, 60, 3  # that are tried, of each, and told of each
_PARAMETERS, _VALUES = 3, 8  # of a function, and for each
# What a result may depend on beside the arguments.
_IMPURE = re.compile(
    r"\b(?:open|input|requests?|urllib|socket|subprocess|os|sys|random|secrets|uuid|time|datetime|date|Date|now|fetch|process|fs"
    r"|crypto|environ|global|nonlocal|sleep|await|async|yield|unlink|execute|cursor|session|this|self|logging|cache|lru_cache)\b"
)
_STRING = r"\"(?:\\.|[^\"\\\n]){0,80}\"|'(?:\\.|[^'\\\n]){0,80}'"
_NUMBER = r"(?<![\w.])-?\d{1,20}(?:\.\d{1,20})?(?![\w.])"
_LITERAL = rf"({_STRING}|{_NUMBER})"
_COMPARES = r"\s*(?:===?|!==?|<=?|>=?)\s*"

Values = list[str | int | float]


def find_changed_results(task: str, base: Tree, final: Tree, check: str, runs: CommandRuns) -> list[str]:
    """Return the calls that give something else than before, in words; none where the task may change that."""
    if not _keeps(task):
        return []
    uses = list(islice(_changed_functions(base, final), _FUNCTIONS))
    told: list[str] = []
    for endings, program in PROGRAM_OF.items():
        own = [use for one in uses for use in one if extension(use.path) in endings]
        told += _compare(own, program(check), base, final, runs) if own else []
    return told


def _keeps(task: str) -> bool:
    known = patterns()
    keeps = compiled(known.keeps_behaviour).search(task) and not changes_behaviour(task)
    return bool(keeps) and not compiled(f"{known.must_give}|{known.mending}|{known.take_away}").search(task)


def _compare(uses: list[Use], program: str, base: Tree, final: Tree, runs: CommandRuns) -> list[str]:
    before, now = try_uses(uses, program, base, runs, alone=True), try_uses(uses, program, final, runs, alone=True)
    other = [at for at in range(len(uses)) if now[at].is_there and _differ(uses[at], before[at].shown, now[at].shown)]
    if not other:
        return []
    again = [uses[at] for at in other]
    sure = zip(
        other,
        try_uses(again, program, base, runs, alone=True),
        try_uses(again, program, final, runs, alone=True),
        strict=True,
    )
    seen: dict[str, list[str]] = {}
    for at, was, is_now in sure:  # what differs from itself says nothing
        call = uses[at].example
        if call and was.shown == before[at].shown and is_now.shown == now[at].shown:
            seen.setdefault(uses[at].name, []).append(f"`{call.call}` {is_now.shown}, and {_past(was.shown)} before")
    return [line for lines in seen.values() for line in lines[:_SHOWN]]


def _differ(use: Use, before: str, now: str) -> bool:
    """Return whether a call has another result; an error counts where the function of the base raises it itself."""
    error = re.fullmatch(r"(?:raises|throws) (\w+)", before)
    raised = use.example.told.split() if use.example else []
    if not before or not now or " at 0x" in before + now or (error and error[1] not in raised):
        return False
    return _plain(before) != _plain(now)


def _plain(shown: str) -> str:
    """Return a result so that kinds of lists, the order of sets and the last digits of numbers say nothing."""
    rounded = re.sub(r"(?<!\d)-?\d+\.\d+(?:e[-+]?\d+)?", lambda found: f"{float(found[0]):.9g}", shown)
    alike = rounded.replace("True", "1").replace("False", "0").replace("(", "[").replace(",)", "]").replace(")", "]")
    return " ".join(sorted(re.findall(r"[^\s,{}]+", alike))) if "{" in alike else alike


def _past(shown: str) -> str:
    return shown.replace("gives", "gave", 1).replace("raises", "raised", 1).replace("throws", "threw", 1)


def _changed_functions(base: Tree, final: Tree) -> Iterator[list[Use]]:
    """Yield the calls for each function that is another one now and depends on nothing but what it is given."""
    known = [ending for endings in PROGRAM_OF for ending in endings]
    for path in final.changed_since(base):
        if extension(path) not in known or not is_product(path) or final.read(path) is None:
            continue
        now = {one.name: one for one in read_definitions(final, path)}
        for one in read_definitions(base, path):
            changed = now.get(one.name, one)
            if changed.text != one.text and changed.parameters == one.parameters and _is_plain(one, changed):
                yield list(_calls(path, one, text_of(base, path)))


def _is_plain(one: Definition, changed: Definition) -> bool:
    few = 0 < len(one.parameters) <= _PARAMETERS and "." not in one.name and bool(one.body)
    return few and not _IMPURE.search(one.text) and not _IMPURE.search(changed.text)


def _calls(path: str, one: Definition, module: str) -> Iterator[Use]:
    find = _python_values if path.endswith(".py") else _script_values
    values = [_beside(find(one.text, name, module)) for name in one.parameters]
    raised = " ".join(re.findall(r"\b(?:raise|throw)(?: new)? (\w+)", one.text))
    for given in islice(product(*values), _CALLS):
        args = ", ".join(map(repr, given))
        yield Use(path, one.name, StatedExample(f"{one.name}({args})", one.name, args, told=raised))


def _beside(found: Values) -> Values:
    """Return values with those beside them, the given ones first."""
    near: Values = []
    for value in found:
        near += [f"1{value}", value.upper(), f"{value}1"] if isinstance(value, str) else [value + 1, value - 1]
    return list(dict.fromkeys([*found, *near]))[:_VALUES]


def _python_values(text: str, name: str, module: str) -> Values:
    """Return what a function compares a parameter with, or looks up by it; by its kind where that is nothing."""
    tree, found = ast.parse(text.strip()), list[object]()
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others) if any(_is_name(one, name) for one in (left, *others)):
                found += [value for one in (left, *others) for value in _constants(one)]
            case ast.Call(func=ast.Attribute(value=ast.Name(id=one), attr="get"), args=[key, *_]) if _is_name(
                key, name
            ):
                found += _keys(module, one)
            case ast.Call(func=ast.Attribute(value=value), args=args) if _is_name(value, name):
                found += [value for one in args for value in _constants(one)] or ["12", "abc"]
            case ast.Subscript(value=ast.Name(id=one), slice=key) if _is_name(key, name):
                found += _keys(module, one)
            case ast.Match(subject=subject, cases=cases) if _is_name(subject, name):
                found += [value for case in cases for one in ast.walk(case.pattern) for value in _constants(one)]
    numbers = [node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and _counts(node, name)]
    return _kept(found) or ([100, 7] if numbers else [])


def _counts(node: ast.BinOp, name: str) -> bool:
    sides, is_sum = (node.left, node.right), isinstance(node.op, ast.Add | ast.Mult | ast.Mod)
    numeric = any(isinstance(one, ast.Constant) and isinstance(one.value, int | float) for one in sides)
    return any(_is_name(one, name) for one in sides) and (numeric or not is_sum)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _constants(node: ast.AST) -> list[object]:
    try:
        value = ast.literal_eval(node.value if isinstance(node, ast.MatchValue) else node)
    except (ValueError, TypeError, SyntaxError):
        return []
    return list(value) if isinstance(value, tuple | list | set | dict) else [value]


def _keys(module: str, table: str) -> list[object]:
    """Return the keys of a table at the top of a module."""
    found = re.search(
        rf"^(?:export )?(?:(?:const|let|var) )?{re.escape(table)}\b[^=\n]*= ?\{{([^}}]*)\}}", module, re.MULTILINE
    )
    keys = re.findall(rf"(?:^|[,{{])\s*(?:{_LITERAL}|(\w+))\s*:", found[1]) if found else []
    return [_value(literal or repr(word)) for literal, word in keys]


def _script_values(text: str, name: str, module: str) -> Values:
    plain, word = without_comments(text, "js"), rf"(?<![\w$.]){re.escape(name)}\b"
    found = re.findall(rf"{word}{_COMPARES}{_LITERAL}|{_LITERAL}{_COMPARES}{word}|{word}\.\w+\(\s*{_LITERAL}", plain)
    if re.search(rf"\bswitch\s*\(\s*{word}\s*\)", plain):
        found += [(one, "", "") for one in re.findall(rf"\bcase\s+{_LITERAL}\s*:", plain)]
    listed = re.findall(rf"\[([^\[\]]*)\]\.includes\(\s*{word}", plain)
    found += [(one, "", "") for held in listed for one in re.findall(_LITERAL, held)]
    values = [_value(literal) for one in found for literal in one if literal]
    values += [key for table in re.findall(rf"\b(\w+)\[{word}\]", plain) for key in _keys(module, table)]
    numbers = re.search(rf"{word}\s*[-*/](?!/)|[-*/]\s*{word}", plain)
    return _kept(values) or ([100, 7] if numbers else [])


def _value(literal: str) -> object:
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return None


def _kept(found: list[object]) -> Values:
    """Return the texts, or the numbers, that were found first: one parameter is of one kind."""
    plain = [one for one in found if isinstance(one, str | int | float) and not isinstance(one, bool)]
    texts = bool(plain) and isinstance(plain[0], str)
    return list(dict.fromkeys(one for one in plain if isinstance(one, str) == texts))
