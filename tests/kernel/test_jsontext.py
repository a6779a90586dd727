import pytest
from msgspec import Struct

from mi.kernel.jsontext import BadJson, decode, decode_stored, encode


class Shape(Struct, frozen=True):
    name: str
    size: int = 0
    odd: float = 0.0


def test_right_text_becomes_the_wanted_type():
    assert decode(b'{"name": "x", "size": 3, "other": 1}', Shape) == Shape("x", 3)


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ('{"name" 1}', 1, 9),
        ('{\n  "name": "x",\n  oops\n}', 3, 3),
        ('{"name": "价值观", }', 1, 17),
        ('{"name": "x"} {', 1, 15),
        ('{\n"name": "x"', 2, 12),
        ("", 1, 1),
    ],
)
def test_wrong_syntax_is_located_as_people_count(text, line, column):
    with pytest.raises(BadJson) as caught:
        decode(text.encode(), Shape)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert "byte" not in caught.value.reason


def test_broken_utf8_is_located_in_the_file():
    with pytest.raises(BadJson, match="UTF-8") as caught:
        decode(b'{\n "name": "\xe5\x80\xbc\xff"}', dict)
    assert (caught.value.line, caught.value.column) == (2, 12)


def test_a_wrong_type_has_no_line():
    with pytest.raises(BadJson) as caught:
        decode(b'{"name": 5}', Shape)
    assert (caught.value.line, caught.value.column) == (0, 0)
    assert "str" in caught.value.reason


@pytest.mark.parametrize("read", [decode, decode_stored])
def test_bottomless_nesting_is_an_error_not_a_crash(read):
    with pytest.raises(BadJson):
        read(b'{"name": ' + b"[" * 100_000, dict)


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        (b'{"name": "a\xffb"}', "a\ufffdb"),
        (b'{"name": "a\\udc80b"}', "a\ufffdb"),
        (b'{"name": "\\ud83d\\ude00"}', "😀"),
        (b'{"name": "plain", "odd": NaN}', "plain"),
    ],
)
def test_what_another_writer_left_is_forgiven(stored, name):
    assert decode_stored(stored, Shape).name == name


@pytest.mark.parametrize(
    "stored", [b'{"name": "x"', b"no json", b'{"name": 5}', b"[]", b"", b'{"name": 1' + b"0" * 5000]
)
def test_what_is_no_record_is_not_forgiven(stored):
    with pytest.raises(BadJson):
        decode_stored(stored, Shape)


def test_text_that_cannot_be_utf8_is_replaced_when_encoded():
    """A command line with bytes that are no UTF-8 arrives as halves of surrogate pairs."""
    assert encode({"k\udcff": ["v\udcff", ("\ud800",)], "n": 1}) == '{"k�":["v�",["�"]],"n":1}'.encode()
    assert encode(Shape("a\udcff")) == '{"name":"a�","size":0,"odd":0.0}'.encode()
    assert encode({"emoji": "😀"}) == '{"emoji":"😀"}'.encode()
