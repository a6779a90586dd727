"""JSON from outside: decoded into a type, or one exception that says what is wrong and where."""

import re
from typing import TypeVar

import msgspec

T = TypeVar("T")
_BYTE = re.compile(r"\(byte (\d+)\)")


class BadJson(Exception):
    """The text is not JSON, or not of the wanted type; line and column are 0 when the syntax is right."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{reason} (line {line}, column {column})" if line else reason)
        self.reason = reason
        self.line = line
        self.column = column


def decode(data: bytes, shape: type[T]) -> T:
    """The value in `data` as `shape`."""
    try:
        return msgspec.json.decode(data, type=shape)
    except msgspec.ValidationError as error:
        raise BadJson(str(error)) from None
    except msgspec.DecodeError as error:
        raise _located(str(error), data) from None
    except UnicodeDecodeError as error:
        raise _located(f"not UTF-8 (byte {error.start})", data) from None
    except RecursionError:
        raise BadJson("nested too deeply") from None


def _located(reason: str, data: bytes) -> BadJson:
    found = _BYTE.search(reason)
    before = data[: int(found[1])] if found else data
    text = _BYTE.sub("", reason).removeprefix("JSON is malformed:").strip()
    return BadJson(text, before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
