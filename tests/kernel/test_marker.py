"""The marker of a home: what MI made is named in it first, once, and whatever else happens to the file."""

import json
import os
from pathlib import Path

import pytest

from mi.kernel import files, jsonl, layout
from mi.kernel.errors import UsageError
from mi.kernel.home import Home, make_dirs
from mi.kernel.marker import NAME
from mi.kernel.purge import find_purge, purge
from tests.kernel.test_home import layout as seed_layout

ID = "0123456789abcdef"


def made(home: Home) -> list[str]:
    lines = [json.loads(line) for line in Path(home.path(NAME)).read_text("utf-8").splitlines()]
    return [one["made"] for one in lines if "made" in one]


def test_the_marker_is_the_first_thing_in_a_new_home(home, monkeypatch):
    seen: list[list[str]] = []
    mkdir = os.mkdir

    def watched(path: str, mode: int = 0o777) -> None:
        seen.append(sorted(os.listdir(home.root)) if os.path.isdir(home.root) else [])
        mkdir(path, mode)

    monkeypatch.setattr(os, "mkdir", watched)
    make_dirs(home.project(ID).contract)
    assert seen == [[], [NAME], [NAME, "projects"], [NAME, "projects"]]
    assert made(home) == ["projects"]
    assert os.stat(home.path(NAME)).st_mode & 0o777 == 0o600


def test_what_is_known_is_not_written_again(home):
    files.write_atomic(home.selection, b"{}")
    before = os.stat(home.path(NAME))
    for _ in range(2):
        files.write_atomic(home.selection, b"{}")
        jsonl.append(home.evidence, b"{}")
    after = os.stat(home.path(NAME))
    assert (after.st_size, after.st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert made(home) == ["global"]


def test_in_somebody_elses_folder_each_file_is_named(home):
    os.makedirs(home.path("global"))
    Path(home.evidence).write_text("theirs\n", "utf-8")
    jsonl.append(home.evidence, b"{}")
    files.write_atomic(home.selection, b"{}")
    files.write_atomic(home.path("export.json"), b"{}")
    assert made(home) == ["global/project_selection.json"]
    assert [os.path.basename(one) for one in purge(home).gone] == ["project_selection.json", NAME]


def test_a_torn_line_costs_only_itself(home):
    files.write_atomic(home.selection, b"{}")
    with open(home.path(NAME), "ab") as file:
        file.write(b'{"made": "ind')
    make_dirs(home.indexes)
    again = Home(home.root)
    assert again.path("indexes") in find_purge(again).gone


def test_a_home_that_was_purged_meanwhile_begins_anew(home):
    """A server that stays open writes on after `mi uninstall --purge`."""
    files.write_atomic(home.selection, b"{}")
    purge(home)
    assert not home.exists()
    files.write_atomic(home.selection, b"{}")
    assert made(home) == ["global"]


def test_another_process_may_have_named_a_folder(home):
    files.write_atomic(home.selection, b"{}")
    with open(home.path(NAME), "ab") as file:
        file.write(b'{"made":"indexes"}\n')
    os.mkdir(home.indexes)
    files.write_atomic(home.known_projects, b"{}")
    assert made(home) == ["global", "indexes"]


def test_a_link_in_the_markers_place_is_not_written_through(home, tmp_path):
    os.mkdir(home.root)
    other = tmp_path / "other"
    other.write_text("theirs", "utf-8")
    os.symlink(other, home.path(NAME))
    with pytest.raises(OSError, match=NAME):
        files.write_atomic(home.selection, b"{}")
    assert other.read_text("utf-8") == "theirs"


def test_a_purge_that_was_cut_short_is_done_again(home, monkeypatch):
    files.write_atomic(home.selection, b"{}")
    files.write_atomic(home.known_projects, b"{}")
    unlink, left = os.unlink, [1]

    def failing(path: str, *, dir_fd: int | None = None) -> None:
        if not left:
            raise OSError(5, "gone wrong", path)
        left.pop()
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", failing)
    with pytest.raises(OSError, match="gone wrong"):
        purge(home)
    monkeypatch.undo()
    assert os.path.isfile(home.path(NAME))
    assert home.known_projects in purge(home).gone
    assert not home.exists()


def test_a_folder_without_a_marker_is_not_purged(home):
    os.makedirs(home.path("global"))
    with pytest.raises(UsageError, match="is no MI home"):
        purge(home)
    assert os.path.isdir(home.path("global"))


def test_the_whole_layout_is_known(home):
    for pattern in seed_layout(home, home.project(ID)):
        name = pattern.replace("<ts>", "2026-01-01T00-00-00.000Z").replace("/*", "/wf_x")
        assert layout.is_file(name), name
        assert layout.is_folder(os.path.dirname(name) or "projects"), name
        assert layout.is_file(name + ".tmp.12")


@pytest.mark.parametrize(
    "name",
    [
        *("projects/site/overlay.json", f"projects/{ID}/notes.md", "projects/notes.md", "workflows/ci.yml"),
        *("backups/config.json.bak", "config.json.mine", "demo/talk", "persona/me.txt", "notes.txt", "global/x.jsonl"),
        *(f"projects/{ID}/overlay.json/x", "x/config.json", "config.json\n", ""),
    ],
)
def test_what_is_somebody_elses_by_its_name(name):
    assert not layout.is_file(name)
