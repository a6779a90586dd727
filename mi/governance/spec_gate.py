"""Before anything is scored: is it clear what is wanted, and by what one would see that it is done."""

import re
from typing import Literal

from mi.governance.impact import Clarity
from mi.governance.words import is_said
from mi.kernel.language import compiled, patterns
from mi.kernel.messages import text
from mi.kernel.named_tuple import NamedTuple

Gate = Literal["clear", "vague", "blocked"]


class SpecGate(NamedTuple):
    """Whether a task may be scored and begun; `asks`: what is missing, as codes of questions."""

    gate: Gate
    asks: tuple[str, ...] = ()

    def questions(self, language: str = "en") -> list[str]:
        return [text("spec.ask-" + ask, language) for ask in self.asks]

    def says(self, language: str = "en") -> str:
        """Return what to say to the person when it is blocked."""
        return text("spec.blocked", language, questions=" ".join(self.questions(language)))


def assess_spec(clarity: Clarity, has_criteria: bool = True) -> SpecGate:
    """Blocked when the task is unclear or nothing says when it is done."""
    asks = ("object", "outcome") if clarity == "unclear" else ()
    if not has_criteria or clarity == "unclear":
        return SpecGate("blocked", (*asks, "criteria"))
    return SpecGate(clarity)


def find_clarity(task: str) -> Clarity:
    """Unclear only when the task names neither an object nor an outcome; vague when it says so itself."""
    known = patterns()
    rest = compiled(known.unclear_parts).sub(" ", task.lower())
    words = re.findall(r"[^\W_]+(?:['’]\w+)?", rest)
    if all(word in known.unclear_words or (len(word) == 1 and word.isascii()) for word in words):
        return "unclear"
    return "vague" if is_said(task, known.vague_words) else "clear"
