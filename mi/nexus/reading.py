"""State files of any writer, read leniently: what is unknown is passed over, what is missing gets a plain value."""

from codecs import BOM_UTF8
from functools import cache
from typing import Any, TypeVar

import msgspec

from mi.kernel.conflicts import read_sides
from mi.kernel.errors import StorageError
from mi.kernel.files import read_bytes
from mi.kernel.jsontext import BadJson, decode_stored
from mi.kernel.messages import NestedText
from mi.kernel.text import decode
from mi.nexus.history_merge import unite_histories
from mi.nexus.state import Issue, Plan, Task, Tasks, TrackerEntry

T = TypeVar("T", bound=msgspec.Struct)
_PLAIN: dict[str, Any] = {"title": "", "topic": "", "context": "", "goal": "", "status": "pending", "deps": []}
BEGINNING = "1970-01-01T00:00:00.000Z"  # of a file that does not say when it was made


def read_raw_json(path: str, shape: type[Any]) -> Any:
    """Return what a file holds; None when there is no file, StorageError when it is no JSON of this shape."""
    data = read_bytes(path)
    return None if data is None else _parse(data, shape, path)


def _parse(data: bytes, shape: type[Any], path: str) -> Any:
    try:
        return decode_stored(data.removeprefix(BOM_UTF8), shape)
    except BadJson as error:
        raise StorageError("state-malformed", path=path, reason=str(error)) from None


def read_plan(path: str) -> Plan | None:
    """Return the plan in a file; None without one."""
    raw = read_raw_json(path, dict[str, Any])
    return None if raw is None else parse_plan(raw, path)


def parse_plan(raw: dict[str, Any], path: str) -> Plan:
    """Return a plan as someone wrote it."""
    issues = [_lenient(one, Issue, path) for one in keep_objects(raw.get("issues"))]
    return _lenient({"created_at": BEGINNING} | raw | {"issues": issues}, Plan, path)


def read_tasks(path: str) -> Tasks | None:
    """Return the tasks in a file; None without one."""
    raw = read_raw_json(path, dict[str, Any])
    if raw is None:
        return None
    tasks = [_lenient(one, Task, path) for one in keep_objects(raw.get("tasks"))]
    decisions = raw.get("decisions")
    return _lenient(
        raw
        | {
            "tasks": tasks,
            "decisions": [decision for decision in decisions if isinstance(decision, str)]
            if isinstance(decisions, list)
            else [],
        },
        Tasks,
        path,
    )


def read_history(path: str) -> dict[str, Any]:
    """Return a history as it stands, empty without a file; what git left of two people's holds the cycles of both."""
    data = read_bytes(path)
    return {"cycles": []} if data is None else parse_history(data, path)


def parse_history(data: bytes, path: str) -> dict[str, Any]:
    """Return the history in a file's bytes; StorageError when it is none."""
    sides = read_sides(decode(data))
    if sides is not None:
        return unite_histories(*(parse_history(side.encode(), path) for side in sides))
    raw: dict[str, Any] = _parse(data, dict[str, Any], path)
    if not isinstance(raw.get("cycles"), list):
        raise StorageError("state-malformed", path=path, reason=NestedText("reason.no-list-at", at="cycles"))
    return raw


def read_cycles(path: str) -> list[dict[str, Any]]:
    """Return the cycles of a history: nobody rewrites what was archived."""
    return keep_objects(read_history(path)["cycles"])


def read_tracker(path: str) -> list[TrackerEntry]:
    """Return the agent instances in a tracker; an entry that cannot be one is passed over."""
    found = []
    for one in keep_objects(read_raw_json(path, list[Any])):
        if isinstance(one.get("harness_id"), str) and isinstance(one.get("started_at"), str):
            found.append(_lenient(one, TrackerEntry, path))
    return found


def keep_objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list; anything else is passed over."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _lenient(raw: dict[str, Any], shape: type[T], path: str) -> T:
    """Return the declared fields of an object; a field of the wrong type counts as missing."""
    try:
        return msgspec.convert(raw, shape)  # what our own kind wrote needs no leniency
    except msgspec.ValidationError:
        pass
    values: dict[str, Any] = {}
    for field in _fields(shape):
        try:
            values[field.encode_name] = msgspec.convert(raw[field.encode_name], field.type, strict=False)
        except (KeyError, msgspec.ValidationError):
            if field.default is msgspec.NODEFAULT:
                if field.encode_name not in _PLAIN:
                    reason = NestedText("reason.unusable", what=shape.__name__, field=field.encode_name)
                    raise StorageError("state-malformed", path=path, reason=reason) from None
                values[field.encode_name] = _PLAIN[field.encode_name]
    return shape(**values)


@cache
def _fields(shape: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Asking msgspec evaluates every annotation anew."""
    return msgspec.structs.fields(shape)
