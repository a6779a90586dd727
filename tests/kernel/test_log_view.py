"""A log as a SQLite view: whatever happens to the log, the file or the process, the answer is that of the log."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mi.kernel.jsonl import Line
from mi.kernel.jsontext import BadJson
from mi.kernel.log_source import Batch, Cursor, Log, is_at
from mi.kernel.log_view import LogView, Tables, Trouble, among, rows_among
from tests.disks import fill, read_only_disk, small_disk

TABLES = Tables(7, ("CREATE TABLE word (source INTEGER, text TEXT)", "CREATE VIEW every_word AS SELECT * FROM word"))


class Words:
    """A fold that keeps the words of a log and notes what it was given."""

    def __init__(self) -> None:
        self.taken: list[str] = []

    def take_in(self, db: sqlite3.Connection, source: int, changes: list[str]) -> None:
        self.taken += changes
        db.executemany("INSERT INTO word VALUES (?, ?)", [(source, one) for one in changes])

    def forget(self, db: sqlite3.Connection, source: int) -> None:
        db.execute("DELETE FROM word WHERE source = ?", (source,))


def read_word(line: Line) -> list[str]:
    if line.data == b"?":
        raise BadJson("no word")
    return [line.data.decode()] if line.data else []


class Fixture:
    """A log with its view; each `words` is what another process would be told."""

    def __init__(self, folder: Path, batch: int = 3) -> None:
        folder.mkdir(exist_ok=True)
        self.log = folder / "log.jsonl"
        self.path = folder / "views" / "words.sqlite"
        self.batch = batch
        self.taken: list[str] = []
        self.troubles: list[Trouble] = []

    def write(self, *words: str, end: str = "\n") -> None:
        with self.log.open("a") as file:
            file.write("".join(word + end for word in words))

    def words(self, tables: Tables = TABLES, saves: bool = True) -> list[str]:
        fold, log = Words(), Log(str(self.log), "log", lambda: read_word, batch=self.batch)
        view = LogView(str(self.path), tables, lambda trouble, error: self.troubles.append(trouble))
        view.saves = saves

        def work(db: sqlite3.Connection) -> list[str]:
            fold.taken.clear()
            if log.has_news(view.cursor("log")):
                view.catch_up(log, fold, lambda done, total: None)
            return [text for (text,) in db.execute("SELECT text FROM every_word ORDER BY rowid")]

        with closing(view):
            found = view.run(work)
        self.taken = fold.taken
        return found


@pytest.fixture
def view(tmp_path: Path) -> Fixture:
    fixture = Fixture(tmp_path / "place")
    fixture.write("one", "two", "three", "four")
    assert fixture.words() == ["one", "two", "three", "four"]
    fixture.troubles.clear()
    return fixture


def test_only_what_is_new_is_taken_in(view: Fixture) -> None:
    assert view.words() == ["one", "two", "three", "four"]
    assert view.taken == []
    view.write("five")
    assert view.words()[-1] == "five"
    assert view.taken == ["five"]
    assert view.path.stat().st_mode & 0o777 == 0o600
    assert view.troubles == []


def test_a_log_that_is_not_there_yet_leaves_nothing_behind(tmp_path: Path) -> None:
    log = Log(str(tmp_path / "none"), "log", lambda: read_word)
    assert (log.end(), log.size(), log.has_news(""), list(log.read(""))) == ("", 0, False, [])
    assert not log.hold()
    assert log.line(0) == b""


def test_a_torn_last_line_waits_for_its_end(view: Fixture) -> None:
    view.write("fi", end="")
    assert view.words() == ["one", "two", "three", "four"]
    view.write("ve")
    assert view.words()[-1] == "five"
    assert view.taken == ["five"]


def test_lines_that_cannot_be_read_are_counted_and_passed_over(view: Fixture) -> None:
    view.write("?", "", "five", "?")
    assert view.words()[-1] == "five"
    view.write("six")
    assert view.words()[-2:] == ["five", "six"]
    with closing(LogView(str(view.path), TABLES)) as stored:
        assert Cursor.parse(stored.cursor("log")).unreadable == 2


def test_a_log_that_is_replaced_truncated_or_gone_is_another_one(view: Fixture) -> None:
    view.log.unlink()
    view.write("other")
    assert view.words() == ["other"]
    size = view.log.stat().st_size
    view.log.write_text("again\n")  # in place, as long as before
    os.utime(view.log, ns=(0, 0))
    assert view.log.stat().st_size == size
    assert view.words() == ["again"]
    view.write("more")
    assert view.words() == ["again", "more"]
    os.truncate(view.log, len("again\n"))
    assert view.words() == ["again"]
    os.truncate(view.log, 0)
    assert view.words() == []
    view.write("back")
    assert view.words() == ["back"]
    view.log.unlink()
    assert view.words() == []


def test_a_log_put_back_from_a_copy_and_written_on_is_another_one(view: Fixture) -> None:
    copy = view.log.read_bytes()
    view.write("lost")
    assert view.words()[-1] == "lost"
    view.log.write_bytes(copy)
    view.write("much longer than what was lost")
    assert view.words() == ["one", "two", "three", "four", "much longer than what was lost"]


def test_offsets_stay_true_while_a_log_is_held(view: Fixture) -> None:
    log = Log(str(view.log), "log", lambda: read_word)
    assert log.hold()
    view.log.unlink()
    view.write("other")
    assert log.line(4) == b"two"
    assert log.hold()
    assert log.line(0) == b"other"
    log.close()


@pytest.mark.parametrize("damage", ["deleted", "empty", "garbage", "truncated", "head", "middle", "no table"])
def test_a_damaged_view_is_built_again_and_kept(view: Fixture, damage: str) -> None:
    content = view.path.read_bytes()
    if damage == "deleted":
        view.path.unlink()
    elif damage == "no table":
        with closing(sqlite3.connect(view.path)) as db:
            db.executescript("DROP VIEW every_word; DROP TABLE word")
    else:
        damaged = {
            "empty": b"",
            "garbage": b"no database " * 900,
            "truncated": content[:5000],
            "head": b"\xff" * 200 + content[200:],
            "middle": content[:4096] + b"\xa5" * (len(content) - 4096),
        }
        view.path.write_bytes(damaged[damage])
    view.write("five")
    assert view.words() == ["one", "two", "three", "four", "five"]
    assert view.troubles == ([] if damage in ("deleted", "empty") else ["broken"])
    assert view.words() == ["one", "two", "three", "four", "five"]
    assert view.taken == []


def test_damage_that_shows_late_is_mended_while_the_view_is_open(view: Fixture) -> None:
    log = Log(str(view.log), "log", lambda: read_word)
    with closing(LogView(str(view.path), TABLES)) as open_view:
        open_view.run(lambda db: db.execute("SELECT 1 FROM word").fetchall())
        content = view.path.read_bytes()
        view.path.write_bytes(content[:4096] + b"\xa5" * (len(content) - 4096))

        def count(db: sqlite3.Connection) -> int:
            open_view.catch_up(log, Words(), lambda done, total: None)
            return int(db.execute("SELECT count(*) FROM word").fetchone()[0])

        assert open_view.run(count) == 4


@pytest.mark.parametrize("version", [6, 8])
def test_a_view_of_another_version_is_built_again_without_a_word(view: Fixture, version: int) -> None:
    with closing(sqlite3.connect(view.path)) as db:
        db.executescript(f"DELETE FROM word; INSERT INTO word VALUES (1, 'misread'); PRAGMA user_version = {version}")
    assert LogView(str(view.path), TABLES).look(lambda db: 1) is None
    assert view.words() == ["one", "two", "three", "four"]
    assert view.troubles == []
    assert LogView(str(view.path), TABLES).look(lambda db: 1) == 1


def test_a_read_only_disk_gives_the_same_answer(view: Fixture) -> None:
    stored = view.path.read_bytes()
    with read_only_disk(view.path.parent):
        assert view.words() == ["one", "two", "three", "four"]
        assert (view.taken, view.troubles) == ([], ["unwritable"])
        view.write("five")
        assert view.words()[-1] == "five"
        assert view.taken == ["five"]  # on top of a copy of what is stored
    assert view.path.read_bytes() == stored


@pytest.mark.parametrize("state", ["none", "damaged", "other version"])
def test_a_read_only_disk_without_a_view_that_can_be_used(view: Fixture, state: str) -> None:
    if state == "none":
        view.path.unlink()
    elif state == "damaged":
        view.path.write_bytes(b"no database " * 900)
    else:
        with closing(sqlite3.connect(view.path)) as db:
            db.executescript("DELETE FROM word; PRAGMA user_version = 6")
    stored = sorted((one.name, one.read_bytes()) for one in view.path.parent.iterdir())
    with read_only_disk(view.path.parent):
        assert view.words() == ["one", "two", "three", "four"]
    assert sorted((one.name, one.read_bytes()) for one in view.path.parent.iterdir()) == stored


def test_nothing_is_written_where_it_is_not_wanted(view: Fixture) -> None:
    stored = view.path.read_bytes()
    view.write("five")
    assert view.words(saves=False)[-1] == "five"
    assert view.path.read_bytes() == stored
    view.path.unlink()
    assert view.words(saves=False)[-1] == "five"
    assert not view.path.exists()


@pytest.mark.parametrize("place", ["file", "folder"])
def test_something_else_in_its_place_is_no_hindrance(tmp_path: Path, place: str) -> None:
    fixture = Fixture(tmp_path / "place")
    if place == "file":
        fixture.path.parent.write_text("in the way")
    else:
        fixture.path.mkdir(parents=True)
    fixture.write("one")
    assert fixture.words() == ["one"]
    assert fixture.troubles == ["unwritable"]


def test_a_full_disk_gives_the_same_answer(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "1m") as disk:
        fixture = Fixture(disk / "place", batch=1000)
        fixture.write(*(f"word{number}" for number in range(20_000)))
        fill(disk)
        assert len(fixture.words()) == 20_000
        (disk / "ballast").unlink()
        assert len(fixture.words()) == 20_000


def test_a_locked_view_gives_the_same_answer(view: Fixture, monkeypatch: pytest.MonkeyPatch) -> None:
    view.write("five")
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options | {"timeout": 0}))
    with closing(connect(view.path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert view.words()[-1] == "five"
    assert view.troubles == ["unwritable"]


def test_a_fold_that_fails_changes_nothing(view: Fixture) -> None:
    class Failing(Words):
        def take_in(self, db: sqlite3.Connection, source: int, changes: list[str]) -> None:
            super().take_in(db, source, changes)
            raise KeyError("half way")

    with closing(LogView(str(view.path), TABLES)) as stored:
        before = stored.cursor("log")
        with pytest.raises(KeyError):
            stored.apply("log", before, Batch(["half"], "1:1:1"), Failing())
        assert stored.cursor("log") == before
    assert view.words() == ["one", "two", "three", "four"]


def test_who_comes_second_goes_on_from_where_the_first_is(view: Fixture) -> None:
    view.write("five", "six", "seven", "eight")
    log = Log(str(view.log), "log", lambda: read_word, batch=3)
    with closing(LogView(str(view.path), TABLES)) as late:
        read = log.read

        def slow(cursor: str):  # type: ignore[no-untyped-def]
            batches = list(read(cursor))
            view.words()  # another process takes all of it in meanwhile
            yield from batches

        log.read = slow  # type: ignore[method-assign]
        late.catch_up(log, Words(), lambda done, total: None)
    assert view.words() == ["one", "two", "three", "four", "five", "six", "seven", "eight"]


def test_sources_are_forgotten_and_tables_cleared(view: Fixture) -> None:
    with closing(LogView(str(view.path), TABLES)) as stored:
        stored.apply("other", "", Batch(["guest"], "1:1:1"), Words())
        assert set(stored.cursors()) == {"log", "other"}
        stored.forget("other", Words())
        assert stored.db.execute("SELECT count(*) FROM word").fetchone() == (4,)
        stored.clear()
        assert stored.cursors() == {}
    assert view.words() == ["one", "two", "three", "four"]


@pytest.mark.req("safe.seal.views")
@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("work", ["UPDATE word SET text = 'forged' WHERE text = 'two'", "DELETE FROM word"])
def test_what_another_program_writes_into_a_view_is_not_read(view: Fixture, opened: bool, work: str) -> None:
    """Nor does MI's own next write hide it, or a process that has the view open read it."""
    before = LogView(str(view.path), TABLES)
    if opened:
        assert before.cursors()
    with closing(sqlite3.connect(view.path)) as db, db:
        db.execute(work)
    view.write("five")
    with closing(before):
        log = Log(str(view.log), "log", lambda: read_word)

        def read(db: sqlite3.Connection) -> list[str]:
            before.catch_up(log, Words(), lambda done, total: None)
            return [text for (text,) in before.db.execute("SELECT text FROM word ORDER BY rowid")]

        assert before.run(read) == ["one", "two", "three", "four", "five"]
    assert view.words() == ["one", "two", "three", "four", "five"]


WORKER = """
import os, signal, sys
from pathlib import Path
from tests.kernel.test_log_view import Fixture, Words
kill_after = int(sys.argv[2])
take_in = Words.take_in
def counted(self, db, source, changes):
    take_in(self, db, source, changes)
    if kill_after and len(self.taken) >= kill_after:
        os.kill(os.getpid(), signal.SIGKILL)
Words.take_in = counted
print(len(Fixture(Path(sys.argv[1]), batch=100).words()))
"""


@pytest.mark.parametrize("kill_after", [1, 300, 1000])
def test_killed_while_catching_up_the_next_goes_on(tmp_path: Path, kill_after: int) -> None:
    fixture = Fixture(tmp_path / "place", batch=100)
    fixture.write(*(f"word{number}" for number in range(1000)))
    command = [sys.executable, "-c", WORKER, str(tmp_path / "place"), str(kill_after)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert fixture.words() == [f"word{number}" for number in range(1000)]
    assert 0 < len(fixture.taken) <= 1100 - kill_after  # what was taken in before the kill was kept


def test_processes_that_catch_up_at_once_take_each_line_in_once(tmp_path: Path) -> None:
    fixture = Fixture(tmp_path / "place", batch=100)
    fixture.write(*(f"word{number}" for number in range(3000)))
    command = [sys.executable, "-c", WORKER, str(tmp_path / "place"), "0"]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") for _ in range(3)]
    assert [worker.communicate()[0] for worker in workers] == ["3000\n"] * 3
    assert fixture.words() == [f"word{number}" for number in range(3000)]
    assert fixture.taken == []


REMOVER = """
import random, sys
from pathlib import Path
from mi.kernel.view_seal import remove_view
from tests.kernel.test_log_view import Fixture
fixture = Fixture(Path(sys.argv[1]))
print(flush=True)
for number in range(40):
    fixture.write(f"word{number}")
    if random.random() < 0.5:
        remove_view(str(fixture.path))
    before = fixture.log.read_text().split()
    found = fixture.words()
    assert found[: len(before)] == before, (len(found), len(before))
assert fixture.troubles == []
"""


@pytest.mark.req("fleet.queue.killed-at-random")
def test_processes_that_write_and_remove_a_view_at_once_and_are_killed_read_what_the_log_says(tmp_path: Path) -> None:
    command = [sys.executable, "-c", REMOVER, str(tmp_path / "place")]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
    for killed in workers[::2]:
        assert killed.stdout is not None
        killed.stdout.readline()  # it has begun
        killed.kill()
    ends = [(worker.communicate()[1].decode(), worker.returncode) for worker in workers]
    assert ends == [("", -signal.SIGKILL), ("", 0)] * 4
    words = (tmp_path / "place/log.jsonl").read_text("utf-8").split()
    assert Fixture(tmp_path / "place").words() == words


@pytest.mark.parametrize("cut", ["begun", "written", "journal of a former version"])
def test_a_view_whose_writer_was_killed_is_built_again_without_a_word(view: Fixture, cut: str) -> None:
    if cut.startswith("journal"):
        Path(f"{view.path}-journal").write_bytes(b"half")
    else:
        seal = Path(f"{view.path}.seal")
        seal.write_bytes(b"begun:" + seal.read_bytes()[:90])
    if cut == "written":
        with closing(sqlite3.connect(view.path)) as db, db:
            db.execute("DELETE FROM word")
    assert view.words() == ["one", "two", "three", "four"]
    assert view.taken == ([] if cut == "begun" else ["one", "two", "three", "four"])
    assert view.troubles == []


def test_cursors_tell_whether_something_is_new(view: Fixture) -> None:
    log = Log(str(view.log), "log", lambda: read_word)
    with closing(LogView(str(view.path), TABLES)) as stored:
        cursor = stored.cursor("log")
    assert is_at(cursor, log.end())
    view.write("five")
    assert not is_at(cursor, log.end())
    assert is_at("", "")


def test_many_ids_are_looked_up_together(view: Fixture) -> None:
    names = ["one", "four", "x'; --", "nul\0byte", "\ud800"]
    with closing(LogView(str(view.path), TABLES)) as stored:
        stored.db.execute("INSERT INTO word VALUES (9, ?)", ("nul\0byte",))
        assert among(stored.db, "SELECT text FROM word WHERE text", names) == {"one", "four", "nul\0byte"}
        assert rows_among(stored.db, "SELECT source, text FROM word WHERE source = ? AND text", names, 9) == [
            (9, "nul\0byte")
        ]
        assert among(stored.db, "SELECT text FROM word WHERE text", []) == set()
