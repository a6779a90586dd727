"""`mi hook` as hosts call it: every event, what is enforced, and what a mistake in the command means."""

import json
import os
from pathlib import Path

import pytest

from mi.hooks.event import EVENTS
from tests.conftest import Mi

EDIT = {"session_id": "s1", "tool_name": "Write", "tool_input": {"file_path": "a.py"}}


def told(root: Path, **fields: object) -> str:
    return json.dumps({"session_id": "s1", "cwd": str(root), "permission_mode": "default", **fields})


@pytest.mark.req(*(f"ac.hook.ev-{event}" for event in EVENTS))
@pytest.mark.req("ac.hook.host-flag", "ac.hook.stdin-json", "ac.hook.exit-zero")
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_every_event_is_answered_in_json(mi: Mi, repository, event, host):
    root = repository("app")
    done = mi("hook", event, "--host", host, "--enforce", "contract,nexus,permissions", stdin=told(root), cwd=root)
    assert (done.returncode, done.stderr) == (0, "")
    assert isinstance(json.loads(done.stdout), dict)


@pytest.mark.req("mi.config.hooks-enforce", "ac.hook.enforce-default")
def test_what_is_enforced(mi: Mi, repository, home, monkeypatch):
    """The flag, else the setting, else permissions."""
    root = repository("app")
    edit = told(root, tool_name="Write", tool_input={"file_path": str(root / "a.py")})
    delete = told(root, tool_name="Bash", tool_input={"command": "git push --force origin main"})

    def reason(data: str, *flags: str) -> str:
        done = mi("hook", "pre-tool", "--host", "codex", *flags, stdin=data, cwd=root)
        assert done.returncode == 0, done.stderr
        return str(json.loads(done.stdout).get("hookSpecificOutput", {}).get("permissionDecisionReason", ""))

    assert reason(edit) == ""
    assert reason(delete) != ""
    assert reason(edit, "--enforce", "contract").startswith("RECALL_REQUIRED")
    assert reason(delete, "--enforce", "contract") == ""
    os.makedirs(home.root, exist_ok=True)
    Path(home.config).write_text('{"version": "v1", "hooks": {"enforce": ["contract"]}}', "utf-8")
    assert reason(edit).startswith("RECALL_REQUIRED")
    assert reason(edit, "--enforce", "permissions") == ""


def test_a_wrong_command_line_blocks_and_says_so(mi: Mi):
    """Exit 1 would let pass in silence; 2 is a block with the reason."""
    for words in (["pre-tool"], ["pre-tool", "--host", "emacs"], ["pre-tools", "--host", "codex"]):
        done = mi("hook", *words, stdin="{}")
        assert done.returncode == 2
        assert done.stderr.startswith("mi: ")
    for event, code in (("pre-tool", 2), ("stop", 0)):  # a turn must be able to end
        done = mi("hook", event, "--host", "codex", "--enforce", "contracts", stdin="{}")
        assert done.returncode == code
        assert "contracts" in done.stderr


@pytest.mark.parametrize("event", ["pre-tool", "post-tool"])
def test_a_home_that_cannot_be_used(mi: Mi, repository, home, event):
    """What cannot be judged does not happen; what has happened cannot be stopped any more."""
    root = repository("app")
    Path(home.root).write_text("a file in the way", "utf-8")
    fields = {"tool_name": "Write", "tool_input": {"file_path": str(root / "a.py")}, "tool_response": {}}
    done = mi("hook", event, "--host", "codex", "--enforce", "contract", stdin=told(root, **fields), cwd=root)
    assert done.returncode == (2 if event == "pre-tool" else 0)
    assert done.stderr.count("\n") == 1
