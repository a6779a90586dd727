"""Whether two rules say the same, or one says all that another does: word for word; near is not the same."""

from functools import cache, lru_cache

from mi.kernel.language import CJK, compiled, one_of, patterns
from mi.kernel.text import split_sentences
from mi.knowledge.search.words import tokens

_WORD = rf"[{CJK}]|(?:(?![{CJK}])[^\W_])+[+#]*"
_NOT = "not"
_AND = ";"


def are_alike(one: str, other: str) -> bool:
    """Return whether two texts say the same: the same words in the same order, but for what tells nothing.

    A word more is another thing, another time or another place that a rule holds for.
    """
    said = [piece for piece in _pieces(one) if piece[0].isalnum()]
    return bool(said) and said == [piece for piece in _pieces(other) if piece[0].isalnum()]


def states(text: str, rule: str) -> bool:
    """Return whether a text says all that a rule says, and lets it hold wherever it held.

    It may add what the rule also holds for ("or moving"), or a clause of its own; nothing that narrows it.
    """
    wanted = [piece for piece in _pieces(rule) if piece[0].isalnum()]
    return bool(wanted) and any(_holds_all(clause, wanted) for clause in _clauses(_pieces(text)))


def _clauses(pieces: tuple[str, ...]) -> list[list[str]]:
    """Return a text and each of its clauses; where it names a condition it is one."""
    found = [list(pieces)]
    if any(compiled(patterns().conditions).fullmatch(piece) for piece in pieces):
        return found
    clause: list[str] = []
    for piece in pieces:
        if piece in patterns().conjunctions:
            found.append(clause)
            clause = []
        else:
            clause.append(piece)
    return [*found, clause]


def _holds_all(said: list[str], wanted: list[str]) -> bool:
    """Return whether the wanted pieces follow each other in what was said, with nothing between that narrows them.

    What stands between begins with a conjunction (`joined`), or ends with one: `open` until then, `closed` after it.
    """
    known = patterns()
    turns = compiled(f"{known.conditions}|{known.negations}")
    places = {(0, "on")}
    for piece in said:
        is_conjunction = piece in known.conjunctions
        following = {(at + 1, "on") for at, how in places if how != "open" and wanted[at : at + 1] == [piece]}
        if not turns.fullmatch(piece):
            for at, how in places:
                joined = how == "joined" or (how == "on" and is_conjunction)
                following.add((at, "joined" if joined else "closed" if is_conjunction else "open"))
        places = following
    return not places.isdisjoint({(len(wanted), "on"), (len(wanted), "joined")})


@lru_cache(maxsize=4096)
def _pieces(text: str) -> tuple[str, ...]:
    """Return the words and Chinese characters of a text in order, with the marks that join, each in one form."""
    known = patterns()
    text = compiled(known.fronted).sub(r"\3 \1 \2", text.strip())
    text = _AND.join(split_sentences(text.lower()))
    text = compiled(known.fillers).sub("", compiled(known.forbids).sub(f" {_NOT} ", text))
    marks = one_of(*(one for one in known.conjunctions if not one.isalnum()))
    return tuple(_form(piece) for piece in compiled(f"{known.conditions}|{_WORD}|{marks}").findall(text))


@cache
def _form(word: str) -> str:
    """Return a word as it is compared: one form of an irregular verb, one for one thing and for many."""
    (base,) = tokens(word)[:1] or [word]
    return base[:-1] if len(base) > 3 and base.isascii() and base.endswith("s") and not base.endswith("ss") else base
