"""The manifest: agents, skills and vocabulary in one file, the same bytes for the same sources."""

import os
from typing import Any

import msgspec

from mi import __version__
from mi.kernel import git
from mi.kernel.state import encode_pretty
from mi.nexus import vocabulary_types as types
from mi.nexus.roster import SHIPPED, Member, Roster, load
from mi.nexus.store import strict

CONTRACT = "2.0"


def body_hash(body: str) -> str:
    """The fingerprint of a text, the same on every system: line ends and what trails do not count."""
    from hashlib import sha256

    normal = body.replace("\r\n", "\n").rstrip() + "\n"
    return "sha256:" + sha256(normal.encode()).hexdigest()


def manifest(roster: Roster, commit: str) -> bytes:
    """The whole of manifest.json."""
    words = roster.vocabulary
    vocabulary = {name: _sorted(getattr(words, name)) for name in words._fields}
    summary = types.InvocationSummary.__struct_fields__
    invocations = [{name: one[name] for name in summary} for one in vocabulary["invocations"]]
    whole = {
        "version": __version__,
        "commit": commit,
        "schema_contract_version": CONTRACT,
        "agents": [_entry(one) for one in sorted(roster.agents, key=lambda member: str(member.meta.id))],
        "skills": [_entry(one) for one in sorted(roster.skills, key=lambda member: str(member.meta.id))],
        "vocabulary": vocabulary | {"invocations": invocations},
    }
    return encode_pretty(strict(whole, types.Manifest))


def _sorted(value: Any) -> Any:
    plain = msgspec.to_builtins(value)
    return sorted(plain, key=lambda one: one["id"]) if isinstance(plain, list) else plain


def _entry(member: Member) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(member.meta)
    return plain | {"body_hash": body_hash(member.body)}


def shipped_manifest() -> bytes:
    """The manifest of what this installation ships."""
    return manifest(load(), commit_of(SHIPPED))


def commit_of(folder: str) -> str:
    """The commit that a source tree stands at; `unknown` for an installed package."""
    root = git.find_toplevel(folder)
    if root is None or not os.path.isfile(os.path.join(root, "pyproject.toml")):
        return "unknown"
    tracked = git.run(root, "ls-files", "--error-unmatch", "--", os.path.join(folder, "manifest.py")).code == 0
    answer = git.run(root, "rev-parse", "HEAD")
    return answer.output.strip() if tracked and answer.code == 0 else "unknown"
