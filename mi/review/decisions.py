"""What the team decided, for a request that may go against it: rules, cards, principles, decisions of session logs."""

import os
from collections.abc import Sequence

from mi.governance.signals import UNKNOWN, Signals, Size, TeamDecision, find_signals
from mi.kernel.config.types import Governance
from mi.kernel.errors import StorageError
from mi.kernel.secrets import redact
from mi.kernel.text import fit_one_line, split_statements
from mi.knowledge.search.words import compact
from mi.persona.place import PersonaView, read_text
from mi.persona.session_log import read_sections
from mi.persona.windows import log_files

_MOST = 400  # decisions looked at, the newest logs first
_LOGS = 20


def collect_decisions(persona: PersonaView, root: str = "") -> list[TeamDecision]:
    """Return everything that counts as decided: in the persona, if there is one, and in the rules of a repository."""
    rules = _rules(root) if root and os.path.isdir(os.path.join(root, ".nexus", "rules")) else []
    if not os.path.isdir(persona.root):
        return rules[:_MOST]
    return [*rules, *_cards(persona), *_principles(persona), *_sessions(persona)][:_MOST]


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


def _rules(root: str) -> list[TeamDecision]:
    """Return the sentences of a repository's rules files; one that a link leads out of it tells nothing."""
    from mi.nexus.knowledge import list_files, read_text
    from mi.nexus.layout import NexusLayout
    from mi.nexus.store import Store

    try:
        files = list_files(Store(NexusLayout(root)), "rules")
    except StorageError:
        return []
    said = [(one.name, split_statements(redact(read_text(one.path)))) for one in files]
    return [TeamDecision(name, sentence) for name, sentences in said for sentence in sentences]


def _cards(persona: PersonaView) -> list[TeamDecision]:
    from mi.persona.cards import keep_active, read_cards

    found = keep_active(read_cards(persona)[0])
    return [TeamDecision(one.card.id, f"{one.card.title}. {fit_one_line(redact(one.body), 400)}") for one in found]


def _principles(persona: PersonaView) -> list[TeamDecision]:
    text = read_text(persona, persona.path("core", "principles.md")) or ""
    return [TeamDecision("principles.md", sentence) for sentence in split_statements(text)]


def _sessions(persona: PersonaView) -> list[TeamDecision]:
    found = []
    for log in reversed(log_files(persona)[-_LOGS:]):
        text = read_text(persona, log.path) or ""
        said = read_sections(text, ["decisions"]).get("decisions", [])
        found += [TeamDecision(os.path.basename(log.path), one.lstrip("- ")) for one in said]
    return found
