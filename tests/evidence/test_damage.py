"""Damage in a home, looked for while runs go on."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mi.evidence.damage import find_damage
from mi.kernel.home import Home, ThoughtFiles


def test_a_file_that_a_run_removes_meanwhile_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(str(tmp_path / "home"))
    place = Path(home.thoughts)
    place.mkdir(parents=True)
    Path(home.root).chmod(0o700)
    journal = place / "view.sqlite-journal"
    journal.touch(0o600)
    is_file = os.path.isfile

    def removed_after(path: str) -> bool:
        found = is_file(path)
        if path == str(journal):
            journal.unlink()
        return found

    monkeypatch.setattr("os.path.isfile", removed_after)
    assert list(find_damage(home)) == []
    assert not journal.exists()


def test_a_database_that_is_long_written_to_is_not_broken(tmp_path: Path) -> None:
    home = Home(str(tmp_path / "home"))
    view = Path(ThoughtFiles(home.thoughts).view)
    view.parent.mkdir(parents=True, mode=0o700)
    Path(home.root).chmod(0o700)
    with closing(sqlite3.connect(view, isolation_level=None)) as db:
        view.chmod(0o600)
        db.execute("CREATE TABLE one (name TEXT)")
        db.execute("BEGIN EXCLUSIVE")
        assert list(find_damage(home)) == []
    view.write_bytes(b"no database " * 1000)
    (found,) = find_damage(home)
    assert found.mend is not None
    found.mend()
    assert list(find_damage(home)) == []
