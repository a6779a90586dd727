"""mine_preferences: lasting preferences that the person showed in a stretch of work.

The rules take up only what the person said in so many words to be lasting.
"""

from typing import Literal

from msgspec import Struct

from mi.mind.language import lasting_sentences
from mi.mind.prompt import Prompt
from mi.mind.prompts.mine_claims import SegmentToMine, segment_sections

_INSTRUCTION = """\
From this stretch of work, suggest lasting preferences of the person that would have spared them a question or a
correction. Only what their own words, answers or corrections show, and close to those words. Usually there is none."""


class MinedPreference(Struct, frozen=True, kw_only=True):
    scope: Literal["project", "global"]
    text: str
    rationale: str
    confidence: float
    benefit: Literal["low", "medium", "high"]


class MinedPreferences(Struct, frozen=True, kw_only=True):
    suggestions: list[MinedPreference]
    notes: str


def _named_preferences(given: SegmentToMine) -> MinedPreferences:
    """Return what the person said in so many words, and said to last; whether it does is told by saying it again."""
    named = [one for said in given.said for one in lasting_sentences(said.text)]
    suggestions = [
        MinedPreference(scope="project", text=one, rationale="the person's own words", confidence=0.8, benefit="medium")
        for one in dict.fromkeys(named)
    ]
    return MinedPreferences(suggestions=suggestions, notes="by rules: only what the person named as lasting")


mine_preferences = Prompt("mine_preferences", MinedPreferences, _INSTRUCTION, segment_sections, _named_preferences)
