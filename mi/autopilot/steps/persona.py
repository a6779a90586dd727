"""Steps of the loop that a team's persona fills: a run boots like any window, and leaves its session log by itself."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from mi.autopilot.steps.protocol import RunPlace, RunRecorder, RunSteps
from mi.evidence.records.base import Record
from mi.evidence.records.governed import Override, Review, SessionLog, Verification
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import RunEnd, RunStart
from mi.kernel.errors import MiError
from mi.kernel.secrets import redact
from mi.persona.boot import boot, render_context
from mi.persona.place import PersonaView
from mi.persona.session_log import (
    ExternalCall,
    LoggedDecision,
    LoggedVerification,
    SessionEntry,
    append_entry,
    is_first,
)
from mi.persona.windows import find_window, log_files
from mi.review.captures import suggest

if TYPE_CHECKING:
    from mi.persona.boot import Booted
    from mi.persona.session_log import SessionEntry

_BUDGET = 2000  # characters of the agent's first input


class PersonaSteps(RunSteps):
    """Does nothing where there is no persona."""

    def __init__(self, place: RunPlace, persona: PersonaView, language_for: Callable[[str], str]) -> None:
        self._place = place
        self._persona = persona
        self._language_for = language_for
        self._booted: Booted | None = None

    def opening(self, recorder: RunRecorder, task: str) -> str:
        booted = self._boot()
        if booted is None:
            return ""

        return render_context(booted, _BUDGET)

    def session_log(self, recorder: RunRecorder, end: Record) -> None:
        booted = self._boot()
        if booted is None:
            return
        from mi.autopilot.resume import records_of

        window = find_window(self._persona, booted.sid)
        records = records_of(self._place.files.evidence, end.run_id, self._place.notices)
        entry = entry_of(records)
        append_entry(window, entry, is_first(log_files(self._persona)))
        sections = [name for name in entry.__struct_fields__ if getattr(entry, name)]
        recorder.append(SessionLog(path=window.path, sections=sections, trigger="run_end"))
        self._suggest(recorder, records)

    def _suggest(self, recorder: RunRecorder, records: list[Record]) -> None:
        """Put what the person said and is worth a card into the inbox, once."""
        tasks = [record.task for record in records if isinstance(record, RunStart)]
        said = [*tasks[:1], *(record.answer for record in records if isinstance(record, UserInput) and record.answer)]
        language = self._language_for("\n".join(said))
        question = suggest(self._place.files.captures, self._persona, said, language, self._place.notices)
        if question is not None:
            recorder.append(question)

    def _boot(self) -> "Booted | None":
        """Return the run's own window, made once; a persona that cannot boot is said, and does not stop the work."""
        if self._booted is None and os.path.isdir(self._persona.root):
            try:
                self._booted = boot(self._persona)
            except MiError as error:
                self._place.notices.add("persona-unusable", self._persona.root, reason=error.line())
        return self._booted


def entry_of(records: list[Record]) -> "SessionEntry":
    """Return what a run leaves in the session log, from its own records alone."""
    task = next((record.task for record in records if isinstance(record, RunStart)), "")
    end = next(record for record in reversed(records) if isinstance(record, RunEnd))
    answered = {record.question_id for record in records if isinstance(record, UserInput)}
    waiting = [
        record.text
        for record in records
        if isinstance(record, Question) and record.blocks and record.id not in answered
    ]
    said = [record for record in records if isinstance(record, UserInput) and not record.dismissed]
    done = end.status == "done"
    return SessionEntry(
        completed_items=[redact(f"{task} ({end.run_id}: {end.reason})")] if done else [],
        decisions=[
            LoggedDecision(text=redact(record.answer), reason=redact(f"asked: {record.question}")) for record in said
        ],
        next_steps=[] if done else [redact(text) for text in waiting or [f"{task}: {end.status}, {end.reason}"]],
        external_ai_calls=[
            ExternalCall(agent=record.reviewer, mode="review", verdict=record.verdict, adopted=record.adopted)
            for record in records
            if isinstance(record, Review)
        ],
        incidents=[redact(f"override: {record.reason}") for record in records if isinstance(record, Override)],
        verifications=[
            LoggedVerification(
                gate=record.gate,
                verdict=record.verdict,
                confidence=record.confidence,
                user_action=record.user_action,
                post_result=record.post_result,
                ts=record.ts,
            )
            for record in records
            if isinstance(record, Verification)
        ],
        note=f"`mi run` {end.run_id}: {end.status}",
    )
