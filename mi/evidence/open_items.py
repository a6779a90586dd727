"""What still waits: questions without an answer, suggestions not applied."""

from collections.abc import Sequence

from mi.evidence.index import EvidenceIndex, is_by_hook, ref_of
from mi.evidence.latest import WINDOW, read_window
from mi.evidence.reader import Event, read_at, read_whole
from mi.evidence.records.table import PAIRS
from mi.kernel import jsonl
from mi.kernel.log_view import Progress
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.notices import Notices

_SHORT = 1 << 15  # of a log that is read faster than the index


class OpenItems(NamedTuple):
    """The events that wait, oldest first, in the first `size` bytes of a log.

    Not `complete` when part of the log is neither indexed nor near its end.
    """

    events: list[Event]
    complete: bool
    size: int


def open_items(log: str, index: EvidenceIndex, notices: Notices) -> OpenItems:
    """Questions and suggestions that no later event settles: from the index, and from what it has not seen yet."""
    return open_items_of([log], index, notices)[log]


def open_items_of(
    logs: Sequence[str], index: EvidenceIndex, notices: Notices, progress: Progress | None = None
) -> dict[str, OpenItems]:
    """Return the same for several logs; with `progress` the index is first brought up to date where it is behind."""
    sizes = {log: jsonl.measure_size(log) for log in logs}
    known = index.unsettled_of([log for log, size in sizes.items() if size > _SHORT], PAIRS)
    behind = [log for log, (_, upto) in known.items() if sizes[log] - upto > _SHORT]
    if progress and behind:
        for log in behind:
            index.catch_up(log, progress)
        known |= index.unsettled_of(behind, PAIRS)
    return {log: _look(log, size, *known.get(log, ([], 0)), notices) for log, size in sizes.items()}


def _look(log: str, size: int, offsets: list[int], known: int, notices: Notices) -> OpenItems:
    window = read_window(log, notices, known) if known < size else ()
    recent = [read_whole(log, event) for event in window if event.head.kind in (*PAIRS, *PAIRS.values())]
    settled = {(ref_of(event), is_by_hook(event)) for event in recent if event.head.kind in PAIRS.values()}
    older = [event for event in (read_at(log, offset) for offset in offsets) if event]
    asked = older + [event for event in reversed(recent) if event.head.kind in PAIRS]
    waiting = [event for event in asked if not _is_settled(event, settled)]
    return OpenItems(waiting, known >= size - WINDOW, size)


def _is_settled(event: Event, settled: set[tuple[str, bool]]) -> bool:
    ref = ref_of(event)
    return (ref, False) in settled or ((ref, True) in settled and is_by_hook(event))
