"""Mirror, challenge, obey: how to meet a message, and how long an override holds."""

from collections.abc import Collection
from typing import Literal

from mi.governance.words import own_words
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text

Mode = Literal["mirror", "challenge", "obey"]
ACKNOWLEDGED = "Override acknowledged."  # said so in every language
SAME_TOPIC = 0.2


def is_obey(message: str) -> bool:
    """Return whether the message begins, in the person's own words, with an override."""
    start = own_words(message).lstrip()
    if not start or message.lstrip()[:1] != start[:1]:
        return False  # it begins with a quotation
    if start.lower().startswith("/override"):
        return not start[9:10].isalnum()
    return compiled(patterns().override).match(start) is not None


def holds(topic: Collection[str], message: Collection[str]) -> bool:
    """Return whether an override given for a topic still holds for a message, both as their task tokens."""
    if not message:
        return True
    return len({*topic} & {*message}) / len({*message}) >= SAME_TOPIC


def find_mode(obeys: bool, challenged: bool) -> Mode:
    """Obey goes before challenge, else mirror."""
    return "obey" if obeys else "challenge" if challenged else "mirror"


def give_guidance(of: Mode, language: str = "en") -> list[str]:
    """Return what the mode asks of the member that answers."""
    if of == "obey":
        return [ACKNOWLEDGED, text("mode.obey", language)]
    if of == "challenge":
        return [text("mode.challenge", language)]
    return [text(f"mode.mirror-{part}", language) for part in ("style", "efficient", "rules", "short")]
