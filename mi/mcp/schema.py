"""Tool definitions for the wire: JSON Schema from the types, written once into `definitions/`."""

from types import ModuleType
from typing import Any

import msgspec

from mi.kernel.jsonschema import inlined
from mi.mcp.tool import Json, Tool


def build_definition(tool: Tool[Any, Any]) -> Json:
    """Return a tool as `tools/list` shows it."""
    is_named = tool.title.lower() in tool.name.replace("_", " ")  # then clients show as much without a title
    return {
        "name": tool.name,
        **({} if is_named else {"title": tool.title}),
        "description": tool.description,
        "inputSchema": build_input_schema(tool.input),
        "outputSchema": build_output_schema(tool.output, tool.plain_error),
        "annotations": {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent or tool.read_only,
            **({} if tool.read_only and not tool.open_world else {"openWorldHint": tool.open_world}),
        },
    }


def build_input_schema(shape: type[msgspec.Struct]) -> Json:
    """Return what a call must bring; nothing else is taken. That nothing is given where nothing is, is not said."""
    whole = build_schema(shape)
    fields = {
        name: {word: said for word, said in one.items() if word != "default" or said not in ("", [], None)}
        for name, one in whole.get("properties", {}).items()
    }
    return whole | {"properties": fields, "additionalProperties": False}


def build_output_schema(shape: type[msgspec.Struct], plain_error: bool = False) -> Json:
    """Return what a call answers: the result, or `error` when it was refused. Some clients check refusals, too."""
    whole = build_schema(shape)
    plain: Json = _described(whole)
    plain["properties"] = plain.get("properties", {}) | {"error": {"type": "string" if plain_error else "object"}}
    return plain | ({"minProperties": 1} if whole.get("required") else {})


def build_schema(shape: type[msgspec.Struct]) -> Json:
    """Return the JSON Schema of a type in one piece: some hosts do not follow references."""
    (root,), parts = msgspec.json.schema_components((shape,), ref_template="{name}")
    whole: Json = inlined(root, parts, _or_null)
    whole.pop("description", None)
    if not whole.get("required"):
        whole.pop("required", None)
    return whole


def _or_null(value: Json) -> Json:
    """`{"type": ["string", "null"]}` instead of two alternatives: every client pays for each byte."""
    match value:
        case {"anyOf": [{"type": str(kind)} as first, {"type": "null"}]} if len(first) == 1:
            return {"type": [kind, "null"]} | {name: one for name, one in value.items() if name != "anyOf"}
    return value


def _described(value: Json) -> Json:
    """Return a result's schema for its reader, who sees the rest in the result: each field and its type."""
    fields = {name: _typed(one) for name, one in value.get("properties", {}).items()}
    return {"type": "object"} | ({"properties": fields} if fields else {})


def _typed(value: Json) -> Json:
    """Return the type of a field alone: every client pays for each byte."""
    if "type" in value:
        return {"type": value["type"]}
    if all(isinstance(word, str) for word in value.get("enum", [0])):
        return {"type": "string"}
    kinds = [one["type"] for one in value.get("anyOf", []) if isinstance(one.get("type"), str)]
    return {"type": kinds} if kinds and len(kinds) == len(value.get("anyOf", [])) else {}


def render_definitions(toolset: ModuleType) -> bytes:
    """Return a toolset's file in `definitions/`: one tool a line, so that a changed tool is a changed line."""
    lines = [msgspec.json.encode(one.name) + b":" + msgspec.json.encode(build_definition(one)) for one in toolset.TOOLS]
    head = msgspec.json.encode({"instructions": toolset.INSTRUCTIONS, "resources": hasattr(toolset, "RESOURCES")})
    return head[:-1] + b',"tools":{\n' + b",\n".join(lines) + b"\n}}\n"
