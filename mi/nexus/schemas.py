"""JSON Schemas of everything that lies in `.nexus/` or ships with it: made from the types, compared by a test."""

import os
from typing import Any

import msgspec

from mi.kernel.state import encode_pretty
from mi.nexus import state
from mi.nexus import vocabulary_types as types

FOLDER = os.path.dirname(__file__)
STATE_FOLDER = os.path.join("conformance", "state-schemas")
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_BASE = "https://mind-incarnation.invalid/nexus"  # a name, not an address
STATE: dict[str, Any] = {
    "plan": state.Plan,
    "tasks": state.Tasks,
    "history": state.History,
    "agent-tracker": list[state.TrackerEntry],
    "memory-access": state.AccessRecord,
    "tool-log": state.ToolLogLine,
    "plan.extension": state.PlanExtension,
    "tasks.extension": state.TasksExtension,
    "history.extension": state.HistoryExtension,
}
SHIPPED: dict[str, Any] = {
    "agent": types.AgentMeta,
    "skill": types.SkillMeta,
    "task-exceptions": types.TaskExceptionFile,
    "memory-policy": types.MemoryPolicy,
    "manifest": types.Manifest,
}
# Definitions of vocabulary.schema.json.
_VOCABULARY: dict[str, Any] = {
    "capabilityEntry": types.Capability,
    "capabilityFile": types.CapabilityFile,
    "categoryEntry": types.Category,
    "categoryFile": types.CategoryFile,
    "resumeTierEntry": types.ResumeTier,
    "resumeTierFile": types.ResumeTierFile,
    "tagEntry": types.Tag,
    "tagFile": types.TagFile,
    "invocationEntry": types.Invocation,
    "invocationFile": types.InvocationFile,
    "taskExceptionEntry": types.TaskException,
    "taskExceptionFile": types.TaskExceptionFile,
}


def build_schema(file: str, shape: Any) -> dict[str, Any]:
    """Return the JSON Schema of a type, the outermost one written out."""
    (whole,), parts = msgspec.json.schema_components([shape], ref_template="#/$defs/{name}")
    if "$ref" in whole:
        whole = parts.pop(whole["$ref"].rpartition("/")[2])
    return _head(file) | whole | ({"$defs": parts} if parts else {})


def _head(file: str) -> dict[str, Any]:
    return {"$schema": DIALECT, "$id": f"{_BASE}/{file}"}


def build_vocabulary_schema() -> dict[str, Any]:
    """Return the shapes of the vocabulary files, one definition each."""
    wholes, parts = msgspec.json.schema_components(_VOCABULARY.values(), ref_template="#/$defs/{name}")
    policy = {"memoryPolicyFile": {"$ref": "memory-policy.schema.json"}}
    named = dict(zip(_VOCABULARY, wholes, strict=True))
    return _head("schema/vocabulary.schema.json") | {"$defs": named | policy | parts}


def render_schemas() -> dict[str, bytes]:
    """Return each file that ships, by its path below this package."""
    files = {os.path.join(STATE_FOLDER, f"{name}.schema.json"): shape for name, shape in STATE.items()}
    files |= {os.path.join("schema", f"{name}.schema.json"): shape for name, shape in SHIPPED.items()}
    made = {file: encode_pretty(build_schema(file, shape)) for file, shape in files.items()}
    return made | {os.path.join("schema", "vocabulary.schema.json"): encode_pretty(build_vocabulary_schema())}
