"""Answers with a secret: what is stored shows none; the run that waits is handed the words themselves, once."""

import os
import shutil

from msgspec.structs import replace

from mi.evidence.records.questions import UserInput
from mi.kernel import files
from mi.kernel.home import ProjectHome, make_place
from mi.kernel.secrets import redact


def hide_secrets(word: UserInput) -> UserInput:
    """Return a person's word as it is stored: without the secrets in it; one that had any holds this one time."""
    answer = redact(word.answer)
    return replace(word, answer=answer, why=redact(word.why), once=word.once or answer != word.answer)


def hand_over(place: ProjectHome, question_id: str, said: str) -> None:
    """Leave a person's own words for the run that waits for them, in a file that only this user can read."""
    path = _find_place(place, question_id)
    make_place(path)
    files.write_atomic(path, said.encode("utf-8", "surrogateescape"), sync=False)


def take_over(place: ProjectHome, question_id: str) -> str:
    """Return what was left for a run, '' where nothing was; all that lies there goes.

    One run of a project goes on at a time: what was left for the same question of another one nobody takes.
    """
    path = _find_place(place, question_id)
    try:
        said = files.read_bytes(path) or b""
    except OSError:
        said = b""
    shutil.rmtree(os.path.dirname(path), ignore_errors=True)
    return said.decode("utf-8", "surrogateescape")


def _find_place(place: ProjectHome, question_id: str) -> str:
    return place.path("secret_words", os.path.basename(question_id))
