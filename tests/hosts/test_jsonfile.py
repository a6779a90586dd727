"""MI's entries in a user's JSON file: every byte around them stays, also what the user wrote since."""

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mi.hosts import jsonfile
from mi.kernel.errors import StorageError

HOOK = {"hooks": [{"type": "command", "command": "mi hook", "timeout": 30}]}
SETTINGS = """{
    "permissions": {"allow": ["Bash(ls:*)", "Read"],  "deny": []},
    "number": 1.50e3, "caf\\u00e9": "\\/",
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "mine"}]} ]
    }
}
"""
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
_OBJECTS = st.dictionaries(st.sampled_from(["hooks", "a", "b", 'c"{[,']), _VALUES, max_size=4)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    text = json.dumps(
        draw(_OBJECTS),
        indent=draw(st.sampled_from([None, 2, 4, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,", " : ")])),
        ensure_ascii=draw(st.booleans()),
    )
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    before, after = draw(st.sampled_from([("", ""), ("", "\n"), ("\ufeff", "\n"), ("\n ", "\n\n")]))
    return (before + text + after).replace("\n", newline).encode("utf-8", "surrogatepass")


@given(files(), st.sampled_from([("new",), ("hooks", "Stop"), ("hooks", "Stop", "x")]), _VALUES)
def test_a_value_comes_and_goes_and_nothing_else_moves(data: bytes, keys: tuple[str, ...], value: Any) -> None:
    assume(b"\xed" not in data)
    former = jsonfile.parse(data, "f")
    try:
        put = jsonfile.put(data, keys, value, "f")
    except StorageError:
        return
    expected: Any = copy.deepcopy(former)
    here = expected
    for key in keys[:-1]:
        here = here.setdefault(key, {})
    here[keys[-1]] = value
    assert json.loads(put.decode("utf-8-sig")) == expected
    if jsonfile.get(former, keys) is jsonfile.ABSENT:
        assert jsonfile.take(put, keys, former, "f") == data


@given(files(), st.sampled_from([("list",), ("hooks", "Stop"), ("a",)]))
def test_an_item_comes_and_goes_and_nothing_else_moves(data: bytes, keys: tuple[str, ...]) -> None:
    assume(b"\xed" not in data)
    former = jsonfile.parse(data, "f")
    try:
        added = jsonfile.add(data, keys, HOOK, "f")
    except StorageError:
        return
    was = jsonfile.get(former, keys)
    assert jsonfile.get(jsonfile.parse(added, "f"), keys) == [*([] if was is jsonfile.ABSENT else was), HOOK]
    assert jsonfile.take_item(added, keys, HOOK, former, "f") == data


def test_what_the_user_wrote_since_stays_byte_for_byte() -> None:
    data = SETTINGS.encode()
    former = jsonfile.parse(data, "f")
    entered = jsonfile.add(data, ("hooks", "Stop"), HOOK, "f")
    entered = jsonfile.add(entered, ("hooks", "PreToolUse"), HOOK, "f")
    assert entered.startswith(SETTINGS.partition(' {"hooks"')[0].encode())
    later = entered.replace(b"1.50e3", b"2.50e3").replace(b'"deny": []', b'"deny": [ "Write" ]')
    taken = jsonfile.take_item(later, ("hooks", "Stop"), HOOK, former, "f")
    taken = jsonfile.take_item(taken, ("hooks", "PreToolUse"), HOOK, former, "f")
    assert taken == data.replace(b"1.50e3", b"2.50e3").replace(b'"deny": []', b'"deny": [ "Write" ]')


def test_a_new_file_is_laid_out_for_reading() -> None:
    assert jsonfile.add(None, ("hooks", "Stop"), 1, "f") == b'{\n  "hooks": {\n    "Stop": [\n      1\n    ]\n  }\n}\n'


@pytest.mark.parametrize("text", ["[]", "{", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "// mine\n{}", "\xff"])
def test_what_cannot_be_added_to_is_refused(text: str) -> None:
    with pytest.raises(StorageError):
        jsonfile.add(text.encode("latin-1"), ("hooks", "Stop"), HOOK, "f")
