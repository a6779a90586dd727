"""What `mi doctor` found, one thing at a time."""

from collections.abc import Mapping
from typing import Literal

from mi.kernel.named_tuple import NamedTuple

Level = Literal["ok", "warn", "fail"]


class DoctorFinding(NamedTuple):
    """One thing that was looked at; `fix` is the command or step that mends it."""

    area: str
    level: Level
    key: str
    details: Mapping[str, object]
    fix: str = ""
