"""How much a change touches, and how risky a task is: scores, and what they ask for."""

from typing import Literal

from mi.governance.words import is_said, own_words
from mi.kernel.language import compiled, patterns
from mi.kernel.named_tuple import NamedTuple

Impact = Literal["trivial", "moderate", "significant"]
Clarity = Literal["clear", "vague", "unclear"]
Orchestration = Literal["self", "offer_review", "review_and_confirm"]
SENSITIVE = ("auth", "encryption", "migration", "delete_data")
INTEGRATION = ("new_dependency", "external_service", "cross_project")
LINES, DIRS = 150, 2  # up to these a change is not large
ACK = 4


def find_impact(files: int, lines: int, api_or_schema: bool = False) -> Impact:
    """trivial, moderate or significant."""
    if files > 5 or lines > LINES or api_or_schema:
        return "significant"
    return "trivial" if files <= 1 and lines <= 10 else "moderate"


class Facts(NamedTuple):
    """What is known of a task or a change that bears on its risk."""

    sensitive: bool = False
    integration: bool = False
    fresh: bool = False
    lines: int = 0
    dirs: int = 0
    public_api: bool = False
    irreversible: bool = False
    production: bool = False


def compute_raw_risk(facts: Facts) -> int:
    """0 to 8; every gate uses this number."""
    size = facts.lines > LINES or facts.dirs > DIRS or facts.public_api
    return 3 * facts.sensitive + 2 * facts.integration + 2 * facts.fresh + size


def compute_score(raw: int, clarity: Clarity) -> int:
    """Return the score to report: a vague spec lowers it, and exempts from nothing."""
    return max(raw - 2, 0) if clarity == "vague" else raw


def is_high_risk(facts: Facts) -> bool:
    """Return whether the task is one that must not go on without the person's word."""
    return facts.sensitive or compute_raw_risk(facts) >= ACK or facts.production or facts.irreversible


def needs_ack(facts: Facts) -> bool:
    """Return whether a person must acknowledge the task before it begins."""
    return compute_raw_risk(facts) >= ACK or is_high_risk(facts)


def choose_orchestration(raw: int) -> Orchestration:
    """Return who does it, and who looks at it."""
    if raw <= 1:
        return "self"
    return "offer_review" if raw < ACK else "review_and_confirm"


def find_flags(task: str) -> tuple[str, ...]:
    """Return the flags that the words of a task set."""
    own, known = own_words(task), patterns()
    found = {flag for flag, words in known.flags.items() if is_said(own, words)}
    if compiled(known.trigger_orders["T3"]).search(own):
        found.add("delete_data")
    return tuple(flag for flag in known.flags if flag in found)


def find_facts(flags: tuple[str, ...], lines: int = 0, dirs: int = 0) -> Facts:
    """Return flags and sizes as facts."""
    return Facts(
        sensitive=bool({*flags} & {*SENSITIVE}),
        integration=bool({*flags} & {*INTEGRATION}),
        fresh="fresh" in flags,
        lines=lines,
        dirs=dirs,
        public_api="public_api" in flags,
        irreversible="irreversible" in flags,
        production="production" in flags,
    )


def join_flags(one: Facts, other: Facts) -> Facts:
    """Return what holds of either; the larger sizes."""
    return Facts(*(max(pair) for pair in zip(one, other, strict=True)))  # type: ignore[arg-type]  # field by field
