"""A secret in what a host tells: MI keeps none of it in what hooks remember, ask or answer."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import MI

SECRETS = {
    "vendor": ("use {}", "ghp_" + "A1b2C3d4E5" * 4),
    "json": ('{{"password": "{}"}}', "correct-horse-battery"),
    "chinese": ("数据库密码：{}", "Tr0ub4dor88xyz"),
    "url": ("clone https://me:{}@example.invalid/a.git", "s3cr3tpassw0rd"),
}


@pytest.mark.parametrize("host", ["claude-code", "codex"])
@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_of_an_event_is_kept(home, repository, name, host):
    repo = repository()
    form, secret = SECRETS[name]
    said = form.format(secret)
    events = {
        "prompt": {"prompt": f"do it now, just do it: always {said}"},
        "pre-tool": {"tool_name": "Bash", "tool_input": {"command": f"git push --force origin main # {said}"}},
        "post-tool": {"tool_name": "Bash", "tool_input": {"command": f"echo '{said}'"}, "tool_response": {"out": said}},
        "stop": {"last_assistant_message": said},
    }
    shown = b""
    for event, fields in events.items():
        data = json.dumps({"session_id": "s", "cwd": str(repo)} | fields).encode()
        command = [MI, "hook", event, "--host", host, "--enforce", "permissions,contract,nexus"]
        done = subprocess.run(command, input=data, capture_output=True, cwd=repo, check=False)
        assert done.returncode in (0, 2), done.stderr
        shown += done.stdout + done.stderr
    assert secret not in shown.decode()
    kept = [path for path in Path(home.root).rglob("*") if path.is_file()]
    assert any("hook_sessions" in path.parts for path in kept)
    assert [path for path in kept if secret.encode() in path.read_bytes()] == []
    assert [path for path in kept if path.stat().st_mode & 0o077] == []
