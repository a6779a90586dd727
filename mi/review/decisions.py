"""What the team decided, for a request that may go against it: cards, decisions of session logs, principles."""

import os
from collections.abc import Sequence

from mi.governance.signals import UNKNOWN, Signals, Size, TeamDecision, find_signals
from mi.kernel.config.types import Governance
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line, split_sentences
from mi.knowledge.search.words import compact
from mi.persona.place import PersonaView, read_text
from mi.persona.session_log import read_sections
from mi.persona.windows import log_files

_MOST = 400  # decisions looked at, the newest logs first
_LOGS = 20


def collect_decisions(persona: PersonaView) -> list[TeamDecision]:
    """Return everything that counts as decided; [] where there is no persona."""
    if not os.path.isdir(persona.root):
        return []
    return [*_cards(persona), *_principles(persona), *_sessions(persona)][:_MOST]


def find_signals_for(
    message: str,
    rules: Governance,
    decided: Sequence[TeamDecision],
    size: Size = UNKNOWN,
    *,
    obeying: bool = False,
) -> Signals:
    """Return what a message signals to a team: with its words of urgency, the speed it prefers, and what it decided."""
    return find_signals(
        message,
        size,
        urgency=rules.urgency_words,
        preferred_speed=rules.preferred_speed,
        decisions=decided,
        tokens=(lambda words: compact(words).tokens) if decided else None,
        obeying=obeying,
    )


def _cards(persona: PersonaView) -> list[TeamDecision]:
    from mi.persona.cards import keep_active, read_cards

    found = keep_active(read_cards(persona)[0])
    return [TeamDecision(one.card.id, f"{one.card.title}. {fit_one_line(redact(one.body), 400)}") for one in found]


def _principles(persona: PersonaView) -> list[TeamDecision]:
    text = read_text(persona, persona.path("core", "principles.md")) or ""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return [TeamDecision("principles.md", sentence) for sentence in split_sentences("\n".join(lines))]


def _sessions(persona: PersonaView) -> list[TeamDecision]:
    found = []
    for log in reversed(log_files(persona)[-_LOGS:]):
        text = read_text(persona, log.path) or ""
        said = read_sections(text, ["decisions"]).get("decisions", [])
        found += [TeamDecision(os.path.basename(log.path), one.lstrip("- ")) for one in said]
    return found
