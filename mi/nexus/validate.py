"""Checking a roster: shapes, references, names, and that its texts belong to no host and no model."""

import os
import re
from collections.abc import Iterator
from typing import Any

from mi.kernel.errors import MiError
from mi.kernel.named_tuple import NamedTuple
from mi.nexus import roster as rosters
from mi.nexus.macros import check, find_macros
from mi.nexus.roster import Member, Vocabulary
from mi.nexus.vocabulary_types import SkillTag

_HOST_TOOLS = re.compile(
    r"`(?:Read|Write|Edit|MultiEdit|Bash|Glob|Grep|LS|Task|Agent|WebFetch|WebSearch|NotebookEdit|TodoWrite|Skill)`"
    r"|\b(?:TodoWrite|MultiEdit|NotebookEdit|AskUserQuestion|ExitPlanMode|WebFetch|WebSearch|TaskCreate|TaskUpdate"
    r"|SendMessage|apply_patch|exec_command|update_plan|spawn_agent|mcp__\w+)\b"
    r"|\b(?:Read|Write|Edit|Bash|Glob|Grep|Task) tool\b"
)
_MODELS = re.compile(
    r"\b(?:claude|opus|sonnet|haiku|gpt-?\d[\w.-]*|chatgpt|gemini|llama|mistral|deepseek|qwen|kimi|grok)\b",
    re.IGNORECASE,
)


class RosterFault(NamedTuple):
    """What is wrong, and in which file; `rule` names its text in the catalogue (`roster.<rule>`)."""

    rule: str
    file: str
    detail: str = ""

    def fields(self) -> dict[str, str]:
        return {"rule": self.rule, "file": self.file, "detail": self.detail}


def validate(root: str = rosters.SHIPPED) -> list[RosterFault]:
    """Return every fault of the roster in a folder."""
    vocabulary, faults = _vocabulary(root)
    agents, skills = (_members(root, kind, faults) for kind in ("agents", "skills"))
    if not agents and not skills and vocabulary is None:
        faults.append(RosterFault("nothing", root))
    if vocabulary is not None:
        faults += _tags(vocabulary, skills)
        for member in agents:
            faults += _agent(vocabulary, member)
        for member in skills:
            faults += _skill(vocabulary, member)
        for kind, members in (("agents", agents), ("skills", skills)):
            for member in members:
                faults += _text(vocabulary, kind, member)
    return faults


def _vocabulary(root: str) -> tuple[Vocabulary | None, list[RosterFault]]:
    """Return the vocabulary as a whole, or every file of it that is missing or wrong."""
    faults = []
    for name, shape in rosters.VOCABULARY.items():
        try:
            rosters.load_yaml(os.path.join(root, "vocabulary", name), shape)
        except MiError as error:
            faults.append(RosterFault("shape", f"vocabulary/{name}", error.line()))
    return (None if faults else rosters.load_vocabulary(root)), faults


def _members(root: str, kind: str, faults: list[RosterFault]) -> list[Member]:
    found = []
    folders = rosters.list_member_folders(root, kind)
    if not folders:
        faults.append(RosterFault("none-found", kind))
    for folder in folders:
        try:
            member = rosters.load_member(root, kind, folder)
        except MiError as error:
            faults.append(RosterFault("shape", f"{kind}/{folder}", error.line()))
            continue
        found.append(member)
        if member.meta.id != folder:
            faults.append(RosterFault("id-folder", f"{kind}/{folder}", str(member.meta.id)))
    return found


def _tags(vocabulary: Vocabulary, skills: list[Member]) -> Iterator[RosterFault]:
    known = {member.meta.id for member in skills}
    for tag in vocabulary.tags:
        if tag.trigger != trigger_of(tag.id):
            yield RosterFault("trigger", "vocabulary/tags.yml", f"{tag.id}: {tag.trigger}")
        if isinstance(tag, SkillTag) and tag.skill not in known:
            yield RosterFault("tag-skill", "vocabulary/tags.yml", f"{tag.id}: {tag.skill}")


def trigger_of(tag_id: str) -> str:
    """Return how a tag is written in a message."""
    return f"[{tag_id.replace('-', ':')}]"


def _agent(vocabulary: Vocabulary, member: Member) -> Iterator[RosterFault]:
    file, meta = f"agents/{member.folder}", member.meta
    for name in meta.capabilities:
        if name not in _ids(vocabulary.capabilities):
            yield RosterFault("capability", file, name)
    if meta.category not in _ids(vocabulary.categories):
        yield RosterFault("category", file, meta.category)
    if meta.resume_tier not in _ids(vocabulary.resume_tiers):
        yield RosterFault("tier", file, meta.resume_tier)


def _skill(vocabulary: Vocabulary, member: Member) -> Iterator[RosterFault]:
    for name in member.meta.triggers:
        if name not in _ids(vocabulary.tags):
            yield RosterFault("skill-tag", f"skills/{member.folder}", name)
    if member.meta.manual_only is True and member.meta.triggers:
        yield RosterFault("manual-triggered", f"skills/{member.folder}", ", ".join(member.meta.triggers))


def _ids(entries: list[Any]) -> set[str]:
    return {entry.id for entry in entries}


def _text(vocabulary: Vocabulary, kind: str, member: Member) -> Iterator[RosterFault]:
    file = f"{kind}/{member.folder}/body.md"
    if found := _HOST_TOOLS.search(member.body):
        yield RosterFault("host-tool", file, found[0])
    if found := _MODELS.search(member.body):
        yield RosterFault("model", file, found[0])
    try:
        for macro in find_macros(member.body):
            check(macro, vocabulary.invocations)
    except MiError as error:
        yield RosterFault("macro", file, error.line())
