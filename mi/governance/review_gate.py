"""How much review a change needs: its change units times its raw risk."""

from typing import Literal, NamedTuple

from mi.governance.impact import ACK

Level = Literal["none", "offer", "required"]
Split = Literal["none", "suggest", "required"]
BATCH, WARN = 5, 4  # change units


class Required(NamedTuple):
    """What must happen before a change goes on."""

    level: Level = "none"
    confirm: bool = False
    approval: bool = False
    split: Split = "none"

    @property
    def needs_person(self) -> bool:
        return self.confirm or self.approval or self.split == "required"


# By change units (1–2, 3–5, 6 and more) and raw risk (0–1, 2–3, 4 and more).
_TABLE = (
    (Required(), Required("offer"), Required("required", confirm=True)),
    (Required("offer"), Required("required"), Required("required", confirm=True, split="suggest")),
    (
        Required("required", approval=True, split="suggest"),
        Required("required", confirm=True, split="suggest"),
        Required("required", confirm=True, split="required"),
    ),
)


def review_gate(units: int, raw: int) -> Required:
    """Return what the table asks for."""
    if units <= 0:
        return Required()
    row = 0 if units <= 2 else 1 if units <= BATCH else 2
    column = 0 if raw <= 1 else 1 if raw < ACK else 2
    return _TABLE[row][column]
