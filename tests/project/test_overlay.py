"""What MI keeps about one project: `overlay.json`, changed without losing what it does not know."""

import json
from pathlib import Path

import pytest

from mi.project.identity import Project, make_project_id
from mi.project.overlay import Overlay, ensure_overlay, read_overlay

KEY = "git:origin:example.invalid/team/app"
PROJECT = Project(root="/code/app", project_id=make_project_id(KEY), key=KEY)


@pytest.fixture
def path(home) -> Path:
    return Path(home.root, "projects", PROJECT.project_id, "overlay.json")


def stored(path: Path) -> dict:
    return json.loads(path.read_text("utf-8"))


@pytest.mark.req(
    "v1.overlay.file",
    "v1.overlay.base-fields",
    "v1.overlay.identity",
    "v1.overlay.stack-hints",
    "v1.storage.overlay",
    "v1.storage.project-keyed",
)
def test_new_overlay_holds_every_field_of_the_format(home, notices, path):
    ensure_overlay(home, PROJECT, notices)
    overlay = stored(path)
    assert overlay["project_id"] == PROJECT.project_id
    assert overlay["root_path"] == "/code/app"
    assert overlay["identity_key"] == KEY
    assert overlay["identity"] == {"kind": "git", "key": KEY}
    assert overlay["stack_hints"] == []
    assert set(overlay["testless_verification_strategy"]) == {"chosen_once", "claim_id", "rationale"}
    assert overlay["host_bindings"] == []
    assert set(overlay["hands_state"]) == {"provider", "thread_id", "updated_ts"}
    assert overlay["global_workflow_overrides"] == {}
    assert set(overlay["workflow_run"]) == {
        *("version", "active", "workflow_id", "workflow_name", "thread_id", "started_ts", "updated_ts"),
        *("completed_step_ids", "next_step_id", "last_batch_id", "last_confidence", "last_notes", "close_reason"),
        *("run_id", "opened"),  # ours
    }
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.req("v1.overlay.identity")
def test_identity_of_a_folder_without_git(home, notices):
    project = Project(root="/code/x", project_id=make_project_id("path:/code/x"), key="path:/code/x")
    assert ensure_overlay(home, project, notices).identity.kind == "path"


def test_asking_writes_nothing(home, notices, path):
    assert read_overlay(home, PROJECT, notices).root_path == "/code/app"
    assert not Path(home.root).exists()


def test_unknown_keys_are_kept_at_every_depth(home, notices, path):
    ensure_overlay(home, PROJECT, notices)
    overlay = stored(path) | {"colour": "blue"}
    overlay["hands_state"]["cursor"] = 7
    overlay["global_workflow_overrides"] = {"wf_1": {"enabled": False, "since": "v2"}}
    path.write_text(json.dumps(overlay), "utf-8")
    moved = Project(root="/elsewhere/app", project_id=PROJECT.project_id, key=KEY)
    ensure_overlay(home, moved, notices)
    after = stored(path)
    assert after["root_path"] == "/elsewhere/app"
    assert after["colour"] == "blue"
    assert after["hands_state"]["cursor"] == 7
    assert after["global_workflow_overrides"] == {"wf_1": {"enabled": False, "since": "v2"}}


@pytest.mark.req("mi.fail.missing-key-kept")
@pytest.mark.parametrize("missing", Overlay.__struct_fields__)
def test_one_missing_key_resets_nothing_else(home, notices, path, missing):
    full = stored_full()
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({name: value for name, value in full.items() if name != missing}), "utf-8")
    ensure_overlay(home, PROJECT, notices)
    after = stored(path)
    untouched = set(full) - {missing, "project_id", "root_path", "identity_key", "identity"}
    assert {name: after[name] for name in untouched} == {name: full[name] for name in untouched}
    assert list(notices) == []
    assert list(path.parent.glob("*.corrupt.*")) == []


def stored_full() -> dict:
    return {
        "version": "v1",
        "project_id": PROJECT.project_id,
        "root_path": "/code/app",
        "identity_key": KEY,
        "identity": {"kind": "git", "key": KEY},
        "stack_hints": ["python"],
        "testless_verification_strategy": {"chosen_once": True, "claim_id": "cl_1", "rationale": "lint"},
        "host_bindings": [
            {
                "host": "openclaw",
                "workspace_root": "/w",
                "enabled": True,
                "generated_rel_dir": ".mi/generated/openclaw",
                "register": {"symlink_dirs": [{"src": "a", "dst": "b"}]},
            }
        ],
        "hands_state": {"provider": "codex", "thread_id": "t1", "updated_ts": "2026-01-01T00:00:00.000Z"},
        "global_workflow_overrides": {"wf_1": {"enabled": False}},
        "workflow_run": {
            "version": "v1",
            "active": True,
            "workflow_id": "wf_1",
            "workflow_name": "release",
            "run_id": "run_1",
            "thread_id": "t1",
            "started_ts": "",
            "updated_ts": "",
            "completed_step_ids": ["s1"],
            "next_step_id": "s2",
            "last_batch_id": "b1",
            "last_confidence": 0.5,
            "last_notes": "",
            "opened": [],
            "close_reason": "",
        },
    }


def test_nothing_is_written_when_nothing_changes(home, notices, path):
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(stored_full()), "utf-8")
    before = path.stat()
    ensure_overlay(home, PROJECT, notices)
    assert path.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.req("v1.state.quarantine", "v1.state.continue-defaults", "mi.log.writer-quarantines")
@pytest.mark.parametrize("broken", [b'{"project_id": "x', b"[]", b"\xff\xfe", b"", b'{"stack_hints": 3}'])
def test_broken_overlay_is_read_around_and_set_aside_by_the_next_writer(home, notices, path, broken):
    path.parent.mkdir(parents=True)
    path.write_bytes(broken)
    assert read_overlay(home, PROJECT, notices).root_path == "/code/app"
    assert path.read_bytes() == broken
    ensure_overlay(home, PROJECT, notices)
    (kept,) = path.parent.glob("overlay.json.corrupt.*")
    assert kept.read_bytes() == broken
    assert stored(path)["root_path"] == "/code/app"
    assert [notice.key for notice in notices] == ["state-broken", "state-quarantined"]
