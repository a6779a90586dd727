"""Find names that the package's code spells out: lists of them beside a registry are what a registry is to replace."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sources(*left_out: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield every module of the package, by its path in the repository, but those below the given folders or files."""
    for path in sorted((ROOT / "mi").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(left_out):
            yield name, ast.parse(path.read_text("utf-8"))


def lists_of(names: set[str], tree: ast.Module, at_least: int) -> Iterator[list[str]]:
    """Yield the names in every literal that lists some of them, be it a collection, a split text or a pattern."""
    for node in ast.walk(tree):
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
                said = [one.value for one in parts if isinstance(one, ast.Constant)]
            case ast.Dict(keys=keys):
                said = [one.value for one in keys if isinstance(one, ast.Constant)]
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
                said = text.split()
            case ast.Constant(value=str(text)) if "|" in text:
                said = re.findall(r"[\w.-]+", text)
            case _:
                continue
        found = sorted(names.intersection(said))
        if len(found) >= at_least:
            yield found
