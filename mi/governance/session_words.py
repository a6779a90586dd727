"""What a person's words in a session mean: a yes to what was refused, the end, a saying worth keeping."""

from collections.abc import Collection, Iterable
from typing import Literal

from mi.governance.words import is_said, is_whole, own_words, split_clauses
from mi.kernel.consent import begins_with_yes, declines
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line, split_sentences

TEN_MINUTES = 600.0
CARD_TYPE = {
    "principle": "principle",
    "lesson": "heuristic",
    "pattern": "pattern",
    "decision": "principle",
    "contradiction": "heuristic",
}
Reach = Literal["once", "session", "always"]
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


def read_consent(message: str, also: Collection[str] = ()) -> Literal["yes", "no", ""]:
    """Return whether a message says yes or no to what was refused before it; '' for anything else, or with a but.

    `also` are words that begin a yes to this one question.
    """
    own = own_words(message).strip()
    first = next(iter(split_sentences(own)), own)
    clause = next(iter(split_clauses(own)), "")
    known = patterns()
    if not clause or any(mark in first for mark in known.question_marks):
        return ""
    if declines(clause):
        return "no"
    if compiled(known.no_refusal).match(clause):
        return "yes"
    agreed = begins_with_yes(clause) or bool(_find_beginning(clause, (*known.go_ahead, *also)))
    return "yes" if agreed and not compiled(known.but).search(first) else ""


def read_reply(message: str, also: Collection[str] = ()) -> Literal["yes", "no", ""]:
    """Return whether the person's next prompt after a refusal says yes or no to it.

    They may speak of something else: an "ok" with more behind it only says that they have read.
    """
    clauses, known = split_clauses(own_words(message)), patterns()
    if len(clauses) == 1 and _says_only(clauses[0], (*known.for_good, *known.for_session)):
        return "yes"
    words = (*known.yes, *known.go_ahead, *also)
    begins = _find_beginning(clauses[0], words) if clauses else ""
    if begins in known.weak_yes and not all(is_whole(clause, words) for clause in clauses):
        return ""
    return read_consent(message, also)


def _find_beginning(clause: str, words: Iterable[str]) -> str:
    """Return the longest of the words with which a clause begins; '' where it begins with none."""

    def fits(word: str) -> bool:
        return clause.startswith(word) and not (word.isascii() and clause[len(word) : len(word) + 1].isalnum())

    return max((word for word in words if fits(word)), key=len, default="")


def read_permission(answer: str, offered: Collection[str]) -> Reach | None:
    """Return how far an answer to a question about a call opens it, no farther than offered; None where it does not."""
    known = patterns()
    reaches: tuple[tuple[Reach, tuple[str, ...]], ...] = (("always", known.for_good), ("session", known.for_session))
    clauses = split_clauses(own_words(answer))
    said = next((reach for reach, words in reaches if any(_says_only(clause, words) for clause in clauses)), None)
    bare = said is not None and said in offered and len(clauses) == 1
    if not bare and read_consent(answer) != "yes":
        return None
    return said if said in offered else "once"


def _says_only(clause: str, words: Iterable[str]) -> bool:
    """Return whether a clause says one of the words and, beside a yes, nothing else: "and always test" does not."""
    if not is_said(clause, words):
        return False
    known = patterns()
    both = sorted((*words, *known.yes, *known.go_ahead), key=len, reverse=True)
    rest = compiled("|".join(rf"\b{word}\b" if word.isascii() else word for word in both)).sub(" ", clause)
    return not rest.strip() or is_whole(f"{known.yes[0]} {rest.strip()}", known.yes)


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
            found = Capture(signal, fit_one_line(redact(sentence), 120))  # type: ignore[arg-type]
            break
    if found is None and contradicts:
        found = Capture("contradiction", f"{fit_one_line(redact(own), 80)} ↔ {', '.join(contradicts)}")
    return None if found is None or found.key in suggested else found


def find_decisions(message: str) -> list[str]:
    """Return the sentences of a message that say a decision; a question says none."""
    own, known = own_words(message), patterns()
    return [
        fit_one_line(redact(sentence), 200)
        for sentence in split_sentences(own) or [own]
        if is_said(sentence, known.captures["decision"]) and not any(mark in sentence for mark in known.question_marks)
    ]


def is_capture_reply(message: str, waiting: bool) -> bool:
    """Return whether the person takes up the suggestion just made; "save" without one ends the session."""
    return waiting and is_whole(message, patterns().save_replies)
