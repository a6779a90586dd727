"""Named tuples that are cheap to declare are those of typing in all that code does with them."""

import copy
import pickle
import typing

import msgspec
import pytest

from mi.kernel import named_tuple


class Cheap(named_tuple.NamedTuple):
    """What the code declares."""

    name: str
    size: int = 0
    tags: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        return self.size * 2


class Typed(typing.NamedTuple):
    """The same by typing."""

    name: str
    size: int = 0
    tags: tuple[str, ...] = ()

    @property
    def twice(self) -> int:
        return self.size * 2


class Below(Cheap):
    """A class below has no fields of its own."""

    def say(self) -> str:
        return f"{self.name}: {self.size}"


MADE = (
    lambda kind: kind("a"),
    lambda kind: kind("a", 2, ("x",)),
    lambda kind: kind("a", tags=("x",)),
    lambda kind: kind(size=3, name="a"),
    lambda kind: kind._make(["a", 2, ()]),
    lambda kind: kind("a")._replace(size=4),
    lambda kind: msgspec.convert(["a", 2], kind),
    lambda kind: pickle.loads(pickle.dumps(kind("a", 2))),
    lambda kind: copy.deepcopy(kind("a", 2)),
)
REFUSED = (
    lambda kind: kind(),
    lambda kind: kind("a", 1, (), 4),
    lambda kind: kind("a", 1, (), name="b"),
    lambda kind: kind("a", name="b"),
    lambda kind: kind("a", other=1),
    lambda kind: kind._make(["a", 1, (), 4]),
)


@pytest.mark.parametrize("make", MADE)
def test_it_is_made_and_read_as_by_typing(make):
    for _ in range(50):  # also when it is made often
        cheap, typed = make(Cheap), make(Typed)
        assert cheap == typed
        assert (cheap.name, cheap.size, cheap.tags, cheap.twice) == (typed.name, typed.size, typed.tags, typed.twice)
        assert cheap._asdict() == typed._asdict()
        assert repr(cheap) == repr(typed).replace("Typed", "Cheap")
        assert msgspec.json.encode(cheap) == msgspec.json.encode(typed)
        assert hash(cheap) == hash(typed)


@pytest.mark.parametrize("make", REFUSED)
def test_what_typing_refuses_is_refused(make):
    for _ in range(50):
        for kind in (Cheap, Typed):
            with pytest.raises(TypeError):
                make(kind)


def test_unknown_fields_and_changes_are_refused():
    with pytest.raises((TypeError, ValueError)):
        Cheap("a")._replace(other=1)
    with pytest.raises(AttributeError):
        Cheap("a").size = 1  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Cheap("a").other = 1  # type: ignore[attr-defined]


def test_classes_tell_their_fields_and_match():
    assert (Cheap._fields, Cheap._field_defaults) == (Typed._fields, Typed._field_defaults)
    match Cheap("a", 2):
        case Cheap(name, size):
            assert (name, size) == ("a", 2)
    assert Below("a", size=3).say() == "a: 3"
    assert isinstance(Below("a")._replace(size=1), Below)


def test_one_that_is_made_often_makes_those_below_it_too():
    class Often(named_tuple.NamedTuple):
        first: int
        second: int = 2

    class Deeper(Often):
        pass

    for number in range(60):
        assert Often(number) == (number, 2)
        assert Deeper(number, second=3) == (number, 3)
        assert type(Deeper(number)) is Deeper
