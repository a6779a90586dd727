"""When a session ends, when it is saved by itself, and which sayings are worth keeping."""

from collections.abc import Collection
from typing import Literal, NamedTuple

from mi.governance.words import is_said, is_whole, own_words, split_clauses
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text
from mi.kernel.text import fit_one_line, split_sentences

TEN_MINUTES = 600.0
CARD_TYPE = {
    "principle": "principle",
    "lesson": "heuristic",
    "pattern": "pattern",
    "decision": "principle",
    "contradiction": "heuristic",
}
Signal = Literal["decision", "pattern", "lesson", "principle", "contradiction"]


def ends_session(message: str) -> bool:
    """Return whether the person ends the session: says so, says goodbye, or asks for its summary."""
    own, known = own_words(message), patterns()
    return (
        is_whole(own, (*known.end_words, *known.closing))
        or bool(is_said(own, known.closing))
        or any(is_whole(clause, known.goodbye) for clause in split_clauses(own))
        or bool(compiled(known.summary_wish).search(own))
    )


class Situation(NamedTuple):
    """What is known when a session could be saved."""

    message: str = ""
    tests_reported: bool = False
    review_reported: bool = False
    work_log_updated: bool = False
    done_and_waiting: bool = False
    in_progress: bool = False
    unprocessed: bool = False
    since_last_save: float | None = None  # seconds; None: never saved
    has_output: bool = True  # code or a decision came of it


def decide_autosave(now: Situation) -> int:
    """Return the number of the trigger that saves the session now; 0 for not now."""
    recent = now.since_last_save is not None and now.since_last_save < TEN_MINUTES
    if now.in_progress or now.unprocessed or recent or not now.has_output:
        return 0
    closing = any(is_whole(clause, patterns().task_ended) for clause in split_clauses(own_words(now.message)))
    triggers = (closing, now.tests_reported, now.review_reported, now.work_log_updated, now.done_and_waiting)
    return next((number for number, holds in enumerate(triggers, 1) if holds), 0)


def add_autosave(slot: str, trigger: int) -> str:
    """Return the one line that reports it."""
    return f"Auto-saved to slot-{slot} | trigger: {trigger}"


class Capture(NamedTuple):
    """Something the person said that may be worth a card."""

    signal: Signal
    description: str

    @property
    def key(self) -> str:
        """The same for the same saying, so that it is suggested once."""
        return f"{self.signal}: {' '.join(self.description.lower().split())}"

    def suggestion(self, language: str = "en") -> str:
        return text("capture.suggest", language, description=self.description)


def find_capture(message: str, contradicts: Collection[str] = (), suggested: Collection[str] = ()) -> Capture | None:
    """Return the suggestion that a message gives rise to; None without a signal, or when it was made before."""
    own = own_words(message)
    found: Capture | None = None
    for sentence in split_sentences(own) or [own]:
        signal = next((name for name, words in patterns().captures.items() if is_said(sentence, words)), "")
        if signal:
            found = Capture(signal, fit_one_line(sentence, 120))  # type: ignore[arg-type]
            break
    if found is None and contradicts:
        found = Capture("contradiction", f"{fit_one_line(own, 80)} ↔ {', '.join(contradicts)}")
    return None if found is None or found.key in suggested else found


def is_capture_reply(message: str, waiting: bool) -> bool:
    """Return whether the person takes up the suggestion just made; "save" without one ends the session."""
    return waiting and is_whole(message, patterns().save_replies)
