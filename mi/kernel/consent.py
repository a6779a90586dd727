"""A person's yes or no, in any language, for whatever MI asks; `also` are words that fit one question alone."""

from collections.abc import Collection

from mi.kernel.language import compiled, patterns


def agrees(answer: str, also: Collection[str] = ()) -> bool:
    """Return whether the answer is a word of consent and nothing else."""
    return _bare(answer) in (*patterns().yes, *also)


def declines(answer: str, also: Collection[str] = ()) -> bool:
    """Return whether the answer is a no and nothing else."""
    return _bare(answer) in (*patterns().no, *also)


def begins_with_yes(answer: str, also: Collection[str] = ()) -> bool:
    """Return whether the answer begins with a word of consent, whatever follows."""
    known = patterns()
    words = (*known.yes, *also)
    said = answer.strip().lower()
    marks = {*known.clause_marks} - {*known.question_marks}
    word = said.split(maxsplit=1)[0].strip("".join(marks)) if said else ""
    if word.isascii() and word in words:
        return True
    unparted = tuple(one for one in words if not one.isascii())  # no blank ends such a word
    return said.startswith(unparted) and not said.startswith(known.no_yes)


def refuses(answer: str) -> bool:
    """Return whether an answer to "go on?" means no: by how it begins."""
    said = " ".join(answer.lower().replace("’", "'").split())
    known = patterns()
    return compiled(known.refusal).match(said) is not None and compiled(known.no_refusal).match(said) is None


def _bare(answer: str) -> str:
    return answer.strip().strip("".join(patterns().full_stops)).lower()
