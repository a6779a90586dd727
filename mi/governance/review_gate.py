"""How much review a change needs: its change units times its raw risk."""

from typing import Literal

from mi.governance.impact import ACK
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

Level = Literal["none", "offer", "required"]
Split = Literal["none", "suggest", "required"]
BATCH, WARN = 5, 4  # change units
TOGETHER = 50  # changed lines up to which what lies in one file is looked at as one batch


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


def review_gate(units: int, raw: int, together: bool = False) -> Required:
    """Return what the table asks for; `together`: a small change of one file, which nothing is won by splitting."""
    if units <= 0:
        return Required()
    row = 0 if units <= 2 else 1 if units <= BATCH or together else 2
    column = 0 if raw <= 1 else 1 if raw < ACK else 2
    needed = _TABLE[row][column]
    return needed._replace(split="none") if together else needed


def warn_of_size(units: int, together: bool = False, language: str = "en") -> list[str]:
    """Return what is said of a change that is near the size of a batch, or beyond it."""
    if units > BATCH:
        return [text("gate.together" if together else "gate.over-batch", language, units=units, limit=BATCH)]
    return [text("gate.near-batch", language, units=units, limit=BATCH)] if units >= WARN else []


def is_together(files: int, lines: int) -> bool:
    """Return whether a change is a small one in one file."""
    return files == 1 and 0 < lines <= TOGETHER
