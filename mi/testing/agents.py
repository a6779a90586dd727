"""Scripted agents: a real program that does what a list of steps says, well or badly, for the generic CLI provider."""

import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from mi.testing import replies
from mi.testing.wire import ScriptError

_PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent_program.py")
_MAX_ARGUMENT = 120_000  # the system takes no longer single argument than 128 KiB
_LIFE_S = 120.0


class Step(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing the agent does; which fields count depends on `do`."""

    do: str
    text: str = ""
    data: bytes = b""
    to: Literal["stdout", "stderr"] = "stdout"
    path: str = ""
    old: str = ""
    size: int = 0
    signals: tuple[str, ...] = ()
    seconds: float = _LIFE_S
    own_group: bool = False


Steps = Sequence[Step | replies.Say | replies.Run | replies.Write | replies.Edit | replies.Delete]


def scripted_agent(steps: Steps) -> list[str]:
    """Return the command line of an agent that takes these steps and exits with 0; stdin is never read unasked.

    `say` prints a line, `run` really runs a command and prints it with its output, `write`, `edit` and `delete`
    really change files. What is appended to the command line is the prompt.
    """
    return _argv([steps], "")


def scripted_batches(batches: Sequence[Steps], counter: str) -> list[str]:
    """Return the command line of an agent that takes the next batch of steps each time it starts.

    `counter` is the file in which it counts; a start after the last batch complains on stderr and exits with 70.
    """
    return _argv(batches, counter)


def _argv(batches: Sequence[Steps], counter: str) -> list[str]:
    script = msgspec.json.encode([[_as_step(step) for step in steps] for steps in batches]).decode()
    if len(script.encode()) > _MAX_ARGUMENT:
        raise ScriptError(f"the script is too long for a command line: {len(script)} characters of {_MAX_ARGUMENT}")
    return [sys.executable, "-I", "-S", _PROGRAM, script, counter]


def _as_step(step: Any) -> Step:
    match step:
        case Step():
            return step
        case replies.Say(text=text):
            return print_line(text)
        case replies.Run(command=command):
            return Step(do="run", text=command)
        case replies.Write(path=path, content=content):
            return Step(do="write", path=path, text=content)
        case replies.Edit(path=path, old=old, new=new):
            return Step(do="edit", path=path, old=old, text=new)
        case replies.Delete(path=path):
            return Step(do="delete", path=path)
        case _:
            raise ScriptError(f"{type(step).__name__.lower()}(…) is no step of a scripted agent")


def print_line(text: str, to: Literal["stdout", "stderr"] = "stdout") -> Step:
    """Print one line of text."""
    return Step(do="bytes", data=text.encode() + b"\n", to=to)


def print_event(event: dict[str, Any]) -> Step:
    """Print one JSON event, as agents with a machine-readable output do."""
    return Step(do="bytes", data=msgspec.json.encode(event) + b"\n")


def print_bytes(data: bytes, to: Literal["stdout", "stderr"] = "stdout") -> Step:
    """Exactly these bytes: a line without its end, or no UTF-8 at all."""
    return Step(do="bytes", data=data, to=to)


def print_lines(count: int, to: Literal["stdout", "stderr"] = "stdout") -> Step:
    """Print many short numbered lines, as fast as they are taken."""
    return Step(do="lines", size=count, to=to)


def print_long_line(size: int, to: Literal["stdout", "stderr"] = "stdout") -> Step:
    """Print one line of so many bytes."""
    return Step(do="long line", size=size, to=to)


def print_prompt() -> Step:
    """`prompt: ` and what the agent was given: its last arguments, else all of stdin."""
    return Step(do="prompt")


def ignore_signals(*names: str) -> Step:
    """Ignore these signals from here on; without names SIGINT and SIGTERM."""
    return Step(do="ignore", signals=names or ("SIGINT", "SIGTERM"))


def leave_child(seconds: float = _LIFE_S, *, own_group: bool = False) -> Step:
    """Print `child PID` and leave that child behind with the pipes; `own_group` lets it escape the group's signals."""
    return Step(do="child", seconds=seconds, own_group=own_group)


def wait_for_file(path: str, seconds: float = _LIFE_S) -> Step:
    """Go on when the file is there, so that a test decides when; after the time it exits with 75."""
    return Step(do="wait", path=path, seconds=seconds)


def stay(seconds: float = _LIFE_S) -> Step:
    """Do not exit: the test has to end it. The limit is only there so that no failed test leaves it behind for ever."""
    return Step(do="stay", seconds=seconds)


def exit_with(code: int) -> Step:
    """Exit at once."""
    return Step(do="exit", size=code)
