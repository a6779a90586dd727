"""JSON Schema in one piece: some vendors and hosts do not follow references."""

from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def inlined(node: Any, definitions: Json, finish: Callable[[Json], Json] = dict) -> Any:
    """Return a schema without references and titles, each of its objects as `finish` leaves it.

    What stands beside a reference is kept, and a description there replaces that of what is referred to.
    """
    if isinstance(node, list):
        return [inlined(part, definitions, finish) for part in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        inner = inlined(definitions[node["$ref"].rpartition("/")[2]], definitions, finish)
        beside = inlined({name: part for name, part in node.items() if name != "$ref"}, definitions, finish)
        return {name: part for name, part in inner.items() if name != "description"} | beside
    # A title that is no text is a property of that name.
    kept = {name: part for name, part in node.items() if name != "title" or not isinstance(part, str)}
    return finish({name: inlined(part, definitions, finish) for name, part in kept.items() if name != "$defs"})
