"""Where the sessions of a project stand, and what was tried that should not have been. Reads only."""

import os
import re
from itertools import islice

from mi.contract.state import SessionState, StateFile
from mi.evidence.reader import read_back
from mi.evidence.records.governed import Violation
from mi.kernel.notices import Notices

_SESSION = re.compile(r".+-[a-z0-9._]+\.json")


def sessions(folder: str, notices: Notices) -> dict[str, SessionState]:
    """The state of every client that worked here."""
    try:
        names = sorted(name for name in os.listdir(folder) if _SESSION.fullmatch(name))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    files = [StateFile(os.path.join(folder, name), notices) for name in names]
    return {one.name: one.read() for one in files}


def violations(log: str, count: int | None, notices: Notices) -> list[Violation]:
    """The latest violations of a project, newest first."""
    found = (event.record() for event in read_back(log, notices) if event.head.kind == "violation")
    kept = (one for one in found if isinstance(one, Violation))
    return list(islice(kept, count))
