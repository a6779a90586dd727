"""`mi gc transcripts`: dry run first, archives that stay readable, safe when killed in between."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from mi.evidence.archive import find_old
from mi.kernel.home import Home
from mi.project.snapshots import open_store, take_snapshot
from mi.project.tree_writer import TreeWriter
from tests.conftest import Mi, git


@pytest.fixture
def folder(mi: Mi, home: Home) -> Path:
    """Five settled transcripts of the agent and two of the Mind, in the project of the current folder."""
    status = json.loads(mi("status", "--json").stdout)
    project = home.project(status["project"]["id"])
    for kind, count in ((project.hands_transcripts, 5), (project.mind_transcripts, 2)):
        for number in range(count):
            path = Path(kind) / f"2026-01-0{number + 1}T00-00-00.000Z_run_b{number}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            line = {"ts": "2026-01-01T00:00:00.000Z", "stream": "stdout", "line": f"line {number} " + "word " * 400}
            path.write_text('{"type":"mi.transcript.header"}\n' + (json.dumps(line) + "\n") * 50, "utf-8")
            os.utime(path, (1, 1))
    return Path(project.hands_transcripts)


HELD = """
import sys
from mi.autopilot.run_lock import run_lock
from mi.kernel.notices import Notices
with run_lock(sys.argv[1], "run_now", Notices()):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def going_on(lock: str) -> Iterator[None]:
    """A run of another process goes on."""
    with subprocess.Popen(
        [sys.executable, "-c", HELD, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as held:
        assert held.stdout
        assert held.stdout.readline() == "held\n"
        yield
        held.communicate()


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.req("v1.cli.gc-transcripts-dry")
def test_without_apply_it_only_says_what_it_would_do(mi: Mi, folder: Path) -> None:
    before = contents(folder)
    done = mi("gc", "transcripts", "--keep", "2")
    assert done.returncode == 0
    assert "3 transcripts" in done.stdout
    assert "--apply" in done.stdout
    assert contents(folder) == before


@pytest.mark.req(
    "v1.cli.gc-transcripts",
    "v1.cli.gc-transcripts-apply",
    "v1.storage.transcript-archive-gzip",
    "v1.storage.transcript-archive-stub",
    "v1.storage.hands-transcript-archive",
    "v1.storage.mind-transcript-archive",
)
def test_apply_packs_the_older_ones_and_leaves_stubs(mi: Mi, folder: Path, home: Home) -> None:
    before = contents(folder)
    shown = json.loads(mi("gc", "transcripts", "--apply", "--keep", "1", "--json").stdout)
    assert len(shown["transcripts"]) == 4 + 1
    assert 0 < shown["archived_bytes"] < shown["bytes"]
    names = sorted(path.name for path in folder.glob("*.jsonl"))
    for name in names[:-1]:
        stub = json.loads((folder / name).read_text("utf-8"))
        assert stub["type"] == "mi.transcript.archived"
        assert Path(home.root, stub["archived_path"]) == folder / "archive" / f"{name}.gz"
        assert gzip.decompress((folder / "archive" / f"{name}.gz").read_bytes()) == before[name]
        assert os.stat(folder / "archive" / f"{name}.gz").st_mode & 0o777 == 0o600
    assert (folder / names[-1]).read_bytes() == before[names[-1]]
    assert len(list((folder.parent / "mind" / "archive").glob("*.jsonl.gz"))) == 1


@pytest.mark.req("v1.cli.show-path-stub", "v1.cli.show-path-gz")
def test_archives_are_shown_and_tailed_as_before(mi: Mi, folder: Path) -> None:
    first = sorted(folder.glob("*.jsonl"))[0]
    before = mi("show", str(first)).stdout, mi("tail", "hands").stdout
    mi("gc", "transcripts", "--apply", "--keep", "0")
    assert (mi("show", str(first)).stdout, mi("tail", "hands").stdout) == before
    assert mi("show", str(folder / "archive" / f"{first.name}.gz")).stdout == before[0]


def test_a_second_time_there_is_nothing_left_to_do(mi: Mi, folder: Path) -> None:
    mi("gc", "transcripts", "--apply", "--keep", "0")
    after = contents(folder)
    assert "Nothing to archive" in mi("gc", "transcripts", "--apply", "--keep", "0").stdout
    assert contents(folder) == after


def test_what_a_run_writes_stays_while_it_goes_on(mi: Mi, folder: Path, home: Home) -> None:
    newest = sorted(folder.glob("*.jsonl"))[-1]
    project = home.project(json.loads(mi("status", "--json").stdout)["project"]["id"])
    with going_on(project.run_lock):
        os.utime(newest, (time.time() + 1,) * 2)
        shown = mi("gc", "transcripts", "--apply", "--keep", "0").stdout
    assert "What belongs to run_now stays" in shown
    assert b"mi.transcript.header" in newest.read_bytes()
    assert "1 transcript archived" in mi("gc", "transcripts", "--apply", "--keep", "0").stdout  # it is over
    assert b"mi.transcript.header" not in newest.read_bytes()


KILLED = """
import os, signal, sys
from mi.evidence import archive
from mi.kernel import files
from mi.kernel.home import Home
calls = [0]
def counted(real):
    def call(*args, **options):
        calls[0] += 1
        if calls[0] == int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    return call
for place, name in ((os, "replace"), (os, "fsync"), (os, "open"), (os, "unlink")):
    setattr(place, name, counted(getattr(place, name)))
archive.archive_old(Home(sys.argv[1]), sys.argv[2], 0)
"""


def test_a_kill_at_any_step_loses_nothing(mi: Mi, folder: Path, home: Home) -> None:
    before = {name: data for name, data in contents(folder).items() if name.endswith(".jsonl")}
    for step in range(1, 60):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, home.root, str(folder), str(step)], check=False, timeout=60
        )
        for name, data in before.items():
            now = (folder / name).read_bytes()
            packed = folder / "archive" / f"{name}.gz"
            assert now == data or gzip.decompress(packed.read_bytes()) == data
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL
    assert step > 5
    assert find_old(str(folder), 0) == []
    assert sorted(path.suffix for path in (folder / "archive").iterdir()) == [".gz"] * 5


def test_a_wrong_number_is_a_usage_error(mi: Mi) -> None:
    done = mi("gc", "transcripts", "--keep", "many")
    assert done.returncode == 2
    assert "'many'" in done.stderr


def keep(root: Path, home: Home, run: str) -> None:
    store = open_store(str(root), home.path("none"))
    assert take_snapshot(TreeWriter(str(root), home.path("trees", run), store), run, "b1").reason == ""


@pytest.mark.req("person.net.gc")
def test_snapshots_are_listed_first_and_removed_when_told(mi, repository, home: Home, monkeypatch):
    root: Path = repository()
    monkeypatch.chdir(root)
    for run in ("run_a", "run_b"):
        keep(root, home, run)
    assert "No snapshots to remove" in mi("gc", "snapshots").stdout
    shown = mi("gc", "snapshots", "--run", "run_a").stdout
    assert "refs/mi/run_a/b1" in shown
    assert "--apply" in shown
    done = json.loads(mi("gc", "snapshots", "--run", "run_a", "--apply", "--json").stdout)
    assert done == {"applied": True, "snapshots": ["refs/mi/run_a/b1"]}
    assert git(root, "for-each-ref", "--format=%(refname)", "refs/mi/") == "refs/mi/run_b/b1"


@pytest.mark.req("person.net.gc")
@pytest.mark.parametrize("words", [("--days", "0"), ("--run", "run_now")])
def test_snapshots_of_a_run_that_goes_on_stay(mi, repository, home: Home, monkeypatch, words: tuple[str, str]):
    root: Path = repository()
    monkeypatch.chdir(root)
    project = home.project(json.loads(mi("status", "--json").stdout)["project"]["id"])
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
    for run in ("run_a", "run_now"):
        keep(root, home, run)
    with going_on(project.run_lock):
        shown = mi("gc", "snapshots", *words, "--apply").stdout
    assert "refs/mi/run_now/b1" not in shown
    assert "What belongs to run_now stays" in shown
    assert "refs/mi/run_now/b1" in git(root, "for-each-ref", "--format=%(refname)", "refs/mi/")
    assert "refs/mi/run_now/b1" in mi("gc", "snapshots", "--run", "run_now", "--apply").stdout
