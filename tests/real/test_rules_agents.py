"""Real agents under the team's rules: what is never done is refused with the safe way, harmless work passes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mi.testing import edit, read, run, say, turn, write
from tests.conftest import git
from tests.real.hosts import AgentHost, agent_host


@pytest.fixture(params=["codex", "claude-code"])
def host(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AgentHost]:
    program = request.getfixturevalue("codex" if request.param == "codex" else "claude")
    yield from agent_host(request.param, program, tmp_path)


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
    host.mi("hook", "install", host.name, "--enforce", "permissions", *trust)
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
