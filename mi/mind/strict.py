"""From one type: the strict JSON Schema a model is held to, and the check of what it returned.

A record type may have defaults, so that old records read; an answer may not leave anything out. The strict twin of a
type is therefore derived here and never written by hand: every key required, null for optional, no other keys.
"""

from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

import msgspec

from mi.kernel.jsonschema import inlined
from mi.kernel.jsontext import BadJson, decode

T = TypeVar("T")


def strict_twin(shape: type) -> Any:
    """Return the same type without defaults and closed to unknown keys."""
    return _twin(shape)


@cache
def _twin(shape: Any) -> Any:
    fields = [(field.name, _strict(field.type)) for field in msgspec.structs.fields(shape)]
    return msgspec.defstruct(shape.__name__, fields, kw_only=True, forbid_unknown_fields=True)


def _strict(shape: Any) -> Any:
    if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
        return strict_twin(shape)
    arguments = get_args(shape)
    if get_origin(shape) is Literal or not arguments:
        return shape
    strict = tuple(_strict(one) for one in arguments)
    if strict == arguments:
        return shape
    if get_origin(shape) is list:
        return list[strict[0]]  # type: ignore[valid-type]
    union: Any = strict[0]
    for one in strict[1:]:
        union = union | one
    return union


def json_schema(shape: type) -> dict[str, Any]:
    """Return the strict JSON Schema of a type, without references, as the vendors' structured outputs want it."""
    schema = msgspec.json.schema(strict_twin(shape))
    whole: dict[str, Any] = inlined(schema, schema.get("$defs", {}), _typed)
    return whole


def _typed(node: dict[str, Any]) -> dict[str, Any]:
    """Return a node with the type of its texts: some vendors refuse one without."""
    is_text = "enum" in node and all(isinstance(word, str) for word in node["enum"])
    return node | {"type": "string"} if is_text else node


def read_answer(text: str, shape: type[T]) -> T:
    """Return a model's text as a value of the type; BadJson says what to repair."""
    data = _json_part(text).encode("utf-8", "replace")
    decode(data, strict_twin(shape))
    return decode(data, shape)


def _json_part(text: str) -> str:
    """Return the JSON object in a text: some models wrap it in a fence or a sentence."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise BadJson("the answer holds no JSON object")
    return text[start : end + 1]
