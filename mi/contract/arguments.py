"""Arguments of tools that come from outside: bounded, on one line where they must be, without secrets."""

from collections.abc import Sequence

from mi.kernel.errors import UsageError
from mi.knowledge.thoughts.store import refuse_secret

LIMITS = {
    "summary": 1000,
    "detail": 20_000,
    "key": 200,
    "source": 1000,
    "rationale": 4000,
    "task_id": 100,
    "evidence": 2000,
    "title": 500,
    "section": 200,
    "context": 4000,
    "acceptance": 4000,
    "owner": 200,
    "subtasks": 500,
    "query": 20_000,
    "boundary": 200,
    "details": 4000,
}
MAX_ITEMS = 50


def check_text(field: str, value: str, *, needed: bool = False, line: bool = False) -> str:
    """Return a text as it may be kept: as it is, but for blanks around one that must be a line.

    UsageError with the field and the way out, MiError for a secret and its place.
    """
    limit = LIMITS[field.partition("[")[0]]
    if len(value) > limit:
        raise UsageError("too-long", field=field, size=len(value), limit=limit)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError("not-text", field=field) from None
    refuse_secret(field, value)
    kept = value.strip()
    if needed and not kept:
        raise UsageError("empty-text", field=field)
    if line and any(ord(char) < 32 or char in "\x7f\x85\u2028\u2029" for char in kept):
        raise UsageError("one-line", field=field)
    return kept if line else value


def check_items(field: str, values: list[str]) -> list[str]:
    """Return several one-line texts, none of them empty."""
    if len(values) > MAX_ITEMS:
        raise UsageError("too-many", field=field, size=len(values), limit=MAX_ITEMS)
    return [check_text(f"{field}[{at}]", one, needed=True, line=True) for at, one in enumerate(values)]


def check_number(field: str, value: int, low: int, high: int) -> int:
    """Return a number within its bounds."""
    if not low <= value <= high:
        raise UsageError("out-of-range", field=field, value=value, low=low, high=high)
    return value


def check_choice(field: str, value: str, known: Sequence[str]) -> str:
    """Return a value of a closed list; UsageError names the others."""
    if value not in known:
        raise UsageError("not-a-choice", field=field, value=value, known=", ".join(filter(None, known)))
    return value
