"""Names: a public class means one thing in the whole package."""

import ast
from collections import defaultdict
from pathlib import Path

import mi

PACKAGE = Path(mi.__file__).parent


def test_public_class_names_are_unique() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(path.relative_to(PACKAGE)))
    assert len(places) > 400
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
