"""How wishes look in each host: a table, and that each host's own format can be read."""

import json
import tomllib
from pathlib import Path

import pytest
import yaml

from mi.hosts.adapters import HOSTS, list_artefacts, load_adapter
from mi.hosts.apply import place, remove
from mi.hosts.artefacts import (
    Agent,
    File,
    HookEntry,
    JsonEntry,
    JsonItem,
    Link,
    MarkedBlock,
    McpEntry,
    Skill,
    name_folder,
)
from mi.hosts.workspaces import Workspace
from mi.kernel.errors import StorageError, UsageError
from mi.kernel.home import Home
from tests.hosts.trees import tree

SKILL = Skill(name="mi-x", description='It says: "go"\n# now', body="Do it.\n", files={"more/data.json": "{}"})
AGENT = Agent(name="mi-tester", description="Tests.", body="Test.", tools=["Read", "Bash"])
HOOK = HookEntry(event="PreToolUse", command='mi hook "x"', matcher="*", timeout_s=20)
SERVER = McpEntry(name="mi", command="/opt/m i", args=["mcp", 'se"rve\\'], env={"MI_HOME": "/h"})


@pytest.mark.req("v1.wf.adapter-registry")
@pytest.mark.parametrize(
    ("host", "wish", "paths"),
    [
        ("openclaw", SKILL, ["skills/mi-x"]),
        ("openclaw", AGENT, ["skills/mi-tester"]),
        ("claude-code", SKILL, [".claude/skills/mi-x"]),
        ("claude-code", AGENT, [".claude/agents/mi-tester.md"]),
        ("claude-code", HOOK, [".claude/settings.json"]),
        ("claude-code", SERVER, [".mcp.json"]),
        ("codex", SKILL, [".agents/skills/mi-x"]),
        ("codex", AGENT, [".agents/skills/mi-tester"]),
        ("codex", HOOK, [".codex/hooks.json"]),
        ("codex", SERVER, [".codex/config.toml"]),
    ],
)
def test_where_things_go(host: str, wish, paths: list[str]) -> None:
    made = list_artefacts(host, [wish])
    assert [one.path for one in made if not one.path.startswith(".mi/")] == paths
    generated = [one.path for one in made if one.path.startswith(".mi/")]
    assert all(one.startswith(f".mi/generated/{host}/skills/") for one in generated)


@pytest.mark.parametrize(
    ("host", "wish", "path"),
    [
        ("openclaw", SKILL, ".openclaw/skills/mi-x/SKILL.md"),
        ("claude-code", SKILL, ".claude/skills/mi-x/SKILL.md"),
        ("claude-code", AGENT, ".claude/agents/mi-tester.md"),
        ("claude-code", HOOK, ".claude/settings.json"),
        ("claude-code", SERVER, ".claude.json"),
        ("codex", SKILL, ".agents/skills/mi-x/SKILL.md"),
        ("codex", HOOK, ".codex/hooks.json"),
        ("codex", SERVER, ".codex/config.toml"),
    ],
)
def test_where_things_go_for_the_user(tmp_path: Path, host: str, wish, path: str, home: Home) -> None:
    user = tmp_path / "user"
    made = list_artefacts(host, [wish], "user")
    assert made[0].path == str(user / path)
    before = tree(user)
    place(Workspace.of_user(home), "x", made)
    assert (user / path).is_file()
    remove(Workspace.of_user(home), "x")
    assert tree(user) == before


def test_what_hosts_read_is_what_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    (skill, more, link) = list_artefacts("codex", [SKILL])
    assert isinstance(skill, File)
    _, head, body = skill.content.split("---\n", 2)
    assert yaml.safe_load(head) == {"name": "mi-x", "description": 'It says: "go" # now'}
    assert body == "\nDo it.\n"
    assert more == File(".mi/generated/codex/skills/mi-x/more/data.json", "{}")
    assert link == Link(".agents/skills/mi-x", ".mi/generated/codex/skills/mi-x")
    (server,) = list_artefacts("codex", [SERVER])
    assert isinstance(server, MarkedBlock)
    read = tomllib.loads(server.text)["mcp_servers"]["mi"]
    assert (read["command"], read["args"], read["env"]) == ("/opt/m i", ["mcp", 'se"rve\\'], {"MI_HOME": "/h"})
    assert read["required"] is True
    (entry,) = list_artefacts("claude-code", [SERVER])
    assert entry == JsonEntry(
        ".mcp.json", ("mcpServers", "mi"), {"command": SERVER.command, "args": SERVER.args, "env": SERVER.env}
    )
    command = {"type": "command", "command": 'mi hook "x"', "timeout": 20}
    for host in ("claude-code", "codex"):
        (hook,) = list_artefacts(host, [HOOK])
        assert isinstance(hook, JsonItem)
        assert (hook.keys, hook.value) == (("hooks", "PreToolUse"), {"matcher": "*", "hooks": [command]})
    (agent,) = list_artefacts("claude-code", [AGENT])
    assert isinstance(agent, File)
    assert yaml.safe_load(agent.content.split("---\n")[1])["tools"] == "Read, Bash"
    monkeypatch.setenv("CODEX_HOME", "/elsewhere/codex")
    assert list_artefacts("codex", [HOOK], "user")[0].path == "/elsewhere/codex/hooks.json"


def test_a_table_that_the_user_has_already_is_not_written_twice(tmp_path: Path, home: Home) -> None:
    space = tmp_path / "space"
    (space / ".codex").mkdir(parents=True)
    (space / ".codex/config.toml").write_text('[mcp_servers.mi]\ncommand = "mine"\n')
    with pytest.raises(StorageError, match=r"mcp_servers\.mi"):
        place(Workspace.at(str(space), home), "x", list_artefacts("codex", [SERVER]))
    assert tomllib.loads((space / ".codex/config.toml").read_text())["mcp_servers"]["mi"]["command"] == "mine"


def test_two_owners_may_place_the_same_skill(tmp_path: Path, home: Home) -> None:
    """Two projects in one workspace share a global workflow; it goes with the last of them."""
    space = tmp_path / "space"
    space.mkdir()
    workspace = Workspace.at(str(space), home)
    for owner in ("one", "two"):
        place(workspace, owner, [*list_artefacts("openclaw", [SKILL]), JsonEntry("s.json", ("a",), 1)])
    remove(workspace, "one")
    assert (space / "skills/mi-x/SKILL.md").is_file()
    assert json.loads((space / "s.json").read_bytes()) == {"a": 1}
    with pytest.raises(StorageError, match="there already"):
        place(workspace, "three", list_artefacts("openclaw", [Skill(name="mi-x", description="d", body="Another.")]))
    remove(workspace, "two")
    assert tree(space) == {}


@pytest.mark.parametrize("wish", [HOOK, SERVER])
def test_openclaw_takes_skills_only(wish) -> None:
    with pytest.raises(UsageError, match="no place for"):
        list_artefacts("openclaw", [wish])


@pytest.mark.parametrize("name", ["", "../x", "A", "a b", "-a", "a/b", "ü", "a" * 65, "a\n"])
def test_a_name_that_is_no_folder_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be a folder"):
        name_folder(name)
    with pytest.raises(UsageError):
        list_artefacts("codex", [Skill(name=name, description="", body="")])


def test_every_host_is_known_by_its_name() -> None:
    assert [load_adapter(name).name for name in HOSTS] == list(HOSTS)
    with pytest.raises(UsageError, match="openclaw, claude-code, codex"):
        load_adapter("emacs")
