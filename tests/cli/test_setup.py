"""`mi setup`: what belongs together in a host's settings, as a profile says, and out again without a trace."""

import json
import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from mi.app.home_context import HomeContext
from mi.app.team_files import build_team_files
from mi.hosts.hook_line import read_hook_line
from tests.conftest import git
from tests.hooks.test_install import hooks_in, tree
from tests.speaking import INSTALLED
from tests.terminals import Terminal


@pytest.fixture
def project(repository, tmp_path, monkeypatch) -> Path:
    made: Path = repository("app")
    monkeypatch.chdir(made)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.delenv("CODEX_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{INSTALLED.parent}:/usr/bin:/bin")
    (tmp_path / "user").mkdir(exist_ok=True)
    return made


def found_by_doctor(mi) -> list[tuple[str, str, str]]:
    findings = json.loads(mi("doctor", "--json").stdout)["findings"]
    return [(one["level"], one["text"], one["fix"]) for one in findings if one["area"] == "setup"]


@pytest.mark.req("one.setup.light", "one.setup.shown-first", "one.setup.remove")
def test_light_writes_one_persons_files_alone(mi, project, tmp_path):
    own = tmp_path / "user/.claude.json"
    own.write_text('{"projects": {"/else": {"x": 1}}}', "utf-8")
    before = (tree(project), own.read_bytes())
    shown = mi("setup", "claude-code")
    assert (shown.returncode, (tree(project), own.read_bytes())) == (3, before)
    assert ".claude/settings.local.json" in shown.stdout
    assert "--yes" in shown.stderr
    assert mi("setup", "claude-code", "--yes").returncode == 0
    assert set(tree(project)) - set(before[0]) == {".claude/settings.local.json", ".mi/.gitignore", ".mi/mark"}
    server = json.loads(own.read_text("utf-8"))["projects"][str(project)]["mcpServers"]["mi"]
    assert server["command"] == str(INSTALLED)
    assert [one[0] for one in found_by_doctor(mi)] == ["ok"]
    assert mi("setup", "--remove", "--yes").returncode == 0
    assert (tree(project), own.read_bytes()) == before


@pytest.mark.req("one.setup.shown-first", "one.setup.asks-trust")
def test_at_a_terminal_it_asks_and_then_whether_the_teams_files_bind(project, home):
    rule = project / ".nexus/rules/style.md"
    rule.parent.mkdir(parents=True)
    rule.write_text("# Style\n\nTabs are never used.\n", "utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "rules")
    words = [str(INSTALLED), "setup", "claude-code"]
    with closing(Terminal(words, project)) as terminal:
        assert "settings.local.json" in terminal.read_until("Do it? [y/N]")
        terminal.type("n\n")
        terminal.finish(3)
    assert not (project / ".claude").exists()
    with closing(Terminal(words, project)) as terminal:
        terminal.read_until("Do it? [y/N]")
        terminal.type("y\n")
        assert ".nexus/rules/style.md" in terminal.read_until("bind agents and judgement here")
        terminal.type("y\n")
        terminal.finish()
    assert (project / ".claude/settings.local.json").exists()
    assert build_team_files(HomeContext(home, str(project))).is_trusted


@pytest.mark.req("one.setup.light")
def test_light_leaves_a_file_alone_that_git_tracks(mi, project):
    (project / ".claude").mkdir()
    (project / ".claude/settings.local.json").write_text("{}", "utf-8")
    git(project, "add", "-A")
    done = mi("setup", "claude-code", "--yes")
    assert done.returncode == 1
    assert "git rm --cached .claude/settings.local.json" in done.stderr


@pytest.mark.req("one.setup.no-own-files", "one.setup.remove")
def test_codex_has_no_personal_file_of_one_project(mi, project, tmp_path, repository, monkeypatch):
    done = mi("setup", "codex", "--yes")
    assert done.returncode == 0
    assert "hold in all your projects" in done.stdout.partition("codex is set up")[0]
    assert not (project / ".codex").exists()
    own = tmp_path / "user/.codex"
    assert "[mcp_servers.mi]" in (own / "config.toml").read_text("utf-8")
    monkeypatch.chdir(repository("other"))
    assert mi("setup", "codex", "--yes").returncode == 0
    assert "other projects use them" in mi("setup", "codex", "--remove", "--yes").stdout
    assert (own / "hooks.json").exists()
    monkeypatch.chdir(project)
    assert mi("setup", "codex", "--remove", "--yes").returncode == 0
    assert not (own / "hooks.json").exists()


@pytest.mark.req("one.setup.team", "one.setup.portable", "one.setup.remove", "one.setup.doctor")
@pytest.mark.parametrize("profile", ["team", "strict"])
@pytest.mark.parametrize(
    ("host", "written"),
    [
        ("claude-code", {".claude/settings.json", ".mcp.json"}),
        ("codex", {".codex/hooks.json", ".codex/config.toml"}),
    ],
)
def test_a_teams_files_are_the_same_on_any_machine(mi, project, tmp_path, home, host, written, profile):
    before = tree(project)
    assert mi("setup", host, "--yes").returncode == 0  # light first: its files go
    assert mi("setup", host, "--profile", profile, "--yes").returncode == 0
    found = {name: data for name, data in tree(project).items() if name not in before and not name.startswith(".mi/")}
    assert set(found) == written | {"AGENTS.md", ".gitattributes"}
    for data in found.values():
        assert str(INSTALLED.parent).encode() not in data
        assert home.root.encode() not in data
        assert str(tmp_path).encode() not in data
    assert f'"--profile", "{profile}"' in " ".join(" ".join(map(bytes.decode, found.values())).split())
    assert git(project, "config", "--get", "merge.mi.driver")
    assert HomeContext(home, str(project)).config.profile == profile
    assert "ok" in {one[0] for one in found_by_doctor(mi)}
    assert mi("setup", host, "--remove", "--yes").returncode == 0
    assert tree(project) == before
    assert HomeContext(home, str(project)).config.profile == "light"


@pytest.mark.req("one.setup.portable")
@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(("place", "code"), [("", 2), ("project", 2), (".", 2), ("elsewhere", 0)])
def test_a_committed_entry_in_a_clone(mi, project, tmp_path, shell, place, code):
    """Without `mi`, or with one of the repository's own, no tool runs; everything else lets pass."""
    assert mi("setup", "claude-code", "--profile", "team", "--yes").returncode == 0
    folder = {"project": project / "bin", ".": project, "elsewhere": tmp_path / "elsewhere"}.get(place)
    if folder:
        folder.mkdir(exist_ok=True)
        (folder / "mi").write_text("#!/bin/sh\necho ran\n", "utf-8")
        (folder / "mi").chmod(0o755)
    path = f"{'.' if place == '.' else folder or '/none'}:/usr/bin:/bin"
    for name, lines in hooks_in(project / ".claude/settings.json").items():
        assert read_hook_line(lines[-1])[0] == "mi"
        done = subprocess.run(
            [shell, "-c", lines[-1]], cwd=project, env={"PATH": path}, capture_output=True, text=True, check=False
        )
        refused = code if name == "PreToolUse" else 0
        assert (done.returncode, done.stdout) == (refused, "" if code else "ran\n"), (name, done)
        assert ("pipx install mind-incarnation" in done.stderr) == (refused == 2)


@pytest.mark.req("one.setup.portable")
def test_a_mi_of_the_project_is_refused(mi, project, monkeypatch):
    (project / "bin").mkdir()
    (project / "bin/mi").symlink_to(INSTALLED)
    monkeypatch.setenv("PATH", f"{project}/bin:/usr/bin:/bin")
    done = mi("setup", "claude-code", "--profile", "team", "--yes")
    assert done.returncode == 1
    assert "lies in the project" in done.stderr
    event = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}, "cwd": str(project)})
    words = [project / "bin/mi", "hook", "pre-tool", "--host", "claude-code", "--profile", "team"]
    ran = subprocess.run(words, input=event, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert "no mi is on your PATH" in mi("setup", "claude-code", "--profile", "team", "--yes").stderr


@pytest.mark.req("one.setup.entry-profile")
def test_the_profile_of_an_entry_binds_a_clone_that_nobody_set_up(mi, project):
    push = json.dumps({"tool_name": "Write", "tool_input": {"file_path": str(project / "a.py")}, "cwd": str(project)})
    words = ("hook", "pre-tool", "--host", "codex")
    asked = [mi(*words, *more, stdin=push).stdout for more in ((), ("--profile", "team"))]
    assert "RECALL_REQUIRED" not in asked[0]
    assert "RECALL_REQUIRED" in asked[1]


@pytest.mark.req("one.setup.remove")
def test_uninstall_takes_out_what_setup_put_in(mi, project, home):
    before = tree(project)
    assert mi("setup", "claude-code", "--profile", "team", "--yes").returncode == 0
    assert mi("uninstall").returncode == 0
    assert tree(project) == before
    assert HomeContext(home, str(project)).config.profile == "light"


@pytest.mark.req("one.setup.doctor")
def test_doctor_checks_the_whole_and_names_the_one_command(mi, project):
    assert mi("setup", "claude-code", "--profile", "team", "--yes").returncode == 0
    (project / ".mcp.json").unlink()
    ((level, text, fix), *_) = found_by_doctor(mi)
    assert (level, fix) == ("warn", "mi setup claude-code --profile team")
    assert ".mcp.json" in text
    assert mi(*fix.split()[1:], "--yes").returncode == 0
    assert {one[0] for one in found_by_doctor(mi)} == {"ok"}


@pytest.mark.req("one.setup.doctor")
def test_doctor_reads_the_files_that_a_clone_brings(mi, project, home):
    mi("hook", "install", "claude-code", "--enforce", "contract")
    git(project, "add", "-A")
    os.rename(home.root, home.root + ".before")  # another person's home
    found = found_by_doctor(mi)
    assert ["one machine" in text for _, text, _ in found] == [True, True]
    assert {fix for *_, fix in found} == {"mi setup claude-code --profile team"}
    (project / ".mcp.json").unlink()
    line = "mi hook pre-tool --host claude-code --enforce contract"
    entry = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}}
    (project / ".claude/settings.json").write_text(json.dumps(entry), "utf-8")
    ((_, text, fix),) = found_by_doctor(mi)
    assert "no server of MI is entered" in text
    assert fix == "mi setup claude-code --profile team"


@pytest.mark.req("one.setup.profile")
def test_what_overrides_the_profile_is_said(mi, project, home):
    os.makedirs(home.root, exist_ok=True)
    Path(home.config).write_text('{"governance": {"preflight": "off"}}', "utf-8")
    shown = mi("setup", "claude-code", "--profile", "strict", "--dry-run")
    assert "governance.preflight = off" in shown.stdout
    assert not (project / ".mcp.json").exists()


ODD = {  # as people leave them: without a last line end, with those of Windows
    "AGENTS.md": b"# Ours\r\n\r\nBe kind.",
    ".gitattributes": b"*.png binary\r\n*.sh text",
    ".mcp.json": b'{"mcpServers": {"x": {"command": "x"}}}',
    ".codex/config.toml": b'model = "m"',
}


@pytest.mark.req("one.setup.remove")
@pytest.mark.parametrize("profile", ["light", "team", "strict"])
def test_out_of_both_hosts_at_once_every_byte_is_as_before(mi, project, tmp_path, profile, monkeypatch):
    for name, data in ODD.items():
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_bytes(data)
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "ours")
    config, own, exclude = project / ".git/config", tmp_path / "user", project / ".git/info/exclude"
    exclude.write_bytes(b"*.log\n/mine \xff")
    (own / ".codex").mkdir()
    (own / ".codex/config.toml").write_bytes(b'model = "mine"')
    mi("workflow", "create", "--name", "Fix a bug", "--pattern", "bug", "--step", "run the tests")
    before = (tree(project), config.read_bytes(), exclude.read_bytes(), tree(own))
    for host in ("claude-code", "codex"):
        assert mi("setup", host, "--profile", profile, "--yes").returncode == 0
    assert (project / ".claude/skills/mi-fix-a-bug/SKILL.md").exists()
    assert mi("setup", "--remove", "--yes").returncode == 0
    assert (tree(project), config.read_bytes(), exclude.read_bytes(), tree(own)) == before


@pytest.mark.req("one.setup.light", "one.setup.shown-first", "one.setup.remove")
@pytest.mark.parametrize("place", ["app", "linked", "app/part"])
def test_git_takes_up_nothing_that_light_places(mi, project, place, monkeypatch):
    git(project, "worktree", "add", "-q", "../linked")
    (project / "part").mkdir()
    monkeypatch.chdir(project.parent / place)
    mi("workflow", "create", "--name", "Fix a bug", "--pattern", "bug", "--step", "run the tests")
    exclude = project / ".git/info/exclude"
    before = exclude.read_bytes()
    words = ("setup", "claude-code", "--yes", "--cd", ".")
    assert f"writes {exclude}" in mi(*words, "--dry-run").stdout
    assert mi(*words).returncode == 0
    assert mi("setup", "codex", *words[2:]).returncode == 0
    mi("workflow", "create", "--name", "Say hello", "--pattern", "hello", "--step", "say it")
    assert Path(".claude/skills/mi-say-hello/SKILL.md").exists()
    git(Path.cwd(), "add", "-A")
    assert git(Path.cwd(), "status", "--porcelain") == ""
    assert mi("setup", "--remove", "--yes", "--cd", ".").returncode == 0
    assert exclude.read_bytes() == before


@pytest.mark.req("one.setup.profile")
def test_a_linked_work_tree_that_is_set_up_goes_by_its_profile(mi, project, home, monkeypatch):
    git(project, "worktree", "add", "-q", "../linked")
    monkeypatch.chdir(project.parent / "linked")
    assert mi("setup", "claude-code", "--profile", "team", "--yes").returncode == 0
    with closing(HomeContext(home, os.getcwd())) as context:
        assert context.config.profile == "team"


@pytest.mark.req("one.setup.light", "one.setup.shown-first")
@pytest.mark.parametrize(("profile", "driver"), [("light", False), ("team", True)])
def test_what_setup_tells_programs_names_skills_and_driver(mi, project, profile, driver):
    mi("workflow", "create", "--name", "Fix a bug", "--pattern", "bug", "--step", "run the tests")
    words = ("setup", "claude-code", "--profile", profile, "--json")
    told = json.loads(mi(*words, "--dry-run").stdout)["hosts"]["claude-code"]
    assert told["skills"] == [".claude/skills/mi-fix-a-bug"]
    named = {os.path.relpath(path, project) for path in told["changed"]}
    assert ".claude/skills/mi-fix-a-bug" in named
    assert ({".gitattributes", ".git/config"} <= named) == driver
    assert mi(*words, "--yes").returncode == 0
    assert git(project, "ls-files", "-m") == ""
    assert [one[0] for one in found_by_doctor(mi)] == ["ok"]


@pytest.mark.req("one.setup.doctor", "one.teams.install")
def test_doctor_says_where_the_merge_driver_is_missing(mi, project):
    assert mi("setup", "claude-code", "--profile", "team", "--yes").returncode == 0
    git(project, "config", "--remove-section", "merge.mi")
    ((level, text, fix), *_) = found_by_doctor(mi)
    assert (level, ".git/config" in text) == ("warn", True)
    assert mi(*fix.split()[1:], "--yes").returncode == 0
    assert {one[0] for one in found_by_doctor(mi)} == {"ok"}


@pytest.mark.req("one.setup.one-voice")
@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_where_a_host_has_both_entries_one_of_them_speaks(mi, project, tmp_path, host):
    """The person's own entry, of another project or of this one, and the one that the team committed."""
    (project / ".nexus/rules").mkdir(parents=True)
    (project / ".nexus/rules/walrus.md").write_text("Never feed the walrus by hand.\n", "utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "rules")
    own = ("--host", host)
    event = {"session_id": "s-1", "cwd": str(project), "source": "startup", "prompt": "feed the walrus by hand"}

    def heard(name: str, *words: str, **more: object) -> str:
        return str(mi("hook", name, *own, *words, stdin=json.dumps(event | more)).stdout)

    assert "walrus" in heard("session-start")  # alone, it speaks
    assert mi("setup", host, "--profile", "team", "--yes").returncode == 0
    event["session_id"] = "s-2"
    if host == "codex":
        assert "walrus" in heard("session-start")  # Codex does not trust the project's entry, and so does not run it
        trusted = tmp_path / "user/.codex/config.toml"
        trusted.parent.mkdir(exist_ok=True)
        trusted.write_text(f'[hooks.state."{project}/.codex/hooks.json:session_start:0:0"]\n', "utf-8")
        event["session_id"] = "s-3"
    assert heard("session-start") == "{}\n"
    assert "walrus" in heard("session-start", "--profile", "team")
    assert heard("prompt") == "{}\n"
    assert "walrus" in heard("prompt", "--profile", "team")
    push = {"tool_name": "Bash", "tool_input": {"command": "git push --force"}, "tool_use_id": "t-1"}
    assert '"deny"' in heard("pre-tool", **push)  # whatever became of the project's own


@pytest.mark.req("one.setup.one-voice")
def test_no_tool_of_a_session_silences_the_persons_entry(mi, project):
    event = {"session_id": "s-1", "cwd": str(project), "source": "startup", "prompt": "my key is ghp_" + "a1B2" * 9}
    words = ("hook", "session-start", "--host", "claude-code")
    mi(*words, stdin=json.dumps(event))
    mi("hook", "prompt", "--host", "claude-code", stdin=json.dumps(event))
    mi(*words, "--profile", "light", stdin=json.dumps(event))  # as an agent's command would
    assert mi("hook", "prompt", "--host", "claude-code", stdin=json.dumps(event)).stdout != "{}\n"
