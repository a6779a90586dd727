"""Whether the person's own task asked, in so many words, for what would otherwise count as a weakened test or check."""

import re

from mi.autopilot.weakening import is_test
from mi.kernel.language import compiled, patterns


def is_asked_for(way: str, task: str) -> bool:
    """Whether a task names what a weakening such as `tests/test_a.py: test_x deleted` is about, and asks for that."""
    path, _, how = way.partition(": ")
    known = patterns()
    if compiled(rf"(?:{known.negation})\W*(?:\w+\W+){{0,2}}(?:{known.take_away})").search(task):
        return False
    file = path.rpartition("/")[2]
    if not is_test(path):
        return _asks_for_another_check(path, how, task)
    if _takes_away(path, task) or _takes_away(file, task) or _takes_away(file.partition(".")[0], task):
        return True
    gone = how.removesuffix(" deleted").split(", ") if how.endswith(" deleted") and how != "file deleted" else []
    return bool(gone) and all(_takes_away(name, task) for name in gone)


def _takes_away(name: str, task: str) -> bool:
    """Whether a name follows the verb; what is not known to stand between them is what is to be taken away instead."""
    known = patterns()
    between = rf"(?:\W+|{known.before_name})*"
    asked = rf"(?:{known.take_away}){between}(?<![\w-]){re.escape(name)}(?![\w-])"
    return re.search(asked, task, re.IGNORECASE) is not None


def _asks_for_another_check(path: str, how: str, task: str) -> bool:
    """A check that runs nothing is never what somebody wants; one that runs less must be asked for as such."""
    if "nothing" in how or not re.search(rf"(?<![\w-]){re.escape(path)}(?![\w-])", task, re.IGNORECASE):
        return False
    known = patterns()
    return compiled(known.leave_out if "leaves" in how else known.change_check).search(task) is not None
