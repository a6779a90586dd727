"""Short ways to say a command: a path before it, or only the name of what is to be shown."""

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mi.cli.main import GlobalFlags

_REF = re.compile(r"(?:ev|cl|nd|ed|wf|run|qu|ls)_\w+")
SHOWN = ("last", "hands", "mind")
_TRANSCRIPT = (".jsonl", ".jsonl.gz")


def spell_out(flags: "GlobalFlags") -> "GlobalFlags":
    """`mi PATH run …` as `mi -C PATH run …`, `mi ev_…`, `mi last` and a transcript as `mi show …`; else as it is."""
    from mi.cli.commands import COMMANDS

    first, *rest = flags.rest
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
