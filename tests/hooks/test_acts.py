"""What MI does by itself in a session of a host: whose word a call needs, what a subagent may not do, a deploy."""

import os
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from tests.conftest import git
from tests.hooks.host import Host, stand_above


@pytest.fixture
def root(repository) -> Path:
    made: Path = repository("app")
    return made


@pytest.fixture
def host(home, root, as_team, monkeypatch) -> Host:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    stand_above(monkeypatch, "claude")
    made = Host(home, root)
    made.parts = ("permissions", "nexus")
    return made


def decide(host: Host, agent: str, command: str) -> str:
    """The capability that stands against a shell command of a subagent; '' for none."""
    said = host.tell("pre-tool", agent_type=agent, tool_name="Bash", tool_input={"command": command})
    reason = str(said.get("permissionDecisionReason", "")) if said.get("permissionDecision") == "deny" else ""
    return next((name for name in ("no_file_edit", "no_task_create", "no_task_update") if name in reason), "")


BOUND = [
    ("reviewer", "echo x > a.py", "no_file_edit"),
    ("reviewer", "cat <<'END' >> a.py\nx\nEND", "no_file_edit"),
    ("reviewer", "python3 -c \"open('a.py', 'w').write('x')\"", "no_file_edit"),
    ("reviewer", "python3 - <<'END'\nimport pathlib\npathlib.Path('a.py').write_text('x')\nEND", "no_file_edit"),
    ("reviewer", "sh -c 'sed -i s/a/b/ a.py'", "no_file_edit"),
    ("reviewer", "awk '{print > \"a.py\"}' b", "no_file_edit"),
    ("reviewer", "python3 -c \"import os; os.system('sed -i s/a/b/ a.py')\"", "no_file_edit"),
    ("reviewer", "ruff format a.py", "no_file_edit"),
    ("reviewer", "ruff check a.py", ""),
    ("reviewer", "cat a.py | grep x > /dev/null 2>&1", ""),
    ("reviewer", "python3 -m pytest -q", ""),
    ("reviewer", "mi task list", ""),
    ("engineer", "echo x > a.py", ""),
    ("engineer", "mi task add 'Another one'", "no_task_create"),
    ("engineer", "mi -C . nexus task add 'Another one' --context c", "no_task_create"),
    ("engineer", "cd src && /usr/bin/env mi task add x", "no_task_create"),
    ("engineer", "python3 -m mi task add x", "no_task_create"),
    ("engineer", "python3 -c \"import os; os.system('mi task add x')\"", "no_task_create"),
    ("engineer", "python3 -c \"import subprocess as s; s.run(['mi', 'task', 'add', 'x'])\"", "no_task_create"),
    ("engineer", "echo '- [ ] another' >> tinyTasks.md", "no_task_create"),
    ("engineer", "mi task complete tk_1", ""),
    ("architect", "mi task complete tk_1", "no_task_update"),
    ("engineer", "git commit -m 'say how mi task add works'", ""),
]


@pytest.mark.req("one.acts.capability-shell")
@pytest.mark.parametrize(("agent", "command", "against"), BOUND)
def test_a_subagent_keeps_to_its_capabilities_in_the_shell(host, agent, command, against):
    assert decide(host, agent, command) == against


@pytest.mark.req("one.acts.authority", "mx.life.during-authority", "mx.auth.esc-files")
def test_more_than_five_files_are_for_the_person_to_decide(host):
    host.parts = ("permissions",)
    names = " ".join(f"m{number}.py" for number in range(6))
    assert host.before("Bash", command=f"sed -i s/a/b/ {names.removesuffix(' m5.py')}") == ("", "")
    decision, reason = host.before("Bash", command=f"sed -i s/a/b/ {names}")
    assert decision == "ask"
    assert "changes 6 files" in reason
    patch = "".join(f"*** Update File: m{number}.py\n" for number in range(6))
    assert host.before("apply_patch", command=f"*** Begin Patch\n{patch}*** End Patch")[0] == "ask"


@pytest.mark.req("one.acts.authority")
def test_what_the_person_set_themselves_is_not_asked_again(host, home):
    from mi.project.permissions import set_state

    host.parts = ("permissions",)
    os.makedirs(home.root, exist_ok=True)
    set_state(home, "local-command", "ALLOW", HomeContext(home).notices)
    assert host.before("Bash", command="touch a b c d e f")[0] == ""


@pytest.mark.req("one.acts.authority")
def test_under_light_only_what_cannot_be_taken_back_is_asked_about(host, home):
    Path(home.config).write_text('{"profile": "light"}', "utf-8")
    host.parts = ("permissions",)
    assert host.before("Bash", command="touch a b c d e f")[0] == ""
    assert host.before("Bash", command="git push origin feature")[0] == "ask"
    assert "✗ window confirmed: nobody said so" in host.before("Bash", command="./deploy.sh production")[1]


ITEMS = ("all tests pass", "nothing uncommitted", "a person saw the diff")
ITEMS += ("environment variables verified", "rollback plan written", "window confirmed")


@pytest.mark.req("one.acts.deploy", "mx.hook.deploy-command")
def test_a_deploy_is_asked_with_its_six_items_as_they_stand(host, home, root, mi):
    host.parts = ("permissions",)
    (root / "new.py").write_text("x = 1\n", "utf-8")
    decision, reason = host.before("Bash", command="./deploy.sh production")
    assert decision == "ask"
    assert "0 of 6 are done" in reason
    for item in ITEMS:
        assert f"✗ {item}" in reason
    assert "✗ nothing uncommitted: 1" in reason
    assert 'mi gate deploy check --diff "…" --environment "…" --rollback "…" --window "…"' in reason
    git(root, "add", ".")
    git(root, "commit", "-qm", "new")
    said = ["--diff", "seen", "--environment", "compared", "--rollback", "git revert HEAD"]
    check = ["--home", home.root, "-C", str(root), "gate", "deploy", "check", "--tests", "true", *said]
    assert mi(*check).returncode == 3
    decision, reason = host.before("Bash", command="./deploy.sh production")
    assert decision == "ask"  # complete or not, it is the person's word
    for item in (*ITEMS[:5], "rollback plan written: git revert HEAD"):
        assert f"✓ {item}" in reason
    assert "✗ window confirmed: nobody said so" in reason
    assert mi(*check, "--window", "tonight").returncode == 0
    assert "6 of 6 are done" in host.before("Bash", command="./deploy.sh production")[1]
    (root / "new.py").write_text("x = 2\n", "utf-8")
    changed = host.before("Bash", command="./deploy.sh production")[1]
    assert "✗ all tests pass: unknown" in changed  # they ran on something else
    assert "✗ nothing uncommitted: 1" in changed
    assert "✓ a person saw the diff: seen" in changed
    (question,) = host.records("question")
    assert "✗ nothing uncommitted" in question["text"]  # the inbox asks the same
