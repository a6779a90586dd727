"""What speaks for a person: their will, a permission or a rule is no fact that a file's existence could prove."""

import unicodedata

from mi.kernel.language import compiled, each_language

_BEFORE = 80  # characters in which a condition is looked for
_BREAKS = str.maketrans("_", " ")


def find_persons_word(*texts: str, rules: bool = True) -> str:
    """Return the words by which a text speaks for a person or, where `rules` count, lays one down; '' if none do."""
    for lines in map(_plain, texts):
        flat = lines.replace("\n", " ")
        for language in each_language():
            looked = [(language.persons_will, flat), (language.gives_leave, flat)]
            for expression, text in [*looked, (language.lays_rule, lines)] if rules else looked:
                if found := _find_stated(expression, language.supposes, text):
                    return found
    return ""


def _find_stated(expression: str, supposes: str, text: str) -> str:
    """Return the first words that an expression hits, but for those told of a case that need not be."""
    for match in compiled(expression).finditer(text):
        start = match.start()
        if not compiled(supposes).search(text, max(0, start - _BEFORE), start):
            return " ".join(match.group().split())
    return ""


def _plain(text: str) -> str:
    """Return a text without what hides a word from a reader of characters: other forms of letters, unseen marks."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Mn"))
    lines = (" ".join(line.split()) for line in text.translate(_BREAKS).splitlines())
    return "\n".join(lines)
