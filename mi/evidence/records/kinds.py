"""Find the class of a kind of record without declaring all kinds."""

from importlib import import_module

from mi.evidence.records.base import Record
from mi.evidence.records.table import MODULES


def record_type(kind: str) -> type[Record] | None:
    """Return the type of a kind; None for a kind that a newer version wrote."""
    if kind not in MODULES:
        return None
    module = import_module("mi.evidence.records." + MODULES[kind])
    name = "".join(word.capitalize() for word in kind.split("_"))
    declared: type[Record] = getattr(module, name)
    return declared
