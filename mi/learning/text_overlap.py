"""The junk gate: whose words a lesson is, what it repeats or contradicts. Pure; text against text."""

import re

from mi.kernel.language import compiled, patterns
from mi.knowledge.search.words import tokens
from mi.learning.segments import Segment
from mi.mind.language import content_words

_OPPOSED = 0.6  # the same thing the other way round has other words beside those that turn it
_ECHO = 0.5  # of a text's word sequences: so many in the agent's words make it a repetition of them
_RUN = 3  # words in a sequence
CARRIED = 0.66  # of a text's telling words: so many must be the person's for it to be their word
RESERVED = ("mi:", "values:", "segment:")  # tags that only MI sets
_LONGEST = 300  # characters of a rule; more is a report
# What leads outside, in any language: an address, an option.
_LEADS_OUTSIDE = r"https?://|\w@\w|--\w"
# Hosts, addresses, paths, options and commands: a rule that names one is the person's only when they named it.
_NAMES = re.compile(
    r"`([^`]+)`|(\b\w+://\S+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)*|(?<![\w-])(?<![\w-]\.)(?:[\w-]+\.)+[\w-]{2,}"
    r"|(?:(?<![~.\w-])[~.\w-]*)?/[\w./~-]+|(?<!\S)--?\w[\w-]*)"
)
_RETOLD = 3  # telling words; fewer in common are chance


def split_plain_tokens(text: str) -> list[str]:
    """Return the tokens of a text; a mark between two Chinese characters does not part them."""
    return tokens(text if text.isascii() else text.translate(dict.fromkeys(map(ord, patterns().silent_marks))))


def _names(text: str) -> list[str]:
    return [(command or other).rstrip(".,;:!?") for command, other in _NAMES.findall(text)]


def _turns(text: str) -> set[str]:
    return {one.replace("'", "") for one in compiled(patterns().turns).findall(text.lower())}


def opposes(one: str, other: str) -> bool:
    """Return whether two texts speak of the same in opposite ways.

    The same words but for those that turn them round.
    """
    mine, theirs = content_words(one), content_words(other)
    if not mine or not theirs or _turns(one) == _turns(other):
        return False
    return len(mine & theirs) / len(mine | theirs) >= _OPPOSED


def share(text: str, of: str) -> float:
    """Return how much of a text's telling words another text holds."""
    wanted = content_words(text)
    return len(wanted & content_words(of)) / len(wanted) if wanted else 0.0


def supported_by_user_text(text: str, said: str) -> bool:
    """Return whether a text is carried by what the person said.

    Most of its words are, and every one that turns it round or names something outside.
    """
    named = all(name in said.lower() for name in _names(text.lower()))
    return named and share(text, said) >= CARRIED and _turns(text) <= _turns(said)


def echoes(text: str, segment: Segment) -> bool:
    """Return whether a text repeats what came out of the Hands word for word, and not what the person said."""
    if supported_by_user_text(text, is_said_by_person(segment)):
        return False
    runs, theirs = _runs(text), _runs(segment.agent_said())
    return bool(runs) and len(runs & theirs) / len(runs) >= _ECHO


def retells(text: str, segment: Segment) -> bool:
    """Return whether a rule is put together from the agent's words, and holds nothing back for it."""
    if supported_by_user_text(text, is_said_by_person(segment)) or compiled(patterns().holds_back).search(text.lower()):
        return False
    return len(content_words(text)) >= _RETOLD and share(text, segment.agent_said()) >= CARRIED


def wished_by_agent(text: str, segment: Segment) -> bool:
    """Return whether a step is told in the agent's words and not in the person's.

    A word or two in common are chance.
    """
    return len(tokens(text)) > _RUN and (echoes(text, segment) or retells(text, segment))


def names_only(text: str, command: str) -> bool:
    """Return whether a text says of a check no more than that it is one and passes."""
    rest = text.replace(f"`{command}`", " ")
    return rest != text and not any(char.isalnum() for char in compiled(patterns().about_a_check).sub(" ", rest))


def is_said_by_person(segment: Segment) -> str:
    """Return the person's words of a stretch, together."""
    return "\n".join(one.text for one in segment.person_said())


def tightens(text: str) -> bool:
    """Return whether a rule asks or checks first or forbids what cannot be undone, in one clause.

    And lets nothing go.
    """
    lowered, known = text.strip().lower(), patterns()
    loosens = compiled(f"{known.loosens}|{_LEADS_OUTSIDE}")
    holds = compiled(known.holds_back).search(lowered) or compiled(known.checks_first).search(lowered)
    return bool(holds) and not compiled(known.joins).search(lowered) and not loosens.search(lowered)


def _runs(text: str) -> set[tuple[str, ...]]:
    """Return the sequences of words in a text; of a shorter text, all of it."""
    words = tokens(text)
    size = min(_RUN, len(words))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)} if size else set()


def is_rule(text: str) -> bool:
    """Return whether a text can be a lesson at all: something is said, in a sentence or two."""
    return bool(text.strip()) and len(text) <= _LONGEST and "\n" not in text.strip()


def own_tags(tags: list[str]) -> list[str]:
    """Return the tags a model may set: none that MI gives a meaning to."""
    return [tag for tag in dict.fromkeys(tags) if tag and len(tag) <= 60 and not tag.startswith(RESERVED)][:6]
