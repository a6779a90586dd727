"""Notes of the person on lines of a run's difference, kept until they are sent to it."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from mi.app.home_context import HomeContext
from mi.app.run_words import Heard, tell_run
from mi.evidence.records.questions import LineNote, UserInput
from mi.kernel import ids
from mi.kernel.errors import NotFound, UsageError
from mi.kernel.secrets import redact
from mi.kernel.state import read_state, update_state

_MOST, _LONGEST, _CODE = 100, 4000, 400  # notes of a run; characters of a note, and of the line it is about


class KeptNote(LineNote, frozen=True, kw_only=True):
    """A note that waits to be sent."""

    id: str
    batch: str = ""  # whose difference was looked at; '': the whole run's


class RunNotes(Struct, frozen=True, kw_only=True):
    """The notes on one run."""

    version: int = 1
    notes: list[KeptNote] = []


def read_notes(context: HomeContext, project_id: str, run_id: str) -> list[KeptNote]:
    """Return the notes on a run that were not sent, in their order."""
    return read_state(_find_place(context, project_id, run_id), RunNotes, context.notices).notes


def add_note(context: HomeContext, project_id: str, run_id: str, note: KeptNote) -> None:
    """Keep a note; its secrets are left out. UsageError for one that is empty or too long, or one too many."""
    if not note.text.strip() or len(note.text) > _LONGEST:
        raise UsageError("note-length", most=_LONGEST, length=len(note.text.strip()))
    kept = replace(note, id=ids.make_id("nt"), text=redact(note.text.strip()), code=redact(note.code)[:_CODE])

    def add(state: RunNotes) -> RunNotes:
        if len(state.notes) >= _MOST:
            raise UsageError("too-many-notes", most=_MOST)
        return replace(state, notes=[*state.notes, kept])

    _change(context, project_id, run_id, add)


def remove_notes(context: HomeContext, project_id: str, run_id: str, note_ids: list[str]) -> None:
    """Remove notes; what is gone already is left so."""
    _change(
        context,
        project_id,
        run_id,
        lambda state: replace(state, notes=[note for note in state.notes if note.id not in note_ids]),
    )


def send_notes(context: HomeContext, project_id: str, run_id: str) -> Heard:
    """Send all notes on a run as one word to it, and return when its agent hears it; from two windows only once."""
    heard: list[Heard] = []

    def send(state: RunNotes) -> RunNotes:
        if not state.notes:
            raise NotFound("no-notes", run_id=run_id)
        said = [
            LineNote(path=note.path, line=note.line, code=note.code, text=note.text, removed=note.removed)
            for note in state.notes
        ]
        word = UserInput(answer="\n".join(one.text for one in said), notes=said, by="page")
        heard.append(tell_run(context, run_id, word))
        return replace(state, notes=[])

    _change(context, project_id, run_id, send)
    return heard[0]


def _change(context: HomeContext, project_id: str, run_id: str, change: Callable[[RunNotes], RunNotes]) -> None:
    update_state(_find_place(context, project_id, run_id), RunNotes, change, context.notices)


def _find_place(context: HomeContext, project_id: str, run_id: str) -> str:
    return context.home.project(project_id).path("notes", f"{run_id}.json")
