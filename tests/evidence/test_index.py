import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mi.evidence.index import EvidenceIndex
from mi.evidence.log import EvidenceWriter
from mi.evidence.records.hands import HandsInput
from mi.evidence.records.questions import Question, UserInput
from mi.evidence.records.run import RunStart
from mi.evidence.records.table import PAIRS
from mi.kernel.home import Home
from mi.kernel.notices import Notices
from tests.disks import fill, read_only_disk, small_disk


class Calls(list):
    """Notes what a progress callback was told."""

    def __call__(self, done: int, total: int) -> None:
        self.append((done, total))


def silent(done: int, total: int) -> None:
    pass


def write(log: str, *tasks: str) -> list[str]:
    """Records with these tasks; their event ids."""
    writer = EvidenceWriter.for_command(log, Notices())
    return [writer.append(RunStart(task=task)).event_id for task in tasks]


def task(index: EvidenceIndex, log: str, event_id: str, progress=silent) -> str | None:
    event = index.find(log, event_id, progress)
    return None if event is None else event.fields()["task"]


@pytest.mark.req("mi.log.evidence-sqlite")
def test_an_event_is_found_by_its_id(home):
    ids = write(home.evidence, "one", "two", "three")
    index = EvidenceIndex(home)
    assert [task(index, home.evidence, one) for one in ids] == ["one", "two", "three"]
    assert task(index, home.evidence, "ev_unknown_1") is None
    assert os.stat(home.evidence_index).st_mode & 0o777 == 0o600
    with closing(sqlite3.connect(home.evidence_index)) as db:
        (path, offset), *_ = db.execute("SELECT name, offset FROM event JOIN source ON no = log ORDER BY offset")
    assert (path, offset) == ("global/evidence.jsonl", 0)


def test_each_log_has_its_own_ids(home):
    (ours,), (theirs,) = write(home.evidence, "global"), write(home.project("p").evidence, "project")
    index = EvidenceIndex(home)
    assert task(index, home.evidence, theirs) is None
    assert task(index, home.project("p").evidence, ours) is None
    assert task(index, home.project("p").evidence, theirs) == "project"


def test_the_index_catches_up_with_what_is_new_and_only_that(home):
    write(home.evidence, *["old"] * 5000)
    index = EvidenceIndex(home)
    index.find(home.evidence, "ev_none_1", silent)
    seen = Calls()
    (new,) = write(home.evidence, "new")
    assert task(index, home.evidence, new, seen) == "new"
    assert seen == []  # it is told of every thousand that is taken in


def test_progress_is_told_while_much_is_taken_in(home):
    ids = write(home.evidence, *["x"] * 2500)
    seen = Calls()
    assert task(EvidenceIndex(home), home.evidence, ids[-1], seen) == "x"
    assert len(seen) >= 2
    assert seen == sorted(seen)
    assert all(0 < done <= total for done, total in seen)


@pytest.mark.req("mi.log.evidence-sqlite")
@pytest.mark.parametrize("damage", ["deleted", "garbage", "truncated", "another version", "no tables", "empty"])
def test_a_lost_or_damaged_index_is_built_again(home, damage):
    ids = write(home.evidence, *map(str, range(200)))
    index, path = EvidenceIndex(home), Path(home.evidence_index)
    assert task(index, home.evidence, ids[0]) == "0"
    match damage:
        case "deleted":
            path.unlink()
        case "garbage":
            path.write_bytes(os.urandom(20_000))
        case "truncated":
            path.write_bytes(path.read_bytes()[:5000])
        case "another version":
            with closing(sqlite3.connect(path)) as db:
                db.execute("PRAGMA user_version = 99")
        case "no tables":
            with closing(sqlite3.connect(path)) as db:
                db.execute("DROP TABLE event")
        case "empty":
            path.write_bytes(b"")
    assert [task(index, home.evidence, ids[number]) for number in (0, 100, 199)] == ["0", "100", "199"]


@pytest.mark.parametrize("damage", ["deleted", "garbage", "another version", "no tables"])
def test_after_damage_the_new_index_is_kept(home, damage):
    ids = write(home.evidence, "one", "two")
    index, path = EvidenceIndex(home), Path(home.evidence_index)
    index.find(home.evidence, ids[0], silent)
    if damage in ("another version", "no tables"):
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA user_version = 99" if damage == "another version" else "DROP TABLE event")
    else:
        path.unlink() if damage == "deleted" else path.write_bytes(b"garbage" * 1000)
    assert task(index, home.evidence, ids[1]) == "two"
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM event").fetchone() == (2,)


def test_a_log_replaced_by_another_is_seen(home):
    """Shorter, longer, of the same length: a restored backup, a compacted or foreign log under the same name."""
    old = write(home.evidence, "old 1", "old 2")
    index = EvidenceIndex(home)
    assert task(index, home.evidence, old[1]) == "old 2"
    for names in (["new"], ["more", "more", "more", "more"], ["same", "same", "same", "same"]):
        Path(home.evidence).unlink()
        new = write(home.evidence, *names)
        assert index.find(home.evidence, "ev_nowhere_1", silent) is None
        assert [task(index, home.evidence, one) for one in new] == names
        assert task(index, home.evidence, old[1]) is None


def test_a_replaced_log_does_not_lend_its_questions(home):
    notices = Notices()
    EvidenceWriter.for_command(home.evidence, notices).append(Question(id="qu_old", text="old?"))
    index = EvidenceIndex(home)
    index.latest(home.evidence, "question", silent)
    Path(home.evidence).unlink()
    write(home.evidence, *["x" * 50] * 10)
    EvidenceWriter.for_command(home.evidence, notices).append(Question(id="qu_new", text="new?"))
    assert index.unsettled(home.evidence, PAIRS) == ([], 0)
    latest = index.latest(home.evidence, "question", silent)
    assert index.unsettled(home.evidence, PAIRS) == ([latest], os.path.getsize(home.evidence))


def test_a_moved_home_keeps_its_index(home, tmp_path):
    ids = write(home.evidence, "one")
    EvidenceIndex(home).find(home.evidence, ids[0], silent)
    os.rename(home.root, tmp_path / "moved")
    moved = Home(str(tmp_path / "moved"))
    before = Path(moved.evidence_index).read_bytes()
    assert task(EvidenceIndex(moved), moved.evidence, ids[0]) == "one"
    assert Path(moved.evidence_index).read_bytes() == before


@pytest.mark.parametrize("name", ["a b", "a?mode=rw", "50%25", "a#b", "值"])
def test_any_name_of_a_home_will_do(tmp_path, name):
    home = Home(str(tmp_path / name))
    ids = write(home.evidence, "one")
    EvidenceWriter.for_command(home.evidence, Notices()).append(Question(id="qu_1", text="?"))
    index = EvidenceIndex(home)
    assert task(index, home.evidence, ids[0]) == "one"
    offsets, known = index.unsettled(home.evidence, PAIRS)
    assert (len(offsets), known) == (1, os.path.getsize(home.evidence))
    assert sorted(os.listdir(tmp_path)) == sorted([name, "user", "work"])


def test_the_latest_of_a_kind(home):
    index = EvidenceIndex(home)
    assert index.latest(home.evidence, "hands_input", silent) is None
    write(home.evidence, "one")
    first = os.path.getsize(home.evidence)
    writer = EvidenceWriter.for_command(home.evidence, Notices())
    writer.append(HandsInput(input="a"))
    assert index.latest(home.evidence, "hands_input", silent) == first
    second = os.path.getsize(home.evidence)
    writer.append(HandsInput(input="b"))
    write(home.evidence, "after")
    assert index.latest(home.evidence, "hands_input", silent) == second


def test_a_torn_end_is_taken_in_once_it_is_whole(home):
    write(home.evidence, "one")
    with open(home.evidence, "ab") as file:
        file.write(b'{"kind":"run_start","event_id":"ev_late_1","task":"la')
    index = EvidenceIndex(home)
    assert task(index, home.evidence, "ev_late_1") is None
    with open(home.evidence, "ab") as file:
        file.write(b'te"}\n')
    assert task(index, home.evidence, "ev_late_1") == "late"


def test_unreadable_lines_do_not_stop_the_index(home):
    first = write(home.evidence, "one")
    with open(home.evidence, "ab") as file:
        file.write(b'garbage\n{"kind":5}\n\n' + b"\xff" * 300_000 + b"\n")
    last = write(home.evidence, "two")
    index = EvidenceIndex(home)
    assert [task(index, home.evidence, one) for one in first + last] == ["one", "two"]


def test_a_question_answered_with_a_huge_text_is_settled(home):
    writer = EvidenceWriter.for_command(home.evidence, Notices())
    writer.append(Question(id="qu_1", text="what?"))
    writer.append(UserInput(answer="x" * 400_000, question_id="qu_1"))
    open_question = os.path.getsize(home.evidence)
    writer.append(Question(id="qu_2", text="and?"))
    index = EvidenceIndex(home)
    index.latest(home.evidence, "question", silent)
    assert index.unsettled(home.evidence, PAIRS)[0] == [open_question]


def test_unsettled_writes_nothing(home):
    index = EvidenceIndex(home)
    assert index.unsettled(home.evidence, PAIRS) == ([], 0)
    write(home.evidence, "one")
    assert index.unsettled(home.evidence, PAIRS) == ([], 0)
    assert not os.path.exists(home.indexes)
    os.mkdir(home.indexes)
    Path(home.evidence_index).write_bytes(b"garbage" * 1000)
    assert index.unsettled(home.evidence, PAIRS) == ([], 0)
    assert Path(home.evidence_index).read_bytes() == b"garbage" * 1000


@pytest.mark.parametrize("state", ["none", "behind", "damaged"])
def test_a_read_only_home_gives_the_same_answer(home, state):
    ids = write(home.evidence, "one", "two")
    index, path = EvidenceIndex(home), Path(home.evidence_index)
    if state != "none":
        index.find(home.evidence, ids[0], silent)
        ids += write(home.evidence, "three")
    if state == "damaged":
        path.write_bytes(b"garbage" * 1000)
    with read_only_disk(Path(home.root)):
        assert task(index, home.evidence, ids[1]) == "two"
        assert task(index, home.evidence, ids[-1]) in ("two", "three")
        assert task(index, home.evidence, "ev_unknown_1") is None
    assert path.exists() == (state != "none")


def test_a_full_disk_gives_the_same_answer(tmp_path):
    with small_disk(tmp_path / "disk", "2m") as disk:
        home = Home(str(disk / "home"))
        ids = write(home.evidence, *["x" * 300] * 1000)
        fill(disk)
        index = EvidenceIndex(home)
        assert task(index, home.evidence, ids[500]) == "x" * 300
        (disk / "ballast").unlink()
        assert task(index, home.evidence, ids[999]) == "x" * 300


def test_a_locked_index_gives_the_same_answer(home, monkeypatch):
    ids = write(home.evidence, "one")
    EvidenceIndex(home).find(home.evidence, ids[0], silent)
    ids += write(home.evidence, "two")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options | {"timeout": 0}))
    with closing(connect(home.evidence_index)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert task(EvidenceIndex(home), home.evidence, ids[1]) == "two"
