"""Operational settings, kept as preference claims tagged `mi:setting:<name>`; what was said last holds."""

from collections.abc import Callable

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import DefaultsClaimSync, MiDefaultsSet, SettingsSet
from mi.kernel.named_tuple import NamedTuple
from mi.knowledge.thoughts.records import Claim
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.store_state import Filter

TAG = "mi:setting:"
VALUE_TAG = "mi:value:"


class Setting(NamedTuple):
    """A setting: its values with the sentence each stands for, the default first."""

    name: str
    sentences: dict[str, str]
    is_decision: bool = False  # only what the person said counts: its default is never written down as their word

    @property
    def default(self) -> str:
        return next(iter(self.sentences))


SETTINGS = {
    "ask_when_uncertain": Setting(
        "ask_when_uncertain",
        {
            "ask": "When it is unclear how to go on safely, stop and ask me.",
            "proceed": "When it is unclear how to go on, take the safest reasonable choice instead of asking me.",
        },
    ),
    "refactor_intent": Setting(
        "refactor_intent",
        {
            "behavior_preserving": "A refactoring keeps behaviour as it is unless I explicitly ask for a change.",
            "behavior_changing": "A refactoring may change behaviour where that makes the result better.",
        },
    ),
    "prove": Setting(
        "prove",
        {
            "no": "MI does not run the checks of my projects itself.",
            "yes": "Before it calls a run done, MI runs the checks of projects I trust itself, in a copy.",
        },
        is_decision=True,
    ),
}


class SettingValue(NamedTuple):
    """A setting's value and where it comes from: project, global or default."""

    value: str
    source: str
    claim_id: str


def effective(stores: list[ThoughtStore]) -> dict[str, SettingValue]:
    """Return every setting's value; the first store that says something wins."""
    said = [(store.scope, _said(store)) for store in stores]
    result: dict[str, SettingValue] = {}
    for name, setting in SETTINGS.items():
        result[name] = SettingValue(setting.default, "default", "")
        for scope, claims in said:
            if name in claims:
                value, claim = claims[name]
                result[name] = SettingValue(value, scope, claim.claim_id)
                break
    return result


def set_settings(store: ThoughtStore, evidence: EvidenceWriter, wanted: dict[str, str]) -> SettingsSet:
    """Record the wish, then the claims that carry it, each replacing the store's former one."""
    former = _said(store)
    event = evidence.append(SettingsSet(scope=store.scope, settings=wanted), sync=True)
    for name, value in wanted.items():
        tags = [TAG + name, VALUE_TAG + value]
        claim = store.new_claim(SETTINGS[name].sentences[value], tags, event.event_id, "user")
        store.add_claims([claim])
        if name in former:
            store.link("supersedes", former[name][1].claim_id, claim.claim_id, event.event_id, "user")
    return event


def seed_defaults(store: ThoughtStore, open_log: Callable[[], EvidenceWriter]) -> list[Claim]:
    """Say the defaults of which a store never said anything, so that they can be cited, replaced and taken back."""
    usual = [name for name, setting in SETTINGS.items() if not setting.is_decision]
    said = {name: next(store.read().find("claim", Filter(None, tags=(TAG + name,))), None) for name in usual}
    missing = {name: SETTINGS[name].default for name, claim in said.items() if claim is None}
    if not missing:
        return []
    log = open_log()
    event = log.append(MiDefaultsSet(settings=missing), sync=True)
    claims = [
        store.new_claim(SETTINGS[name].sentences[value], [TAG + name, VALUE_TAG + value], event.event_id, "import")
        for name, value in missing.items()
    ]
    store.add_claims(claims)
    seeded = DefaultsClaimSync(outcome=f"seeded {', '.join(missing)}", claim_ids=[one.claim_id for one in claims])
    log.append(seeded, sync=True)
    return claims


def _said(store: ThoughtStore) -> dict[str, tuple[str, Claim]]:
    """Return the latest standing claim of each setting; a model's word is none."""
    said: dict[str, tuple[str, Claim]] = {}
    for claim in store.active(TAG + "*"):
        if claim.origin == "mind":
            continue
        name = next(tag.removeprefix(TAG) for tag in claim.tags if tag.startswith(TAG))
        value = next((tag.removeprefix(VALUE_TAG) for tag in claim.tags if tag.startswith(VALUE_TAG)), "")
        value = value or _read_former(name, claim.text)
        if name in SETTINGS and value in SETTINGS[name].sentences:
            said[name] = (value, claim)
    return said


def _read_former(name: str, text: str) -> str:
    """Return the value that the text of an earlier tool's claim says: `ask_when_uncertain = proceed`, or `false`."""
    said = text.removeprefix(name).strip(" :=`.\"'").lower()
    if name == "ask_when_uncertain":
        return {"true": "ask", "false": "proceed"}.get(said, said)
    return said
