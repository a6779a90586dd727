"""The storage layout as patterns: which paths below a home can be MI's, and which are somebody else's."""

import os
import re
from functools import cache

_TOKENS = {"<id>": "[0-9a-f]{16}", "<ts>": r"\d{4}-\d\d-\d\dT[\w.-]+?", "*": "[^/]+?"}
_SET_ASIDE = rf"(?:\.seal)?(?:\.tmp\.\d+|\.(?:corrupt|torn|unconfirmed)\.{_TOKENS['<ts>']}|-wal|-shm|-journal)?"
_THOUGHTS = "claims.jsonl nodes.jsonl edges.jsonl view.sqlite view.snapshot.json archive/<ts>/manifest.json".split()
_STORE = [*_THOUGHTS, "archive/<ts>/*.jsonl.gz"]
_TRANSCRIPTS = ["*.jsonl", "archive/*.jsonl.gz"]
_PROJECT = [
    *("overlay.json", "evidence.jsonl", "segment_state.json", "workflow_candidates.json", "preference_candidates.json"),
    *(
        "captures.json",
        "run.lock",
        "locks/*.lock",
        "contract/*.json",
        "contract/*.lock",
        "contract/*.sqlite",
        "hook_sessions/*.json",
    ),
    *(
        "hook_sessions/*.calls",
        "hook_sessions/last_words.txt",
        "secret_words/*",
        "runs/*/*.json",
        "runs/*/learning.lock",
    ),
    *("workflows/wf_*.json", "workflows/undone/wf_*.json", "trees/*/**", "snapshots/**"),
    *("trust.json", "proofs/*.json"),
    *(f"thoughtdb/{one}" for one in _STORE),
    *(f"transcripts/{who}/{one}" for who in ("hands", "mind") for one in _TRANSCRIPTS),
]
_PERSONA = [
    *(
        ".gitignore",
        "core/*.md",
        "indexes/card-index.yaml",
        "handoffs/*.yaml",
        *(f".*/private/*.md{one}" for one in ("", ".age", ".cms")),
    ),
    *(f"{part}/{one}" for part in ("cards", "sessions", "proposals") for one in ("*.md", "*/*.md")),
]
_FILES = [
    *("config.json", "inbox.json", "work_trees.json", "backups/config.json.<ts>.bak", "backups/config.last_backup"),
    *("queue.sqlite", "workers/worker_*.lock"),
    *("hub.json", "hub/password", "hub/aside.jsonl", "hub/questions.json", "hub/devices.json", "hub/runs/run_*/**"),
    "hub_claim.json",
    *(f"hub/homes/home_*/*/{one}.jsonl" for one in ("claims", "nodes", "edges", "evidence")),
    *("global/evidence.jsonl", "global/permissions.json", "global/project_selection.json"),
    *("global/run_times.jsonl", "global/written.jsonl"),
    *("hosts/manifest.json", "hosts/workspaces.json", "hosts/underway.json"),
    *("hosts/copies/<id>.json", "hosts/manifests/<id>.json", "hosts/underway/<id>.json"),
    *("indexes/memory.sqlite", "indexes/evidence.sqlite", "indexes/projects.json", "indexes/agents.json"),
    *(
        "indexes/hands_threads.json",
        "proof.lock",
        "mcp/token",
        "web/place",
        "web/server.json",
        "workflows/global/wf_*.json",
    ),
    *("demo/replay.json", "demo/home/**", "demo/project/**"),
    *(f"global/transcripts/mind/{one}" for one in _TRANSCRIPTS),
    *(f"thoughtdb/global/{one}" for one in _STORE),
    *(f"persona/{one}" for one in _PERSONA),
    *(f"projects/<id>/{one}" for one in _PROJECT),
]


def is_file(relative: str) -> bool:
    """Return whether a path below the home has the name of a file that MI makes.

    Or of what is left or set aside of one.
    """
    return _files().fullmatch(relative) is not None


def is_folder(relative: str) -> bool:
    """Return whether a path below the home has the name of a folder that MI makes."""
    return _folders().fullmatch(relative) is not None


def is_opaque(relative: str) -> bool:
    """Return whether everything in a folder is MI's whatever its name: what git keeps there, and the demo."""
    return _opaque().fullmatch(relative) is not None


def is_inside(relative: str) -> bool:
    """Return whether a path that somebody wrote down stays below the folder it is relative to."""
    parts = relative.split(os.sep)
    return "\0" not in relative and not any(one in ("", os.curdir, os.pardir) for one in parts)


@cache
def _files() -> re.Pattern[str]:
    return re.compile("|".join(_regex(one) + ("" if one.endswith("**") else _SET_ASIDE) for one in _FILES), re.DOTALL)


@cache
def _folders() -> re.Pattern[str]:
    found: set[str] = set()
    for one in _FILES:
        parts = one.split("/")
        found.update("/".join(parts[:end]) for end in range(1, len(parts)))
        if parts[-1] == "**":
            found.add(one)
    building = r"(?:\.tmp\.\d+)?"  # an archive of thoughts appears under its name when it is complete
    return re.compile("|".join(_regex(one) + (building if one.endswith("<ts>") else "") for one in found), re.DOTALL)


@cache
def _opaque() -> re.Pattern[str]:
    return re.compile("|".join(_regex(one.removesuffix("/**")) for one in _FILES if one.endswith("/**")), re.DOTALL)


def _regex(pattern: str) -> str:
    if pattern.endswith("/**"):
        return _regex(pattern[:-3]) + "/.+"
    return "".join(_TOKENS.get(piece, re.escape(piece)) for piece in re.split(r"(<id>|<ts>|\*)", pattern))
