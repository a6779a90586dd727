"""JSON of files: decoded into a type, or one exception that says what is wrong and where; encoded whatever it holds."""

import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
S = TypeVar("S", bound=msgspec.Struct)
# Compiled at their first use: only text that is damaged needs them.
_BYTE = r"\(byte (\d+)\)"
_HALF_SURROGATE = "[\ud800-\udfff]"


class BadJson(Exception):
    """The text is not JSON, or not of the wanted type; line and column are 0 when the syntax is right."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{reason} (line {line}, column {column})" if line else reason)
        self.reason = reason
        self.line = line
        self.column = column


def decode(data: bytes, shape: type[T]) -> T:
    """Return the value in `data` as `shape`."""
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.ValidationError as error:
        raise BadJson(str(error)) from None
    except msgspec.DecodeError as error:
        raise _located(str(error), data) from None
    except UnicodeDecodeError:
        raise _not_utf8(data) from None
    except RecursionError:
        raise BadJson("nested too deeply") from None


def decode_stored(data: bytes, shape: type[T]) -> T:
    """Decode, forgiving what another writer may have left: broken UTF-8, halves of surrogate pairs, NaN."""
    try:
        return decode(data, shape)
    except BadJson as strict:
        import json

        try:
            return msgspec.convert(_mended(json.loads(data.decode("utf-8", "replace"))), shape)
        except (ValueError, RecursionError, msgspec.ValidationError):
            raise strict from None


def decode_fields(data: bytes, shape: type[S]) -> S:
    """Decode as `decode_stored`; a field or element of an unexpected type costs itself, not the rest."""
    try:
        return decode(data, shape)
    except BadJson:
        raw = decode_stored(data, dict[str, Any])
    config = shape.__struct_config__
    fitting = {config.tag_field: raw.get(config.tag_field)} if config.tag_field else {}
    for field in msgspec.structs.fields(shape):
        if field.encode_name in raw:
            try:
                fitting[field.encode_name] = _fitting(raw[field.encode_name], field.type)
            except msgspec.ValidationError:
                continue
    try:
        return msgspec.convert(fitting, shape)
    except msgspec.ValidationError as error:  # what cannot be done without is missing
        raise BadJson(str(error)) from None


def _fitting(value: Any, wanted: Any) -> Any:
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        if not isinstance(value, list):
            raise
        value = [one for one in value if _fits([one], wanted)]
        msgspec.convert(value, wanted)  # no list at all may be wanted
    return value


def _fits(value: Any, wanted: Any) -> bool:
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return False
    return True


def encode(value: object) -> bytes:
    """Return the value as one line; what cannot be UTF-8 (bytes of a command line that were no text) is replaced."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_mended(msgspec.to_builtins(value)))


def _mended(value: Any) -> Any:
    match value:
        case str():
            return re.sub(_HALF_SURROGATE, "\ufffd", value)
        case dict():
            return {_mended(key): _mended(one) for key, one in value.items()}
        case list() | tuple():
            return [_mended(one) for one in value]
    return value


def _not_utf8(data: bytes) -> BadJson:
    try:
        data.decode()
    except UnicodeDecodeError as error:  # msgspec counts from the start of the string value
        return _located(f"not UTF-8 (byte {error.start})", data)
    return BadJson("not UTF-8")


def _located(reason: str, data: bytes) -> BadJson:
    found = re.search(_BYTE, reason)
    at = int(found[1]) if found else len(data)
    before = data[: at - ("trailing characters" in reason)]  # msgspec counts the first of those as read
    text = re.sub(_BYTE, "", reason).removeprefix("JSON is malformed:").strip()
    line = before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")  # people count characters, not bytes
    return BadJson(text, before.count(b"\n") + 1, len(line) + 1)
