"""Information side block: minor notices gathered into one, what matters always inline."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from mi.kernel.messages import text

Kind = Literal["capture", "lint", "hint", "status", "security", "deployment", "confirmation", "error", "challenge"]
MINOR = ("capture", "lint", "hint", "status")
_OPEN, _CLOSE = "─── ISB ───", "────────────"
_MOST, _TOP = 5, 3


class NoticeBlock(NamedTuple):
    """Something to say beside the answer."""

    kind: Kind
    text: str


class Shown(NamedTuple):
    """What stands in the answer itself, and the block after it ('' without one)."""

    inline: list[str]
    block: str


def consolidate(notices: Sequence[NoticeBlock], levels: tuple[int, ...] = (), language: str = "en") -> Shown:
    """Two or more minor notices become one block, one stays inline, S4 silences them; the rest is always inline."""
    inline = [notice.text for notice in notices if notice.kind not in MINOR]
    minor = [notice.text for notice in notices if notice.kind in MINOR]
    if 4 in levels or not minor:
        return Shown(inline, "")
    if len(minor) == 1:
        return Shown([*inline, minor[0]], "")
    shown = minor if len(minor) <= _MOST else minor[:_TOP]
    lines = [_OPEN, *(f"• {one}" for one in shown)]
    if len(shown) < len(minor):
        lines.append(text("isb.more", language, count=len(minor) - len(shown)))
    return Shown(inline, "\n".join([*lines, _CLOSE]))
