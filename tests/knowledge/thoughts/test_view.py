"""The derived view: it may be deleted, damaged, outdated or impossible to keep; the answers stay the same."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mi.kernel.log_view import LogView
from mi.kernel.notices import Notices
from mi.knowledge import status
from mi.knowledge.thoughts import intake
from mi.knowledge.thoughts.line_state import LineState
from mi.knowledge.thoughts.store import ThoughtStore
from mi.knowledge.thoughts.store_state import Filter
from tests.knowledge.thoughts.lines import claim, edge, node, retract, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "thoughtdb"
    for number in range(40):
        write(root, claim(f"cl_{number:03d}", tags=[f"t{number % 4}"]))
    write(root, node("nd_1"), retract("claim", "cl_001"), edge("ed_1", "supersedes", "cl_002", "cl_003"))
    return root


def open_store(root: Path, notices: Notices | None = None) -> ThoughtStore:
    return ThoughtStore(str(root), "project", "p", notices or Notices())


def standing(root: Path, notices: Notices | None = None) -> list[str]:
    return [one.id for one in open_store(root, notices).read().find("claim")]


EXPECTED = [f"cl_{number:03d}" for number in reversed(range(40)) if number not in (1, 2)]


@pytest.mark.req("mi.log.view-sqlite")
def test_the_view_stands_beside_the_store_and_is_private(root: Path) -> None:
    assert standing(root) == EXPECTED
    assert (root / "view.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.req("mi.log.view-snapshot-ignored", "v1.storage.project-view-snapshot", "v1.storage.global-view-snapshot")
def test_an_earlier_tools_snapshot_is_ignored(root: Path) -> None:
    (root / "view.snapshot.json").write_text('{"claims": {"cl_ghost": {"text": "not in the store"}}}')
    assert standing(root) == EXPECTED
    (root / "view.snapshot.json").write_text("{broken")
    assert standing(root) == EXPECTED


def test_a_deleted_view_comes_back(root: Path) -> None:
    standing(root)
    (root / "view.sqlite").unlink()
    assert standing(root) == EXPECTED
    assert (root / "view.sqlite").exists()


@pytest.mark.parametrize("damage", ["garbage", "empty", "head", "middle", "version"])
def test_a_damaged_view_is_built_again(root: Path, damage: str) -> None:
    standing(root)
    view = root / "view.sqlite"
    content = view.read_bytes()
    view.write_bytes(
        {
            "garbage": b"this is no database " * 500,
            "empty": b"",
            "head": b"\xff" * 200 + content[200:],
            "middle": content[:4096] + b"\xa5" * (len(content) - 4096),
            "version": content[:60] + (99).to_bytes(4, "big") + content[64:],
        }[damage]
    )
    assert standing(root) == EXPECTED
    assert open_store(root).read().get("cl_002").status == "superseded"  # type: ignore[union-attr]
    assert standing(root) == EXPECTED


def test_damage_found_by_a_later_query_is_mended(root: Path) -> None:
    store = open_store(root)
    reading = store.read()
    view = root / "view.sqlite"
    content = bytearray(view.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    view.write_bytes(content)
    assert [one.id for one in reading.find("claim")] == EXPECTED


def test_where_no_view_can_be_kept_it_is_made_in_memory(root: Path) -> None:
    (root / "view.sqlite").mkdir()
    assert standing(root) == EXPECTED
    write(root, claim("cl_new"))
    assert standing(root) == ["cl_new", *EXPECTED]


def test_reading_without_saving_writes_nothing(root: Path) -> None:
    before = sorted(os.listdir(root))
    assert open_store(root).read(save=False).count("claim", "t0") == 10
    assert sorted(os.listdir(root)) == before
    standing(root)
    view = (root / "view.sqlite").read_bytes()
    write(root, claim("cl_new", tags=["t0"]), retract("claim", "cl_000"))
    assert open_store(root).read(save=False).count("claim", "t0") == 10
    assert (root / "view.sqlite").read_bytes() == view


def test_an_empty_store_leaves_no_trace_when_read(tmp_path: Path) -> None:
    store = open_store(tmp_path / "nothing")
    assert list(store.read().find("claim")) == []
    assert not (tmp_path / "nothing").exists()
    write(tmp_path / "nothing", claim("cl_1"))
    assert [one.id for one in store.read().find("claim")] == ["cl_1"]
    assert (tmp_path / "nothing/view.sqlite").exists()


@pytest.mark.req("v1.tdb.hot-view", "mi.fail.no-reingest")
def test_only_what_is_new_is_taken_in(root: Path) -> None:
    """A line that was taken in is not read again: spoiling it in place, with more appended, changes no list."""
    store = open_store(root)
    store.read()
    claims = root / "claims.jsonl"
    content = bytearray(claims.read_bytes())
    content[:20] = b"x" * 20
    with claims.open("r+b") as file:
        file.write(content[:20])
    write(root, claim("cl_new"))
    assert [one.id for one in store.read().find("claim")] == ["cl_new", *EXPECTED]
    assert standing(root) == ["cl_new", *EXPECTED]


def test_an_open_reader_sees_what_others_append(root: Path) -> None:
    store = open_store(root)
    store.read()
    write(root, claim("cl_new"), retract("claim", "cl_039"))
    assert [one.id for one in store.read().find("claim")] == ["cl_new", *EXPECTED[1:]]


@pytest.mark.parametrize("how", ["replaced", "in place", "longer", "gone"])
def test_a_replaced_file_is_noticed(root: Path, how: str) -> None:
    standing(root)
    claims = root / "claims.jsonl"
    lines = claims.read_bytes().splitlines(keepends=True)
    if how == "gone":
        claims.unlink()
        assert standing(root) == []
        return
    changed = b"".join(lines).replace(b"cl_010", b"cl_xyz")
    if how == "in place":
        time_of = claims.stat().st_mtime_ns
        claims.write_bytes(changed)
        os.utime(claims, ns=(time_of + 1_000_000, time_of + 1_000_000))
    else:
        other = root / "other"
        other.write_bytes(changed + (b"".join(lines[:3]) if how == "longer" else b""))
        os.replace(other, claims)
    found = standing(root)
    assert "cl_xyz" in found
    assert "cl_010" not in found


def test_a_reader_with_open_files_survives_their_replacement(root: Path) -> None:
    reading = open_store(root).read()
    thought = reading.get("cl_020")
    (root / "claims.jsonl").unlink()
    write(root, claim("cl_other"))
    assert thought is not None
    assert thought.raw["claim_id"] == "cl_020"


def test_broken_lines_cost_themselves_and_are_reported(root: Path) -> None:
    with (root / "claims.jsonl").open("ab") as file:
        file.write(b'{"kind":"claim","claim_id":"cl_bro\n\xff\xfe\n\n[1,2]\n"text"\n')
    write(root, claim("cl_after"))
    notices = Notices()
    assert standing(root, notices) == ["cl_after", *EXPECTED]
    again = Notices()
    assert standing(root, again) == ["cl_after", *EXPECTED]
    for one in (notices, again):
        assert [notice.details for notice in one if notice.key == "unreadable-lines"] == [{"count": 4}]


def test_half_a_line_waits_for_its_end(root: Path) -> None:
    standing(root)
    whole = b'{"kind":"claim","claim_id":"cl_slow","claim_type":"fact","text":"slow"}'
    with (root / "claims.jsonl").open("ab") as file:
        file.write(whole[:30])
    notices = Notices()
    assert standing(root, notices) == EXPECTED
    assert [notice.key for notice in notices] == ["torn-line"]
    with (root / "claims.jsonl").open("ab") as file:
        file.write(whole[30:] + b"\n")
    assert standing(root) == ["cl_slow", *EXPECTED]


def test_a_torn_end_is_repaired_by_the_next_write(root: Path) -> None:
    with (root / "claims.jsonl").open("ab") as file:
        file.write(b'{"kind":"claim","claim_id":"cl_torn')
    notices = Notices()
    store = open_store(root, notices)
    store.read()
    new = store.new_claim("said after a crash", [], "ev_x_1", "user")
    store.add_claims([new])
    assert standing(root) == [new.claim_id, *EXPECTED]
    assert any(notice.key == "torn-set-aside" for notice in notices)


def test_a_very_long_line_is_read_in_few_steps(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, claim("cl_long", "x" * 20_000_000), claim("cl_next", "short"))
    reading = open_store(root).read()
    found = reading.get("cl_long")
    steps: list[int] = []
    read = os.pread

    def counted(fd: int, size: int, offset: int) -> bytes:
        steps.append(size)
        return read(fd, size, offset)

    monkeypatch.setattr(os, "pread", counted)
    assert found is not None
    assert len(found.raw["text"]) == 20_000_000
    assert len(steps) < 12


def test_a_very_long_line_is_no_hindrance(root: Path) -> None:
    write(root, claim("cl_long", "x" * 3_000_000, tags=["long"]))
    store = open_store(root)
    (thought,) = store.read().find("claim", Filter(tags=("long",)))
    assert len(thought.raw["text"]) == 3_000_000


WRITER = """
import sys
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
store = ThoughtStore(sys.argv[1], "project", "p", Notices())
for number in range(int(sys.argv[2])):
    claim = store.new_claim(f"number {number}", ["many"], "ev_x_1", "user")
    store.add_claims([claim])
    if number % 3 == 0:
        store.retract([claim.claim_id], "again", "ev_x_1")
    if number % 50 == 0:
        store.read()
"""


@pytest.mark.req("v1.tdb.claim-store", "v1.cli.tdb-append-only")
def test_two_writers_and_a_reader_lose_nothing(tmp_path: Path) -> None:
    root = tmp_path / "thoughtdb"
    count = 120
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(count)]) for _ in range(2)]
    store = open_store(root)
    seen = 0
    while any(writer.poll() is None for writer in writers):
        found = store.read().count("claim", "many")
        assert 0 <= found <= 2 * count
        seen = max(seen, found)
    assert [writer.returncode for writer in writers] == [0, 0]
    expected = 2 * (count - len(range(0, count, 3)))
    assert store.read().count("claim", "many") == expected
    assert open_store(root).read().count("claim", "many") == expected
    (root / "view.sqlite").unlink()
    assert open_store(root).read().count("claim", "many") == expected


BUILDER = """
import sys
from mi.kernel.notices import Notices
from mi.knowledge.thoughts.store import ThoughtStore
sys.stdout.write("ready\\n"); sys.stdout.flush()
ThoughtStore(sys.argv[1], "project", "p", Notices()).read()
"""


@pytest.mark.parametrize("moment", [0.0, 0.02, 0.05, 0.1])
def test_killed_while_building_the_next_reader_builds(tmp_path: Path, moment: float) -> None:
    root = tmp_path / "thoughtdb"
    root.mkdir()
    import json

    with (root / "claims.jsonl").open("w") as file:
        for number in range(20_000):
            file.write(json.dumps(claim(f"cl_{number:05d}", tags=["all"])) + "\n")
    builder = subprocess.Popen([sys.executable, "-c", BUILDER, str(root)], stdout=subprocess.PIPE)
    assert builder.stdout is not None
    builder.stdout.readline()
    wait_until(lambda: (root / "view.sqlite").exists() or builder.poll() is not None)
    end = time.monotonic() + moment
    wait_until(lambda: time.monotonic() > end)
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    builder.stdout.close()
    assert open_store(root).read().count("claim", "all") == 20_000


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.mark.req("mi.fail.index-not-quadratic")
def test_long_chains_and_rings_are_no_quadratic_work(tmp_path: Path) -> None:
    """Counted in steps of the database, not by the clock: four times the chain costs about four times the work."""

    def work(size: int, reverse: bool) -> int:
        view = LogView("", intake.TABLES)
        ticks = 0

        def tick() -> int:
            nonlocal ticks
            ticks += 1
            return 0

        view.db.set_progress_handler(tick, 100)
        names = [f"cl_{number}" for number in range(size)]
        claims = [(place, LineState(True, one, 0, "fact")) for place, one in enumerate(names)]
        intake.LineIntake("claim").take_in(view.db, 1, claims)
        pairs = list(zip(names, [*names[1:], names[0]], strict=True))
        edges = [
            (place, LineState(True, f"ed_{place}", 0, "supersedes", from_id=a, to_id=b))
            for place, (a, b) in enumerate(reversed(pairs) if reverse else pairs)
        ]
        intake.LineIntake("edge").take_in(view.db, 2, edges)
        (standing,) = view.db.execute("SELECT count(*) FROM claim WHERE status = 0").fetchone()
        assert standing == 1
        view.close()
        return ticks

    for reverse in (False, True):
        assert work(1600, reverse) < 8 * work(400, reverse)


def test_an_edge_that_is_said_again_and_again_does_not_pile_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "WAITING", 3)
    root = root / "other"
    write(root, claim("cl_1"), claim("cl_2"))
    for _ in range(10):
        write(root, edge("ed_1", "supersedes", "cl_1", "cl_2"))
        open_store(root).read()
    with closing(sqlite3.connect(root / "view.sqlite")) as db:
        assert db.execute("SELECT count(*) FROM new_correction").fetchone()[0] <= 3
    assert standing(root) == ["cl_2"]
