"""Links that a repository brings along in place of MI's files: nothing outside of the project is read or written."""

import json
from pathlib import Path

import pytest

from tests.conftest import git
from tests.hosts.trees import tree

SECRET = "heliotrope meadow"  # stands in every file outside; what is asked for names the second word alone
NEXUS = (
    ("plan", "status"),
    ("plan", "start", "Move", "--issue", "Why?", "--research", "Read the code."),
    ("nexus", "task", "list"),
    ("nexus", "task", "add", "Write", "--context", "c"),
    ("nexus", "task", "close"),
    ("nexus", "history"),
    ("nexus", "context"),
    ("nexus", "artifact", "write", "report.md", "--file", "-"),
    ("nexus", "memory", "list"),
    ("nexus", "memory", "show", "note"),
    ("nexus", "memory", "lint"),
    ("nexus", "memory", "add", "WAL halves the write time.", "--name", "wal-time", "--category", "empirical"),
    ("nexus", "memory", "gc"),
    ("nexus", "event", "session_start"),
    ("nexus", "event", "user_message"),
    ("nexus", "event", "session_end"),
    ("nexus", "init"),
    ("task", "list"),
)
PERSONA = (
    ("persona", "boot"),
    ("persona", "lint"),
    ("persona", "init", "--project"),
    ("persona", "notes"),
    ("persona", "note", "Mine."),
    ("persona", "publish", "../published"),
    ("card", "list"),
    ("card", "index"),
    ("card", "match", "meadow"),
    ("session", "show"),
    ("session", "save", "--done", "x", "--decision", "y", "--next", "z"),
    ("proposal", "list"),
    ("proposal", "add", "heuristic", "A title", "--statement", "Say it."),
    ("handoff", "show"),
    ("handoff", "show", "HO-2026-11-01-001"),
)
TASKS = (
    ("memory", "recent"),
    ("contract", "mode", "GUARDED"),
    ("task", "list"),
    ("task", "next"),
    ("task", "add", "Write"),
    ("contract", "status"),
)
SEARCH = ("search", "meadow")
WHOLE = (  # ask everything there is
    ("inbox",),
    ("doctor",),
    ("status",),
    ("hook", "session-start", "--host", "claude-code", "--enforce", "permissions,contract,nexus"),
    ("hook", "prompt", "--host", "claude-code", "--enforce", "permissions,contract,nexus"),
    ("hook", "stop", "--host", "claude-code", "--enforce", "permissions,contract,nexus"),
)
# Where the link is → what it leads to, and the commands that would use it.
LINKS = {
    ".nexus": ("folder", NEXUS),
    ".nexus/state": ("folder", NEXUS),
    ".nexus/memory": ("folder", NEXUS),
    ".nexus/state/plan.json": ("plan.json", NEXUS),
    ".nexus/state/tasks.json": ("tasks.json", NEXUS),
    ".nexus/history.json": ("history.json", NEXUS),
    ".nexus/.gitignore": ("note.md", NEXUS),
    ".nexus/state/tool-log.jsonl": ("note.md", NEXUS),
    ".nexus/state/mi": ("folder", NEXUS),
    "persona": ("folder", PERSONA),
    "persona/cards": ("folder", PERSONA),
    "persona/core": ("folder", PERSONA),
    "persona/core/boot.md": ("note.md", PERSONA),
    "persona/core/principles.md": ("note.md", PERSONA),
    "persona/sessions": ("folder", PERSONA),
    "persona/sessions/2026-11/2026-11-01.md": ("note.md", PERSONA),
    "persona/proposals": ("folder", PERSONA),
    "persona/handoffs": ("folder", PERSONA),
    "persona/handoffs/HO-2026-11-01-001.yaml": ("note.md", PERSONA),
    "persona/indexes/card-index.yaml": ("note.md", PERSONA),
    "persona/.mi": ("folder", PERSONA),
    "persona/.mi/private/notes.md": ("note.md", PERSONA),
    "tinyTasks.md": ("tinyTasks.md", TASKS),
}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A private folder that has whatever any of the readers looks for."""
    folder = tmp_path / "outside/folder"
    issue = {"id": 1, "title": SECRET, "status": "pending"}
    plan = {"id": 1, "topic": SECRET, "issues": [issue], "created_at": "2026-11-01T00:00:00.000Z"}
    task = {"id": 1, "title": SECRET, "context": SECRET, "status": "pending", "deps": []}
    cycle = {"completed_at": "2026-11-01T00:00:00.000Z", "branch": "main", "plan": plan, "tasks": [task]}
    note = f"# {SECRET}\n\n- {SECRET}\n"
    card = f"---\nid: H-001\ntype: heuristic\ntitle: {SECRET}\nmerge_key: a\nstatus: active\n---\n{SECRET}\n"
    texts = {
        "plan.json": json.dumps(plan),
        "tasks.json": json.dumps({"goal": SECRET, "decisions": [], "tasks": [task]}),
        "history.json": json.dumps({"cycles": [cycle]}),
        "tinyTasks.md": f"# Tasks — {SECRET}\n\n- [ ] {SECRET}\n",
        "note.md": note,
        "boot.md": note,
        "principles.md": note,
        "challenge-core.md": note,
        "private/notes.md": note,
        "cards/heuristics/h-001-a.md": card,
        "heuristics/h-001-a.md": card,
        "2026-11/2026-11-01.md": note,
        "2026-11/proposal-heuristic-a.md": card,
        "core/boot.md": note,
        "memory/note.md": note,
        "state/plan.json": json.dumps(plan),
        "state/tasks.json": json.dumps({"goal": SECRET, "decisions": [], "tasks": [task]}),
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


@pytest.fixture
def project(mi, repository, monkeypatch) -> Path:
    made: Path = repository("app")
    monkeypatch.chdir(made)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert mi("persona", "init", "--project").returncode == 0
    assert mi("nexus", "init").returncode == 0
    return made


def put_link(path: Path, target: Path) -> None:
    """Put a link in a path's place, whatever was there."""
    if path.exists():
        path.rename(path.with_name("moved-" + path.name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize("name", LINKS)
def test_nothing_outside_is_read_or_written(mi, project, outside, name) -> None:
    target, commands = LINKS[name]
    put_link(project / name, outside if target == "folder" else outside / target)
    before = tree(outside)
    refused = []
    for words in (*commands, SEARCH, *(WHOLE if "/" not in name else ())):
        event = {"session_id": "s", "cwd": str(project), "hook_event_name": "x", "prompt": "Go on.", "params": {}}
        done = mi(*words, stdin=json.dumps(event | {"source": "startup", "last_assistant_message": "Done."}))
        assert tree(outside) == before, words
        assert "heliotrope" not in done.stdout + done.stderr, (words, done)
        assert not (project.parent / "published").exists() or name != "persona"
        if "leads out of" in done.stdout + done.stderr:
            refused.append(words)
            assert name.partition("/")[0] in done.stdout + done.stderr
    assert refused or name in SKIPPED


# Nothing reads these by their name alone: a file in a listing that is a link is passed over.
SKIPPED = ("persona/sessions/2026-11/2026-11-01.md",)


@pytest.mark.parametrize("name", ["tinyTasks.md", ".nexus", "persona"])
def test_nothing_is_written_below_git(mi, project, name) -> None:
    put_link(project / name, Path(".git/hooks") if name != "tinyTasks.md" else Path(".git/tasks"))
    before = tree(project / ".git")
    for words in LINKS[name][1]:
        mi(*words, stdin="{}")
        assert tree(project / ".git") == before, words
    assert git(project, "status", "--porcelain")


def test_a_link_to_another_place_in_the_project_is_followed(mi, project) -> None:
    (project / "docs").mkdir()
    (project / "docs/TASKS.md").write_text("# Tasks — here\n\n- [ ] One\n")
    (project / "tinyTasks.md").symlink_to("docs/TASKS.md")
    (project / ".nexus/memory").mkdir(exist_ok=True)
    (project / ".nexus/memory").rename(project / "docs/memory")
    (project / ".nexus/memory").symlink_to("../docs/memory")
    (project / "docs/memory/wal-time.md").write_text("# WAL\n")
    assert "One" in mi("task", "list").stdout
    assert "wal-time" in mi("nexus", "memory", "list").stdout
