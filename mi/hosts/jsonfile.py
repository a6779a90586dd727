"""Values in a user's JSON file: set, appended and taken out by key path; every other byte stays as it is."""

import re
from typing import Any

from mi.kernel.errors import StorageError
from mi.kernel.messages import NestedText
from mi.kernel.named_tuple import NamedTuple

ABSENT = object()
Keys = tuple[str, ...]

_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r"[^\s,\]}]+")
_STEP = re.compile(r"\n([ \t]+)\S")


class _Node(NamedTuple):
    """A value in the text; of an object or a list its parts: where each begins and its value, an object's by key."""

    start: int
    end: int
    parts: list[tuple[str, int, "_Node"]]

    def at(self, key: str) -> "_Node | None":
        return next((value for name, _, value in reversed(self.parts) if name == key), None)


def parse(data: bytes | None, path: str) -> dict[str, Any]:
    """Return the object in a file; an absent or empty file is an empty one."""
    import json

    if data is None or not data.strip():
        return {}
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise StorageError("host-not-json", path=path, reason=str(error)) from None
    if not isinstance(found, dict):
        raise StorageError("host-not-json", path=path, reason=NestedText("reason.no-object"))
    return found


def get(document: dict[str, Any], keys: Keys) -> Any:
    """Return the value at a key path; ABSENT when there is none."""
    here: Any = document
    for key in keys:
        if not isinstance(here, dict) or key not in here:
            return ABSENT
        here = here[key]
    return here


def put(data: bytes | None, keys: Keys, value: Any, path: str) -> bytes:
    """Return the file with a value at a key path, in the manner of what stands around it."""
    document = parse(data, path)
    for length in range(1, len(keys)):
        if not isinstance(get(document, keys[:length]), dict) and get(document, keys[:length]) is not ABSENT:
            at = ".".join(keys[:length])
            raise StorageError("host-not-json", path=path, reason=NestedText("reason.no-object-at", at=at))
    text, node = _read(data, path)
    for depth, key in enumerate(keys):
        inner = node.at(key)
        if inner is None:
            for outer in reversed(keys[depth + 1 :]):
                value = {outer: value}
            return _bytes(_inserted(text, node, key, value))
        node = inner
    indent = _indent(text, node.start)
    return _bytes(text[: node.start] + _dumped(text, value, indent) + text[node.end :])


def add(data: bytes | None, keys: Keys, value: Any, path: str) -> bytes:
    """Return the file with an item at the end of the list at a key path."""
    items = get(parse(data, path), keys)
    if items is ABSENT:
        return put(data, keys, [value], path)
    if not isinstance(items, list):
        raise StorageError("host-not-json", path=path, reason=NestedText("reason.no-list-at", at=".".join(keys)))
    text, node = _read(data, path)
    return _bytes(_inserted(text, _at(node, keys), None, value))


def take(data: bytes, keys: Keys, former: dict[str, Any], path: str) -> bytes:
    """Return the file without the value at a key path.

    And without each container that was made for it and is empty now.
    """
    document = parse(data, path)
    if get(document, keys) is ABSENT:
        return data
    while len(keys) > 1 and len(get(document, keys[:-1])) == 1 and get(former, keys[:-1]) is ABSENT:
        keys = keys[:-1]
    text, node = _read(data, path)
    parent = _at(node, keys[:-1])
    names = [name for name, _, _ in parent.parts]
    return _bytes(_without(text, parent, len(names) - 1 - names[::-1].index(keys[-1])))


def take_item(data: bytes, keys: Keys, value: Any, former: dict[str, Any], path: str) -> bytes:
    """Return the file without one item equal to the value in the list at a key path, and without a list made for it."""
    items = get(parse(data, path), keys)
    if not isinstance(items, list) or value not in items:
        return data
    if len(items) == 1 and get(former, keys) is ABSENT:
        return take(data, keys, former, path)
    text, node = _read(data, path)
    return _bytes(_without(text, _at(node, keys), items.index(value)))


# the text


def _read(data: bytes | None, path: str) -> tuple[str, _Node]:
    text = (data or b"").decode("utf-8") if data and data.strip() else "{}\n"
    begin = _SPACE.match(text, 1 if text.startswith("\ufeff") else 0)
    try:
        return text, _scan(text, begin.end() if begin else 0)
    except RecursionError as error:
        raise StorageError("host-not-json", path=path, reason=str(error)) from None


def _scan(text: str, start: int) -> _Node:
    """Return the value that begins at `start`; the text is known to be JSON."""
    from json.decoder import scanstring  # type: ignore[attr-defined]

    if text[start] == '"':
        return _Node(start, scanstring(text, start + 1)[1], [])
    if text[start] not in "{[":
        return _Node(start, _past(_PLAIN, text, start), [])
    parts: list[tuple[str, int, _Node]] = []
    at = _past(_SPACE, text, start + 1)
    while text[at] not in "}]":
        begin, key = at, ""
        if text[start] == "{":
            key, at = scanstring(text, at + 1)
            at = _past(_SPACE, text, _past(_SPACE, text, at) + 1)
        value = _scan(text, at)
        parts.append((key, begin, value))
        at = _past(_SPACE, text, value.end)
        if text[at] == ",":
            at = _past(_SPACE, text, at + 1)
    return _Node(start, at + 1, parts)


def _inserted(text: str, node: _Node, key: str | None, value: Any) -> str:
    """Return the text with one more part at the end of an object or a list."""
    import json

    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    newline = "\r\n" if "\r\n" in text else "\n"
    if node.parts:
        first, last = node.parts[0][1], node.parts[-1]
        if "\n" not in text[node.start : first]:
            return f"{text[: last[2].end]}, {name}{_dumped(text, value, None)}{text[last[2].end :]}"
        indent = _indent(text, last[1])
        piece = f",{newline}{indent}{name}{_dumped(text, value, indent)}"
        return text[: last[2].end] + piece + text[last[2].end :]
    outer = _indent(text, node.start)
    if "\n" not in text.strip() and text[node.start : node.end].strip() != text.strip("\ufeff \t\r\n"):
        return f"{text[: node.start + 1]}{name}{_dumped(text, value, None)}{text[node.end - 1 :]}"
    inner = outer + _step(text)
    piece = f"{newline}{inner}{name}{_dumped(text, value, inner)}{newline}{outer}"
    return text[: node.start + 1] + piece + text[node.end - 1 :]


def _without(text: str, node: _Node, number: int) -> str:
    """Return the text without a part of an object or a list, and without what set it apart."""
    parts = node.parts
    if len(parts) == 1:
        return text[: node.start + 1] + text[node.end - 1 :]
    if number > 0:
        return text[: parts[number - 1][2].end] + text[parts[number][2].end :]
    return text[: parts[0][1]] + text[parts[1][1] :]


def _dumped(text: str, value: Any, indent: str | None) -> str:
    """Return a value, on one line without an indent; its further lines begin with the indent."""
    import json

    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=_step(text), ensure_ascii=False).replace("\n", newline + indent)


def _at(node: _Node, keys: Keys) -> _Node:
    for key in keys:
        node = node.at(key) or node
    return node


def _step(text: str) -> str:
    found = _STEP.search(text)
    return found[1] if found else "  "


def _indent(text: str, at: int) -> str:
    """Return the white space that the line of a place begins with."""
    begin = text.rfind("\n", 0, at) + 1
    return text[begin : _past(re.compile(r"[ \t]*"), text, begin)]


def _past(pattern: re.Pattern[str], text: str, start: int) -> int:
    found = pattern.match(text, start)
    return found.end() if found else start


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
