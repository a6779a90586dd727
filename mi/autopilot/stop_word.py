"""By which door a run was told to stop: a signal alone does not say it."""

from typing import Literal, get_args

from mi.kernel import files
from mi.kernel.home import ProjectHome
from mi.kernel.messages import text

StopDoor = Literal["terminal", "page", "other"]
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


def write_stop_word(place: ProjectHome, run_id: str, by: StopDoor) -> None:
    """Leave word of who is about to end a run; `other` is nobody of whom it is known that they are the person."""
    files.write_atomic(_find_path(place, run_id), by.encode())


def forget_stop_word(place: ProjectHome, run_id: str) -> None:
    """Forget a word that came when the run was over."""
    files.remove_if_there(_find_path(place, run_id))


def explain_stop(place: ProjectHome, run_id: str, reason: str, language: str) -> str:
    """Return why a run was interrupted, as people say it, where a signal was the reason."""
    if reason not in _SIGNALS:
        return reason
    word = (files.read_bytes(_find_path(place, run_id)) or b"").decode("ascii", "replace")
    forget_stop_word(place, run_id)
    told = word if reason == "SIGTERM" and word in get_args(StopDoor) else reason
    return text(f"end.stopped-by-{told}", language)


def _find_path(place: ProjectHome, run_id: str) -> str:
    return place.run_state(run_id, "stopped_by")
