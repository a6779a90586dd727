"""The person's values: written down once, kept as claims that cite the event in which they were said."""

from collections.abc import Sequence

import msgspec

from mi.evidence.log import EvidenceWriter
from mi.evidence.records.thoughts import ClaimRetract, ValuesSet
from mi.kernel.errors import MiError, NotFound
from mi.kernel.language import detect
from mi.kernel.messages import text as message
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.secrets import find_secrets
from mi.kernel.text import split_statements
from mi.knowledge.thoughts.kinds import RAW, SUMMARY, Scope
from mi.knowledge.thoughts.kinds import VALUES as BASE
from mi.knowledge.thoughts.records import Claim, Node
from mi.knowledge.thoughts.store import ThoughtStore, refuse_secret
from mi.knowledge.thoughts.store_state import Filter
from mi.learning.mind_calls import Judge, Rules, ask_recorded
from mi.learning.text_overlap import opposes
from mi.learning.values_patch import ValuesPatch, check_patch, value_tags
from mi.mind.mind import Judgement
from mi.mind.prompts.compile_values import CompiledValues, compile_values
from mi.mind.prompts.values_claim_patch import ValuesToPatch, values_claim_patch
from mi.mind.views import CitableText


class ValuesChange(NamedTuple):
    """What setting the values did."""

    event_id: str
    kept: list[Claim]
    added: list[Claim]
    gone: list[Claim]  # retracted, superseded or told to be the same as another
    compiled: CompiledValues | None = None
    by: str = ""  # who derived the claims: a provider's name, or rules
    notes: Sequence[str] = ()
    error: str = ""  # why a model judged nothing


def compile_text(text: str, judge: Judge, evidence: EvidenceWriter | None = None) -> Judgement[CompiledValues]:
    """Return a text's values and its way of deciding; a text without a sentence, or with a secret, is refused."""
    if not split_statements(text):
        raise MiError("empty-values")
    refuse_secret("values", text)
    return ask_recorded(judge, compile_values, text, evidence)


def plan(store: ThoughtStore, text: str) -> ValuesPatch:
    """Return, without a model, each sentence as a value: which claims stay, what is new, what goes."""
    compile_text(text, Rules())
    said = split_statements(text)
    standing = store.active(BASE)
    first = {claim.text: claim for claim in reversed(standing)}  # two commands at once may have said the same
    kept = [claim for claim in standing if claim.text in said and claim is first[claim.text]]
    held = {claim.text for claim in kept}
    new = [store.new_claim(one, value_tags(one), "", "user") for one in said if one not in held]
    return ValuesPatch(kept, new, [claim for claim in standing if claim not in kept])


def set_values(
    store: ThoughtStore,
    evidence: EvidenceWriter,
    text: str,
    judge: Judge | None = None,
    *,
    compiles: bool = True,
    claims: bool = True,
) -> ValuesChange:
    """Store what the person values: the event, the text, a summary, and claims. What it replaces is never erased."""
    judge = judge or Rules()
    judged = compile_text(text, judge if compiles else Rules(), evidence)
    compiled = judged.value if compiles else None
    event_id = _record(evidence, text, judged, compiled, store.scope)
    raw = store.new_claim(text, [RAW], event_id, "user")
    old_raw = store.active(RAW)
    patch, by = ValuesPatch(store.active(BASE), [], []), ""
    if compiles and claims:
        patch, by = _patch(store, text, judge, judged, event_id, evidence)
    added = [msgspec.structs.replace(one, source_refs=raw.source_refs) for one in patch.new]
    store.add_claims([raw, *added])
    store.add_edges(
        [store.new_edge("supersedes", old.claim_id, raw.claim_id, event_id, "user") for old in old_raw]
        + [store.new_edge(*edge, event_id, "mind") for edge in patch.edges]
    )
    store.retract([claim.claim_id for claim in patch.retracted], "values set anew", event_id)
    if compiled is not None:
        _keep_summary(store, compiled, event_id)
    gone = [*patch.retracted, *patch.replaced]
    return ValuesChange(event_id, patch.kept, added, gone, compiled, by, patch.notes, judged.error)


def add_values(store: ThoughtStore, evidence: EvidenceWriter, text: str) -> ValuesChange:
    """Store values beside those that stand, without a model; one that says the opposite of a former takes its place."""
    compile_text(text, Rules())
    standing = store.active(BASE)
    held = {claim.text for claim in standing}
    said = [one for one in dict.fromkeys(split_statements(text)) if one not in held]
    if not said:
        return ValuesChange("", standing, [], [])
    gone = [claim for claim in standing if any(opposes(one, claim.text) for one in said)]
    return _revise(store, evidence, said, gone, "the opposite was added")


def replace_value(store: ThoughtStore, evidence: EvidenceWriter, claim_id: str, text: str) -> ValuesChange:
    """Store other words for one value, without a model; what it said before is never erased."""
    compile_text(text, Rules())
    standing, old = store.active(BASE), _require(store, claim_id)
    held = {claim.text for claim in standing if claim is not old}
    said = [one for one in dict.fromkeys(split_statements(text)) if one not in held]
    if said == [old.text]:
        return ValuesChange("", standing, [], [])
    return _revise(store, evidence, said, [old], "said otherwise")


def take_back_value(store: ThoughtStore, evidence: EvidenceWriter, claim_id: str, rationale: str) -> ValuesChange:
    """Take one value back: its claim, and its words in the text that is edited the next time."""
    refuse_secret("rationale", rationale)
    return _revise(store, evidence, [], [_require(store, claim_id)], rationale or "taken back")


def _require(store: ThoughtStore, claim_id: str) -> Claim:
    found = next((claim for claim in store.active(BASE) if claim.claim_id == claim_id), None)
    if found is None:
        raise NotFound("unknown-value", ref=claim_id)
    return found


def _revise(
    store: ThoughtStore, evidence: EvidenceWriter, said: Sequence[str], gone: Sequence[Claim], rationale: str
) -> ValuesChange:
    """Store sentences as values in the place of others, with the text and the summary that say so."""
    kept = [claim for claim in store.active(BASE) if claim.claim_id not in {one.claim_id for one in gone}]
    whole, old_raw = _rewrite(store, said, kept, gone), store.active(RAW)
    if not whole:  # nothing is valued any more
        event_id = evidence.append(
            ClaimRetract(claim_id=gone[0].claim_id, scope=store.scope, rationale=rationale), sync=True
        ).event_id
        store.retract([one.claim_id for one in (*gone, *old_raw)], rationale, event_id)
        return ValuesChange(event_id, [], [], list(gone))
    judged = compile_text(whole, Rules())
    event_id = _record(evidence, whole, judged, judged.value, store.scope)
    raw = store.new_claim(whole, [RAW], event_id, "user")
    added = [store.new_claim(one, value_tags(one), event_id, "user") for one in said]
    store.add_claims([raw, *added])
    store.add_edges([store.new_edge("supersedes", old.claim_id, raw.claim_id, event_id, "user") for old in old_raw])
    store.retract([claim.claim_id for claim in gone], rationale, event_id)
    if judged.value is not None:
        _keep_summary(store, judged.value, event_id)
    return ValuesChange(event_id, kept, added, list(gone), judged.value, "rules")


def _rewrite(store: ThoughtStore, said: Sequence[str], kept: Sequence[Claim], gone: Sequence[Claim]) -> str:
    """Return the person's text without what goes and with what is new; the values themselves where it says others."""
    raw = store.active(RAW)
    sentences, going = split_statements(raw[-1].text) if raw else [], {claim.text for claim in gone}
    if raw and not gone:
        before = [raw[-1].text]
    elif going <= set(sentences):
        before = [one for one in sentences if one not in going]
    else:
        before = [claim.text for claim in kept]
    return "\n".join([*before, *said])


def _record(
    evidence: EvidenceWriter,
    text: str,
    judged: Judgement[CompiledValues],
    compiled: CompiledValues | None,
    scope: Scope,
) -> str:
    record = ValuesSet(
        scope=scope,
        values_text=text,
        compiled_values=None if compiled is None else msgspec.to_builtins(compiled),
        compiled_by="" if compiled is None else judged.by,
        mind_transcript_ref=judged.transcript_ref,
    )
    return evidence.append(record, sync=True).event_id


def _patch(
    store: ThoughtStore,
    text: str,
    judge: Judge,
    judged: Judgement[CompiledValues],
    event_id: str,
    evidence: EvidenceWriter,
) -> tuple[ValuesPatch, str]:
    """Return what changes in the claims and who says so.

    A model that fails, or leaves nothing standing, is not heard.
    """
    if judged.value is None or judged.by == "rules":
        return plan(store, text), "rules"
    standing = store.active(BASE)
    given = ValuesToPatch(
        values_text=text,
        summary=judged.value.values_summary,
        procedure=f"{judged.value.decision_procedure.summary}\n{judged.value.decision_procedure.mermaid}".strip(),
        standing=[CitableText(id=one.claim_id, text=one.text) for one in standing],
        event_ids=[event_id],
    )
    answer = ask_recorded(judge, values_claim_patch, given, evidence)
    patch = (
        check_patch(answer.value, standing, store, event_id, split_statements(text))
        if answer.value is not None
        else None
    )
    if patch is None or answer.by == "rules":
        return plan(store, text), "rules"
    return patch, answer.by


def _keep_summary(store: ThoughtStore, compiled: CompiledValues, event_id: str) -> None:
    """Store the summary for people, in the place of the former one."""
    text = summarise_values(compiled)
    if find_secrets(text):
        return  # the person's text held none: whatever a model added is not theirs
    former = [one.id for one in store.read().find("node", Filter(tags=(SUMMARY,)))]
    title = message("values.summary-title", detect(text))
    node: Node = store.new_node("summary", title, text, [SUMMARY], event_id, "mind")
    store.add_nodes([node])
    store.add_edges([store.new_edge("supersedes", old, node.node_id, event_id, "mind") for old in former])


def summarise_values(compiled: CompiledValues) -> str:
    """Return the compiled values as a person reads them."""
    listed = "\n".join(f"- {one}" for one in compiled.values_summary)
    procedure = compiled.decision_procedure
    return f"{listed}\n\n{procedure.summary}\n\n```mermaid\n{procedure.mermaid}\n```"
