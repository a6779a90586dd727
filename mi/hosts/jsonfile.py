"""Values in a user's JSON file: set, appended and taken out by key path, the rest left as it is."""

import re
from typing import Any

from mi.kernel.errors import StorageError
from mi.kernel.messages import Said

ABSENT = object()


def parse(data: bytes | None, path: str) -> dict[str, Any]:
    """The object in a file; an absent or empty file is an empty one."""
    import json

    if data is None or not data.strip():
        return {}
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise StorageError("host-not-json", path=path, reason=str(error)) from None
    if not isinstance(found, dict):
        raise StorageError("host-not-json", path=path, reason=Said("reason.no-object"))
    return found


def dump(document: dict[str, Any], like: bytes | None) -> bytes:
    """The document in the manner of the bytes it came from: their indentation, their last newline."""
    import json

    indent = re.search(rb"\n([ \t]+)\S", like or b"")
    step = indent[1].decode() if indent else "  "
    text = json.dumps(document, indent=step, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass") + (b"\n" if not like or like.endswith(b"\n") else b"")


def get(document: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The value at a key path; ABSENT when there is none."""
    here: Any = document
    for key in keys:
        if not isinstance(here, dict) or key not in here:
            return ABSENT
        here = here[key]
    return here


def put(document: dict[str, Any], keys: tuple[str, ...], value: Any, path: str) -> None:
    """Set the value at a key path."""
    _parent(document, keys, path)[keys[-1]] = value


def add(document: dict[str, Any], keys: tuple[str, ...], value: Any, path: str) -> None:
    """Append an item to the list at a key path."""
    items = _parent(document, keys, path).setdefault(keys[-1], [])
    if not isinstance(items, list):
        raise StorageError("host-not-json", path=path, reason=Said("reason.no-list-at", at=".".join(keys)))
    items.append(value)


def take(document: dict[str, Any], keys: tuple[str, ...], former: dict[str, Any]) -> None:
    """Remove the value at a key path, and each container that is empty now and was not there before."""
    for length in range(len(keys), 0, -1):
        prefix = keys[:length]
        parent = get(document, prefix[:-1])
        if not isinstance(parent, dict):
            continue
        if length < len(keys) and (parent.get(prefix[-1]) or get(former, prefix) is not ABSENT):
            return
        parent.pop(prefix[-1], None)


def take_item(document: dict[str, Any], keys: tuple[str, ...], value: Any, former: dict[str, Any]) -> None:
    """Remove one item equal to the value from the list at a key path, and the list when it was made for it."""
    items = get(document, keys)
    if isinstance(items, list) and value in items:
        items.remove(value)
        if not items and get(former, keys) is ABSENT:
            take(document, keys, former)


def _parent(document: dict[str, Any], keys: tuple[str, ...], path: str) -> dict[str, Any]:
    here = document
    for depth, key in enumerate(keys[:-1]):
        inner = here.setdefault(key, {})
        if not isinstance(inner, dict):
            at = ".".join(keys[: depth + 1])
            raise StorageError("host-not-json", path=path, reason=Said("reason.no-object-at", at=at))
        here = inner
    return here
