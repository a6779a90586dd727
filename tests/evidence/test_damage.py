"""Damage in a home, looked for while runs go on."""

import os
from pathlib import Path

import pytest

from mi.evidence.damage import find_damage
from mi.kernel.home import Home


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
