"""Tags in what a person says: `[plan]`, `[run]`, `[sync]`, `[d]`, `[m]`, `[m:gc]`, `[rule]`."""

import re

from mi.kernel.named_tuple import NamedTuple

# As in vocabulary/tags.yml, which a test compares: reading that file would cost every message its time.
SKILLS = {"plan": "nx-plan", "run": "nx-run", "sync": "nx-sync"}
INLINE = {"d": "plan_decide", "m": "memory_store", "m-gc": "memory_gc", "rule": "rule_store"}
VARIANTS = {"plan": ("auto",)}
_TAG = r"\[([a-z]+(?::[a-z]+)?)\]"
# Tags stand by themselves, alone or in a row: `row[d]`, `a[i][d]` and the links `[d](…)`, `[d][1]` are none. What is
# between backticks is quoted. In scripts that set no spaces a tag may follow a letter.
_SPOKEN = r"`[^`]*`|(?<![A-Za-z0-9_)\]])(?:\[[a-z]+(?::[a-z]+)?\])+(?![(\[])"


class TagMatch(NamedTuple):
    """A tag in a message; `skill` or `handler` says what it leads to."""

    id: str
    trigger: str
    skill: str = ""
    handler: str = ""
    variant: str = ""


def find(message: str) -> list[TagMatch]:
    """Return the tags of a message, each once, in their order; text in backticks is quoted, not meant."""
    if "[" not in message:
        return []
    found: dict[str, TagMatch] = {}
    for match in re.finditer(_SPOKEN, message):
        for written in [] if match[0].startswith("`") else re.findall(_TAG, match[0]):
            tag = _tag(written)
            if tag is not None:
                found.setdefault(tag.id, tag)
    return list(found.values())


def _tag(written: str) -> TagMatch | None:
    name, _, variant = written.partition(":")
    whole = written.replace(":", "-")
    if whole in INLINE:
        return TagMatch(whole, f"[{written}]", handler=INLINE[whole])
    if name in SKILLS and (not variant or variant in VARIANTS.get(name, ())):
        return TagMatch(name, f"[{written}]", skill=SKILLS[name], variant=variant)
    return None


def strip_tags(message: str) -> str:
    """Return a message without its tags."""

    def rest(spoken: re.Match[str]) -> str:
        if spoken[0].startswith("`"):
            return spoken[0]
        return re.sub(_TAG, lambda match: match[0] if _tag(match[1]) is None else "", spoken[0])

    return re.sub(_SPOKEN, rest, message).strip()
