"""The journal of what MI wrote into its state files."""

import os

import pytest

from mi.kernel import believed, jsonl
from mi.kernel.home import Home
from mi.kernel.locks import try_lock


@pytest.mark.req("safe.seal.kills")
def test_the_journal_is_shortened_but_not_under_the_eyes_of_a_run(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(believed, "_LARGEST", 200)
    lock = home.project("p").run_lock
    os.makedirs(os.path.dirname(lock))
    fd = os.open(lock, os.O_RDWR | os.O_CREAT)
    assert try_lock(fd, lock)
    for number in range(9):
        believed.note_written(home.config, b"%d" % number)
    assert len(list(jsonl.read_forward(home.written))) == 9
    os.close(fd)
    believed.note_written(home.config, b"last")
    assert len(list(jsonl.read_forward(home.written))) == 1
