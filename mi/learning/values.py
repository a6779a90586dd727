"""The person's values: written down once, kept as claims that cite the event in which they were said."""

from typing import NamedTuple

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import ValuesSet
from mi.kernel.errors import MiError
from mi.kernel.text import sentences
from mi.thoughtdb.records import Claim
from mi.thoughtdb.store import ThoughtStore, refuse_secret

BASE = "values:base"
RAW = "values:raw"


class ValuesChange(NamedTuple):
    """What setting the values did, or would do."""

    event_id: str
    kept: list[Claim]
    added: list[Claim]
    retracted: list[Claim]


def plan(store: ThoughtStore, text: str) -> tuple[list[Claim], list[str], list[Claim]]:
    """Of the values a text says: claims that stay, sentences that are new, claims that are no longer said."""
    if not sentences(text):
        raise MiError("empty-values")
    refuse_secret("values", text)
    said = sentences(text)
    standing = store.active(BASE)
    first = {claim.text: claim for claim in reversed(standing)}  # two commands at once may have said the same
    kept = [claim for claim in standing if claim.text in said and claim is first[claim.text]]
    new = [sentence for sentence in said if sentence not in {claim.text for claim in kept}]
    return kept, new, [claim for claim in standing if claim not in kept]


def set_values(store: ThoughtStore, evidence: EvidenceWriter, text: str, *, raw_only: bool = False) -> ValuesChange:
    """Store values without a model: each sentence a claim; what is said no longer is retracted, nothing is erased."""
    kept, new, gone = plan(store, text)
    event = evidence.append(ValuesSet(values_text=text), sync=True)
    old_raw = store.active(RAW)
    raw = store.new_claim(text, [RAW], event.event_id, "user")
    added = [] if raw_only else [store.new_claim(one, [BASE], event.event_id, "user") for one in new]
    store.add_claims([raw, *added])
    for old in old_raw:
        store.link("supersedes", old.claim_id, raw.claim_id, event.event_id, "user")
    if raw_only:
        return ValuesChange(event.event_id, store.active(BASE), [], [])
    store.retract([claim.claim_id for claim in gone], "values set anew", event.event_id)
    return ValuesChange(event.event_id, kept, added, gone)
