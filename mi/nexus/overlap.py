"""How much of a text another one holds already: by its words, in any script."""

from mi.knowledge.search.words import stop_words, tokens


def words_of(text: str) -> set[str]:
    """The words that tell what a text is about."""
    found = set(tokens(text, asked=True))
    telling = {word for word in found if word not in stop_words() and (len(word) > 1 or not word.isascii())}
    return telling or found


def share(wanted: set[str], by: set[str]) -> float:
    """The share of the words of a new text that an old one holds: 0 none, 1 all."""
    return len(wanted & by) / len(wanted) if wanted else 0.0
