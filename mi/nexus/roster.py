"""The roster: vocabulary, agents and skills as they ship, or from a folder of the same form."""

import os
from typing import Any

import msgspec
import yaml

from mi.kernel.errors import StorageError
from mi.kernel.files import read_bytes
from mi.kernel.named_tuple import NamedTuple
from mi.kernel.yamltext import parse_yaml
from mi.nexus import vocabulary_types as types
from mi.nexus.macros import expand

SHIPPED = os.path.dirname(__file__)
VOCABULARY: dict[str, Any] = {
    "capabilities.yml": types.CapabilityFile,
    "categories.yml": types.CategoryFile,
    "resume-tiers.yml": types.ResumeTierFile,
    "tags.yml": types.TagFile,
    "invocations.yml": types.InvocationFile,
    "task-exceptions.yml": types.TaskExceptionFile,
    "memory_policy.yml": types.MemoryPolicy,
}


class Vocabulary(NamedTuple):
    """The seven vocabulary files."""

    capabilities: list[types.Capability]
    categories: list[types.Category]
    resume_tiers: list[types.ResumeTier]
    tags: list[types.Tag]
    invocations: list[types.Invocation]
    task_exceptions: list[types.TaskException]
    memory_policy: types.MemoryPolicy


class Member(NamedTuple):
    """An agent or a skill: its folder, what is said about it, and its text."""

    folder: str
    meta: Any
    body: str


class Roster(NamedTuple):
    vocabulary: Vocabulary
    agents: list[Member]
    skills: list[Member]


def load_yaml(path: str, shape: Any) -> Any:
    """Return a YAML file as its type; StorageError names the file and what is wrong with it."""
    data = read_bytes(path)
    if data is None:
        raise StorageError("roster-missing", path=path)
    try:
        raw = parse_yaml(data)
        return msgspec.convert(raw, shape)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise StorageError("roster-invalid", path=path, reason=" ".join(str(error).split())) from None


def load_vocabulary(root: str = SHIPPED) -> Vocabulary:
    """Return all seven files, or an error: a part of the vocabulary is none."""
    loaded = [load_yaml(os.path.join(root, "vocabulary", name), shape) for name, shape in VOCABULARY.items()]
    *lists, policy = (getattr(one, one.__struct_fields__[0]) if one is not loaded[-1] else one for one in loaded)
    return Vocabulary._make([*lists, policy])


def list_member_folders(root: str, kind: str) -> list[str]:
    """Return the folders of agents or skills, by name."""
    place = os.path.join(root, kind)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    return [name for name in names if os.path.isdir(os.path.join(place, name)) and not name.startswith(("_", "."))]


def load_member(root: str, kind: str, folder: str) -> Member:
    """Return one agent or skill."""
    place = os.path.join(root, kind, folder)
    meta = load_yaml(os.path.join(place, "meta.yml"), types.AgentMeta if kind == "agents" else types.SkillMeta)
    body = read_bytes(os.path.join(place, "body.md"))
    if body is None:
        raise StorageError("roster-missing", path=os.path.join(place, "body.md"))
    return Member(folder, meta, body.decode("utf-8", "replace"))


def load(root: str = SHIPPED) -> Roster:
    """Return everything; the first thing that is wrong is an error."""
    vocabulary = load_vocabulary(root)
    members = {
        kind: [load_member(root, kind, folder) for folder in list_member_folders(root, kind)]
        for kind in ("agents", "skills")
    }
    return Roster(vocabulary, members["agents"], members["skills"])


def read_skill_body(skill: str, mode: str = "") -> str:
    """Return the text of a shipped skill, its macros written out."""
    member = load_member(SHIPPED, "skills", skill)
    head = f"Mode: {mode}\n\n" if mode else ""
    file = "invocations.yml"
    known = load_yaml(os.path.join(SHIPPED, "vocabulary", file), VOCABULARY[file])
    return head + expand(member.body, known.invocations)
