"""What a Thought DB store hands to memory: its claims and nodes, and what corrects them."""

from functools import partial
from typing import TYPE_CHECKING

from mi.kernel.home import Home, ThoughtFiles
from mi.kernel.log_source import ReadLine
from mi.knowledge.search.documents import Change
from mi.knowledge.search.sources import LogProducer

if TYPE_CHECKING:
    from mi.knowledge.thoughts.kinds import Kind

_MAX_LINE = 1 << 26  # a thought that is read in part is none: its beginning is no JSON


def producers(home: Home, root: str, project_id: str) -> list[LogProducer]:
    """Return the producers of one store, global ("") or of a project."""
    files = ThoughtFiles(root)
    found: dict[Kind, tuple[str, list[str]]] = {
        "claim": (files.claims, ["claim"]),
        "node": (files.nodes, ["node"]),
        "edge": (files.edges, ["claim", "node"]),
    }
    return [
        LogProducer(
            path, home.relative(path), project_id, frozenset(kinds), partial(_reader, kind, project_id), _MAX_LINE
        )
        for kind, (path, kinds) in found.items()
    ]


def _reader(kind: "Kind", project_id: str) -> ReadLine[Change]:
    from mi.knowledge.thoughts import search_text

    return search_text.reader(kind, project_id)
