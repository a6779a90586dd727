"""What is placed into a workspace is there once, is taken out without a trace, and never costs the user anything."""

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mi.hosts.apply import Placed, list_owners, place, remove, remove_all
from mi.hosts.artefacts import Artefact, File, JsonEntry, JsonItem, Link, MarkedBlock, render_toml_block
from mi.hosts.workspaces import Workspace, list_known_workspaces
from mi.kernel.errors import NotFound, StorageError
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.disks import read_only_disk
from tests.hosts.trees import tree

HOOK = {"hooks": [{"type": "command", "command": "mi hook", "timeout": 30}]}
ALL: list[Artefact] = [
    File(".mi/generated/codex/skills/mi-x/SKILL.md", "one\n"),
    File(".claude/agents/mi-tester.md", "test\n"),
    Link(".agents/skills/mi-x", ".mi/generated/codex/skills/mi-x"),
    MarkedBlock("AGENTS.md", "contract", "Ask the memory first."),
    render_toml_block(".codex/config.toml", "mcp-mi", '[mcp_servers.mi]\ncommand = "mi"', taken="[mcp_servers.mi]"),
    JsonEntry(".mcp.json", ("mcpServers", "mi"), {"command": "mi"}),
    JsonItem(".claude/settings.json", ("hooks", "PreToolUse"), HOOK),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "space"
    made.mkdir()
    return made


@pytest.fixture
def workspace(folder: Path, home: Home) -> Workspace:
    return Workspace.at(str(folder), home)


def users_files(folder: Path) -> None:
    """A workspace in which the user has all of these files, in their own manner."""
    for name, text in {
        "AGENTS.md": "# Mine\r\n\r\nno newline at the end",
        ".codex/config.toml": 'model = "gpt-5.5"\n',
        ".mcp.json": '{"mcpServers":{"mine":{"command":"x","args":[1.0,"\\u00fc"]}}}',
        ".claude/settings.json": '{\n\t"hooks": {"PreToolUse": [{"hooks": []}]},\n\t"model": "opus"\n}\n',
        ".claude/agents/mine.md": "mine\n",
        ".agents/skills/own/SKILL.md": "own\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (folder / "AGENTS.md").chmod(0o640)


@pytest.mark.req("v1.hard.derived-reversible", "v1.cli.openclaw-reversible")
@pytest.mark.parametrize("prepare", [lambda folder: None, users_files], ids=["empty", "users"])
def test_what_was_placed_is_taken_out_byte_for_byte(folder: Path, workspace: Workspace, prepare, home, notices) -> None:
    prepare(folder)
    before = tree(folder)
    placed = place(workspace, "all", ALL)
    assert sorted(placed.changed) == sorted(one.path for one in ALL)
    assert (folder / ".agents/skills/mi-x/SKILL.md").read_text() == "one\n"
    assert "Ask the memory first." in (folder / "AGENTS.md").read_text()
    assert json.loads((folder / ".mcp.json").read_bytes())["mcpServers"]["mi"] == {"command": "mi"}
    assert json.loads((folder / ".claude/settings.json").read_bytes())["hooks"]["PreToolUse"][-1] == HOOK
    assert list_known_workspaces(home, notices) == [str(folder)]
    remove(workspace, "all")
    assert tree(folder) == before
    assert list_known_workspaces(home, notices) == []


def test_placing_again_changes_nothing(folder: Path, workspace: Workspace) -> None:
    users_files(folder)
    place(workspace, "all", ALL)
    times = {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}
    assert place(workspace, "all", ALL) == Placed([], [], [])
    assert {path: path.lstat().st_mtime_ns for path in folder.rglob("*")} == times


def test_what_is_no_longer_listed_goes_and_the_rest_is_replaced_in_place(folder: Path, workspace: Workspace) -> None:
    users_files(folder)
    place(workspace, "all", ALL)
    with (folder / "AGENTS.md").open("ab") as file:
        file.write(b"the user goes on\r\n")
    placed = place(workspace, "all", [MarkedBlock("AGENTS.md", "contract", "Another text.\n\nTwo paragraphs.")])
    text = (folder / "AGENTS.md").read_bytes().decode()
    assert "Ask the memory" not in text
    assert "Another text.\r\n\r\nTwo paragraphs." in text
    assert text.endswith("the user goes on\r\n")
    assert not (folder / ".agents/skills/mi-x").exists()
    assert ".claude/agents/mi-tester.md" in placed.removed
    remove(workspace, "all")
    assert (folder / "AGENTS.md").read_bytes() == b"# Mine\r\n\r\nno newline at the end\r\nthe user goes on\r\n"


def test_owners_share_a_file(folder: Path, workspace: Workspace) -> None:
    users_files(folder)
    before = tree(folder)
    for owner in ("one", "two"):
        block, entry = (
            MarkedBlock("AGENTS.md", owner, owner),
            JsonEntry(".mcp.json", ("mcpServers", owner), {"of": owner}),
        )
        place(workspace, owner, [block, entry])
    assert list_owners(workspace) == ["one", "two"]
    remove(workspace, "one")
    assert json.loads((folder / ".mcp.json").read_bytes())["mcpServers"].keys() == {"mine", "two"}
    assert "mi:two begin" in (folder / "AGENTS.md").read_text()
    assert "mi:one" not in (folder / "AGENTS.md").read_text()
    remove_all(workspace)
    assert tree(folder) == before


def test_what_the_user_changed_since_stays(folder: Path, workspace: Workspace) -> None:
    users_files(folder)
    place(workspace, "all", ALL)
    (folder / ".claude/agents/mi-tester.md").write_text("mine now\n")
    servers = json.loads((folder / ".mcp.json").read_bytes())
    servers["mcpServers"]["mi"]["command"] = "/opt/mi"
    servers["mcpServers"]["new"] = {"command": "y"}
    (folder / ".mcp.json").write_text(json.dumps(servers))
    settings_file = folder / ".claude/settings.json"
    settings_file.write_text(settings_file.read_text().replace('"opus"', '"sonnet"'))
    assert place(workspace, "all", ALL).kept == [".claude/agents/mi-tester.md", ".mcp.json"]
    removed = remove(workspace, "all")
    assert (folder / ".claude/agents/mi-tester.md").read_text() == "mine now\n"
    assert json.loads((folder / ".mcp.json").read_bytes())["mcpServers"] == servers["mcpServers"]
    expected = {"hooks": {"PreToolUse": [{"hooks": []}]}, "model": "sonnet"}
    assert json.loads(settings_file.read_bytes()) == expected
    assert removed.kept == [".claude/agents/mi-tester.md", ".mcp.json"]
    assert not (folder / ".mi").exists()


def test_containers_made_for_an_entry_go_with_it_also_in_an_edited_file(folder: Path, workspace: Workspace) -> None:
    (folder / "s.json").write_text('{"a": {}}')
    item = JsonItem("s.json", ("hooks", "Stop"), HOOK)
    place(workspace, "x", [item, JsonEntry("s.json", ("a", "b", "c"), 1), JsonEntry("new.json", ("k",), 2)])
    for name in ("s.json", "new.json"):
        (folder / name).write_text((folder / name).read_text().rstrip("\n") + "  ")
    remove(workspace, "x")
    assert json.loads((folder / "s.json").read_bytes()) == {"a": {}}
    assert not (folder / "new.json").exists()


def test_what_was_there_already_stays_the_users(folder: Path, workspace: Workspace) -> None:
    text = json.dumps({"mcpServers": {"mi": {"command": "mi"}}, "hooks": {"PreToolUse": [HOOK]}})
    (folder / "s.json").write_text(text)
    entry, item = (
        JsonEntry("s.json", ("mcpServers", "mi"), {"command": "mi"}),
        JsonItem("s.json", ("hooks", "PreToolUse"), HOOK),
    )
    place(workspace, "x", [entry, item, JsonEntry("s.json", ("new",), 1)])
    remove(workspace, "x")
    assert (folder / "s.json").read_text() == text


@pytest.mark.parametrize(
    ("name", "content", "artefact", "code"),
    [
        ("skills/mi-x/SKILL.md", "mine", Link("skills/mi-x", ".mi/generated/x"), "host-taken"),
        ("skills/mi-x", "mine", Link("skills/mi-x", ".mi/generated/x"), "host-taken"),
        ("agents/a.md", "mine", File("agents/a.md", "ours"), "host-taken"),
        ("AGENTS.md/x", "mine", MarkedBlock("AGENTS.md", "n", "t"), "host-taken"),
        (
            "c.toml",
            "mcp_servers = { mine = {} }\n",
            render_toml_block("c.toml", "n", "[mcp_servers.mi]"),
            "host-entry-taken",
        ),
        ("c.toml", '[mcp_servers."mi"]\n', render_toml_block("c.toml", "n", "[mcp_servers.mi]"), "host-entry-taken"),
        ("c.toml", "broken =\n", render_toml_block("c.toml", "n", "[mcp_servers.mi]"), "host-not-toml"),
        ("c.toml", "[mcp_servers.mi]\n", render_toml_block("c.toml", "n", "t", "[mcp_servers.mi]"), "host-entry-taken"),
        ("s.json", '{"a": 2}', JsonEntry("s.json", ("a",), 1), "host-entry-taken"),
        ("s.json", '{"a": [1]}', JsonEntry("s.json", ("a", "b"), 1), "host-not-json"),
        ("s.json", '{"a": {}}', JsonItem("s.json", ("a",), 1), "host-not-json"),
        ("s.json", "{a: 2}", JsonEntry("s.json", ("b",), 1), "host-not-json"),
        ("s.json", "[]", JsonEntry("s.json", ("b",), 1), "host-not-json"),
        ("x", "mine", File("../x", "ours"), "host-outside"),
        ("x", "mine", File("/etc/x", "ours"), "host-outside"),
        ("x", "mine", File(".", "ours"), "host-outside"),
    ],
)
def test_a_refusal_changes_nothing(folder, workspace, name: str, content: str, artefact: Artefact, code: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)
    before = tree(folder)
    with pytest.raises(StorageError) as refused:
        place(workspace, "x", [File("fine.md", "fine"), artefact])
    assert refused.value.code == code
    assert tree(folder) == before


@pytest.mark.parametrize("name", [".mi", ".claude", "AGENTS.md"])
def test_a_link_that_leads_out_is_not_followed(folder: Path, workspace: Workspace, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.tmp.12").write_text("mine")
    before = tree(outside)
    (folder / name).symlink_to(outside if name != "AGENTS.md" else outside / "file")
    with pytest.raises(StorageError, match="leads out"):
        place(workspace, "x", [File(".claude/agents/a.md", "a"), MarkedBlock("AGENTS.md", "n", "t")])
    assert tree(outside) == before


def test_a_link_inside_is_written_through(folder: Path, workspace: Workspace) -> None:
    (folder / "docs").mkdir()
    (folder / "docs/RULES.md").write_text("rules\n")
    (folder / "AGENTS.md").symlink_to("docs/RULES.md")
    place(workspace, "x", [MarkedBlock("AGENTS.md", "n", "t")])
    assert (folder / "AGENTS.md").is_symlink()
    assert "mi:n begin" in (folder / "docs/RULES.md").read_text()
    remove(workspace, "x")
    assert (folder / "docs/RULES.md").read_text() == "rules\n"
    assert (folder / "AGENTS.md").is_symlink()


def test_a_copy_where_links_are_impossible(folder, workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "links are not supported here")

    monkeypatch.setattr(os, "symlink", refused)
    skill = File(".mi/generated/codex/skills/s/SKILL.md", "one\n")
    link = Link("skills/s", ".mi/generated/codex/skills/s")
    place(workspace, "x", [skill, File(".mi/generated/codex/skills/s/old.md", "old\n"), link])
    assert (folder / "skills/s/SKILL.md").read_text() == "one\n"
    assert "MI" in (folder / "skills/s/.mi-copy").read_text()
    place(workspace, "x", [File(skill.path, "two\n"), link])
    assert (folder / "skills/s/SKILL.md").read_text() == "two\n"
    assert not (folder / "skills/s/old.md").exists()
    (folder / "skills/s/notes.md").write_text("mine\n")
    assert remove(workspace, "x").kept == ["skills/s/notes.md"]
    assert list(tree(folder)) == ["skills", "skills/s", "skills/s/notes.md"]


def test_a_moved_workspace_can_still_be_cleared(folder: Path, workspace: Workspace, home: Home) -> None:
    users_files(folder)
    before = tree(folder)
    place(workspace, "all", ALL)
    moved = folder.rename(folder.with_name("elsewhere"))
    assert (moved / ".agents/skills/mi-x/SKILL.md").read_text() == "one\n"
    remove_all(Workspace.at(str(moved), home))
    assert tree(moved) == before
    with pytest.raises(NotFound, match="moved or removed"):
        Workspace.at(str(folder), home)


def test_a_read_only_workspace_is_said_in_one_line(folder: Path, workspace: Workspace) -> None:
    with read_only_disk(folder), pytest.raises(StorageError) as refused:
        place(workspace, "x", ALL)
    assert refused.value.code == "host-cannot-write"
    assert tree(folder) == {}


@pytest.mark.parametrize("text", ["{", '{"entries": [{"owner": "x", "kind": "file", "path": "../../etc/passwd"}]}'])
def test_a_broken_manifest_stops_everything(folder: Path, workspace: Workspace, text: str) -> None:
    (folder / ".mi").mkdir()
    (folder / ".mi/manifest.json").write_text(text)
    with pytest.raises(StorageError) as refused:
        remove(workspace, "x")
    assert refused.value.code == "host-manifest-broken"


def test_what_a_crash_left_half_done_is_finished_or_taken_back(folder: Path, workspace: Workspace) -> None:
    """The manifest is written first: files that never came, or that came alone, are known."""
    users_files(folder)
    before = tree(folder)
    place(workspace, "all", ALL)
    (folder / "AGENTS.md").write_bytes(before["AGENTS.md"][1])  # type: ignore[arg-type]
    (folder / ".agents/skills/mi-x").unlink()
    assert sorted(place(workspace, "all", ALL).changed) == [".agents/skills/mi-x", "AGENTS.md"]
    (folder / "AGENTS.md").write_bytes(before["AGENTS.md"][1])  # type: ignore[arg-type]
    (folder / ".mcp.json").write_bytes(before[".mcp.json"][1])  # type: ignore[arg-type]
    remove(workspace, "all")
    assert tree(folder) == before


def test_the_users_own_folder(tmp_path: Path, home: Home) -> None:
    user = tmp_path / "user"
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").write_text('{"model":"opus"}')
    before = tree(user)
    scope = Workspace.of_user(home)
    place(scope, "hooks", [JsonItem(str(user / ".claude/settings.json"), ("hooks", "Stop"), HOOK)])
    assert not (user / ".mi").exists()
    assert os.path.isfile(home.path("hosts", "manifest.json"))
    remove_all(scope)
    assert tree(user) == before


_NAMES = st.sampled_from(["a", "b"])
_ARTEFACTS = st.one_of(
    st.builds(File, st.sampled_from(["x/f.md", ".mi/generated/f.md"]), st.sampled_from(["one", "two"])),
    st.builds(Link, st.just("skills/s"), st.just(".mi/generated/s")),
    st.builds(MarkedBlock, st.just("AGENTS.md"), _NAMES, st.sampled_from(["t", "u\nv"])),
    st.builds(JsonEntry, st.just("s.json"), st.tuples(st.just("m"), _NAMES), st.sampled_from([1, {"c": 2}])),
    st.builds(JsonItem, st.just("s.json"), st.tuples(st.just("h"), _NAMES), st.sampled_from([1, 2])),
)


def _distinct(artefacts: list[Artefact]) -> list[Artefact]:
    def key(one: Artefact) -> object:
        return (
            type(one),
            one.path,
            getattr(one, "name", ""),
            getattr(one, "keys", ""),
            isinstance(one, JsonItem) and one.value,
        )

    return list({key(one): one for one in artefacts}.values())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.lists(_ARTEFACTS, max_size=6).map(_distinct), min_size=1, max_size=4),
    st.sampled_from(["", "text", "text\n"]),
    st.sampled_from([b"", b"{}", b'{"m":{"z":1}}', b'{\n    "h": {}\n}\n']),
)
def test_any_sequence_ends_where_it_began(tmp_path_factory, placings, agents: str, settings_text: bytes) -> None:
    base = tmp_path_factory.mktemp("any")
    folder = base / "space"
    folder.mkdir()
    if agents:
        (folder / "AGENTS.md").write_text(agents)
    if settings_text:
        (folder / "s.json").write_bytes(settings_text)
    before = tree(folder)
    workspace = Workspace.at(str(folder), Home(str(base / "home")))
    for artefacts in placings:
        place(workspace, "x", artefacts)
        assert place(workspace, "x", artefacts) == Placed([], [], [])
    remove(workspace, "x")
    assert tree(folder) == before
    assert list_known_workspaces(Home(str(base / "home")), Notices()) == []
