"""What records hold in words of their own (kinds, states, codes, reasons, seconds), as the page says it to people."""

from functools import lru_cache, partial

from mi.evidence.records.base import Record
from mi.kernel.messages import find_text, tables, text
from mi.kernel.messages import word as say_stored

_LIMITS = ("batches", "minutes", "tokens", "cost_usd")
# Keys of what a run may end with, and of what its judge may note.
_REASONS = ("end.", "plan.", "part.", "proof.person-", "proof.problem-", *(f"limit.{name}" for name in _LIMITS))


@lru_cache(2000)
def say_plainly(word: str, language: str, of: str = "") -> str:
    """Return a word of a record as people say it; some say something else in a record of a certain kind (`of`)."""
    for name in (f"{of}-{word}", word) if of else (word,):
        try:
            return text(f"plain.{name.lower().replace('_', '-').replace(' ', '-')}", language)
        except KeyError:
            continue
    return say_stored(word, language).replace("_", " ")


def say_record(record: Record, language: str) -> str:
    """Return what a record tells in one line: our words as people say them, reasons in this language."""
    settings: dict[str, str] = getattr(record, "settings", {})
    if settings:
        said = [_say_setting(name, value, language) for name, value in settings.items()]
        return text("plain.between", language).join(said)
    kind = str(record.__struct_config__.tag)
    line = record.headline(partial(say_plainly, language=language, of=kind))
    stored = (
        getattr(one, name, "") for one in (record, getattr(record, "checks", None)) for name in ("reason", "notes")
    )
    for reason in filter(None, stored):
        line = line.replace(reason, say_reason(reason, language))
    state = getattr(record, "status", "") or getattr(record, "outcome", "")
    head, between, rest = line.partition(f"{say_plainly(state, language, kind)} " if state else "\0")
    return line if head or not between else text("plain.told", language, state=between.strip(), rest=rest)


def _say_setting(name: str, value: str, language: str) -> str:
    try:
        setting, choice = (f"web.{one.replace('_', '-')}" for one in (f"setting-{name}", f"choice-{value}"))
        return f"{text(setting, language)} – {text(choice, language)}"
    except KeyError:  # of another version
        return f"{name}={value}"


@lru_cache(2000)
def say_reason(reason: str, language: str) -> str:
    """Return why a run stands as it does in this language, in whatever language that was stored."""
    found = find_text(reason, _list_reasons(), language)
    if found is not None:
        key, details = found
        return text(key, language, **{name: say_reason(value, language) for name, value in details.items()})
    parts = reason.split("; ")
    if len(parts) == 1 or not any(find_text(part, _list_reasons(), language) for part in parts):
        return reason
    return text("plain.between", language).join(say_reason(part, language) for part in parts)


@lru_cache
def _list_reasons() -> tuple[str, ...]:
    """Return the keys of reasons, those first whose texts say most by themselves."""
    found = {key: said for table in tables("en", "TEXT") for key, said in table.items() if key.startswith(_REASONS)}
    return tuple(sorted(found, key=lambda key: len(found[key]), reverse=True))


def say_span(seconds: float, language: str) -> str:
    """Return how long something took, as people say it: 3 min 12 s."""
    whole = round(seconds)
    if whole < 60:
        return text("span.seconds", language, s=whole)
    if whole < 3600:
        return text("span.minutes", language, min=whole // 60, s=whole % 60)
    return text("span.hours", language, h=f"{whole // 3600:,}", min=whole % 3600 // 60)
