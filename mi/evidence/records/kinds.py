"""Find what is declared of a kind of record without declaring all kinds."""

from importlib import import_module

from mi.evidence.records.base import Place, Record
from mi.evidence.records.table import KINDS

PAIRS = {kind: declared.pairs_with for kind, declared in KINDS.items() if declared.pairs_with}
# Kinds that are looked up by kind, with the field that joins a question to its answer.
LANDMARKS = {kind: one.paired_by for kind, one in KINDS.items() if one.is_landmark or one.paired_by}


def record_type(kind: str) -> type[Record] | None:
    """Return the type of a kind; None for a kind that a newer version wrote."""
    if kind not in KINDS:
        return None
    module = import_module("mi.evidence.records." + KINDS[kind].module)
    name = "".join(word.capitalize() for word in kind.split("_"))
    declared: type[Record] = getattr(module, name)
    return declared


def kinds_shown_in(place: Place) -> tuple[str, ...]:
    """Return the kinds that are shown in a place."""
    return tuple(kind for kind, declared in KINDS.items() if place in declared.shown_in)
