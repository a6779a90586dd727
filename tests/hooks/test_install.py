"""Hooks and the MCP server in the files of real hosts: entered, entered again, taken out without a trace."""

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest

from mi.hooks.event import EVENTS
from mi.hosts.hook_line import build_hook_line, read_hook_line
from tests.speaking import INSTALLED

SETTINGS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}
SERVERS = {"claude-code": ".mcp.json", "codex": ".codex/config.toml"}


def tree(root: Path) -> dict[str, bytes]:
    found = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    return {name: data for name, data in found.items() if not name.startswith(".git/")}


def hooks_in(path: Path) -> dict[str, list[str]]:
    entries = json.loads(path.read_text("utf-8"))["hooks"]
    return {name: [hook["command"] for one in items for hook in one["hooks"]] for name, items in entries.items()}


@pytest.fixture
def project(repository, monkeypatch) -> Path:
    made: Path = repository("app")
    monkeypatch.chdir(made)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # no agent is asked about its trust
    return made


@pytest.mark.req("ac.hook.install-claude-code", "ac.hook.install-codex", "ac.hook.path-claude", "ac.hook.path-codex")
@pytest.mark.req("ac.hook.one-entry", "ac.hook.entry-command", "ac.hook.enforce", "ac.hook.uninstall")
@pytest.mark.req("ac.hook.uninstall-bytes", "one.setup.completed")
@pytest.mark.parametrize("host", SETTINGS)
@pytest.mark.parametrize("former", [None, '{"model": "x",  "hooks": {"Stop": [{"hooks": []}]}}'])
def test_hooks_of_a_project(mi, project, home, host, former):
    path = project / SETTINGS[host]
    if former:
        path.parent.mkdir()
        path.write_text(former, "utf-8")
    before = tree(project)
    done = mi("hook", "install", host, "--enforce", "contract,nexus", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["changed"] == [SETTINGS[host], SERVERS[host]]  # no contract without its tools
    found = hooks_in(path)
    assert set(found) == set(EVENTS.values())
    for event, name in EVENTS.items():
        words = read_hook_line(found[name][-1])
        assert words == [
            str(INSTALLED), "--home", home.root, "hook", event, "--host", host, "--enforce", "contract,nexus",
        ]  # fmt: skip
    assert json.loads(mi("hook", "install", host, "--enforce", "contract,nexus", "--json").stdout)["changed"] == []
    mi("hook", "install", host)
    assert not any("--enforce" in lines[-1] for lines in hooks_in(path).values())
    assert mi("hook", "uninstall", host).returncode == 0
    assert mi("mcp", "uninstall", host).returncode == 0
    assert tree(project) == before


@pytest.mark.req("safe.hooks.gone")
@pytest.mark.parametrize("shell", ["sh", "bash"])
@pytest.mark.parametrize(
    ("program", "code"),
    [(None, 2), ("kill -9 $$", 2), ("exit 1", 2), ("exit 127", 2), ("exit 2", 2), ("cat; exit 0", 0)],
)
def test_a_hook_whose_program_is_gone_or_killed_refuses_the_call(mi, project, tmp_path, shell, program, code):
    mi("hook", "install", "claude-code")
    there = tmp_path / "o'bin" / "mi"
    if program:
        there.parent.mkdir()
        there.write_text(f"#!/bin/sh\n{program}\n", "utf-8")
        there.chmod(0o755)
    lines = {name: found[-1] for name, found in hooks_in(project / SETTINGS["claude-code"]).items()}
    for name, line in lines.items():
        words = [str(there), *read_hook_line(line)[1:]]
        tried = build_hook_line(words, "mi: install it" if "exit 2" in line else "")
        done = subprocess.run([shell, "-c", tried], input="{}", capture_output=True, text=True, check=False)
        if name == "PreToolUse":
            assert (done.returncode, done.stdout) == (code, "" if code else "{}"), (tried, done)
        if program is None:
            assert (done.returncode, done.stderr) == ((2, "mi: install it\n") if name == "PreToolUse" else (0, ""))
    assert "pipx install mind-incarnation" in lines["PreToolUse"]


@pytest.mark.req("safe.hooks.gone")
def test_a_committed_hook_names_no_path_where_mi_is_on_the_path(mi, project, tmp_path, monkeypatch):
    """A clone has neither this path nor this home; a `mi` that lies in the project is not taken from the path."""
    monkeypatch.delenv("MI_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for folder, is_portable in ((INSTALLED.parent, True), (project / "bin", False)):
        if not is_portable:
            folder.mkdir()
            (folder / "mi").symlink_to("/bin/true")
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        assert mi("hook", "install", "claude-code").returncode == 0
        lines = hooks_in(project / SETTINGS["claude-code"])
        programs = {read_hook_line(found[-1])[0] for found in lines.values()}
        assert programs == {"mi" if is_portable else str(INSTALLED)}
        assert (str(INSTALLED.parent) not in str(lines)) is is_portable
        owners = {
            one["text"] for one in json.loads(mi("doctor", "--json").stdout)["findings"] if one["area"] == "hosts"
        }
        assert len(owners) == 1
    assert mi("hook", "install", "claude-code", "--user").returncode == 0
    assert str(INSTALLED) in str(hooks_in(tmp_path / "user" / SETTINGS["claude-code"]))


@pytest.mark.req("ac.hook.uninstall-entries")
@pytest.mark.parametrize("host", SETTINGS)
def test_what_others_entered_meanwhile_stays(mi, project, host):
    path = project / SETTINGS[host]
    mi("hook", "install", host)
    settings = json.loads(path.read_text("utf-8"))
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "theirs"}]}
    settings["hooks"]["PreToolUse"].insert(0, theirs)
    path.write_text(json.dumps(settings), "utf-8")
    mi("hook", "uninstall", host)
    assert json.loads(path.read_text("utf-8"))["hooks"]["PreToolUse"] == [theirs]
    assert "mi hook" not in path.read_text("utf-8")


@pytest.mark.req("ac.hook.user")
@pytest.mark.parametrize("host", SETTINGS)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_hooks_of_a_person(mi, project, tmp_path, monkeypatch, host, elsewhere):
    folder = tmp_path / "elsewhere" if elsewhere else tmp_path / "user" / Path(SETTINGS[host]).parent
    if elsewhere:
        folder.mkdir()
        monkeypatch.setenv("CODEX_HOME" if host == "codex" else "CLAUDE_CONFIG_DIR", str(folder))
    before = tree(project)
    assert mi("hook", "install", host, "--user").returncode == 0
    path = folder / Path(SETTINGS[host]).name
    assert set(hooks_in(path)) == set(EVENTS.values())
    assert tree(project) == before
    mi("hook", "uninstall", host, "--user")
    assert not path.exists()


@pytest.mark.parametrize("host", SERVERS)
def test_the_server_in_a_clients_configuration(mi, project, home, host):
    before = tree(project)
    assert mi("mcp", "install", host).returncode == 0
    path = project / SERVERS[host]
    text = path.read_text("utf-8")
    entry = tomllib.loads(text)["mcp_servers"]["mi"] if host == "codex" else json.loads(text)["mcpServers"]["mi"]
    assert [entry["command"], *entry["args"]] == [str(INSTALLED), "--home", home.root, "mcp", "serve"]
    assert json.loads(mi("mcp", "install", host, "--json").stdout)["changed"] == []
    mi("mcp", "uninstall", host)
    assert tree(project) == before


def test_both_hosts_and_both_doors_at_once(mi, project):
    before = tree(project)
    for host in SETTINGS:
        mi("hook", "install", host)
        mi("mcp", "install", host)
    for host in SETTINGS:
        mi("mcp", "uninstall", host)
    assert {SETTINGS["codex"], SETTINGS["claude-code"]} <= set(tree(project))
    for host in SETTINGS:
        mi("hook", "uninstall", host)
    assert tree(project) == before


def test_what_cannot_be_entered_is_refused(mi, project):
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").write_text("{ no json", "utf-8")
    before = tree(project)
    done = mi("hook", "install", "claude-code")
    assert (done.returncode, tree(project)) == (1, before)
    assert ".claude/settings.json" in done.stderr
    assert mi("hook", "install", "emacs").returncode == 2
    assert mi("hook", "install", "codex", "--enforce", "contracts").returncode == 1
    assert tree(project) == before
    (project / ".mcp.json").write_text('{"mcpServers": {"mi": {"command": "other"}}}', "utf-8")
    assert mi("mcp", "install", "claude-code").returncode == 1
    assert mi("mcp", "install", "codex", "--tools", "nope").returncode == 1


@pytest.mark.req("ac.hook.doctor")
@pytest.mark.parametrize(
    ("words", "host"), [("hook", "claude-code"), ("hook", "codex"), ("mcp", "codex"), ("mcp", "claude-code")]
)
def test_doctor_sees_a_command_that_is_gone(mi, project, tmp_path, words, host):
    mi(words, "install", host)
    path = project / (SETTINGS if words == "hook" else SERVERS)[host]
    look = json.loads(mi("doctor", "--json").stdout)["findings"]
    asked = (words, host) == ("hook", "codex")  # whether it is trusted only Codex knows, and there is none here
    assert [one["level"] for one in look if one["area"] == "hosts"] == ["warn" if asked else "ok"]
    [manifest] = (tmp_path / "home/hosts/manifests").iterdir()
    for file in (path, manifest):
        file.write_text(file.read_text("utf-8").replace(str(INSTALLED), "/gone/mi"), "utf-8")
    done = mi("doctor", "--json")
    found = [one for one in json.loads(done.stdout)["findings"] if one["area"] == "hosts"]
    assert done.returncode == 1
    assert [one["level"] for one in found] == ["fail"]
    assert "/gone/mi" in found[0]["text"]
    assert found[0]["fix"].endswith(f"{words} install {host}")


def test_codex_is_not_there_to_be_asked(mi, project):
    done = mi("hook", "install", "codex")
    assert done.returncode == 0
    assert "codex" in done.stderr
    assert os.path.exists(project / SETTINGS["codex"])


OTHERS = {
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "gemini-cli": (".gemini/settings.json", "mcpServers"),
    "opencode": ("opencode.json", "mcp"),
    "qwen-code": (".qwen/settings.json", "mcpServers"),
    "vscode": (".vscode/mcp.json", "servers"),
}


@pytest.mark.parametrize("client", OTHERS)
@pytest.mark.parametrize("former", [None, '{"theme": "x",  "mcpServers": {"other": {"command": "y"}}}'])
def test_the_server_in_other_clients(mi, project, home, client, former):
    name, key = OTHERS[client]
    path = project / name
    if former:
        path.parent.mkdir(exist_ok=True)
        path.write_text(former, "utf-8")
    before = tree(project)
    done = mi("mcp", "install", client, "--tools", "memory,tasks")
    assert done.returncode == 0, done.stderr
    found = json.loads(path.read_text("utf-8"))[key]["mi"]
    command = found["command"] if isinstance(found["command"], list) else [found["command"], *found["args"]]
    assert command == [str(INSTALLED), "--home", home.root, "mcp", "serve", "--tools", "memory,tasks"]
    hosts = [one for one in json.loads(mi("doctor", "--json").stdout)["findings"] if one["area"] == "hosts"]
    assert [one["level"] for one in hosts] == ["ok"]
    assert mi("mcp", "uninstall", client).returncode == 0
    assert tree(project) == before


def test_the_server_in_other_clients_for_all_projects(mi, project):
    assert mi("mcp", "install", "cursor", "--user").returncode == 0
    assert "mi" in json.loads((Path.home() / ".cursor/mcp.json").read_text("utf-8"))["mcpServers"]
    assert mi("mcp", "uninstall", "cursor", "--user").returncode == 0
    assert not (Path.home() / ".cursor").exists()
    done = mi("mcp", "install", "vscode", "--user")
    assert (done.returncode, "without --user" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "former",
    [
        '[mcp_servers."mi"]\ncommand = "z"\n',
        '[mcp_servers]\nmi = { command = "z" }\n',
        'mcp_servers.mi.command = "z"\n',
        "[mcp_servers.mi] # mine\ncommand = 'z'\n",
        "model = \n",
    ],
)
def test_a_toml_file_that_would_break_is_left_alone(mi, project, former):
    (project / ".codex").mkdir()
    path = project / SERVERS["codex"]
    path.write_text(former, "utf-8")
    done = mi("mcp", "install", "codex")
    assert (done.returncode, path.read_text("utf-8")) == (1, former)
    assert SERVERS["codex"] in done.stderr


def test_doctor_reads_the_entry_in_a_file_with_other_line_ends(mi, project):
    (project / ".codex").mkdir()
    (project / SERVERS["codex"]).write_bytes(b'model = "x"\r\n')
    mi("mcp", "install", "codex")
    findings = json.loads(mi("doctor", "--json").stdout)["findings"]
    assert [one["level"] for one in findings if one["area"] == "hosts"] == ["ok"]


@pytest.mark.req("ac.tasks.protected-hooks")
def test_an_agent_does_not_take_out_what_binds_it(mi, project, monkeypatch):
    mi("hook", "install", "claude-code", "--enforce", "contract")
    before = tree(project)
    monkeypatch.setenv("CLAUDECODE", "1")
    for words in (("uninstall", "claude-code"), ("install", "claude-code", "--enforce", "permissions")):
        done = mi("hook", *words)
        assert (done.returncode, "person" in done.stderr, tree(project) == before) == (3, True, True)
    assert (mi("uninstall").returncode, tree(project) == before) == (3, True)
    monkeypatch.delenv("CLAUDECODE")
    assert mi("hook", "uninstall", "claude-code").returncode == 0
