"""The shapes of vocabulary, agents and skills; their JSON Schemas are made from these."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

Said = Annotated[str, Meta(min_length=1)]
Id = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*$")]
Guidance = Annotated[str, Meta(min_length=40)]


class ClosedObject(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object that holds what is declared and nothing else."""


class Capability(ClosedObject, frozen=True, kw_only=True):
    id: Id
    description: Said
    blocks: list[Said]
    exempt: list[Said]
    prose_guidance: Guidance


class Category(ClosedObject, frozen=True, kw_only=True):
    id: Id
    description: Said
    prose_guidance: Guidance


class ResumeTier(Category, frozen=True, kw_only=True):
    pass


class SkillTag(ClosedObject, frozen=True, kw_only=True, tag_field="type", tag="skill"):
    """A tag that leads to a skill."""

    id: Id
    trigger: Said
    description: Said
    skill: Id
    variants: list[Said] | UnsetType = UNSET
    prose_guidance: Guidance | UnsetType = UNSET


class InlineTag(ClosedObject, frozen=True, kw_only=True, tag_field="type", tag="inline_action"):
    """A tag that does something at once."""

    id: Id
    trigger: Said
    description: Said
    handler: Said
    variants: list[Said] | UnsetType = UNSET
    prose_guidance: Guidance | UnsetType = UNSET


Tag = SkillTag | InlineTag


class Param(ClosedObject, frozen=True, kw_only=True):
    name: Id
    description: Said
    required: bool


class Invocation(ClosedObject, frozen=True, kw_only=True):
    """Something that bodies ask of a host."""

    id: Id
    description: Said
    intent: Said
    semantic_params: list[Param]
    prose_guidance: Said
    fallback_behavior: Said


class TaskException(ClosedObject, frozen=True, kw_only=True):
    id: Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$")]
    description: Said
    applies_when: Said
    treatment: Said
    rationale: Said


class MemoryCategory(ClosedObject, frozen=True, kw_only=True):
    id: Said
    prefix: Said
    description: Said


class Naming(ClosedObject, frozen=True, kw_only=True):
    pattern: Said
    description: Said
    optional_prefix: bool


class Accumulated(ClosedObject, frozen=True, kw_only=True):
    name: Said
    meaning: Said


class AccessTracking(ClosedObject, frozen=True, kw_only=True):
    observation_primitive: Said
    scope: Said
    description: Said
    information_accumulated: list[Accumulated]
    storage_contract_reference: Said


class Principle(ClosedObject, frozen=True, kw_only=True):
    principle: Said
    description: Said


class Forgetting(ClosedObject, frozen=True, kw_only=True):
    manual_gate_default: bool
    description: Said
    automatic_deletion_structure: Principle
    recoverable_deletion_requirement: Said
    recoverable_deletion_description: Said


class MemoryPolicy(ClosedObject, frozen=True, kw_only=True):
    categories: list[MemoryCategory]
    naming: Naming
    access_tracking: AccessTracking
    forgetting: Forgetting
    merge: Principle


class CapabilityFile(ClosedObject, frozen=True, kw_only=True):
    capabilities: list[Capability]


class CategoryFile(ClosedObject, frozen=True, kw_only=True):
    categories: list[Category]


class ResumeTierFile(ClosedObject, frozen=True, kw_only=True):
    resume_tiers: list[ResumeTier]


class TagFile(ClosedObject, frozen=True, kw_only=True):
    tags: list[Tag]


class InvocationFile(ClosedObject, frozen=True, kw_only=True):
    invocations: list[Invocation]


class TaskExceptionFile(ClosedObject, frozen=True, kw_only=True):
    task_exceptions: list[TaskException]


class AgentMeta(ClosedObject, frozen=True, kw_only=True):
    """An agent of the roster, without its text."""

    id: Id
    name: Said
    description: Said
    task: Said
    alias_ko: Said
    category: Said
    resume_tier: Said
    model_tier: Literal["high", "standard"]
    capabilities: list[Said]


class SkillMeta(ClosedObject, frozen=True, kw_only=True):
    """A skill, without its text."""

    id: Id
    name: Said
    description: Said
    summary: Said
    triggers: list[Said]
    harness_docs_refs: list[Said]
    manual_only: bool | UnsetType = UNSET


class ManifestAgent(AgentMeta, frozen=True, kw_only=True, forbid_unknown_fields=True):
    body_hash: Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$")]


class ManifestSkill(SkillMeta, frozen=True, kw_only=True, forbid_unknown_fields=True):
    body_hash: Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}$")]


class InvocationSummary(ClosedObject, frozen=True, kw_only=True):
    id: Id
    description: Said
    intent: Said
    fallback_behavior: Said


class ManifestVocabulary(ClosedObject, frozen=True, kw_only=True):
    capabilities: list[Capability]
    categories: list[Category]
    resume_tiers: list[ResumeTier]
    tags: list[Tag]
    invocations: list[InvocationSummary]
    task_exceptions: list[TaskException]
    memory_policy: MemoryPolicy


class Manifest(ClosedObject, frozen=True, kw_only=True):
    """Everything that is shipped, in one file."""

    version: Said
    commit: str
    schema_contract_version: Literal["2.0"]
    agents: list[ManifestAgent]
    skills: list[ManifestSkill]
    vocabulary: ManifestVocabulary
