"""`mi gc thoughtdb`: everything is archived first, every answer stays, and a kill at any point loses nothing."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mi.kernel import jsonl
from mi.kernel.home import ThoughtFiles
from mi.kernel.notices import Notices
from mi.knowledge.thoughts import compact
from mi.knowledge.thoughts.store import ThoughtStore
from tests.conftest import Mi
from tests.knowledge.thoughts.lines import claim, edge, node, retract, write

DAYS = [f"2026-01-0{day}T00:00:00Z" for day in range(1, 7)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "thoughtdb"
    fill(root)
    return root


def fill(root: Path) -> None:
    """A store with lines of every redundant sort."""
    write(root, claim("cl_1"), claim("cl_2", extra={"kept": [1]}), claim("cl_1"), claim("cl_3"), node("nd_1"))
    write(root, retract("claim", "cl_never"), retract("claim", "cl_2", DAYS[2]), retract("claim", "cl_2", DAYS[3]))
    write(root, edge("ed_1", "supersedes", "cl_1", "cl_3"), retract("node", "nd_1", DAYS[1]))
    write(root, retract("node", "nd_1", DAYS[4]))
    with (root / "claims.jsonl").open("ab") as file:
        file.write(b'{"kind":"claim_note","claim_id":"cl_1","from":"a later version"}\n{"kind":"claim","claim_\n\n')


def answers(root: Path) -> list[Any]:
    store = ThoughtStore(str(root), "project", "p", Notices())
    found: list[Any] = []
    for day in (None, *range(8)):
        reading = store.read(None if day is None else 1_767_225_600_000 + (day - 1) * 86_400_000)
        for one in ("cl_1", "cl_2", "cl_3", "cl_never", "nd_1", "ed_1"):
            thought = reading.get(one)
            found.append(thought and (one, thought.status, thought.raw, reading.retraction(thought)))
    return found


def test_a_preview_changes_nothing(root: Path) -> None:
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    outcome = compact.preview(ThoughtFiles(str(root)))
    claims = outcome.files[0]
    assert (claims.lines, claims.kept) == (10, 5)
    assert claims.reasons == {"repeated": 2, "moot": 1, "unreadable": 1, "blank": 1}
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before


@pytest.mark.req("v1.storage.gc-thoughtdb-archives", "v1.storage.gc-thoughtdb-rewrites", "v1.storage.gc-thoughtdb-view")
def test_the_archive_holds_the_files_as_they_were_and_the_answers_stay(root: Path) -> None:
    before, files = answers(root), {name: (root / name).read_bytes() for name in ("claims.jsonl", "nodes.jsonl")}
    outcome = compact.apply(ThoughtFiles(str(root)))
    assert not (root / "view.sqlite").exists()
    for name, content in files.items():
        assert gzip.decompress((Path(outcome.archive) / f"{name}.gz").read_bytes()) == content
        assert len((root / name).read_bytes()) < len(content)
    manifest = json.loads((Path(outcome.archive) / "manifest.json").read_text())
    assert [one["name"] for one in manifest["files"]] == ["claims.jsonl", "nodes.jsonl", "edges.jsonl"]
    assert manifest["files"][0]["left_out"]["moot"] == 1
    assert answers(root) == before
    assert (root / "view.sqlite").exists()
    write(root, claim("cl_4"))
    assert ThoughtStore(str(root), "project", "p", Notices()).read().get("cl_4") is not None


def test_the_kept_lines_are_kept_byte_for_byte(root: Path) -> None:
    before = (root / "claims.jsonl").read_bytes().splitlines()
    compact.apply(ThoughtFiles(str(root)))
    after = (root / "claims.jsonl").read_bytes().splitlines()
    assert after == [line for line in dict.fromkeys(before) if line in after]
    assert any(b"claim_note" in line for line in after)


def test_nothing_redundant_means_nothing_is_written(root: Path) -> None:
    compact.apply(ThoughtFiles(str(root)))
    before = {path.name: path.stat().st_mtime_ns for path in root.iterdir()}
    assert compact.apply(ThoughtFiles(str(root))).archive == ""
    assert {path.name: path.stat().st_mtime_ns for path in root.iterdir()} == before


def test_an_edge_said_again_keeps_its_place_in_the_order(tmp_path: Path) -> None:
    """cl_1 → cl_2 → cl_1: the edge said last decides who stands, so it may not be taken for a repetition."""
    root = tmp_path / "thoughtdb"
    first = edge("ed_1", "supersedes", "cl_1", "cl_2")
    write(root, claim("cl_1"), claim("cl_2"), claim("cl_1"), first, edge("ed_2", "supersedes", "cl_2", "cl_1"), first)

    def standing() -> list[str]:
        return [one.id for one in ThoughtStore(str(root), "project", "p", Notices()).read().find("claim")]

    assert standing() == ["cl_2"]
    compact.apply(ThoughtFiles(str(root)))
    assert standing() == ["cl_2"]


# Stops the process at the nth call that changes something on the disk, before or after it is carried out.
KILLED = """
import os, sys
from mi.kernel import jsonl
from mi.kernel.home import ThoughtFiles
from mi.knowledge.thoughts import compact
left, after = int(sys.argv[2]), sys.argv[3] == "after"
def deadly(call):
    def wrapped(*args, **more):
        global left
        left -= 1
        if left == 0 and not after:
            os._exit(9)
        try:
            return call(*args, **more)
        finally:
            if left == 0:
                os._exit(9)
    return wrapped
for name in ("open", "fsync", "replace", "rename", "mkdir", "unlink"):
    setattr(os, name, deadly(getattr(os, name)))
compact.apply(ThoughtFiles(sys.argv[1]))
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_any_point_nothing_is_lost(tmp_path: Path, when: str) -> None:
    fill(tmp_path / "model")
    expected = answers(tmp_path / "model")
    step, code = 0, 9
    while code == 9:
        step += 1
        assert step < 100
        root = tmp_path / f"run{step}"
        fill(root)
        answers(root)  # so that there is a view to be outdated
        code = subprocess.run([sys.executable, "-c", KILLED, str(root), str(step), when], check=False).returncode
        assert answers(root) == expected, f"killed {when} step {step}"
        compact.apply(ThoughtFiles(str(root)))
        assert answers(root) == expected
        assert [name for name in os.listdir(root) if ".tmp." in name] == []
        archives = root / "archive"
        assert all((archives / one / "manifest.json").exists() for one in os.listdir(archives))
    assert code == 0
    assert step > 10


def test_a_writer_that_waits_finds_the_new_file(root: Path) -> None:
    """Appends that arrive during compaction are neither lost nor written into the replaced file."""
    code = """
import sys
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
store = ThoughtStore(sys.argv[1], "project", "p", Notices())
for number in range(150):
    store.add_claims([store.new_claim(f"n {number}", ["w"], "ev_x_1", "user")])
"""
    writer = subprocess.Popen([sys.executable, "-c", code, str(root)])
    while writer.poll() is None:
        jsonl.append(str(root / "claims.jsonl"), b"", sealed=True)
        compact.apply(ThoughtFiles(str(root)))
    assert writer.returncode == 0
    assert ThoughtStore(str(root), "project", "p", Notices()).read().count("claim", "w") == 150


@pytest.mark.req(
    "v1.cli.gc-thoughtdb",
    "v1.cli.gc-thoughtdb-global",
    "v1.storage.global-tdb-archive",
    "v1.storage.global-tdb-manifest",
    "v1.storage.project-tdb-archive",
    "v1.storage.project-tdb-manifest",
)
@pytest.mark.parametrize("scope", ["project", "global"])
def test_the_command_shows_first_and_then_does_it(mi: Mi, tmp_path: Path, scope: str) -> None:
    mi("node", "create", "--type", "decision", "--title", "x")
    (project,) = (tmp_path / "home/projects").iterdir()
    root = project / "thoughtdb" if scope == "project" else tmp_path / "home/thoughtdb/global"
    write(root, claim("cl_1"), claim("cl_1"))
    flags = ["--global"] if scope == "global" else []
    shown = mi("gc", "thoughtdb", *flags)
    assert shown.returncode == 0
    assert "--apply" in shown.stdout
    assert not (root / "archive").exists()
    done = json.loads(mi("gc", "thoughtdb", *flags, "--apply", "--json").stdout)
    assert done["applied"] is True
    (archive,) = (root / "archive").iterdir()
    assert {path.name for path in archive.iterdir()} >= {"claims.jsonl.gz", "manifest.json"}
    assert mi("claim", "show", "cl_1", "--json", "--scope", scope).returncode == 0
    assert "Nothing" in mi("gc", "thoughtdb", *flags, "--apply").stdout


@pytest.mark.req("alive.home.stale-view")
@pytest.mark.parametrize("redundant", [True, False])
def test_the_stored_view_of_the_earlier_tool_goes(mi: Mi, tmp_path: Path, redundant: bool) -> None:
    root = tmp_path / "home/thoughtdb/global"
    write(root, claim("cl_1"), *([claim("cl_1")] if redundant else []))
    stale = root / "view.snapshot.json"
    stale.write_text('{"claims": {"cl_ghost": {}}}', "utf-8")
    mi("gc", "thoughtdb", "--global")
    assert stale.exists()
    assert mi("gc", "thoughtdb", "--global", "--apply").returncode == 0
    assert not stale.exists()
    assert "cl_1" in mi("claim", "list", "--scope", "global").stdout
