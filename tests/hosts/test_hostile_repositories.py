"""Repositories that bring files of MI's along: they are data, and lead to no write that their maker chose."""

import base64
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mi.hosts.apply import place, remove, remove_all
from mi.hosts.artefacts import File, JsonEntry, Link, MarkedBlock
from mi.hosts.workspaces import Workspace, digest
from mi.kernel.errors import StorageError
from mi.kernel.home import Home
from tests.conftest import git
from tests.hosts.trees import tree

EVIL = b"#!/bin/sh\necho owned\n"
HOOK = ".git/hooks/pre-commit"
MAKEFILE = "all:\n\ttrue\n\n# mi:contract begin\nx\n# mi:contract end\n"
MAY_CHANGE = (".git/", ".mi", "AGENTS.md", "NOTES.md", ".mcp.json", ".claude")
COMMANDS = (
    ("mcp", "install", "claude-code"),
    ("hook", "install", "claude-code"),
    ("contract", "install"),
    ("host", "bind", "claude-code"),
    ("host", "sync"),
    ("doctor",),
    ("mcp", "uninstall", "claude-code"),
    ("contract", "remove"),
    ("uninstall", "--workspace", "."),
)


def journal(*paths: str, folder: Path) -> str:
    files = {}
    for name in paths:
        now = (folder / name).read_bytes() if (folder / name).is_file() else None
        files[name] = {"content": coded(EVIL), "mode": 0o755, "written": digest(now)}
    return json.dumps({"manifest": {}, "files": files, "links": {}, "folders": []})


def manifest(*entries: dict[str, Any], folder: Path) -> str:
    """A list in which each file was once the evil one, and is now as MI left it."""
    files = {}
    for one in entries:
        path = folder / one["path"]
        now = path.read_bytes() if path.is_file() else None
        files[one["path"]] = {"existed": True, "content": coded(EVIL), "sha256": digest(EVIL), "written": digest(now)}
    return json.dumps({"entries": entries, "files": files, "folders": [".git/refs/tags", "empty"]})


def block(path: str, **more: Any) -> dict[str, Any]:
    return {"owner": "contract", "kind": "block", "path": path, "name": "contract", "comment": "#"} | more


def coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def put(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def link(folder: Path, name: str, target: Path | str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).symlink_to(target)


def with_journal(folder: Path, out: Path) -> None:
    put(folder, ".mi/underway.json", journal(HOOK, "Makefile", ".envrc", folder=folder))


def with_journal_of_links(folder: Path, out: Path) -> None:
    said = {"manifest": {}, "files": {}, "links": {".git/hooks/pre-commit": [str(out / "key"), ""]}, "folders": []}
    put(folder, ".mi/underway.json", json.dumps(said))


def with_manifest_of_git(folder: Path, out: Path) -> None:
    put(folder, ".mi/manifest.json", manifest(block(HOOK), block("Makefile"), folder=folder))


def with_manifest_of_git_spelt_otherwise(folder: Path, out: Path) -> None:
    put(folder, ".mi/manifest.json", manifest(block(".GIT/hooks/pre-commit"), folder=folder))


def with_manifest_of_a_makefile(folder: Path, out: Path) -> None:
    said = json.loads(manifest(block("Makefile"), block(".envrc"), folder=folder))
    put(folder, ".mi/manifest.json", json.dumps(said | {"folders": ["empty"]}))


def with_manifest_of_found_entries(folder: Path, out: Path) -> None:
    put(folder, "package.json", '{"scripts": {"test": "true"}}')
    entry = {"owner": "contract", "kind": "entry", "path": "package.json", "keys": ["scripts"]}
    entry["value"] = {"test": "true"}
    said = json.loads(manifest(entry, entry | {"found": True}, folder=folder))
    put(folder, ".mi/manifest.json", json.dumps(said | {"folders": []}))


def with_manifest_of_its_files(folder: Path, out: Path) -> None:
    """Files that nobody but the person may delete, with their true hashes."""
    entries = [
        {"owner": "contract", "kind": "file", "path": name, "sha256": digest((folder / name).read_bytes())}
        for name in ("Makefile", ".envrc", "file.txt")
    ]
    put(folder, ".mi/manifest.json", json.dumps({"entries": entries, "files": {}, "folders": []}))


def with_manifest_of_a_copy(folder: Path, out: Path) -> None:
    put(folder, "skills/x/SKILL.md", "theirs\n")
    entry = {"owner": "contract", "kind": "link", "path": "skills/x", "target": ".mi/x"}
    copied = {"SKILL.md": digest(b"theirs\n")}
    put(folder, ".mi/manifest.json", json.dumps({"entries": [entry | {"copied": copied}], "files": {}, "folders": []}))


def with_manifest_that_takes_more(folder: Path, out: Path) -> None:
    put(folder, "NOTES.md", "keep me\n\n<!-- mi:contract begin -->\nx\n<!-- mi:contract end -->\n")
    said = json.loads(manifest(block("NOTES.md", comment="<!-- -->", lead="keep me\n\n"), folder=folder))
    put(folder, ".mi/manifest.json", json.dumps(said | {"folders": []}))


def with_own_folder_elsewhere(folder: Path, out: Path) -> None:
    link(folder, ".mi", out)


def with_own_folder_in_git(folder: Path, out: Path) -> None:
    link(folder, ".mi", ".git/hooks")


def with_generated_files_elsewhere(folder: Path, out: Path) -> None:
    link(folder, ".mi/generated", out)
    link(folder, ".mi/mark", out / "key")


def with_manifest_elsewhere(folder: Path, out: Path) -> None:
    (out / "list.json").write_text(manifest(block("Makefile"), folder=folder))
    link(folder, ".mi/manifest.json", out / "list.json")
    link(folder, ".mi/underway.json", out / "list.json")


def with_links_for_files(folder: Path, out: Path) -> None:
    for name in ("AGENTS.md", ".mcp.json", ".claude/settings.json"):
        link(folder, name, out / "key")


def with_links_into_git(folder: Path, out: Path) -> None:
    (folder / HOOK).write_bytes(b"theirs\n")
    for name in ("AGENTS.md", ".mcp.json"):
        link(folder, name, folder / HOOK)
    link(folder, ".claude", ".git/hooks")


def with_links_for_temporary_files(folder: Path, out: Path) -> None:
    """Which process will write is not known, but there are only so many."""
    for number in range(os.getpid(), os.getpid() + 3000):
        link(folder, f"AGENTS.md.tmp.{number}", out / "key")


HOSTILE: list[Callable[[Path, Path], None]] = [one for name, one in list(globals().items()) if name.startswith("with_")]


def cloned(repository: Callable[..., Path], tmp_path: Path) -> tuple[Path, Path]:
    folder, out = repository("app"), tmp_path / "outside"
    out.mkdir()
    (out / "key").write_text("private\n")
    (out / "mine.tmp.12").write_text("mine\n")
    put(folder, "Makefile", MAKEFILE)
    put(folder, ".envrc", "export A=1\n")
    (folder / "empty").mkdir()
    return folder, out


@pytest.mark.parametrize("plant", HOSTILE, ids=lambda one: one.__name__.removeprefix("with_"))
def test_no_command_writes_what_a_repository_says(mi, repository, tmp_path, monkeypatch, plant) -> None:
    folder, out = cloned(repository, tmp_path)
    plant(folder, out)
    monkeypatch.chdir(folder)
    theirs, git_files = tree(out), tree(folder / ".git")
    kept = {name: one for name, one in tree(folder).items() if not name.startswith(MAY_CHANGE) and ".tmp." not in name}
    event = json.dumps({"session_id": "s", "cwd": str(folder), "hook_event_name": "SessionStart", "source": "startup"})
    mi("workflow", "create", "--name", "Ship", "--step", "Write")
    for words in (*COMMANDS, ("hook", "session-start", "--host", "claude-code")):
        done = mi(*words, stdin=event)
        assert tree(out) == theirs, words
        assert tree(folder / ".git") == git_files, words
        assert {name: one for name, one in tree(folder).items() if name in kept} == kept, words
        assert "private" not in done.stdout + done.stderr, words
        if done.returncode and words[0] != "doctor":
            assert len(done.stderr.strip().splitlines()) == 1, (words, done.stderr)
    assert EVIL not in {data for _, data in tree(folder).values()}
    assert plant is not with_manifest_that_takes_more or (folder / "NOTES.md").read_text() == "keep me\n\n"


def test_what_a_repository_brings_along_does_not_keep_the_person_from_installing(mi, repository, tmp_path, monkeypatch):
    folder, out = cloned(repository, tmp_path)
    with_journal(folder, out)
    monkeypatch.chdir(folder)
    git(folder, "add", "-f", ".mi")
    done = mi("contract", "install")
    assert done.returncode == 0, done.stderr
    assert "mi:contract begin" in (folder / "AGENTS.md").read_text()
    assert not (folder / ".mi/underway.json").exists()


@pytest.mark.parametrize("path", [".git/hooks/x", "sub/.git/config", ".GIT/x", ".Git", "a/.g\u200cit/x", "GIT~1/x"])
def test_nothing_is_placed_below_git(tmp_path: Path, home: Home, path: str) -> None:
    folder = tmp_path / "space"
    folder.mkdir()
    workspace = Workspace.at(str(folder), home)
    for artefact in (File(path, "x"), MarkedBlock(path, "n", "t"), JsonEntry(path, ("k",), 1), Link(path, ".mi/x")):
        with pytest.raises(StorageError) as refused:
            place(workspace, "x", [artefact])
        assert refused.value.code == "below-git"
    assert tree(folder) == {}


@pytest.fixture
def of_first_version(tmp_path: Path) -> Path:
    """A workspace as 0.1 left it: its list lies in it, the home knows nothing."""
    folder = tmp_path / "space"
    (folder / ".mi/generated/s").mkdir(parents=True)
    (folder / ".mi/.gitignore").write_text("*\n")
    (folder / ".mi/generated/s/SKILL.md").write_text("one\n")
    link(folder, "skills/s", "../.mi/generated/s")
    (folder / "AGENTS.md").write_text("# Mine\n\n<!-- mi:contract begin -->\nold\n<!-- mi:contract end -->\n")
    server = {"command": "/usr/bin/mi", "args": ["mcp", "serve"]}
    item = {"hooks": [{"type": "command", "command": "/usr/bin/mi --home /h hook stop --host claude-code"}]}
    (folder / ".mcp.json").write_text(json.dumps({"mcpServers": {"mine": {"command": "x"}, "mi": server}}))
    put(folder, ".claude/settings.json", json.dumps({"hooks": {"Stop": [item]}}))
    entries = [
        {"owner": "w", "kind": "file", "path": ".mi/generated/s/SKILL.md", "sha256": digest(b"one\n")},
        {"owner": "w", "kind": "link", "path": "skills/s", "target": ".mi/generated/s"},
        block("AGENTS.md", comment="<!-- -->", lead="\n"),
        {"owner": "mcp", "kind": "entry", "path": ".mcp.json", "keys": ["mcpServers", "mi"], "value": server},
        {"owner": "h", "kind": "item", "path": ".claude/settings.json", "keys": ["hooks", "Stop"], "value": item},
    ]
    said = json.loads(manifest(*entries[2:], folder=folder)) | {"entries": entries}
    said["folders"] = ["skills", ".mi/generated", ".mi/generated/s"]
    (folder / ".mi/manifest.json").write_text(json.dumps(said))
    return folder


def test_a_workspace_of_the_first_version_is_taken_over(of_first_version: Path, home: Home) -> None:
    workspace = Workspace.at(str(of_first_version), home)
    place(workspace, "contract", [MarkedBlock("AGENTS.md", "contract", "new")])
    assert not (of_first_version / ".mi/manifest.json").exists()
    assert {entry.owner for entry in workspace.read().entries} == {"w", "contract", "mcp", "h"}
    remove_all(workspace)
    assert set(tree(of_first_version)) == {"AGENTS.md", ".mcp.json", ".claude", ".claude/settings.json"}
    assert (of_first_version / "AGENTS.md").read_text() == "# Mine\n"
    assert json.loads((of_first_version / ".mcp.json").read_text()) == {"mcpServers": {"mine": {"command": "x"}}}
    assert json.loads((of_first_version / ".claude/settings.json").read_text()) == {}


def test_the_homes_own_list_of_the_first_version_is_the_truth(of_first_version: Path, home: Home) -> None:
    (of_first_version / "AGENTS.md").write_text("mine now\n")
    listed = json.loads((of_first_version / ".mi/manifest.json").read_bytes())
    listed["files"][".mcp.json"]["content"] = coded(b'{"mcpServers":{ }}')
    listed["files"][".claude/settings.json"]["content"] = coded(b"{ }")
    copy = Path(home.path("hosts", "copies", digest(os.fsencode(of_first_version))[:16] + ".json"))
    copy.parent.mkdir(parents=True)
    copy.write_text(json.dumps(listed))
    (of_first_version / ".mi/manifest.json").write_text("{")
    remove_all(Workspace.at(str(of_first_version), home))
    assert (of_first_version / "AGENTS.md").read_text() == "mine now\n"
    assert (of_first_version / ".mcp.json").read_bytes() == b'{"mcpServers":{ }}'
    assert not (of_first_version / ".mi").exists()
    assert not copy.exists()


def test_a_mark_of_another_home_leads_nowhere(tmp_path: Path, home: Home) -> None:
    folder = tmp_path / "space"
    put(folder, ".mi/mark", "0" * 32)
    workspace = Workspace.at(str(folder), home)
    assert workspace.read().entries == []
    place(workspace, "x", [File("a.md", "a")])
    assert (folder / ".mi/mark").read_text() != "0" * 32
    remove(workspace, "x")
    assert tree(folder) == {}
