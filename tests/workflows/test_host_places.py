"""The folders that a binding names: its skills are generated and linked there."""

import json
from pathlib import Path
from typing import Any

import pytest

from mi.project.identity import make_project_id
from tests.conftest import Mi

pytestmark = pytest.mark.req("alive.home.host-places", "alive.home.flags")


def call(mi: Mi, *words: str) -> Any:
    done = mi(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def list_files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


@pytest.fixture
def space(mi: Mi, tmp_path: Path) -> Path:
    call(mi, "workflow", "create", "--name", "Release", "--step", "tag")
    (tmp_path / "space/own").mkdir(parents=True)
    return tmp_path / "space"


def test_a_binding_places_where_it_is_told_and_goes_without_a_trace(mi: Mi, space: Path):
    before = list_files(space)
    flags = ["--workspace", str(space), "--generated-rel-dir", "own/made", "--symlink-dir", "agents/skills"]
    call(mi, "host", "bind", "openclaw", *flags)
    link, made = space / "agents/skills/mi-release", space / "own/made/skills/mi-release"
    assert link.resolve() == made
    assert "Release" in (link / "SKILL.md").read_text("utf-8")
    assert not (space / "skills").exists()
    assert not (space / ".mi/generated").exists()
    call(mi, "workflow", "create", "--name", "Review", "--step", "read")
    call(mi, "host", "sync")
    assert (space / "agents/skills/mi-review/SKILL.md").exists()
    (bound,) = call(mi, "host", "list")["bindings"]
    assert bound["generated_rel_dir"] == "own/made"
    assert bound["register"]["symlink_dirs"][0] == {"src": "own/made/skills", "dst": "agents/skills"}
    call(mi, "host", "unbind", "openclaw")
    assert [one for one in list_files(space) if not one.startswith(".mi")] == before


def test_no_folder_outside_of_the_workspace_is_taken(mi: Mi, space: Path):
    done = mi("host", "bind", "openclaw", "--workspace", str(space), "--symlink-dir", "../elsewhere")
    assert done.returncode == 1
    assert "../elsewhere" in done.stderr
    assert call(mi, "host", "list")["bindings"] == []


def test_the_binding_of_an_earlier_tool_holds(mi: Mi, tmp_path: Path, space: Path):
    overlay = tmp_path / "home/projects" / make_project_id(f"path:{tmp_path / 'work'}") / "overlay.json"
    stored = json.loads(overlay.read_text("utf-8"))
    register = {"symlink_dirs": [{"src": "skills", "dst": "linked"}]}
    binding = {"host": "openclaw", "workspace_root": str(space), "enabled": True, "generated_rel_dir": ".mi/of-then"}
    overlay.write_text(json.dumps(stored | {"host_bindings": [binding | {"register": register}]}), "utf-8")
    call(mi, "host", "sync")
    assert (space / "linked/mi-release").resolve() == space / ".mi/of-then/skills/mi-release"
    assert (space / "linked/mi-release/SKILL.md").exists()
