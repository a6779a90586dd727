"""Real agents under the team's rules: what is never done is refused with the safe way, harmless work passes."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import edit, read, run, say, turn, write
from tests.conftest import MI, git
from tests.real.hosts import AgentHost, agent_host
from tests.real.running import run_agent


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    yield from agent_host(request.param, program, tmp_path)


@pytest.mark.req("ac.hook.doctor")
@pytest.mark.parametrize("scope", ["project", "user"])
def test_doctor_says_whether_codex_trusts_the_hooks(codex: str, tmp_path: Path, scope: str) -> None:
    """Codex skips hooks of a project that it does not trust, in silence, and those that were changed since."""
    for host in agent_host("codex", codex, tmp_path):
        host.prepare([])
        user = ["--user"] if scope == "user" else []
        installed = run_agent([str(MI), "hook", "install", "codex", *user], host.env, host.repository.path)
        found = host.look("hosts")
        if scope == "project":
            assert "--trust" in installed.stderr
            assert found["level"] == "warn"
            assert "runs 0 of 0 hooks" in found["text"]
            assert found["fix"] == f"mi -C {host.repository.path} hook install codex --trust"
            host.mi("hook", "install", "codex", "--trust")
        assert host.look("hosts")["level"] == "ok"
        hooks = Path(host.env["CODEX_HOME"] if user else host.repository.path + "/.codex", "hooks.json")
        entered = json.loads(hooks.read_text("utf-8"))
        entered["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "echo it's done"}]})  # somebody's own
        hooks.write_text(json.dumps(entered, indent=2), "utf-8")
        assert host.look("hosts")["level"] == "ok"
        hooks.write_text(hooks.read_text("utf-8").replace('"timeout": 30', '"timeout": 31', 1), "utf-8")
        found = host.look("hosts")
        assert found["level"] == "warn"
        assert "runs 8 of 9 hooks" in found["text"]
        host.mi(*found["fix"].split()[1:])
        assert host.look("hosts")["level"] == "ok"


@pytest.mark.req(
    "gov.hook.real-host", "gov.hook.host-form", "ac.hook.enforce-permissions", "gov.perm.hard-force-push",
    "gov.perm.secret-edit", "gov.perm.standard-edits", "mx.perm.deny", "mx.life.hook-confirm",
)  # fmt: skip
def test_a_force_push_and_an_env_file_are_refused_and_a_harmless_edit_passes(host: AgentHost, tmp_path: Path) -> None:
    root = Path(host.repository.path)
    remote = tmp_path / "remote.git"
    git(tmp_path, "init", "-q", "--bare", str(remote))
    git(root, "remote", "add", "origin", str(remote))
    (root / ".env").write_text("KEY=old\n", "utf-8")
    os.makedirs(host.home.root, exist_ok=True)
    Path(host.home.config).write_text('{"governance": {"profile": "standard"}}', "utf-8")
    # Claude Code edits only what it has read, and reading an .env file is refused already where nobody can be asked
    codex = host.name == "codex"
    change = edit(".env", "KEY=old", "KEY=new") if codex else write(".env.local", "KEY=new\n")
    host.prepare(
        [
            turn(run("git push --force origin main")),
            turn(run("sh -c 'git push -f origin main'")),
            *([] if codex else [turn(read("calc.py"))]),
            turn(change),
            turn(run("sed -i s/old/new/ .env")),
            turn(edit("calc.py", "    return a", "    return a + b")),
            turn(write("notes.txt", "mended\n")),
            say("Mended."),
        ]
    )
    trust = ["--trust"] if codex else []
    installed = host.mi("hook", "install", host.name, "--enforce", "permissions", *trust)
    assert ("codex trusts the hooks: " in installed) is codex
    host.let_in("project")
    host.run()
    outputs = host.outputs()
    assert "pull request" in outputs[0]
    assert "force-push-main" in outputs[1]
    assert git(remote, "branch", "--list") == ""  # nothing arrived
    for refused in outputs[-4:-2]:
        assert "edit-secrets" in refused
        assert "let the person put it in" in refused
    assert not (root / ".env.local").exists()
    assert (root / ".env").read_text("utf-8") == "KEY=old\n"
    assert host.repository.read("calc.py").endswith("return a + b\n")
    assert host.repository.read("notes.txt") == "mended\n"
    codes = [one["code"] for one in host.events("violation")]
    assert codes == ["PERMISSION_DENIED"] * 4
