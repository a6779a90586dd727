"""How much of a text another one holds already: by its words, in any script."""

from mi.memory.words import STOP_WORDS, tokens


def words_of(text: str) -> set[str]:
    """The words that tell what a text is about."""
    found = set(tokens(text, asked=True))
    telling = {word for word in found if word not in STOP_WORDS and (len(word) > 1 or not word.isascii())}
    return telling or found


def share(new: str, old: str) -> float:
    """The share of a new text's words that an old one holds: 0 none, 1 all."""
    wanted = words_of(new)
    return len(wanted & words_of(old)) / len(wanted) if wanted else 0.0
