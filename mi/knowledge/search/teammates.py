"""What teammates share through a hub: found like what is in the team's files, as somebody's words that bind nothing."""

import os
from collections.abc import Iterator
from functools import partial

from mi.kernel.home import Home
from mi.kernel.log_source import ReadLine
from mi.kernel.seal import find_foreign
from mi.knowledge.search.documents import Change
from mi.knowledge.search.sources import LogProducer
from mi.knowledge.search.team import TEAMMATE

GLOBAL = "global"  # the folder of what belongs to no project
_FILES = ("claims.jsonl", "nodes.jsonl", "edges.jsonl")
_MAX_LINE = 1 << 21


def list_teammate_producers(home: Home, project_id: str | None) -> Iterator[LogProducer]:
    """Yield what was pulled, of the global part and of one project or of every one; nothing where no hub was joined."""
    for home_id in _list(home.teammates):
        for project in _list(os.path.join(home.teammates, home_id)):
            known = "" if project == GLOBAL else project
            if not known or project_id in (None, known):
                yield from _list_files(home, home_id, project, known)


def _list_files(home: Home, home_id: str, project: str, project_id: str) -> Iterator[LogProducer]:
    for name in _FILES:
        path = os.path.join(home.teammates, home_id, project, name)
        if os.path.exists(path):
            reader = partial(_make_reader, path, project_id, home_id)
            yield LogProducer(path, home.relative(path), project_id, frozenset([TEAMMATE]), reader, _MAX_LINE)


def _list(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _make_reader(path: str, project_id: str, home_id: str) -> ReadLine[Change]:
    """Return a reader of what the hub brought; what somebody else wrote beside it tells nothing."""
    from mi.knowledge.thoughts.teammate_text import make_reader

    read, foreign = make_reader(project_id, home_id), find_foreign(path)
    return lambda line: [] if any(one.start <= line.offset < one.end for one in foreign) else read(line)
