"""Named tuples as typing has them, declared in a tenth of the time: a hook declares a hundred of them, and uses few.

typing's own compiles a constructor for each class; here that is done for the classes that are made often.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from collections import _tuplegetter, namedtuple  # the first is what the second reads a field with

    _OFTEN = 20

    class _Declared(type):
        """Makes fields of the annotations of a class; a class below such a class is any other."""

        def __new__(cls, name, bases, body):
            """Return the class, with a way to read each field."""
            if bases[0].__dict__.get("_fields") != ():
                return super().__new__(cls, name, bases, body)
            made = super().__new__(cls, name, bases, body | {"__slots__": ()})
            made._fields = made.__match_args__ = tuple(made.__annotations__)
            made._field_defaults = {field: body[field] for field in made._fields if field in body}
            made._completed = 0
            for index, field in enumerate(made._fields):
                setattr(made, field, _tuplegetter(index, ""))
            return made

    class NamedTuple(tuple, metaclass=_Declared):
        """A tuple whose values have names."""

        __slots__ = ()
        _fields = ()

        def __new__(cls, *values, **named):
            """Return the tuple of these values, and of the defaults of the rest."""
            if named or len(values) != len(cls._fields):
                values = _complete(cls, values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **named):
            made = self.__class__(*map(named.pop, self._fields, self))
            if named:
                raise TypeError(f"{self.__class__.__name__} has no field {', '.join(named)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            shown = ", ".join(f"{name}={value!r}" for name, value in self._asdict().items())
            return f"{self.__class__.__name__}({shown})"

    def _complete(cls, values, named):
        """Return all values of a tuple of which some are given by name, or not at all."""
        rest, found = cls._fields[len(values) :], cls._field_defaults | named
        missing = [field for field in rest if field not in found]
        unknown = [name for name in named if name not in rest]
        if missing or unknown or len(values) > len(cls._fields):
            given = f"{len(values)} values for {len(cls._fields)}, missing {missing}, unknown or twice {unknown}"
            raise TypeError(f"{cls.__name__}: {given}")
        cls._completed += 1
        if cls._completed == _OFTEN:
            defaults = tuple(cls._field_defaults.values())
            cls.__new__ = staticmethod(namedtuple("Compiled", cls._fields, defaults=defaults).__new__)
        return (*values, *[found[field] for field in rest])
