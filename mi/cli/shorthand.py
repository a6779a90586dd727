"""Short ways to say a command: a path before it, or only the name of what is to be shown."""

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mi.cli.main import GlobalFlags

_REF = re.compile(r"(?:ev|cl|nd|ed|wf|run|qu|ls)_\w+")
SHOWN = ("last", "hands", "mind")
_TRANSCRIPT = (".jsonl", ".jsonl.gz")
_WHY = {"ev": "event", "cl": "claim", "run": "last"}


def spell_out(flags: "GlobalFlags") -> "GlobalFlags":
    """`mi PATH run …` as `mi -C PATH run …`, `mi ev_…`, `mi last` and a transcript as `mi show …`; else as it is.

    `mi why run_…` is `mi why last run_…`, and likewise an event's or a claim's id.
    """
    from mi.cli.commands import COMMANDS

    first, *rest = flags.rest
    if first == "why":
        asked = _WHY.get(rest[0].partition("_")[0]) if rest and _REF.fullmatch(rest[0]) else None
        return flags._replace(rest=[first, asked, *rest]) if asked else flags
    if first in SHOWN or _REF.fullmatch(first) or (first.endswith(_TRANSCRIPT) and os.path.isfile(first)):
        return flags._replace(rest=["show", *flags.rest])
    if flags.cd is None and _names_a_project(first, bool(rest) and rest[0] in COMMANDS):
        return flags._replace(cd=first, rest=rest)
    return flags


def _names_a_project(word: str, before_a_command: bool) -> bool:
    """Return whether a word is a path or @alias; a bare folder name only where a command follows."""
    if word.startswith(("@", "~")) or word in (os.curdir, os.pardir) or os.sep in word:
        return True
    return before_a_command and os.path.isdir(word)
