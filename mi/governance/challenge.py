"""How much to say against a request: by its risk and by what triggered the challenge."""

from collections.abc import Collection, Mapping
from typing import Literal

from mi.kernel.messages import text
from mi.kernel.text import split_sentences

Tier = Literal["low", "medium", "high"]
TIERS: tuple[Tier, ...] = ("low", "medium", "high")
PARTS: dict[Tier, tuple[str, ...]] = {
    "low": ("recommendation", "risk_note"),
    "medium": ("recommendation", "counter_argument", "key_assumption"),
    "high": ("recommended_action", "strongest_counter_argument", "key_assumption", "reversal_condition"),
}
_TRIGGER_TIER: dict[str, Tier] = {
    **dict.fromkeys(("T3", "T4", "T5", "T9"), "high"),
    **dict.fromkeys(("T2", "T6"), "medium"),
    **dict.fromkeys(("T1", "T7"), "low"),
}
# What speaks against a request, by the trigger that weighs most; T8 is no challenge but an alert at once.
_SUBJECTS = {
    "T3": "loss",
    "T9": "release",
    "T5": "structure",
    "T4": "people",
    "T2": "decided",
    "T1": "batch",
    "T7": "small",
    "T6": "haste",
}


def find_score_tier(risk: int) -> Tier:
    """Return the tier of a risk by its number alone."""
    return "low" if risk <= 2 else "medium" if risk == 3 else "high"


def find_tier(risk: int, triggers: Collection[str] = (), full: bool = False) -> Tier:
    """Return the higher of what the score and the triggers ask for; `full`: the person asked for everything."""
    asked = [find_score_tier(risk), *(_TRIGGER_TIER[one] for one in triggers if one in _TRIGGER_TIER)]
    return "high" if full else max(asked, key=TIERS.index)


def find_problems(of: Tier, parts: Mapping[str, str]) -> list[str]:
    """Return what is wrong with a challenge, as `<part>: <what>`: a part missing, too long, or one too many."""
    found = [f"{name}: missing" for name in PARTS[of] if not parts.get(name, "").strip()]
    found += [f"{name}: too many" for name in parts if name not in PARTS[of]]
    for name in PARTS[of]:
        said = parts.get(name, "")
        too_long = len(said.splitlines()) > 1 if name == "risk_note" else len(split_sentences(said)) > 2
        found += [f"{name}: too long"] if too_long else []
    return found


def give_guidance(of: Tier, urgent: bool = False, cards: Collection[str] = (), language: str = "en") -> list[str]:
    """Return what to put before the member that answers."""
    lines = [text("challenge." + of, language, parts=", ".join(PARTS[of]))]
    if urgent:
        lines.append(text("challenge.concise", language))
    if cards:
        lines.append(text("challenge.cards", language, cards=", ".join(cards)))
    return lines


def argue_against(trigger: str, language: str = "en") -> str:
    """Return what a trigger speaks of, in one sentence."""
    return give_alert(language) if trigger == "T8" else text("against." + _SUBJECTS[trigger], language)


def give_alert(language: str = "en") -> str:
    """Return what is said at once when a message holds a secret."""
    return text("challenge.alert", language)


def render_challenge(
    of: Tier, triggers: Collection[str], level: str, cards: Collection[str] = (), language: str = "en"
) -> dict[str, str]:
    """Return a challenge in fixed words, for when no model answers.

    What to do, what speaks against it, what it rests on.
    """
    subject = next((name for trigger, name in _SUBJECTS.items() if trigger in triggers), "other")
    speaks = text("against." + subject, language)
    cited = f" ({', '.join(cards)})" if cards else ""
    said = {
        "recommendation": text("recommend." + level, language) + cited,
        "recommended_action": text("recommend." + level, language) + cited,
        "risk_note": speaks,
        "counter_argument": speaks,
        "strongest_counter_argument": speaks,
        "key_assumption": text("assumption." + subject, language),
        "reversal_condition": text("reversal." + subject, language),
    }
    return {name: said[name] for name in PARTS[of]}
