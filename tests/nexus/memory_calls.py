"""Fixtures of the memory life cycle: the call they name, and what they expect of a real git repository."""

import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec

_SAFE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def call_memory(store: Any, fixture: dict[str, Any]) -> Any:
    """Run the function that a fixture names, with its settings."""
    from mi.kernel.config.types import Nexus
    from mi.nexus import access, memory, memory_gc

    settings = msgspec.convert(fixture.get("settings", {}), Nexus)
    args = fixture.get("args", {})
    match fixture["memory"]:
        case "add":
            added = memory.add(store, settings=settings, **args)
            return {"name": added.name, "merged": added.merged, "changed": added.changed}
        case "show":
            return {"text": memory.show(store, args["name"], "reader")}
        case "gc":
            found = memory_gc.find_stale(store, settings.memory_gc)
            return {one.name: sorted(name for name, held in one.signals.items() if held) for one in found}
        case "forget":
            pairs = memory_gc.find_merges(store, settings) if args.get("merge") else []
            done = memory_gc.apply(store, settings, args.get("names", []), pairs)
            return {"deleted": done.deleted, "merged": [[one.source, one.into] for one in done.merged]}
        case "auto":
            return memory_gc.forget_automatically(store, settings).deleted
        case "restore":
            return memory_gc.restore(store, args["name"])
        case "lint":
            return [[one.name, one.rule] for one in memory_gc.lint_memory(store, settings)]
        case "merge_access":
            logs = [os.path.join(store.place.folder, log) for log in args["logs"]]
            return msgspec.to_builtins(access.merge_records(logs))
    raise AssertionError(fixture["memory"])


def git(root: Path, *args: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *args], capture_output=True, text=True, check=True, env=os.environ | _SAFE
    )
    return done.stdout


def make_repository(root: Path, commit: bool = True, stage: str = "", detach: bool = False, lock: bool = False) -> None:
    """A repository around what was prepared: committed, with a file of the person's staged, detached or locked."""
    git(root, "init", "-q", "-b", "main")
    for key, value in {"user.name": "Test", "user.email": "test@example.invalid"}.items():
        git(root, "config", key, value)
    if commit:
        git(root, "add", "-A")
        git(root, "commit", "-q", "--allow-empty", "-m", "all")
    if stage:
        (root / stage).write_text("staged", "utf-8")
        git(root, "add", stage)
    if detach:
        git(root, "checkout", "-q", "--detach")
    if lock:
        (root / ".git/index.lock").write_text("")


def expect_git(where: str, root: Path, expected: dict[str, Any], before: dict[str, bytes]) -> None:
    """Compare the latest commits, the index, and whether the way back in the message really leads there."""
    if "subjects" in expected:
        assert git(root, "log", "--format=%s").splitlines() == expected["subjects"], where
    if "staged" in expected:
        assert git(root, "diff", "--cached", "--name-only").splitlines() == expected["staged"], where
    if "touched" in expected:
        assert git(root, "show", "--format=", "--name-only", "HEAD").splitlines() == expected["touched"], where
    if name := expected.get("way_back"):
        message = git(root, "log", "-1", "--format=%B")
        (command,) = [line for line in message.splitlines() if line.startswith("Restore: ")]
        subprocess.run(command.removeprefix("Restore: "), shell=True, cwd=root, check=True, capture_output=True)
        assert (root / ".nexus" / name).read_bytes() == before[name], where
