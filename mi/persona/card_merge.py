"""One card that two people changed: each field of whoever changed it, and the text of both."""

from typing import Any

import msgspec

from mi.kernel.conflicts import unite_lines
from mi.persona.cards import Card, CardFile

_STRONGER = ("active", "archived", "deprecated")  # who takes a card out of use saw what the other did not


def are_same(one: CardFile, other: CardFile) -> bool:
    """Return whether two versions are one card: by its merge key, or by its id and what it is called."""
    return one.card.merge_key == other.card.merge_key or (
        (one.card.id, one.card.title) == (other.card.id, other.card.title)
    )


def unite_cards(base: CardFile | None, ours: CardFile, theirs: CardFile) -> CardFile:
    """Return the card with what both changed; it is the same whoever merges, and nothing that was said is gone."""
    first, second = sorted((ours, theirs), key=lambda one: (one.card.last_reviewed, one.card.created, one.body))
    fields = {name: _choose(name, base, first.card, second.card) for name in Card.__struct_fields__}
    known = {fields["title"], fields["merge_key"]}
    dropped = [side.card.title for side in (first, second) if side.card.title not in known]
    fields["aliases"] = list(dict.fromkeys([*fields["aliases"], *dropped]))
    body = unite_lines(base.body if base else "", first.body, second.body)
    return CardFile(Card(**fields), body, ours.path)


def _choose(name: str, base: CardFile | None, first: Card, second: Card) -> Any:
    """Return a field of whoever changed it; where both did, the one of the later review, or what holds for both."""
    values = [getattr(first, name), getattr(second, name)]
    if name == "aliases":
        return list(dict.fromkeys([*first.aliases, *second.aliases]))
    former = getattr(base.card, name) if base else msgspec.UNSET
    changed = [value for value in values if value != former] or values
    match name:
        case "last_reviewed" | "salience":
            return max(changed)
        case "created":
            return min(changed)
        case "status":
            return max(changed, key=_STRONGER.index)
        case "source":
            return "; ".join(dict.fromkeys(value for value in changed if value))
    return changed[-1]
