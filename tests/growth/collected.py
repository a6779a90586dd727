"""Every regular expression of the package with how it is used: read from the source, evaluated in its module."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import mi
from mi.kernel import language, secret_rules, secrets

_METHODS = {"match": 2, "fullmatch": 2, "search": 2, "finditer": 2, "findall": 2, "split": 3, "sub": 4, "subn": 4}
_MATCHERS = ("skips",)  # methods of ours that match a pattern where they are
_SKIPPED = ("mi.testing", "mi.project.proof.reports.reporters")  # scripted parts; files that stand alone


class UsedPattern(NamedTuple):
    where: str
    pattern: "re.Pattern[Any]"
    how: str  # match, fullmatch or search


class _AnyName(str):
    """Stands for a value that is known only when the code runs."""

    def __getattr__(self, name: str) -> "_AnyName":
        return _AnyName("name")

    def __call__(self, *given: object) -> "_AnyName":
        return _AnyName("name")


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        return getattr(__import__("builtins"), name, None) or _AnyName("name")


def collect() -> list[UsedPattern]:
    """Return the patterns of all modules, each once for how it is used."""
    found: dict[tuple[Any, int, str], UsedPattern] = {}
    for info in pkgutil.walk_packages(mi.__path__, "mi."):
        if info.name.startswith(_SKIPPED) or info.name.endswith("__main__") or ".template" in info.name:
            continue
        module = importlib.import_module(info.name)
        for used in _used(module):
            found.setdefault((used.pattern.pattern, used.pattern.flags, used.how), used)
    for used in (*_languages(), *_secrets()):
        found.setdefault((used.pattern.pattern, used.pattern.flags, used.how), used)
    return list(found.values())


def _languages() -> Iterator[UsedPattern]:
    for code in language.LANGUAGES:
        for name, value in vars(language.patterns(code)).items():
            for key, one in value.items() if isinstance(value, dict) else [("", value)]:
                if isinstance(one, str) and one and name not in ("numerals", "before_name", "work_log"):
                    yield UsedPattern(f"language.{code}.{name}{key and '.' + key}", language.compiled(one), "search")


def _secrets() -> Iterator[UsedPattern]:
    """Return the rules of the scanner, which compiles each at its first use."""
    for kind, prefix, rest in secret_rules.PREFIXES:
        pattern = re.compile(secrets.vendor_pattern(prefix, rest), re.ASCII)
        yield UsedPattern(f"mi.kernel.secret_rules:{kind}", pattern, "search")
    for kind, _, shape in secret_rules.SHAPES:
        yield UsedPattern(f"mi.kernel.secret_rules:{kind}", re.compile(shape, re.ASCII), "search")


def _used(module: ModuleType) -> Iterator[UsedPattern]:
    with open(module.__file__ or "", encoding="utf-8") as file:
        source = file.read()
    if "re." not in source and "compiled(" not in source:
        return
    nodes = list(ast.walk(ast.parse(source)))
    methods = _methods_of_names(nodes)
    assigned = {
        id(node.value): node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    outer = {id(node.func.value): node.func.attr for node in nodes if _is_method(node)}  # type: ignore[attr-defined]
    for node in nodes:
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = ast.unparse(node.func)
        if name.startswith("re.") and name[3:] in _METHODS:
            yield from _evaluated(module, node, _plain(name[3:]), _METHODS[name[3:]])
        elif name in ("re.compile", "compiled", "language.compiled"):
            how = _plain(outer[id(node)]) if id(node) in outer else methods.get(assigned.get(id(node), ""), "search")
            yield from _evaluated(module, node, how, 1, 0 if name == "re.compile" else re.IGNORECASE)


def _is_method(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS


def _methods_of_names(nodes: list[ast.AST]) -> dict[str, str]:
    """Return for each name how it is called in its module; by anything else than one kind of match, it searches."""
    seen: dict[str, set[str]] = {}
    inner = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            seen.setdefault(node.value.id, set()).add(_plain(node.attr))
            inner.add(id(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MATCHERS:
            for given in node.args:
                if isinstance(given, ast.Name):
                    seen.setdefault(given.id, set()).add("match")
                    inner.add(id(given))
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in inner:
            seen.setdefault(node.id, set()).add("search")
    return {name: next(iter(how)) if len(how) == 1 else "search" for name, how in seen.items()}


def _plain(method: str) -> str:
    return method if method in ("match", "fullmatch") else "search"


def _evaluated(module: ModuleType, node: ast.Call, how: str, flag_at: int, flags: int = 0) -> Iterator[UsedPattern]:
    given = next((one.value for one in node.keywords if one.arg == "flags"), None)
    given = given or (node.args[flag_at] if len(node.args) > flag_at else None)
    names = _Names(vars(module))
    try:
        source = eval(compile(ast.Expression(node.args[0]), module.__name__, "eval"), names, names)
        flags = flags if given is None else int(eval(compile(ast.Expression(given), "", "eval"), names, names))
    except (TypeError, ValueError, KeyError):  # of a value that is known only when the code runs
        return
    if isinstance(source, _AnyName) or not isinstance(source, str | bytes | re.Pattern):
        return  # known only when the code runs: the table it comes from is read where it is written
    pattern = source if isinstance(source, re.Pattern) else re.compile(source or "(?!)", flags)
    yield UsedPattern(f"{module.__name__}:{node.lineno}", pattern, how)
