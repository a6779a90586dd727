"""The queue in a SQLite file holds to what every queue must, and says in one line what is wrong with its file."""

import sqlite3
from pathlib import Path

import pytest

from mi.fleet.sqlite_queue import VERSION, SqliteQueue
from mi.kernel.errors import StorageError
from tests.fleet.conformance import QueueConformance, task


def open_queue(place: str) -> SqliteQueue:
    return SqliteQueue(f"{place}.sqlite")


class TestSqliteQueue(QueueConformance):
    open_queue = staticmethod(open_queue)


def test_looking_makes_no_file(tmp_path: Path) -> None:
    queue = open_queue(str(tmp_path / "queue"))
    assert queue.jobs() == queue.pauses() == []
    assert not queue.wake("run_1")
    assert list(tmp_path.glob("queue*")) == []


@pytest.mark.req("fleet.queue.newer")
def test_a_queue_of_a_newer_version_is_refused_in_one_line(tmp_path: Path) -> None:
    open_queue(str(tmp_path / "queue")).put([task("run_1")])
    with sqlite3.connect(tmp_path / "queue.sqlite") as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    with pytest.raises(StorageError) as caught:
        open_queue(str(tmp_path / "queue")).counts()
    assert caught.value.code == "queue-newer"
    assert str(tmp_path / "queue.sqlite") in str(caught.value)


def test_a_file_that_is_no_queue_is_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "queue.sqlite").write_text("this is no database, but long enough to be looked at as one" * 20, "utf-8")
    with pytest.raises(StorageError) as caught:
        open_queue(str(tmp_path / "queue")).jobs()
    assert caught.value.code == "queue-unusable"
