"""Sayings worth a card: suggested once through the inbox, proposed on the person's word."""

from collections.abc import Sequence

from msgspec import Struct

from mi.evidence.records.governed import Proposal
from mi.evidence.records.questions import Question, QuestionOption
from mi.governance.session_words import CARD_TYPE, Capture, find_capture, is_capture_reply
from mi.governance.signals import find_contradicted
from mi.kernel import ids
from mi.kernel.messages import text
from mi.kernel.notices import Notices
from mi.kernel.secrets import redact
from mi.kernel.state import read_state, update_state
from mi.knowledge.search.words import compact
from mi.persona import proposals
from mi.persona.place import PersonaView
from mi.review.decisions import collect_decisions


class WaitingCapture(Struct, frozen=True, kw_only=True):
    """A suggestion that waits for the person's reply, and the persona that it is for."""

    signal: str
    description: str
    persona: str
    member: str
    project: str = ""  # that brought the persona along


class Captures(Struct, frozen=True, kw_only=True):
    """What was suggested in a project, by its key; and what waits, by the id of its question."""

    suggested: list[str] = []
    waiting: dict[str, WaitingCapture] = {}


def suggest(path: str, persona: PersonaView, said: Sequence[str], language: str, notices: Notices) -> Question | None:
    """Return the question about the first saying that is worth keeping.

    None when there is none, or it was asked before.
    """
    known = read_state(path, Captures, notices).suggested
    found = next((one for words in said if (one := _in_words(redact(words), persona, known))), None)
    if found is None:
        return None
    question = Question(
        id=ids.make_id("qu"),
        text=found.suggestion(language),
        blocks=False,
        about="capture",
        project_root=persona.project,
        said=found.description,
        options=[QuestionOption(key="save"), QuestionOption(key="no")],
        default=text("question.capture-waits", language),
    )
    waits = WaitingCapture(
        signal=found.signal,
        description=found.description,
        persona=persona.root,
        member=persona.member,
        project=persona.project,
    )

    def change(old: Captures) -> Captures:
        return Captures(suggested=[*old.suggested, found.key][-500:], waiting=old.waiting | {question.id: waits})

    update_state(path, Captures, change, notices)
    return question


def _in_words(words: str, persona: PersonaView, known: Sequence[str]) -> Capture | None:
    against = find_contradicted(words, collect_decisions(persona), lambda text: compact(text).tokens)
    return find_capture(words, against, known)


def take_up(path: str, question_id: str, reply: str, notices: Notices) -> Proposal | None:
    """Return the proposal that a reply makes of the suggestion.

    None for another reply, which is nobody's business again.
    """
    waits = read_state(path, Captures, notices).waiting.get(question_id)
    if waits is None:
        return None

    def change(old: Captures) -> Captures:
        return Captures(suggested=old.suggested, waiting={k: v for k, v in old.waiting.items() if k != question_id})

    update_state(path, Captures, change, notices)
    if not is_capture_reply(reply, waiting=True):
        return None
    return propose(
        PersonaView(waits.persona, waits.member, waits.project), waits.signal, waits.description, question_id
    )


def propose(persona: PersonaView, signal: str, description: str, source: str) -> Proposal:
    """Return a saying as a proposal, and its record."""
    card_type = CARD_TYPE[signal]
    return proposals.record_of(proposals.propose(persona, card_type, description, description, source=source))  # type: ignore[arg-type]
