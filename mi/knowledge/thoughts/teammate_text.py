"""What can be searched in a line of a thought store that a hub brought: somebody's words, under their name."""

from collections.abc import Iterable

from msgspec import Struct

from mi.kernel.jsonl import Line
from mi.kernel.jsontext import decode_fields
from mi.kernel.log_source import ReadLine
from mi.knowledge.search.documents import Change, Document, Unmark
from mi.knowledge.search.team import TEAMMATE, TOLD_BY
from mi.knowledge.status import Correction
from mi.knowledge.thoughts.kinds import KINDS
from mi.knowledge.thoughts.search_text import reader

_WEIGHT = 0.95  # of two that match alike, the person's own comes first


class _AuthorLine(Struct):
    kind: str = ""
    hub_by: str = ""


def make_reader(project_id: str, home_id: str) -> ReadLine[Change]:
    """Return a reader of the lines that came from one home, whatever file they are in."""
    readers = {kind: reader(kind, project_id) for kind in KINDS}

    def changes(line: Line) -> Iterable[Change]:
        told = decode_fields(line.data, _AuthorLine)
        read = next((one for kind, one in readers.items() if told.kind in (kind, f"{kind}_retract")), None)
        return [_as_teammates(change, home_id, told.hub_by) for change in read(line)] if read else []

    return changes


def _as_teammates(change: Change, home_id: str, author: str) -> Change:
    """Return a change under names of its home's own: whoever shares words cannot correct those of another home."""

    def own(name: str) -> str:
        return f"{home_id}/{name}" if name else ""

    match change:
        case Document():
            text = f"{change.title}\n{change.text}".strip()
            tags = tuple(tag for tag in change.tags if tag in TOLD_BY)  # no other word of ours is taken from elsewhere
            return change._replace(
                id=own(change.id), kind=TEAMMATE, title=author, text=text, tags=tags, event_ids=(), weight=_WEIGHT
            )
        case Correction():
            return change._replace(id=own(change.id), target=own(change.target), by=own(change.by))
        case Unmark():
            return Unmark(own(change.id))
    return change
