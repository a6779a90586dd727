"""What can come after a batch: another input for the agent, or the run's end."""

from typing import Literal, NamedTuple

from mi.kernel.messages import text

Status = Literal["done", "blocked", "failed", "interrupted"]
EXIT: dict[Status, int] = {"done": 0, "failed": 1, "blocked": 3, "interrupted": 130}


class Interrupted(Exception):
    """Somebody wants the run to stop while it waits for a judgement or for the person."""


class EndRun(NamedTuple):
    """Why the loop stops."""

    status: Status
    reason: str


class SendNext(NamedTuple):
    """What the agent gets next."""

    text: str
    is_check: bool = False


Next = SendNext | EndRun


def blocked(key: str, language: str, /, **details: object) -> EndRun:
    """The end of a run that needs the person, with the reason in their language."""
    return EndRun("blocked", text(key, language, **details))
