"""What was said, learned, recalled and taken back: the provenance of every thought."""

from typing import Literal

from msgspec import Struct, field

from mi.evidence.records.base import Json, MindRecord, Record, Say


class ValuesSet(Record, frozen=True, kw_only=True, tag="values_set"):
    """The person wrote down their values."""

    said_by = "person"

    scope: Literal["global", "project"] = "global"
    values_text: str = ""
    compiled_values: Json | None = None
    compiled_by: str = ""  # a Mind's name, or rules
    mind_transcript_ref: str = ""

    def headline(self, say: Say = str) -> str:
        return self.values_text


class MiDefaultsSet(Record, frozen=True, kw_only=True, tag="mi_defaults_set"):
    """Missing operational defaults were seeded as claims."""

    settings: dict[str, str] = {}

    def headline(self, say: Say = str) -> str:
        return _pairs(self.settings)


class SettingsSet(Record, frozen=True, kw_only=True, tag="settings_set"):
    """The person changed operational settings."""

    said_by = "person"

    scope: str = "global"
    settings: dict[str, str] = {}

    def headline(self, say: Say = str) -> str:
        return f"{say(self.scope)} {_pairs(self.settings)}"


class DefaultsClaimSync(Record, frozen=True, kw_only=True, tag="defaults_claim_sync"):
    outcome: str = ""
    claim_ids: list[str] = []

    def headline(self, say: Say = str) -> str:
        return self.outcome


class LearnSuggested(Record, frozen=True, kw_only=True, tag="learn_suggested"):
    said_by = "mind"
    shown_in = ("run", "batch_list")
    pairs_with = "learn_applied"
    paired_by = "id"

    id: str = ""
    scope: str = "project"
    text: str = ""
    severity: str = ""
    rationale: str = ""
    source: str = ""
    source_event_id: str = ""
    note: str = ""  # why it waits, or what it was merged into
    count: int = 0  # runs in which it was seen until then
    applied_claim_ids: list[str] = []

    @classmethod
    def read_former(cls, fields: Json) -> Json:
        """Return the fields with those of what was suggested, which may be one level deeper, and several."""
        inner = fields.get("suggestion") or fields.get("learn_suggested") or []
        told = [one for one in (inner if isinstance(inner, list) else [inner]) if isinstance(one, dict)]
        named = {"id": fields.get("id") or fields.get("suggestion_id") or fields.get("event_id")}
        deeper: Json = {
            name: "\n".join(str(one[name]) for one in told if one.get(name)) for name in ("text", "rationale")
        }
        deeper |= {name: told[0].get(name) for name in ("scope", "severity") if told}
        return fields | named | {name: fields.get(name) or value for name, value in deeper.items()}

    def headline(self, say: Say = str) -> str:
        return f"{self.id} {self.text}"


class LearnApplied(Record, frozen=True, kw_only=True, tag="learn_applied"):
    """What became of a suggestion: applied by the person, dismissed by them, or learned because it was seen again."""

    said_by = "person"
    shown_in = ("batch_list",)
    paired_by = "suggestion_id"

    suggestion_id: str = ""
    decision: str = "applied"  # applied | dismissed | repeated
    applied_claim_ids: list[str] = []

    def headline(self, say: Say = str) -> str:
        return f"{self.suggestion_id} {self.decision}"


class AnswerKept(Record, frozen=True, kw_only=True, tag="answer_kept"):
    """The person's answer to an agent's question is kept as a claim of the project."""

    shown_in = ("run",)

    question_id: str = ""
    claim_id: str = ""
    text: str = ""
    replaced: list[str] = []  # claims of answers that said otherwise

    def headline(self, say: Say = str) -> str:
        return f"{self.claim_id} {self.text}"


class DeviceCame(Record, frozen=True, kw_only=True, tag="device_came"):
    """What another device of the person's knows was taken in, by way of a hub."""

    device: str = ""  # its home's id
    ids: list[str] = []  # the thoughts that it told or took back

    def headline(self, say: Say = str) -> str:
        return f"{self.device} {len(self.ids)}"


class AnsweredAlone(Record, frozen=True, kw_only=True, tag="answered_alone"):
    """MI answered an agent's question by itself, where it had been right about the person before."""

    shown_in = ("run", "segment", "recent")
    is_landmark = True

    question: str = ""
    answer: str = ""
    topic: str = ""
    cited_ids: list[str] = []
    guessed: int = 0  # how often MI had an answer in this topic …
    agreed: int = 0  # … and how often the person said the same

    def headline(self, say: Say = str) -> str:
        return f"{self.question} → {self.answer}"


class LearnUpdate(MindRecord, frozen=True, kw_only=True, tag="learn_update"):
    shown_in = ("batch",)

    output: Json | None = None
    applied: Json = {}  # claim_ids, edge_ids, retracted, and what was dropped and why


class Checkpoint(MindRecord, frozen=True, kw_only=True, tag="checkpoint"):
    shown_in = ("batch",)

    segment_id: str = ""
    planned_next_input: str = ""
    status_hint: str = ""
    note: str = ""
    output: Json | None = None

    def headline(self, say: Say = str) -> str:
        return f"{self.segment_id} {say(self.note)}".strip()


class SourceRefs(Struct, frozen=True, kw_only=True):
    event_ids: list[str] = []


class Snapshot(Record, frozen=True, kw_only=True, tag="snapshot"):
    trust = "hands"
    shown_in = ("batch",)

    snapshot_id: str = ""
    segment_id: str = ""
    checkpoint_kind: str = ""
    text: str = ""
    tags: list[str] = []
    source_refs: SourceRefs = field(default_factory=SourceRefs)

    def headline(self, say: Say = str) -> str:
        return self.text


class NodeMaterialized(Record, frozen=True, kw_only=True, tag="node_materialized"):
    trust = "hands"

    segment_id: str = ""
    node_ids: list[str] = []
    edge_ids: list[str] = []

    def headline(self, say: Say = str) -> str:
        return " ".join(self.node_ids)


class RecalledItem(Struct, frozen=True, kw_only=True):
    kind: str = ""
    id: str = ""
    project_id: str = ""
    text: str = ""
    score: float | None = None
    source_refs: list[Json] = []


class CrossProjectRecall(Record, frozen=True, kw_only=True, tag="cross_project_recall"):
    reason: str = ""
    query_raw: str = ""
    query_compact: str = ""
    tokens_used: list[str] = []
    items: list[RecalledItem] = []

    def headline(self, say: Say = str) -> str:
        return f"{self.query_compact} → {len(self.items)}"

    def told(self) -> str:
        """Return what was found, for the judgements that follow."""
        said = "; ".join(f"{item.id}: {' '.join(item.text.split())[:160]}" for item in self.items)
        return f"recalled for {self.query_compact!r}: {said or 'nothing'}"


class Recall(Record, frozen=True, kw_only=True, tag="recall"):
    query: str = ""
    ids: list[str] = []

    def headline(self, say: Say = str) -> str:
        return f"{self.query} → {len(self.ids)}"


class PreferenceMining(MindRecord, frozen=True, kw_only=True, tag="preference_mining"):
    segment_id: str = ""
    output: Json | None = None

    def headline(self, say: Say = str) -> str:
        return " · ".join(str(one.get("text", "")) for one in (self.output or {}).get("suggestions", []))


class PreferenceSolidified(Record, frozen=True, kw_only=True, tag="preference_solidified"):
    signature: str = ""
    count: int = 0
    text: str = ""
    suggestion_id: str = ""

    def headline(self, say: Say = str) -> str:
        return self.text


class ClaimMining(MindRecord, frozen=True, kw_only=True, tag="claim_mining"):
    trust = "hands"

    segment_id: str = ""
    output: Json | None = None
    applied_claim_ids: list[str] = []
    merged_claim_ids: list[str] = []  # said the same already
    dropped: list[str] = []  # what was not written, and why

    def headline(self, say: Say = str) -> str:
        return " ".join(self.applied_claim_ids)


class ClaimRetract(Record, frozen=True, kw_only=True, tag="claim_retract"):
    said_by = "person"

    claim_id: str = ""
    scope: str = ""
    rationale: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.claim_id} {self.rationale}"


class ClaimSupersede(Record, frozen=True, kw_only=True, tag="claim_supersede"):
    said_by = "person"

    claim_id: str = ""
    new_claim_id: str = ""
    text: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.claim_id} → {self.new_claim_id}"


class ClaimSameAs(Record, frozen=True, kw_only=True, tag="claim_same_as"):
    said_by = "person"

    duplicate_id: str = ""
    canonical_id: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.duplicate_id} → {self.canonical_id}"


class NodeCreate(Record, frozen=True, kw_only=True, tag="node_create"):
    said_by = "person"

    node_id: str = ""
    node_type: str = ""
    title: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.node_type} {self.title}"


class NodeRetract(Record, frozen=True, kw_only=True, tag="node_retract"):
    said_by = "person"

    node_id: str = ""
    scope: str = ""
    rationale: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.node_id} {self.rationale}"


class EdgeCreate(Record, frozen=True, kw_only=True, tag="edge_create"):
    said_by = "person"

    edge_id: str = ""
    edge_type: str = ""
    from_id: str = ""
    to_id: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.edge_type} {self.from_id} → {self.to_id}"


class EdgeRetract(Record, frozen=True, kw_only=True, tag="edge_retract"):
    said_by = "person"

    edge_id: str = ""
    scope: str = ""
    rationale: str = ""

    def headline(self, say: Say = str) -> str:
        return f"{self.edge_id} {self.rationale}"


class WhyTarget(Struct, frozen=True, kw_only=True):
    target_type: str = "evidence_event"  # evidence_event | claim
    id: str = ""


class WhyTrace(MindRecord, frozen=True, kw_only=True, tag="why_trace"):
    shown_in = ("run", "batch", "batch_list")

    target: WhyTarget = field(default_factory=WhyTarget)
    as_of_ts: str = ""
    query: str = ""
    candidate_claim_ids: list[str] = []
    output: Json | None = None
    dropped_ids: list[str] = []  # chosen by the model, yet not among the candidates
    written_edge_ids: list[str] = []

    def headline(self, say: Say = str) -> str:
        said = (self.output or {}).get("explanation")
        return f"{self.target.id} {said}" if isinstance(said, str) and said else self.target.id


def _pairs(settings: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in settings.items())
