"""What the person says to a run that asked nothing: its agent is told with the next input, once."""

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from mi.evidence.reader import parse, read_at
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.questions import LineNote, UserInput
from mi.kernel import jsonl
from mi.kernel.seal import is_foreign

if TYPE_CHECKING:
    from mi.evidence.index import EvidenceIndex
    from mi.kernel.log_view import Progress

_NOTES = "The person looked at your changes and says about them (take up each one):"


class RunWords:
    """What is said to one run; each look reads only what is new in the log."""

    def __init__(
        self,
        log: str,
        run_id: str,
        lets_in: Callable[[str, int], bool],
        start: int | None = None,
        heard: Collection[str] = (),
    ) -> None:
        """`start` is where the run begins in the log, None at its end; `heard` is what its agent was told already."""
        self._log = log
        self._run_id = run_id
        self._lets_in = lets_in
        self._heard = heard
        self._tail = jsonl.Tail(log, jsonl.measure_size(log) if start is None else start)

    def take(self) -> list[UserInput]:
        """Return what was said since the last time."""
        found = (self._read(line) for line in self._tail.read() if self._run_id.encode() in line.data)
        return [word for word in found if word is not None and word.event_id not in self._heard]

    def _read(self, line: jsonl.Line) -> UserInput | None:
        if b"user_input" not in line.data or is_foreign(self._log, line.offset):
            return None
        event = parse(line)
        record = event.record() if event else None
        is_said = isinstance(record, UserInput) and record.question_id == self._run_id and record.by != "chat"
        return record if isinstance(record, UserInput) and is_said and self._lets_in(self._log, line.offset) else None


def find_unheard(log: str, run_id: str, index: "EvidenceIndex", progress: "Progress") -> list[UserInput]:
    """Return what was said to a run, and its agent was not told yet."""
    places = index.find_run(log, run_id, progress)
    said = [
        event.record()
        for at in places.list_all(["user_input"])
        if not is_foreign(log, at) and (event := read_at(log, at))
    ]
    words = [word for word in said if isinstance(word, UserInput) and word.question_id == run_id]
    if not words:
        return []
    sent = [event.record() for at in places.list_all(["hands_input"]) if (event := read_at(log, at))]
    heard = {word for record in sent if isinstance(record, HandsInput) for word in record.words}
    return [word for word in words if word.event_id not in heard]


def put_together(words: Iterable[UserInput]) -> str:
    """Return what was said as one text for the agent: each note under the line that it is about."""
    return "\n\n".join(_put_notes(word.notes) if word.notes else word.answer for word in words)


def _put_notes(notes: Iterable[LineNote]) -> str:
    parts = [_NOTES]
    for number, note in enumerate(notes, 1):
        place = f"{note.path}, line {note.line}" + (" of the former file, which you took out" if note.removed else "")
        parts.append(f"{number}. {place}:\n   > {note.code.strip()}\n   {note.text}")
    return "\n\n".join(parts)
